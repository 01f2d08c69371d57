### What the page tells when nobody looks at it, and its life without a server.

## Sounds and notifications

# $rules: the title of the ruleset.
notice-turn = { $rules }: ваш ход.
notice-start = { $rules }: партия началась.
notice-challenge = { $rules }: вам бросают вызов.
notice-time = { $rules }: у вас мало времени.
settings-notices = Звуки и уведомления
settings-sound = Звуки
settings-notify-turn = Уведомлять, когда мой ход
settings-notify-start = Уведомлять, когда начинается партия
settings-notify-challenge = Уведомлять о вызовах
settings-notify-time = Уведомлять, когда у меня мало времени
notify-refused = Браузер не разрешает этой странице уведомления. Разрешите их в его настройках.

## Long games

# $count: lines of the list.
moves-all = Показать все: { $count }

## Chat

key-x = X
key-x-does = Заглушить чат или вернуть его.
chat-muted = Чат этой вкладки заглушён. Чтобы вернуть его, нажмите X на доске.
chat-heard = Чат снова слышен.

## Without a server, and after an upgrade

module-gone = Не удалось загрузить часть страницы. Обновите страницу, когда партия закончится.
module-offline = Нет сети, а этой части страницы на устройстве ещё нет.
