### What belongs to an account: passwords, blocked players, saved deployments, queued moves, webhook
### and feed.

password = Пароль
password-old = Текущий пароль
password-new = Новый пароль
recovery-code-label = Код восстановления

# $name: a player.
unblocked = Игрок { $name } больше не заблокирован.

# $count: deployments that were read from a file.
file-read =
    { $count ->
        [one] Сохранена { $count } расстановка.
        [few] Сохранены { $count } расстановки.
       *[many] Сохранено { $count } расстановок.
    }

queue-empty = Отложенных ходов нет.
queue-cleared = Отложенных ходов больше нет.

webhook-removed = Вебхук удалён. Уведомления больше не отправляются.
# $count: lost notices.
webhook-off =
    { $count ->
        [one] Вебхук отключён: не удалось доставить { $count } уведомление. Чтобы включить его, задайте адрес снова или отправьте пробное уведомление.
        [few] Вебхук отключён: не удалось доставить { $count } уведомления подряд. Чтобы включить его, задайте адрес снова или отправьте пробное уведомление.
       *[many] Вебхук отключён: не удалось доставить { $count } уведомлений подряд. Чтобы включить его, задайте адрес снова или отправьте пробное уведомление.
    }
webhook-unused = Уведомлений ещё не было.
# $date; $delivered: yes or no; $result: the server's words.
webhook-last =
    { $delivered ->
        [yes] Последнее уведомление: { $date }, доставлено ({ $result }).
       *[no] Последнее уведомление: { $date }, не доставлено ({ $result }).
    }
# $count: notices.
webhook-waiting =
    { $count ->
        [one] Ждёт отправки { $count } уведомление.
        [few] Ждут отправки { $count } уведомления.
       *[many] Ждут отправки { $count } уведомлений.
    }
feed-removed = Лента удалена. Её адрес больше не работает.
