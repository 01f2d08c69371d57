### The board in words, and the state of a game.

# Marks on the printed board.
legend = Red /5\, Blue [5]; # hidden and never moved, ? hidden and moved; after a piece, ' means moved and * means known to all; > last move, ~~~ lake.
legend-chips = + has one of several ranks; after a piece, ^ means labeled. A letter after a square is the color of its chip: r red, y yellow, b blue, g green.
legend-coins = /o\ and [o] are coins that have never moved; the mark ' after a coin means that the coin has moved. A coin has no rank until it strikes or is struck.

# $side; $kinds: how many ranks; $pieces: a list.
pieces-left =
    { $kinds ->
        [0] { side } has nothing left.
       *[other] { side } still has: { $pieces }.
    }
# $side; $kinds: how many ranks; $pieces: a list.
pieces-possible =
    { $kinds ->
        [0] { pool-empty }
       *[other] { pool }
    }

## Answers to questions about the position

answer-square-usage = Name a square on the board, for example: square a4
# $rows: of the board.
answer-row-usage = Name a row from 1 to { $rows }, for example: row 4
# $row: its number.
answer-row-empty = Row { $row } is empty.
answer-rank-usage = Name a rank by its name or letter, for example: rank scout
# $rank.
answer-no-rank = There is no { rank } in this game.
# $side; $rank; $lost, $left: numbers of pieces; $coins: yes if coins can become this rank; $squares: a
# list of squares; $count: how many squares.
answer-rank = { side }, { rank }: { $lost } lost, { $coins ->
        [yes] { $left } still possible
       *[no] { $left } left
    }, { $count ->
        [0] none seen
       *[other] seen on { $squares }
    }.
# $left: a clock.
answer-deploy-clock = { $left } left to deploy.
# $side; $clock; $free: seconds before the clock runs; $runs: yes or no.
answer-clock = { side }: { $clock } left{ $free ->
        [0] {""}
        [one] {""} after 1 free second
       *[other] {""} after { $free } free seconds
    }{ $runs ->
        [yes] , running
       *[no] {""}
    }.

# $side: who is gone; $other: the other side.
gone-claim-type = { side } is gone. To end the game, type “claim win” or “claim draw”.
# $side: who is gone; $key.
gone-claim-press = { side } is gone. { $key } claims the game.
# $side: who is gone; $left: a clock.
gone-own = { side } is gone. You can claim the game in { $left }.
# $side: who is gone.
gone-other =
    { $side ->
        [red] Red is gone, so Blue can claim the game.
       *[blue] Blue is gone, so Red can claim the game.
    }
# $side: who is gone; $left: a clock.
gone-other-soon =
    { $side ->
        [red] Red is gone. Blue can claim the game in { $left }.
       *[blue] Blue is gone. Red can claim the game in { $left }.
    }

# $waited: minutes and seconds; $range: both, min, max or any; $min, $max: ratings; $others: how many
# wait besides the player.
pool-status = You have waited { $waited }.{ $range ->
        [any] {""}
       *[some] {" "}Opponents: { rating-range }.
    } { $others ->
        [0] No other player is waiting.
        [one] 1 other player is waiting.
       *[other] { $others } other players are waiting.
    }
# $player: a name.
alert-challenge = Challenge from { $player }
# $alert: what waits for the player.
window-title = { $alert } - Flagfall
# $alert: what waits for the player.
notification = Flagfall: { $alert }

# $square.
square-lake = { $square }: lake
# $square.
square-empty = { $square }: empty
# $square; $owner: own, red or blue; $identity: rank, one_of, coin or hidden; $ranks: the rank and its
# figure, or the possible figures; $known: labeled, known, moved or unmoved.
square-piece = { $square }: { $owner ->
        [own] your
        [red] Red's
       *[blue] Blue's
    } { $identity ->
        [rank] { $ranks }
        [one_of] piece ({ $ranks })
        [coin] coin
       *[hidden] hidden piece
    }, { $known ->
        [labeled] labeled
        [known] known
        [moved] has moved
       *[unmoved] unmoved
    }

## Commitments to deployments

# $late: yes if the client did not see the start of the game.
commitments-match =
    { $late ->
        [yes] Both deployments match the commitments that the server shows now (this client did not see the game's start).
       *[no] Both deployments match the commitments shown at the start.
    }
# $side; $late.
commitment-matches =
    { $late ->
        [yes] { side }'s deployment matches the commitment that the server shows now (this client did not see the game's start). The other deployment stays hidden.
       *[no] { side }'s deployment matches the commitment shown at the start. The other deployment stays hidden.
    }
# $side: red, blue or both; $late.
commitment-broken =
    { $side ->
        [both] WARNING: Both sides' opened deployments do NOT match the commitments { commitment-when }.
       *[one] WARNING: { side }'s opened deployment does NOT match the commitment { commitment-when }.
    } The server has changed what it committed to. Keep the record as evidence.
commitment-when =
    { $late ->
        [yes] that the server shows now (this client did not see the game's start)
       *[no] shown at the start
    }
# $side.
commitment-missing = WARNING: { side }'s deployment was opened, but no commitment to it was shown at the start, so it may have been changed.
# $side: red, blue or both; $epoch: yes if the server started the game again.
commitment-changed =
    { $side ->
        [both] WARNING: The commitments to both deployments have changed.
       *[one] WARNING: { side }'s commitment has changed.
    } { $epoch ->
        [yes] The server says that it lost a part of the game and then started the game again.
       *[no] A server must not change what it committed to. Keep the record of this game as evidence.
    }
