### Lists, tables and charts of games and offers.

games-none = You have no running game.
# $server: an option of the command line.
games-head = Your running games (to continue: flagfall next{ $server }, or flagfall play{ $server } --game ID):
# $game.
games-unavailable = { $game }  cannot be shown right now; try again in a moment
column-game = game
column-turn = turn
column-left = left
column-ply = ply
column-you = you
column-against = against
column-what = what
column-ended = ended
column-side = side
column-result = result
column-won = won
column-drawn = drawn
column-lost = lost
column-score = score
turn-deploy = deploy
turn-own = yours
turn-theirs = theirs
# $ply.
row-ply = ply { $ply }
# $terms.
row-draw-offered = { $terms }, draw offered

# $server: an option of the command line.
next-none = You have no running game. To make one for a friend: flagfall play{ $server } --challenge
next-no-other = You have no other running game.
# $count: running games; $left: the time until the first clock runs out, or none if no clock runs.
next-waits =
    { $count ->
        [one] It is not your turn in your one running game.
       *[other] It is not your turn in any of your { $count } running games.
    }{ $left ->
        [none] {""}
       *[some] {" "}It may be your turn within { $left }.
    }
# $count: running games.
next-waits-other = It is not your turn in any other of your { $count } running games.

# $ply: of the first move; $moves: a list, as they are typed.
queue-list = Queued moves from ply { $ply } on: { $moves }.

# $player: a name.
played-none = { $player } has no finished games that you may see.
# $player: a name.
played-head = Games of { $player }, latest first:
# $server: an option of the command line; $players: one or two names; $next: where the list goes on.
played-more = Earlier games: flagfall history{ $server } { $players } --after { $next }
# $ruleset; $time.
played-what = { $ruleset }, { $time }
# The operator of the server has erased this game.
played-erased = erased
# $score: won, drawn or lost; $reason: the code of the end.
played-result =
    { $score ->
        [won] won
        [drawn] drawn
       *[lost] lost
    }: { $reason ->
        [flag_captured] Flag captured
        [no_legal_move] no legal move
        [both_blocked] both blocked
        [resigned] resigned
        [out_of_time] out of time
        [abandoned] abandoned
        [illegal_act] illegal move
        [forfeited_reserve] reserve forfeited
        [draw_agreed] draw agreed
        [quiet_limit] no captures
        [quiet_move_limit] no captures
        [ply_limit] maximum length
        [aborted] aborted
       *[other] { $reason }
    }
# $player, $opponent: names.
both-none = { $player } and { $opponent } have no finished games against each other that you may see.
# $player, $opponent: names.
both-head = { $player } against { $opponent }:

statistics-none = You have not finished a game yet. Statistics start with your first one.
# $side.
statistics-side = as { side }
# $ruleset.
statistics-deployments = Your deployments in { $ruleset }, the row nearest the enemy first:
# $won, $drawn, $lost: numbers of games; $bar: a chart.
statistics-tally = { $won } won, { $drawn } drawn, { $lost } lost  { $bar }
# $count: games; $speed; $ruleset.
chart-caption =
    { $count ->
        [one] 1 game; { $speed } speed, { $ruleset }
       *[other] { $count } games; { $speed } speed, { $ruleset }
    }
# $count: games whose rating changes were undone.
chart-undone =
    { $count ->
        [one] The operators of the server undid the rating change of 1 of these games.
       *[other] The operators of the server undid the rating changes of { $count } of these games.
    }

# $text: what was typed.
not-a-range = “{ $text }” is not a range of ratings. Write 1400-1600, 1400- (or more), -1600 (or less), or a range around your own rating, as in +-200 or -100+300. The lower limit comes first.
# The text about the own offer. $range: both if it has two limits, otherwise min or max; $min, $max: the limits.
only-rated = Your offer is open only to players rated { rating-range }.
# $points.
only-within =
    { $points ->
        [one] Your offer is open only to players within 1 point of your rating.
       *[other] Your offer is open only to players within { $points } points of your rating.
    }
# $points.
only-below =
    { $points ->
        [one] Your offer is open only to players rated no more than 1 point below you.
       *[other] Your offer is open only to players rated no more than { $points } points below you.
    }
# $points.
only-above =
    { $points ->
        [one] Your offer is open only to players rated no more than 1 point above you.
       *[other] Your offer is open only to players rated no more than { $points } points above you.
    }
# $below, $above: points.
only-between =
    Your offer is open only to players rated from { $below ->
        [one] 1 point
       *[other] { $below } points
    } below you to { $above ->
        [one] 1 point
       *[other] { $above } points
    } above you.

# $name: what was typed.
not-a-player = “{ $name }” is not a player's name. Names have letters, digits, - and _.
# $id: what was typed; $meant: a similar one, or none; $ids: a list.
no-ruleset = there is no ruleset `{ $id }`.{ $meant ->
        [none] {""}
       *[some] {" "}Did you mean `{ $meant }`?
    } Choose one of these: { $ids }.
# $kind: level, speed or format; $name: what was typed; $meant: a similar one, or none; $names: a list.
no-such-name = there is no { $kind } `{ $name }`.{ $meant ->
        [none] {""}
       *[some] {" "}Did you mean `{ $meant }`?
    } Choose one of these: { $names }.
