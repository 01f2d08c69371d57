### What happens in a game.

event-deployed = Your deployment is submitted.
# $side.
event-ready = { side } is ready.
event-started = Both sides are ready. The game starts.
# $side, $rank: what a coin is.
event-chosen = { side } chooses { rank }.
# $side, $square.
event-removed = { side } takes its piece on { $square } off the board.
# $side, $square, $rank (piece if it is not known), $labeled: yes or no.
event-placed =
    { $rank ->
        [piece] { $labeled ->
            [yes] { side } brings a labeled piece on at { $square }.
           *[no] { side } brings a piece on at { $square }.
        }
       *[known] { $labeled ->
            [yes] { side } brings a labeled { rank } on at { $square }.
           *[no] { side } brings a { rank } on at { $square }.
        }
    }
# As event-placed, on a chip. $color.
event-placed-on-chip =
    { $rank ->
        [piece] { $labeled ->
            [yes] { side } brings a labeled piece on at { $square }, on a { color } chip.
           *[no] { side } brings a piece on at { $square }, on a { color } chip.
        }
       *[known] { $labeled ->
            [yes] { side } brings a labeled { rank } on at { $square }, on a { color } chip.
           *[no] { side } brings a { rank } on at { $square }, on a { color } chip.
        }
    }
# $side, $color, $square.
event-colored = { side } lays a { color } chip on { $square }.
# $side.
event-draw-offered = { side } offers a draw.
# $side.
event-draw-declined = { side } declines the draw.
event-paused = The game is paused while the server is away; no clock runs.
event-resumed = The game continues.

## Moves

# $side, $squares: as in a4a5.
move = { side } moves { $squares }.
# A move that proves what a piece can be. $rank: one of several.
move-proof = { side } moves { $squares }: it is { rank }.
# What follows a move that laid chips. $color, $squares.
move-chips = Now { color }: { $squares }.
# A move and what follows it. $move, $chips.
move-and-chips = { $move } { $chips }

## Strikes

# $side: of the attacker; $attacker, $defender; $square: where; $from: where the attacker stood.
# The attacker wins.
strike-won =
    { $side ->
        [red] Red's { attacker } captures Blue's { defender } on { $square }.
       *[blue] Blue's { attacker } captures Red's { defender } on { $square }.
    }
# The attacker is lost, the defender stays.
strike-lost =
    { $side ->
        [red] Red's { attacker } strikes Blue's { defender } on { $square } and is lost.
       *[blue] Blue's { attacker } strikes Red's { defender } on { $square } and is lost.
    }
# The attacker is lost, the defender goes to its square.
strike-lost-advance =
    { $side ->
        [red] Red's { attacker } strikes Blue's { defender } on { $square } and is lost; Blue's { defender } goes to { $from }.
       *[blue] Blue's { attacker } strikes Red's { defender } on { $square } and is lost; Red's { defender } goes to { $from }.
    }
strike-both-lost =
    { $side ->
        [red] Red's { attacker } strikes Blue's { defender } on { $square }: both are lost.
       *[blue] Blue's { attacker } strikes Red's { defender } on { $square }: both are lost.
    }
strike-both-stay =
    { $side ->
        [red] Red's { attacker } strikes Blue's { defender } on { $square }: both stay.
       *[blue] Blue's { attacker } strikes Red's { defender } on { $square }: both stay.
    }
# A strike with coins. $side: the attacker; $squares; $choosing: both, attacker or defender.
strike-pending =
    { $choosing ->
        [both] { side } strikes { $squares }: both sides choose what their coins are.
        [attacker] { side } strikes { $squares } and chooses what its coin is.
       *[defender] { $side ->
            [red] Red strikes { $squares }: Blue chooses what its coin is.
           *[blue] Blue strikes { $squares }: Red chooses what its coin is.
        }
    }

## Colors and choices that are owed

# $side, $square.
owed-color = { side } has yet to name the color of its chip on { $square }.
# $rank.
choice-taken = You have chosen { rank }. This is final; the strike is resolved when all have chosen.

## Reserve and pool

# $side.
pool-empty =
    { $side ->
        [red] Red's pool is empty.
       *[blue] Blue's pool is empty.
    }
# $side, $pieces: a list.
pool =
    { $side ->
        [red] Red's coins can still be: { $pieces }.
       *[blue] Blue's coins can still be: { $pieces }.
    }
# $side, $count.
reserve = { side } has { $count } in reserve.
# $side, $count, $pieces: a list.
reserve-known = { side } has { $count } in reserve: { $pieces }.

## The end

# $winner: red, blue or none; $reason: the code of the end.
outcome =
    { $winner ->
        [red] Red wins: { outcome-blue-lost }.
        [blue] Blue wins: { outcome-red-lost }.
       *[none] { outcome-drawn }
    }
outcome-red-lost =
    { $reason ->
        [flag_captured] Red's Flag is captured
        [no_legal_move] Red has no legal move
        [resigned] Red resigned
        [out_of_time] Red ran out of time
        [abandoned] Red abandoned the game
        [illegal_act] Red broke the rules
        [forfeited_reserve] Red forfeited its reserve
       *[other] { $reason }
    }
outcome-blue-lost =
    { $reason ->
        [flag_captured] Blue's Flag is captured
        [no_legal_move] Blue has no legal move
        [resigned] Blue resigned
        [out_of_time] Blue ran out of time
        [abandoned] Blue abandoned the game
        [illegal_act] Blue broke the rules
        [forfeited_reserve] Blue forfeited its reserve
       *[other] { $reason }
    }
outcome-drawn =
    { $reason ->
        [aborted] The game was aborted.
        [both_blocked] A draw: neither side can move.
        [draw_agreed] A draw: both sides agreed.
        [quiet_limit] A draw: too many moves without a capture.
        [quiet_move_limit] A draw: too many moves without a capture.
        [ply_limit] A draw: the game reached its maximum length.
        [out_of_time] A draw: both ran out of time.
        [abandoned] A draw: claimed when a side had left.
        [illegal_act] A draw: both broke the rules.
       *[other] A draw: { $reason }.
    }
