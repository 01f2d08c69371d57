### What the page tells when nobody looks at it, and its life without a server.

## Sounds and notifications

# $rules: the title of the ruleset.
notice-turn = { $rules }: ваш ход.
notice-start = { $rules }: партия началась.
notice-challenge = { $rules }: вам бросают вызов.
notice-time = { $rules }: у вас мало времени.

## Long games

# $count: lines of the list.
moves-all = Показать все: { $count }

## Chat

chat-muted = Вы не видите, что пишет этот игрок, ни здесь, ни в других партиях.
chat-heard = Этот игрок больше не заглушён.

## Without a server, and after an upgrade

module-gone = Не удалось загрузить часть страницы. Обновите страницу, когда партия закончится.
module-offline = Нет сети, а этой части страницы на устройстве ещё нет.
