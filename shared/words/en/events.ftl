### What happens in a game.

event-deployed = Your deployment is submitted.
# $side.
event-ready = { side } is ready.
event-started = Both sides are ready. The game starts.
# $side, $rank: the rank that the side chose for its coin.
event-chosen = { side } chooses { rank } for its coin.
# $side, $square.
event-removed = { side } takes its piece on { $square } off the board.
# A piece comes from the reserve. $side, $square, $rank (piece if the rank is not known), $labeled: yes or no.
event-placed =
    { $rank ->
        [piece] { $labeled ->
            [yes] { side } places a labeled piece on { $square }.
           *[no] { side } places a piece on { $square }.
        }
       *[known] { $labeled ->
            [yes] { side } places a labeled { rank } on { $square }.
           *[no] { side } places a { rank } on { $square }.
        }
    }
# The same with a chip. $color: of the chip; the others as for event-placed.
event-placed-on-chip =
    { $rank ->
        [piece] { $labeled ->
            [yes] { side } places a labeled piece on { $square }, with a { color } chip.
           *[no] { side } places a piece on { $square }, with a { color } chip.
        }
       *[known] { $labeled ->
            [yes] { side } places a labeled { rank } on { $square }, with a { color } chip.
           *[no] { side } places a { rank } on { $square }, with a { color } chip.
        }
    }
# $side, $color, $square.
event-colored = { side } lays a { color } chip on { $square }.
# $side.
event-draw-offered = { side } offers a draw.
# $side.
event-draw-declined = { side } declines the draw.
event-paused = The server is away, so the game is paused and no clock runs.
event-resumed = The game continues.

no-move-yet = No move has been made.
# $squares: of a move that was planned for the player's turn.
plan-dropped = The planned move { $squares } is dropped, because the position has changed.
draw-offered-own = You have offered a draw.
# What waits for the player, in a title or a list.
your-turn-note = Your turn
your-turn-low = Your turn: you are low on time
deploy-note = Deploy your army
saved-title = Saved deployments

## Moves

# $side, $squares: the two squares, as in a4a5.
move = { side } moves { $squares }.
# A move that proves the possible ranks of a piece. $rank: a list of ranks.
move-proof = { side } moves { $squares }, so the piece is a { rank }.
# Added to a move that laid chips. $color, $squares.
move-chips = New { color } chips: { $squares }.
# A move with its chips. $move, $chips: sentences.
move-and-chips = { $move } { $chips }

## Strikes

# $side: the attacker's; $attacker, $defender: ranks; $square: of the defender; $from: of the attacker.
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
# The attacker is lost, and the defender goes to the attacker's square.
strike-lost-advance =
    { $side ->
        [red] Red's { attacker } strikes Blue's { defender } on { $square } and is lost; Blue's { defender } goes to { $from }.
       *[blue] Blue's { attacker } strikes Red's { defender } on { $square } and is lost; Red's { defender } goes to { $from }.
    }
strike-both-lost =
    { $side ->
        [red] Red's { attacker } strikes Blue's { defender } on { $square }, and both are lost.
       *[blue] Blue's { attacker } strikes Red's { defender } on { $square }, and both are lost.
    }
strike-both-stay =
    { $side ->
        [red] Red's { attacker } strikes Blue's { defender } on { $square }, and both stay.
       *[blue] Blue's { attacker } strikes Red's { defender } on { $square }, and both stay.
    }
# A strike with coins. $side: the attacker's; $squares; $choosing: who must choose: both, attacker or defender.
strike-pending =
    { $choosing ->
        [both] { side } strikes { $squares }. Both sides must choose what their coins are.
        [attacker] { side } strikes { $squares } and must choose what its coin is.
       *[defender] { $side ->
            [red] Red strikes { $squares }. Blue must choose what its coin is.
           *[blue] Blue strikes { $squares }. Red must choose what its coin is.
        }
    }

## Colors and choices that a side must still name

# $side, $square.
owed-color = { side } must name the color of its chip on { $square }.
# $rank.
choice-taken = You chose { rank }, which is final. The strike waits for the other side's choice.

## Losses, reserve and pool

# $side; $kinds: how many ranks; $pieces: a list.
losses =
    { $kinds ->
        [0] { side } has lost nothing.
       *[other] { side } has lost: { $pieces }.
    }
# $side.
pool-empty =
    { $side ->
        [red] Red's pool is empty.
       *[blue] Blue's pool is empty.
    }
# $side, $pieces: a list.
pool =
    { $side ->
        [red] Red's coins can still become: { $pieces }.
       *[blue] Blue's coins can still become: { $pieces }.
    }
# $side, $count: pieces.
reserve =
    { $count ->
        [one] { side } has 1 piece in reserve.
       *[other] { side } has { $count } pieces in reserve.
    }
# $side, $count: pieces; $pieces: a list of the known ones.
reserve-known =
    { $count ->
        [one] { side } has 1 piece in reserve: { $pieces }.
       *[other] { side } has { $count } pieces in reserve: { $pieces }.
    }

## The end

# $winner: red, blue or none; $reason: the code of the reason.
outcome =
    { $winner ->
        [red] Red wins: { outcome-blue-lost }.
        [blue] Blue wins: { outcome-red-lost }.
       *[none] { outcome-drawn }
    }
outcome-red-lost =
    { $reason ->
        [flag_captured] Red's Flag was captured
        [no_legal_move] Red has no legal move
        [resigned] Red resigned
        [out_of_time] Red ran out of time
        [abandoned] Red abandoned the game
        [illegal_act] Red broke the rules
        [forfeited_reserve] Red has no move that the reserve rule allows
       *[other] { $reason }
    }
outcome-blue-lost =
    { $reason ->
        [flag_captured] Blue's Flag was captured
        [no_legal_move] Blue has no legal move
        [resigned] Blue resigned
        [out_of_time] Blue ran out of time
        [abandoned] Blue abandoned the game
        [illegal_act] Blue broke the rules
        [forfeited_reserve] Blue has no move that the reserve rule allows
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
        [out_of_time] A draw: both sides ran out of time.
        [abandoned] A draw: one side left, and the other claimed a draw.
        [illegal_act] A draw: both sides broke the rules.
       *[other] A draw: { $reason }.
    }

# $before, $after: ratings; $change: as in +12.
rating-change = { $before } → { $after } ({ $change })

# $own, $theirs: rating changes.
rating-change-own = Your rating: { $own }. Your opponent's: { $theirs }.

# $red, $blue: rating changes.
rating-change-both = Ratings: Red { $red }, Blue { $blue }.
