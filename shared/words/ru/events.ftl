### What happens in a game.

event-deployed = Ваша расстановка отправлена.
# $side.
event-ready = { side } готовы.
event-started = Обе стороны готовы. Партия начинается.
# $side, $rank: the rank that the side chose for its coin.
event-chosen = { side } выбирают для своей монеты фигуру: { rank }.
# $side, $square.
event-removed = { side } убирают фигуру с поля { $square }.
# A piece comes from the reserve. $side, $square, $rank (piece if the rank is not known), $labeled: yes or no.
event-placed =
    { $rank ->
        [piece] { $labeled ->
            [yes] { side } ставят на { $square } фигуру с меткой.
           *[no] { side } ставят на { $square } фигуру.
        }
       *[known] { $labeled ->
            [yes] { side } ставят на { $square } фигуру с меткой: { rank }.
           *[no] { side } ставят на { $square } фигуру: { rank }.
        }
    }
# The same with a chip. $color: of the chip; the others as for event-placed.
event-placed-on-chip =
    { $rank ->
        [piece] { $labeled ->
            [yes] { side } ставят на { $square } фигуру с меткой; под ней { color } фишка.
           *[no] { side } ставят на { $square } фигуру; под ней { color } фишка.
        }
       *[known] { $labeled ->
            [yes] { side } ставят на { $square } фигуру с меткой: { rank }; под ней { color } фишка.
           *[no] { side } ставят на { $square } фигуру: { rank }; под ней { color } фишка.
        }
    }
# $side, $color, $square.
event-colored =
    { $color ->
        [red] { side } кладут красную фишку на { $square }.
        [yellow] { side } кладут жёлтую фишку на { $square }.
        [blue] { side } кладут синюю фишку на { $square }.
       *[green] { side } кладут зелёную фишку на { $square }.
    }
# $side.
event-draw-offered = { side } предлагают ничью.
# $side.
event-draw-declined = { side } отклоняют ничью.
event-paused = Сервер недоступен: партия приостановлена, часы стоят.
event-resumed = Партия продолжается.

no-move-yet = Ходов ещё не было.
# $squares: of a move that was planned for the player's turn.
plan-dropped = Предварительный ход { $squares } отменён: позиция изменилась.
draw-offered-own = Вы предлагаете ничью.
# What waits for the player, in a title or a list.
your-turn-note = Ваш ход
your-turn-low = Ваш ход: мало времени
deploy-note = Расставьте армию
saved-title = Сохранённые расстановки

## Moves

# $side, $squares: the two squares, as in a4a5.
move = { side } ходят { $squares }.
# A move that proves the possible ranks of a piece. $rank: a list of ranks.
move-proof = { side } ходят { $squares }, значит, это { rank }.
# Added to a move that laid chips. $color, $squares.
move-chips =
    { $color ->
        [red] Новые красные фишки: { $squares }.
        [yellow] Новые жёлтые фишки: { $squares }.
        [blue] Новые синие фишки: { $squares }.
       *[green] Новые зелёные фишки: { $squares }.
    }
# A move with its chips. $move, $chips: sentences.
move-and-chips = { $move } { $chips }

## Strikes

# $side: the attacker's; $attacker, $defender: ranks; $square: of the defender; $from: of the attacker.
# The attacker wins.
strike-won =
    { $side ->
        [red] { attacker } красных берёт на { $square } { defender } синих.
       *[blue] { attacker } синих берёт на { $square } { defender } красных.
    }
# The attacker is lost, the defender stays.
strike-lost =
    { $side ->
        [red] { attacker } красных атакует на { $square } { defender } синих и гибнет.
       *[blue] { attacker } синих атакует на { $square } { defender } красных и гибнет.
    }
# The attacker is lost, and the defender goes to the attacker's square.
strike-lost-advance =
    { $side ->
        [red] { attacker } красных атакует на { $square } { defender } синих и гибнет; победитель переходит на { $from }.
       *[blue] { attacker } синих атакует на { $square } { defender } красных и гибнет; победитель переходит на { $from }.
    }
strike-both-lost =
    { $side ->
        [red] { attacker } красных атакует на { $square } { defender } синих; гибнут обе фигуры.
       *[blue] { attacker } синих атакует на { $square } { defender } красных; гибнут обе фигуры.
    }
strike-both-stay =
    { $side ->
        [red] { attacker } красных атакует на { $square } { defender } синих; обе фигуры остаются.
       *[blue] { attacker } синих атакует на { $square } { defender } красных; обе фигуры остаются.
    }
# A strike with coins. $side: the attacker's; $squares; $choosing: who must choose: both, attacker or defender.
strike-pending =
    { $choosing ->
        [both] { side } атакуют ходом { $squares }. Обе стороны должны выбрать, кем станут их монеты.
        [attacker] { side } атакуют ходом { $squares } и должны выбрать, кем станет их монета.
       *[defender] { $side ->
            [red] Красные атакуют ходом { $squares }. Синие должны выбрать, кем станет их монета.
           *[blue] Синие атакуют ходом { $squares }. Красные должны выбрать, кем станет их монета.
        }
    }

## Colors and choices that a side must still name

# $side, $square.
owed-color = { side } должны назвать цвет своей фишки на { $square }.
# $rank.
choice-taken = Ваш выбор: { rank }. Изменить его нельзя. Исход удара решится, когда выберет другая сторона.

## Losses, reserve and pool

# $side; $kinds: how many ranks; $pieces: a list.
losses =
    { $kinds ->
        [0] { $side ->
            [red] У красных потерь нет.
           *[blue] У синих потерь нет.
        }
       *[other] { $side ->
            [red] Потери красных: { $pieces }.
           *[blue] Потери синих: { $pieces }.
        }
    }
# $side.
pool-empty =
    { $side ->
        [red] Запас красных пуст.
       *[blue] Запас синих пуст.
    }
# $side, $pieces: a list.
pool =
    { $side ->
        [red] Монеты красных ещё могут стать фигурами: { $pieces }.
       *[blue] Монеты синих ещё могут стать фигурами: { $pieces }.
    }
# $side, $count: pieces.
reserve =
    { $side ->
        [red] У красных
       *[blue] У синих
    } в резерве { $count ->
        [one] { $count } фигура.
        [few] { $count } фигуры.
       *[many] { $count } фигур.
    }
# $side, $count: pieces; $pieces: a list of the known ones.
reserve-known =
    { $side ->
        [red] У красных
       *[blue] У синих
    } в резерве { $count ->
        [one] { $count } фигура: { $pieces }.
        [few] { $count } фигуры: { $pieces }.
       *[many] { $count } фигур: { $pieces }.
    }

## The end

# $winner: red, blue or none; $reason: the code of the reason.
outcome =
    { $winner ->
        [red] Красные победили: { outcome-blue-lost }.
        [blue] Синие победили: { outcome-red-lost }.
       *[none] { outcome-drawn }
    }
outcome-red-lost =
    { $reason ->
        [flag_captured] Флаг красных взят
        [no_legal_move] у красных нет ходов
        [resigned] красные сдались
        [out_of_time] у красных вышло время
        [abandoned] красные покинули партию
        [illegal_act] красные нарушили правила
        [forfeited_reserve] у красных нет хода, допустимого по правилу резерва
       *[other] { $reason }
    }
outcome-blue-lost =
    { $reason ->
        [flag_captured] Флаг синих взят
        [no_legal_move] у синих нет ходов
        [resigned] синие сдались
        [out_of_time] у синих вышло время
        [abandoned] синие покинули партию
        [illegal_act] синие нарушили правила
        [forfeited_reserve] у синих нет хода, допустимого по правилу резерва
       *[other] { $reason }
    }
outcome-drawn =
    { $reason ->
        [aborted] Партия отменена.
        [both_blocked] Ничья: ни одна сторона не может ходить.
        [draw_agreed] Ничья по соглашению сторон.
        [quiet_limit] Ничья: слишком много ходов без взятия.
        [quiet_move_limit] Ничья: слишком много ходов без взятия.
        [ply_limit] Ничья: партия достигла предельной длины.
        [out_of_time] Ничья: время вышло у обеих сторон.
        [abandoned] Ничья: одна сторона покинула партию, другая засчитала ничью.
        [illegal_act] Ничья: обе стороны нарушили правила.
       *[other] Ничья: { $reason }.
    }

# $before, $after: ratings; $change: as in +12.
rating-change = { $before } → { $after } ({ $change })

# $own, $theirs: rating changes.
rating-change-own = Ваш рейтинг: { $own }. Рейтинг соперника: { $theirs }.

# $red, $blue: rating changes.
rating-change-both = Рейтинги: красные { $red }, синие { $blue }.
