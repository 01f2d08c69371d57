### The full screen: its title, questions, panel and windows.

# $ruleset.
screen-unknown-ruleset = Этот клиент не знает правил { $ruleset }.
screen-update = Обновите flagfall, чтобы увидеть эту партию
screen-challenge = Вызов
# $consequences: sentences; $keys: what the keys do.
screen-leave = Выйти из идущей партии? { $consequences }{ $keys }
# $width, $height: of the terminal; $board_width, $board_height: what the board needs.
screen-too-small = Размер терминала – { $width }x{ $height }. Для доски нужно { $board_width }x{ $board_height }: увеличьте окно или уменьшите буквы. Нажмите q, чтобы выйти. flagfall --plain работает в любом окне.
# $terms; $game.
title-game = Flagfall  { $terms }  партия { $game }
# $at: the number of the event that is shown; $last: of the last one.
title-record = запись, { $at } из { $last }
title-read-only = ТОЛЬКО ПРОСМОТР
title-online = в сети
# $player: a name.
title-player = { $player }, в сети
title-reconnecting = ПЕРЕПОДКЛЮЧЕНИЕ
title-connecting = соединение
title-disconnected = НЕТ СОЕДИНЕНИЯ

ask-resign = Точно сдаться?
ask-abort = Отменить партию?
ask-leave = Выйти из идущей партии?
ask-say = Чат: _ (1 Привет! 2 Удачи! 3 Отлично! … 7 Хорошая партия! /mute /report WHY)
ask-claim = Соперника нет. Засчитать победу или ничью?
# $squares.
ask-illegal = Ход { $squares } запрещён и проигрывает партию. Сделать его?
# $square.
ask-remove = Убрать вашу фигуру с { $square } в резерв?
ask-color = Цвет фишки?
ask-color-won = Ваша фигура победила. Какого цвета фишку ей дать?
# $square.
ask-place = Какую фигуру поставить на { $square }?
# $name: what is typed.
ask-save = Под каким названием сохранить? { $name }_
ask-load = Какую расстановку?
# $message: what is typed.
ask-said = Чат: { $message }_
typed-d = > d_   или введите ход дальше, например d4d5

window-reserve = Ваш резерв
window-help = Справка
window-help-scrolls = Справка: ↑ и ↓ – дальше
window-history = Что произошло
# After a piece of the reserve.
reserve-labeled = с меткой

panel-you = (вы)
panel-ready = готово
panel-deploying = расстановка
# $ply.
panel-choice = Ваш выбор (полуход { $ply }).
# $ply.
panel-strike = Удар ещё не решён (полуход { $ply }).
# $ply.
panel-own-turn = Ваш ход (полуход { $ply }).
# $side; $ply.
panel-turn =
    { $side ->
        [red] Ходят красные (полуход { $ply }).
       *[blue] Ходят синие (полуход { $ply }).
    }
# $left: a clock, or none.
panel-deployed = Отправлено; ещё можно изменить.{ panel-left }
# $left: a clock, or none.
panel-deploy = Расставьте армию.{ panel-left }
# $left: a clock, or none.
panel-both-deploy = Обе стороны расставляют армии.{ panel-left }
panel-left =
    { $left ->
        [none] {""}
       *[some] {" "}Осталось { $left }.
    }
panel-offline = Соединения нет. Переподключение …
panel-read-only = Только просмотр: место занято другим вашим соединением.
panel-unavailable = Сейчас партию нельзя продолжить.
panel-paused = Пауза: сервер недоступен, часы стоят.
panel-choose = Введите цифру или букву ранга, затем Enter.
# $side; $keys: what the keys do.
panel-draw = { side } предлагают ничью: { $keys }
# $plies.
panel-quiet =
    { $plies ->
        [one] Ничья через { $plies } полуход, если не будет взятий.
        [few] Ничья через { $plies } полухода, если не будет взятий.
       *[many] Ничья через { $plies } полуходов, если не будет взятий.
    }
# $key.
panel-rematch-answer = Соперник хочет реванш. { $key } – согласиться.
# $key.
panel-rematch = { $key } – предложить реванш.
# $red, $blue: numbers of pieces.
panel-reserves = Резерв: красные { $red }, синие { $blue }
# $side; $pieces: figures.
panel-labeled =
    { $side ->
        [red] Красные, с меткой: { $pieces }
       *[blue] Синие, с меткой: { $pieces }
    }
panel-lost-pool = Сбито/запас:
panel-lost-left = Сбито/есть:
panel-lost-by = потери
panel-held = резерв
# The heads of columns with room for 4 letters.
panel-lost = сбит
panel-left-head = есть
panel-pool-head = зап.
# The heads of narrow columns, with room for 5 letters (Red) and 4 letters (Blue). $side.
panel-side =
    { $side ->
        [red] Крас.
       *[blue] Син.
    }
# $square; $rank: a rank and its figure.
panel-square = { $square }: { $rank }
# $count: pieces.
panel-own-reserve =
    { $count ->
        [one] Ваш резерв, { $count } фигура:
        [few] Ваш резерв, { $count } фигуры:
       *[many] Ваш резерв, { $count } фигур:
    }
# $pieces: a list.
panel-in-hand = В руке: { $pieces }
# Pieces of one rank in a list. $count; $rank: a rank and its figure.
panel-count = { $rank }: { $count }

## Help on the marks of the board

marks =
    /5\  красная фигура   [5]  синяя фигура
    {"["}#]  скрыта и ещё не ходила: может быть Бомбой или Флагом
    {"["}?]  скрыта, ходила
    '5   ходила           *5   ранг известен всем
    ===  последний ход    + можно пойти  x можно ударить
    ~~~  озеро            @@@  выбранная фигура
marks-coins =
    /o\  красная монета   [o]  синяя монета: может стать кем угодно
    'o   монета, которая ходила: не Бомба и не Флаг
    {"*"}5   фигура: ранг известен всем
    ===  последний ход    + можно пойти  x можно ударить
    +9   где монета становится Разведчиком
    ~~~  озеро            @@@  выбранная
marks-reserve =
    /5\  красная фигура  [5]  синяя фигура  [+]  один из нескольких рангов
    {"["}#]  скрыта, не ходила                  [?]  скрыта, ходила
    рядом с фигурой: ' ходила   * известна всем   ^ с меткой, открыта
    r y b g  фишка на поле   ===  последний ход   @@@  выбранная
    куда можно: + просто ход   = линия снабжения   * вспышка   x удар
