### Lists, tables and charts of games and offers.

games-none = You have no running game.
# $server: an option of the command line.
games-head = Your running games (go on with: flagfall next{ $server }, or flagfall play{ $server } --game ID):
# $game.
games-unavailable = { $game }  cannot be shown now; try again in a moment
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
next-none = You have no running game. flagfall play{ $server } --challenge makes one for a friend.
next-no-other = You have no other running game.
# $count: running games; $left: a clock, or none if no clock runs.
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

queue-empty = Nothing is queued.
# $ply; $moves: a list, as they are typed.
queue-list = Queued from ply { $ply } on: { $moves }.

# $player: a name.
played-none = { $player } has finished no game that you may see.
# $player: a name.
played-head = Games of { $player }, the latest first:
# $server: an option of the command line; $players: one or two names; $next: where the list goes on.
played-more = Earlier ones: flagfall history{ $server } { $players } --after { $next }
# $ruleset; $time.
played-what = { $ruleset }, { $time }
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
both-none = { $player } and { $opponent } have finished no game against each other that you may see.
# $player, $opponent: names.
both-head = { $player } against { $opponent }:

statistics-none = No game of yours is finished yet. Statistics start with the first one.
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
# $count: games.
chart-undone =
    { $count ->
        [one] The operators of the server took back what 1 of them did.
       *[other] The operators of the server took back what { $count } of them did.
    }

# $text: what was typed.
not-a-range = “{ $text }” is not a range of ratings. Write 1400-1600, 1400- (or more), -1600 (or less), or around your own rating +-200 or -100+300; the lower end comes first.
# $range: both, min or max, for the ends that it has; $min, $max.
only-rated = Only players rated { rating-range } may take it.
# $points.
only-within = Only players within { $points } points of your rating may take it.
# $points.
only-below = Only players at most { $points } points below your rating may take it.
# $points.
only-above = Only players at most { $points } points above your rating may take it.
# $below, $above: points.
only-between = Only players at most { $below } points below your rating and at most { $above } above it may take it.

# $name: what was typed.
not-a-player = “{ $name }” is not a player's name. Names have letters, digits, - and _.
# $id: what was typed; $meant: a similar one, or none; $ids: a list.
no-ruleset = there is no ruleset `{ $id }`.{ $meant ->
        [none] {""}
       *[some] {" "}Did you mean `{ $meant }`?
    } The rulesets are { $ids }.
# $kind: level, speed or format; $name: what was typed; $meant: a similar one, or none; $names: a list.
no-such-name = there is no { $kind } `{ $name }`.{ $meant ->
        [none] {""}
       *[some] {" "}Did you mean `{ $meant }`?
    } There are { $names }.
