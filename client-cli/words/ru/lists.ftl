### Lists, tables and charts of games and offers.

games-none = У вас нет идущих партий.
# $server: an option of the command line.
games-head = Ваши идущие партии (продолжить: flagfall next{ $server } или flagfall play{ $server } --game ID):
# $game.
games-unavailable = { $game }  сейчас показать нельзя; попробуйте чуть позже
column-game = партия
column-turn = ход
column-left = время
column-ply = полуход
column-you = вы
column-against = соперник
column-what = условия
column-ended = окончена
column-side = сторона
column-result = результат
column-won = побед
column-drawn = ничьих
column-lost = поражений
column-score = очки
turn-deploy = расстановка
turn-own = ваш
turn-theirs = соперника
# $ply.
row-ply = { $ply }
# $terms.
row-draw-offered = { $terms }, предложена ничья

# $server: an option of the command line.
next-none = У вас нет идущих партий. Создать партию для друга: flagfall play{ $server } --challenge
next-no-other = Других идущих партий у вас нет.
# $count: running games; $left: the time until the first clock runs out, or none if no clock runs.
next-waits =
    { $count ->
        [1] В вашей единственной партии сейчас не ваш ход.
        [one] Ни в одной из ваших { $count } идущей партии сейчас не ваш ход.
        [few] Ни в одной из ваших { $count } идущих партий сейчас не ваш ход.
       *[many] Ни в одной из ваших { $count } идущих партий сейчас не ваш ход.
    }{ $left ->
        [none] {""}
       *[some] {" "}Ваш ход может наступить в течение { $left }.
    }
# $count: running games.
next-waits-other = Больше ни в одной из ваших идущих партий ({ $count }) сейчас не ваш ход.

# $ply: of the first move; $moves: a list, as they are typed.
queue-list = Отложенные ходы, начиная с полухода { $ply }: { $moves }.

# $player: a name.
played-none = У игрока { $player } нет завершённых партий, которые вам можно видеть.
# $player: a name.
played-head = Партии { $player }, сначала новые:
# $server: an option of the command line; $players: one or two names; $next: where the list goes on.
played-more = Более ранние партии: flagfall history{ $server } { $players } --after { $next }
# $ruleset; $time.
played-what = { $ruleset }, { $time }
# The operator of the server has erased this game.
played-erased = партия удалена
# $score: won, drawn or lost; $reason: the code of the end.
played-result =
    { $score ->
        [won] победа
        [drawn] ничья
       *[lost] поражение
    }: { $reason ->
        [flag_captured] взят Флаг
        [no_legal_move] нет ходов
        [both_blocked] ни у кого нет ходов
        [resigned] сдача
        [out_of_time] вышло время
        [abandoned] уход из партии
        [illegal_act] запрещённый ход
        [forfeited_reserve] правило резерва
        [draw_agreed] по соглашению
        [quiet_limit] без взятий
        [quiet_move_limit] без взятий
        [ply_limit] предел длины
        [aborted] отменена
       *[other] { $reason }
    }
# $player, $opponent: names.
both-none = У { $player } и { $opponent } нет завершённых партий друг с другом, которые вам можно видеть.
# $player, $opponent: names.
both-head = { $player } против { $opponent }:

statistics-none = У вас ещё нет завершённых партий. Статистика появится после первой.
# $side.
statistics-side =
    { $side ->
        [red] за красных
       *[blue] за синих
    }
# $ruleset.
statistics-deployments = Ваши расстановки, { $ruleset } (первым – ближний к противнику ряд):
# $won, $drawn, $lost: numbers of games; $bar: a chart.
statistics-tally = побед { $won }, ничьих { $drawn }, поражений { $lost }  { $bar }
# $count: games; $speed; $ruleset.
chart-caption =
    { $count ->
        [one] { $count } партия; { $speed }, { $ruleset }
        [few] { $count } партии; { $speed }, { $ruleset }
       *[many] { $count } партий; { $speed }, { $ruleset }
    }
# $count: games whose rating changes were undone.
chart-undone =
    { $count ->
        [one] Администраторы сервера отменили изменение рейтинга в { $count } из этих партий.
        [few] Администраторы сервера отменили изменения рейтинга в { $count } из этих партий.
       *[many] Администраторы сервера отменили изменения рейтинга в { $count } из этих партий.
    }

# $text: what was typed.
not-a-range = «{ $text }» – не диапазон рейтинга. Укажите 1400-1600, 1400- (и выше), -1600 (и ниже) или диапазон вокруг вашего рейтинга, например +-200 или -100+300. Нижняя граница идёт первой.
# The text about the own offer. $range: both if it has two limits, otherwise min or max; $min, $max: the limits.
only-rated = Ваше предложение могут принять только игроки с рейтингом { rating-range }.
# $points.
only-within = Ваше предложение могут принять только игроки, чей рейтинг отличается от вашего не больше чем на { $points }.
# $points.
only-below = Ваше предложение могут принять только игроки, чей рейтинг ниже вашего не больше чем на { $points }.
# $points.
only-above = Ваше предложение могут принять только игроки, чей рейтинг выше вашего не больше чем на { $points }.
# $below, $above: points.
only-between = Ваше предложение могут принять только игроки, чей рейтинг не больше чем на { $below } ниже и не больше чем на { $above } выше вашего.

# $name: what was typed.
not-a-player = «{ $name }» – не имя игрока. Имя состоит из латинских букв, цифр и знаков «-» и «_».
# $id: what was typed; $meant: a similar one, or none; $ids: a list.
no-ruleset = нет таких правил: `{ $id }`.{ $meant ->
        [none] {""}
       *[some] {" "}Может быть, `{ $meant }`?
    } Возможные правила: { $ids }.
# $kind: level, speed or format; $name: what was typed; $meant: a similar one, or none; $names: a list.
no-such-name = { $kind ->
        [level] нет такого уровня
        [speed] нет такого темпа
        [format] нет такого формата
       *[other] { $kind }
    }: `{ $name }`.{ $meant ->
        [none] {""}
       *[some] {" "}Может быть, `{ $meant }`?
    } Возможные значения: { $names }.
