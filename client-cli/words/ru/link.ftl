### The connection to the server, the server's store, and what is saved on this machine.

# $server: its address.
connecting = Соединение с { $server } …
# $server: its address; $player: a name.
connected = Есть соединение с { $server }. Вы вошли как { $player }.
connected-again = Соединение восстановлено.
# $server: its address; $why; $advice: a sentence.
cannot-reach = Сервер { $server } недоступен: { $why }. { $advice }
# $why.
no-server-yet = Ни один сервер пока не отвечает ({ $why }). Попытки продолжаются.
# $why.
connection-lost = Соединение потеряно ({ $why }). Переподключение.
# $why; $code: a number.
connection-closed = Сервер закрыл соединение: { $why } (код { $code }).
# $server: its address; $why.
connection-closed-early = Сервер { $server } закрыл соединение до начала сеанса: { $why }.
connection-has-no-seat = Соединение потеряно. Вы играете эту партию через другое соединение, поэтому этот клиент завершает работу.
guest-replaced = Сервер больше не знает гостя, сохранённого на этом компьютере. Теперь вы новый гость.
# $server: an option of the command line.
login-expired = Сохранённый вход больше не действует. Войдите снова: flagfall login{ $server } NAME. Чтобы играть гостем: flagfall logout{ $server }
# $game.
seat-gone = Сервер вас больше не знает, и ваше место в партии { $game } потеряно. Следующая команда сделает вас новым гостем.
no-new-guest = Сейчас сервер не принимает новых гостей. Попробуйте чуть позже.
# $why.
message-not-understood = Этот клиент не понимает сообщение сервера ({ $why }).
answer-not-understood = Этот клиент не понимает ответ сервера.
outbox-full = Не отправлено: слишком много команд уже ждут отправки.
outbox-waits = Соединения нет. Команда будет отправлена, когда оно восстановится.
# $why: a sentence.
retrying = Сервер не может выполнить это сейчас. { $why } Попытки продолжаются.
store-away = У сервера нет связи с хранилищем, поэтому партии приостановлены. Ваши команды будут выполнены, когда связь вернётся.
store-game-away = Сейчас ходы этой партии нельзя сохранить, поэтому она приостановлена. Ваши команды будут выполнены, когда она продолжится.
store-game-back = Партия продолжается.
store-back = Связь сервера с хранилищем восстановлена.

# $why.
seat-unsaved = Ваше место не удалось сохранить на этом компьютере ({ $why }). Играть можно, но вернуться в партию после завершения этого клиента не получится.
seat-saved = Ваше место сохранено. Теперь вы можете вернуться в партию.
