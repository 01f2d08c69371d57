### What commands print. In a command line, $server is a space and the options that name the server,
### or empty if none are needed.

# An error. $message: what is wrong.
error-line = flagfall: { $message }
# $path: a file; $why: from the system.
file-error = { $path }: { $why }
# $path: a file.
file-written = Записано в { $path }.
# $why: what is wrong with the file.
ca-error = --ca { $why }

## Accounts

# $server.
no-identity = Сервер вас ещё не знает. Создать учётную запись: flagfall signup{ $server } NAME. Войти: flagfall login{ $server } NAME
# $player: the new guest.
guest-new = Сервер больше не знает гостя, сохранённого на этом компьютере. Теперь вы { $player }, новый гость.
# $why: from the system; $server; $name: the account.
login-not-saved = Не удалось сохранить вход на этом компьютере ({ $why }). Устраните причину и войдите снова: flagfall login{ $server } { $name }
login-unknown = Сохранённый вход больше не действует. Войдите снова: flagfall login NAME
# $code: the code.
recovery-code =
    Ваш код восстановления:  { $code }

    Запишите его: больше он показан не будет.
    Если вы забудете пароль, задайте новый с помощью этого кода: flagfall recover NAME
# $name: the account; $server.
already-logged-in = Вы уже вошли как { $name }. Сначала выйдите (flagfall logout{ $server }) или укажите другое имя в --name.
# $player: the account; $guest: yes if a guest became the account.
signed-up =
    { $guest ->
        [yes] Добро пожаловать, { $player }. Это теперь ваша учётная запись. Партии, сыгранные гостем, остаются вашими.
       *[no] Добро пожаловать, { $player }. Это теперь ваша учётная запись.
    }
# $server.
no-token-sent = Сервер создал учётную запись, но не прислал токен. Войдите: flagfall login{ $server } NAME
token-unknown = Сервер не знает этот токен. Возможно, в нём опечатка, он отозван или он от другого сервера.
# $player; $server: the server's address.
logged-in = Вы вошли на сервер { $server } как { $player }.
not-logged-in = Вы не вошли на этот сервер.
# $name: the account; $server: the server's address.
logged-out = Выполнен выход: { $name }, сервер { $server }.
# $player; $server: the server's address; $id: the player's id; $token: the token's name; $scope;
# $made: a date.
who-am-i =
    Вы вошли на сервер { $server } как { $player }.
    Ваш номер: { $id }. Токен «{ $token }», права { $scope }, создан { $made }.
# $player; $server: the server's address.
recovered = Вы вошли на сервер { $server } как { $player }. Все остальные сеансы завершены.
password-changed = Пароль изменён. Все остальные сеансы завершены.
# $name: the account.
delete-warning = Учётная запись { $name } будет удалена навсегда вместе с именем, паролем и токенами. Партии останутся, но без имени.
# $message: the server's refusal.
delete-games-running = { $message } Список партий: flagfall games
# $listing: name, pseudonym or none.
dump-listing =
    { $listing ->
        [name] В ежемесячных выгрузках открытых партий указано ваше имя.
        [none] Ваших партий нет в ежемесячных выгрузках открытых партий.
       *[pseudonym] В ежемесячных выгрузках открытых партий вместо вашего имени стоит псевдоним. Он меняется каждый год.
    }
# $name: the account.
account-deleted = Учётная запись { $name } удалена.

## Secrets that a player types

# $what: the name of a secret.
secret-prompt = { $what }:{" "}
# $what: the name of a secret.
secret-wanted = в стандартном вводе не хватает строки с секретом: { $what }
# $name: the account.
secret-password-of = Пароль учётной записи { $name }
secret-first-password = Пароль, не короче 8 символов
secret-token = Токен
secret-again = Повторите пароль
# $min and $max: numbers.
password-length = Длина пароля – от { $min } до { $max } символов.
passwords-differ = Пароли не совпадают. Попробуйте ещё раз или нажмите Ctrl-C, чтобы прервать.
secret-interrupted = Прервано. Ничего не изменилось.

## Players

# $name: a player.
player-blocked = Игрок { $name } заблокирован. Вас не сведут в пару, и вы не сможете играть друг с другом и писать друг другу.
no-blocks = Заблокированных игроков нет.
bad-name = Это недопустимое имя. Имя состоит из латинских букв, цифр и знаков «-» и «_».
leaderboard-custom = Для изменённых правил рейтинга нет. Укажите правила без изменений.

## Tokens

token-column-id = id
token-column-scope = права
token-column-made = создан
token-column-name = название
# $name: a token; $own: yes for the token of this request.
token-name =
    { $own ->
        [yes] { $name } (этот)
       *[no] { $name }
    }
# $token: the secret; $id; $scope.
token-made =
    { $token }

    Это токен { $id } с правами { $scope }. Храните его в тайне: больше он показан не будет. Чтобы войти с ним на другом компьютере: flagfall login --token
token-revoked = Токен отозван. Клиенты, которые им пользуются, отключены.

## E-mail

email-none = Адрес не указан. Указать: flagfall email set АДРЕС
# $address.
email-pending = Адрес { $address } ещё не подтверждён. Откройте ссылку из письма, которое отправил сервер: она действует 24 часа. Отправить ещё раз: flagfall email again
email-active = Когда в партии по переписке наступает ваш ход, письмо приходит на { $address }.
email-suspended = Почтовый сервер отказывается принимать письма на { $address }, поэтому они больше не отправляются. Подтвердить адрес снова: flagfall email again
email-again = Если адрес ещё не подтверждён, письмо отправлено снова. Откройте ссылку из него.
email-removed = Адрес удалён. Писем больше не будет.

## Webhook and feed

# $url; $secret.
webhook-set =
    Когда наступит ваш ход в партии по переписке, на { $url } будет отправлено уведомление.

    Секрет, которым подписаны уведомления:  { $secret }

    Больше секрет показан не будет. Отправить пробное уведомление: flagfall webhook test
# $result: the server's answer.
webhook-tested = Вебхук работает. Пробное уведомление: { $result }.
webhook-test-failed = Пробное уведомление не доставлено: { $result }.
# $url; $made: a date.
webhook-address = Уведомления отправляются на { $url }; адрес задан { $made }.
# $url.
feed-made =
    { $url }

    Это адрес вашей ленты в формате JSON Feed. Храните его в тайне: по нему любой увидит ваши партии. Больше он показан не будет. Если снова выполнить flagfall feed, вы получите новый адрес, а этот перестанет работать.

## Deployments

# $place: a path; $ruleset; $name.
deployment-saved-here = Расстановка сохранена: { $place }. Сыграть с ней: flagfall play --rules { $ruleset } --setup { $name }
# $ruleset; $name.
deployment-saved-online = Расстановка сохранена в вашей учётной записи: { $name }. Сыграть с ней: flagfall play --rules { $ruleset } --setup { $name }
# $name: what was typed; $ruleset.
deployment-missing = Для правил { $ruleset } нет сохранённой расстановки «{ $name }».
# $meant: a similar name.
deployment-meant = Для правил { $ruleset } нет сохранённой расстановки «{ $name }». Может быть, { $meant }?
deployment-removed = Расстановка удалена.
no-deployments = Сохранённых расстановок нет. Как сохранить расстановку: flagfall deployments save --help
# $ruleset: its title.
deployments-of = { $ruleset }:
# $path: a file; $line: the line with the error.
not-an-export = { $path } – не файл с расстановками. Ошибка в строке { $line }.
# $ruleset; $name; $why: a refusal.
import-refused = Ничего не сохранено: в одной из расстановок ошибка. { $ruleset } { $name }: { $why }

## A deployment that the command line names

# $ruleset.
setup-none = По правилам { $ruleset } играют без расстановки, поэтому уберите --setup.
# $name: what was typed; $ruleset.
setup-unknown = Для правил { $ruleset } нет сохранённой расстановки «{ $name }». Это и не файл, и не текст расстановки.
# $meant: a similar name.
setup-meant = Для правил { $ruleset } нет сохранённой расстановки «{ $name }». Это и не файл, и не текст расстановки. Может быть, `{ $meant }`?
# $other: the ruleset for which it is saved.
setup-elsewhere = Для правил { $ruleset } нет сохранённой расстановки «{ $name }». Она сохранена для правил { $other }: добавьте --rules { $other }.
# $ruleset; $why: a refusal.
setup-bad = Эта расстановка не подходит к правилам { $ruleset }. { $why }
# $server.
rated-guest = Рейтинговые партии доступны только с учётной записью. Если вы её создадите, ваши партии останутся вашими: flagfall signup{ $server } NAME
rated-custom = Для изменённых правил рейтинга нет. Укажите правила без изменений или уберите --rated.
rated-no-clock = Партии без часов не идут в рейтинг. Укажите часы, например --time 10+5.

## Games and records

# $request: an example.
referee-hint = Вводите по одному запросу JSON в строке, например { $request }. Чтобы закончить, завершите ввод (Ctrl-D).
record-as-file = Для --as нужен id партии на сервере: в файле только одна запись.
record-as-public = Сервер больше не знает гостя, сохранённого на этом компьютере, поэтому показана запись, открытая для всех.
# $why: from the parser.
record-not-understood = Этот клиент не понимает запись, которую прислал сервер: { $why }
# $format and $own: numbers.
record-other-format = Формат записи – { $format }, а этот клиент читает формат { $own }.
