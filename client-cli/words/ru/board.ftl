### The board in words, and the state of a game.

# Marks on the printed board.
legend = Красные /5\, синие [5]; # скрыта и не ходила, ? скрыта и ходила; после фигуры ' значит «ходила», * – «известна всем»; > последний ход, ~~~ озеро.
legend-chips = + у фигуры один из нескольких рангов; после фигуры ^ значит «с меткой». Буква после поля – цвет его фишки: r красный, y жёлтый, b синий, g зелёный.
legend-coins = /o\ и [o] – монеты, которые ещё не ходили; знак ' после монеты значит, что она ходила. У монеты нет ранга, пока она не атакует или её не атакуют.

# $side; $kinds: how many ranks; $pieces: a list.
pieces-left =
    { $kinds ->
        [0] { $side ->
            [red] У красных ничего не осталось.
           *[blue] У синих ничего не осталось.
        }
       *[other] { $side ->
            [red] У красных остались: { $pieces }.
           *[blue] У синих остались: { $pieces }.
        }
    }
# $side; $kinds: how many ranks; $pieces: a list.
pieces-possible =
    { $kinds ->
        [0] { pool-empty }
       *[other] { pool }
    }

## Answers to questions about the position

answer-square-usage = Укажите поле доски, например: square a4
# $rows: of the board.
answer-row-usage = Укажите ряд от 1 до { $rows }, например: row 4
# $row: its number.
answer-row-empty = Ряд { $row } пуст.
answer-rank-usage = Укажите ранг словом или буквой, например: rank scout
# $rank.
answer-no-rank = В этой партии нет такого ранга: { rank }.
# $side; $rank; $lost, $left: numbers of pieces; $coins: yes if coins can become this rank; $squares: a
# list of squares; $count: how many squares.
answer-rank = { side }, { rank }: потеряно { $lost }, { $coins ->
        [yes] ещё возможно { $left }
       *[no] осталось { $left }
    }, { $count ->
        [0] на доске не видно
       *[other] видно на { $squares }
    }.
# $left: a clock.
answer-deploy-clock = Время на расстановку: { $left }.
# $side; $clock; $free: seconds before the clock runs; $runs: yes or no.
answer-clock = { side }: осталось { $clock }{ $free ->
        [0] {""}
        [one] {""} после { $free } секунды задержки
        [few] {""} после { $free } секунд задержки
       *[many] {""} после { $free } секунд задержки
    }{ $runs ->
        [yes] , часы идут
       *[no] {""}
    }.

# $side: who is gone; $other: the other side.
gone-claim-type = { side } не на связи. Введите «claim win» или «claim draw», чтобы завершить партию.
# $side: who is gone; $key.
gone-claim-press = { side } не на связи. { $key } – засчитать результат.
# $side: who is gone; $left: a clock.
gone-own = { side } не на связи. Через { $left } вы сможете засчитать результат.
# $side: who is gone.
gone-other =
    { $side ->
        [red] Красные не на связи, поэтому синие могут засчитать результат.
       *[blue] Синие не на связи, поэтому красные могут засчитать результат.
    }
# $side: who is gone; $left: a clock.
gone-other-soon =
    { $side ->
        [red] Красные не на связи. Через { $left } синие смогут засчитать результат.
       *[blue] Синие не на связи. Через { $left } красные смогут засчитать результат.
    }

# $waited: minutes and seconds; $range: both, min, max or any; $min, $max: ratings; $others: how many
# wait besides the player.
pool-status = Вы ждёте { $waited }.{ $range ->
        [any] {""}
       *[some] {" "}Соперники: { rating-range }.
    } { $others ->
        [0] Больше никто не ждёт.
        [one] Ждёт ещё { $others } игрок.
        [few] Ждут ещё { $others } игрока.
       *[many] Ждут ещё { $others } игроков.
    }
# $player: a name.
alert-challenge = Вызов от { $player }
# $alert: what waits for the player.
window-title = { $alert } - Flagfall
# $alert: what waits for the player.
notification = Flagfall: { $alert }

# $square.
square-lake = { $square }: озеро
# $square.
square-empty = { $square }: пусто
# $square; $owner: own, red or blue; $identity: rank, one_of, coin or hidden; $ranks: the rank and its
# figure, or the possible figures; $known: labeled, known, moved or unmoved.
square-piece = { $square }: { $owner ->
        [own] ваша
        [red] красная
       *[blue] синяя
    } { $identity ->
        [rank] фигура { $ranks }
        [one_of] фигура ({ $ranks })
        [coin] монета
       *[hidden] скрытая фигура
    }, { $known ->
        [labeled] с меткой
        [known] известна
        [moved] ходила
       *[unmoved] не ходила
    }

## Commitments to deployments

# $late: yes if the client did not see the start of the game.
commitments-match =
    { $late ->
        [yes] Обе расстановки соответствуют обязательствам, которые сервер показывает сейчас (начала партии этот клиент не видел).
       *[no] Обе расстановки соответствуют обязательствам, показанным в начале партии.
    }
# $side; $late.
commitment-matches =
    { $side ->
        [red] Расстановка красных
       *[blue] Расстановка синих
    } { $late ->
        [yes] соответствует обязательству, которое сервер показывает сейчас (начала партии этот клиент не видел). Расстановка другой стороны остаётся скрытой.
       *[no] соответствует обязательству, показанному в начале партии. Расстановка другой стороны остаётся скрытой.
    }
# $side: red, blue or both; $late.
commitment-broken =
    { $side ->
        [both] ВНИМАНИЕ: открытые расстановки обеих сторон НЕ соответствуют обязательствам, { commitment-when }.
        [red] ВНИМАНИЕ: открытая расстановка красных НЕ соответствует обязательствам, { commitment-when }.
       *[blue] ВНИМАНИЕ: открытая расстановка синих НЕ соответствует обязательствам, { commitment-when }.
    } Сервер изменил то, что обязался не менять. Сохраните запись партии как доказательство.
commitment-when =
    { $late ->
        [yes] которые сервер показывает сейчас (начала партии этот клиент не видел)
       *[no] показанным в начале партии
    }
# $side.
commitment-missing =
    { $side ->
        [red] ВНИМАНИЕ: расстановка красных открыта, но обязательства для неё в начале партии не было, поэтому расстановку могли изменить.
       *[blue] ВНИМАНИЕ: расстановка синих открыта, но обязательства для неё в начале партии не было, поэтому расстановку могли изменить.
    }
# $side: red, blue or both; $epoch: yes if the server started the game again.
commitment-changed =
    { $side ->
        [both] ВНИМАНИЕ: обязательства обеих сторон изменились.
        [red] ВНИМАНИЕ: обязательство красных изменилось.
       *[blue] ВНИМАНИЕ: обязательство синих изменилось.
    } { $epoch ->
        [yes] Сервер сообщает, что потерял часть партии и запустил партию заново.
       *[no] Сервер не должен менять свои обязательства. Сохраните запись этой партии как доказательство.
    }
