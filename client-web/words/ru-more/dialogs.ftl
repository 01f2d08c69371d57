### The settings, and what is read in dialogs: the keys of the board.

## Settings

settings-language = Язык
settings-language-system = Как в браузере
# Beside the choice: an open dialog keeps its language.
settings-language-later = Язык сменится, когда вы закроете настройки.
# On the page of the settings.
settings-language-page = Язык сменится, когда вы уйдёте с этой страницы.
settings-language-now = Сменить сейчас
# $kept: account, device.
settings-lead =
    { $kept ->
        [account] Хранятся в учётной записи и на этом устройстве; уведомления — только здесь.
       *[device] Хранятся на этом устройстве и действуют сразу.
    }
settings-group-look = Вид
settings-group-pieces = Фигуры
settings-group-play = Игра
settings-premove = Планировать ход, пока ходит соперник
settings-letters = Клавиши букв, цифр и знаков на доске
settings-push = Уведомления, когда страница закрыта:
settings-theme = Светлая или тёмная тема
# $value: system, light or dark.
settings-theme-value =
    { $value ->
        [light] Светлая
        [dark] Тёмная
       *[system] Как в системе
    }
settings-board = Поля доски
# $value: plain, green or checkered.
settings-board-value =
    { $value ->
        [green] Зелёные
        [checkered] Светлые и тёмные
       *[plain] Неброские
    }
settings-numbering = Числа на фигурах
# $value: us or eu.
settings-numbering-value =
    { $value ->
        [us] 1 – Маршал, 9 – Разведчик
       *[eu] 10 – Маршал, 2 – Разведчик
    }
settings-print = Что видно на фигурах
# $value: normal, large or glyphs.
settings-print-value =
    { $value ->
        [normal] Числа
        [large] Крупные числа
       *[glyphs] Знаки с мелкими числами
    }
settings-motion = Движение
# $value: system or none.
settings-motion-value =
    { $value ->
        [system] Как в системе
       *[none] Без движения
    }
settings-confirm = Спрашивать перед ходом
# $value: system, never, strikes or always.
settings-confirm-value =
    { $value ->
        [system] В партиях по переписке
        [never] Никогда
        [strikes] Перед ударом
       *[always] Всегда
    }
settings-notices = Звуки и уведомления
settings-sound = Звуки
settings-notify-turn = Уведомлять, когда мой ход
settings-notify-start = Уведомлять, когда начинается партия
settings-notify-challenge = Уведомлять о вызовах
settings-notify-time = Уведомлять, когда у меня мало времени
notify-refused = Браузер не разрешает этой странице уведомления. Разрешите их в настройках браузера.

## Keys

keys-title = Клавиши на доске
key-arrows = Стрелки, Home, End, Page Up, Page Down
key-arrows-does = Двигаться по доске.
key-enter = Enter или пробел
key-enter-does = Взять фигуру и поставить её на поле.
key-escape = Esc
key-escape-does = Отпустить фигуру.
key-n = N, P
key-n-does = Следующая и предыдущая фигура, которая может ходить.
key-m = M
key-m-does = Ввести ход.
key-i = I
key-i-does = Сказать, что на этом поле.
key-g = G
key-g-does = Пометить, чем может быть фигура соперника.
key-l = L
key-l-does = Сказать последний ход.
key-t = T
key-t-does = Сказать время на часах.
key-o = O
key-o-does = Сказать, на связи ли соперник.
key-c = C
key-c-does = Сказать, что потеряно и что в резервах.
key-delete = Delete
key-delete-does = Убрать фигуру в резерв или из расстановки.
key-x = X
key-x-does = Заглушить соперника или снова видеть его сообщения.

## Keys of a record

key-n-replay = N, P
key-n-replay-does = Следующий и предыдущий ход.
key-f-replay = F, E
key-f-replay-does = В начало, в конец.
key-a-replay = A
key-a-replay-does = Воспроизвести или остановить.
key-outside-replay = Влево, вправо, Home, End
key-outside-replay-does = Вне доски: предыдущий и следующий ход, начало и конец.

## Beside a game: talk, notes, and the moves that the server keeps

chat-text = Ваше сообщение
chat-send = Отправить
chat-mute = Заглушить
chat-report = Пожаловаться
# $square.
note-title = Ваша догадка о фигуре на { $square }
note-text = Догадку видите только вы. Она перемещается вместе с фигурой.
note-none = Без пометки
# $square.
note-removed = Пометки на { $square } больше нет.
# $square.
note-remove = Убрать пометку на { $square }
# $square; $guess: a rank, or weak, strong or watch in words.
note-on = { $square }: { $guess }
notes-empty = Пометок нет. Чтобы пометить фигуру соперника, щёлкните по ней правой кнопкой, подержите на ней палец или нажмите G на её поле.
deployment-keep = Сохранить мою расстановку
deployment-none = В этой партии у вас нет расстановки.
# $move: as in a4a5.
queue-offer = Отложить ход { $move }?
queue-offer-text = Сервер сделает этот ход, как только наступит ваша очередь, если он будет допустим.
queue-offer-yes = Отложить ход
queue-condition = Только если соперник пойдёт (можно не заполнять)
# $moves: a list.
queue-after = Ему предшествуют: { $moves }.
# $move: as in a4a5; $if: the move before it, or none.
queue-back =
    { $if ->
        [none] Отменить { $move }
       *[other] Отменить { $move } после { $if }
    }
queue-cleared = Отложенных ходов больше нет.
