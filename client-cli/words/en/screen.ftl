### The full screen: its title, questions, panel and windows.

# $ruleset.
screen-unknown-ruleset = This client does not know the ruleset { $ruleset }.
screen-update = Update flagfall to see this game
screen-challenge = A challenge
# $consequences: sentences; $keys: what the keys do.
screen-leave = Leave the running game? { $consequences }{ $keys }
# $width, $height: of the terminal; $board_width, $board_height: what the board needs.
screen-too-small = This terminal is { $width }x{ $height }. The board needs { $board_width }x{ $board_height }: make the window larger or the letters smaller. Press q to leave. flagfall --plain works in any window.
# $terms; $game.
title-game = Flagfall  { $terms }  game { $game }
# $at: the number of the event that is shown; $last: of the last one.
title-record = record, { $at } of { $last }
title-read-only = READ-ONLY
title-online = online
# $player: a name.
title-player = { $player }, online
title-reconnecting = RECONNECTING
title-connecting = connecting
title-disconnected = DISCONNECTED

ask-resign = Really resign?
ask-abort = Abort the game?
ask-leave = Leave the running game?
ask-say = Say: _ (1 Hello! 2 Good luck! 3 Well played! … 7 Good game! /mute /report WHY)
ask-claim = Claim the game that your opponent left, as a win or as a draw?
# $squares.
ask-illegal = { $squares } is illegal and loses the game. Send it?
# $square.
ask-remove = Take your piece off { $square } into the reserve?
ask-color = The color of the chip?
ask-color-won = Your piece won. The color of its chip?
# $square.
ask-place = Which piece for { $square }?
# $name: what is typed.
ask-save = Save under which name? { $name }_
ask-load = Which deployment?
# $message: what is typed.
ask-said = Say: { $message }_
typed-d = > d_   or go on typing a move, such as d4d5

window-reserve = Your reserve
window-help = Help
window-help-scrolls = Help: ↑ and ↓ show more
window-history = What has happened
# After a piece of the reserve.
reserve-labeled = labeled

panel-you = (you)
panel-ready = ready
panel-deploying = deploying
# $ply.
panel-choice = Your choice (ply { $ply }).
# $ply.
panel-strike = A strike is pending (ply { $ply }).
# $ply.
panel-own-turn = Your turn (ply { $ply }).
# $side; $ply.
panel-turn =
    { $side ->
        [red] Red's turn (ply { $ply }).
       *[blue] Blue's turn (ply { $ply }).
    }
# $left: a clock, or none.
panel-deployed = Submitted; you can still change it.{ panel-left }
# $left: a clock, or none.
panel-deploy = Deploy your army.{ panel-left }
# $left: a clock, or none.
panel-both-deploy = Both sides deploy.{ panel-left }
panel-left =
    { $left ->
        [none] {""}
       *[some] {" "}{ $left } left.
    }
panel-offline = The connection is down. Reconnecting …
panel-read-only = Read-only: another connection of yours has the seat.
panel-unavailable = The game cannot continue at the moment.
panel-paused = Paused while the server is away; no clock runs.
panel-choose = Type the rank's digit or letter, then Enter.
# $side; $keys: what the keys do.
panel-draw = { side } offers a draw: { $keys }
# $plies.
panel-quiet =
    { $plies ->
        [one] A draw in 1 ply if nothing is captured.
       *[other] A draw in { $plies } plies if nothing is captured.
    }
# $key.
panel-rematch-answer = They want a rematch. { $key } accepts.
# $key.
panel-rematch = { $key } asks for a rematch.
# $red, $blue: numbers of pieces.
panel-reserves = In reserve: Red { $red }, Blue { $blue }.
# $side; $pieces: figures.
panel-labeled =
    { $side ->
        [red] Red's labeled pieces: { $pieces }
       *[blue] Blue's labeled pieces: { $pieces }
    }
panel-lost-pool = Lost/in pool:
panel-lost-left = Lost/left:
panel-lost-by = lost by
panel-held = held
# The heads of columns with room for 4 letters.
panel-lost = lost
panel-left-head = left
panel-pool-head = pool
# The heads of narrow columns, with room for 5 letters (Red) and 4 letters (Blue). $side.
panel-side =
    { $side ->
        [red] Red
       *[blue] Blue
    }
# $square; $rank: a rank and its figure.
panel-square = { $square }: { $rank }
# $count: pieces.
panel-own-reserve =
    { $count ->
        [one] Your reserve, 1 piece:
       *[other] Your reserve, { $count } pieces:
    }
# $pieces: a list.
panel-in-hand = In hand: { $pieces }
# Pieces of one rank in a list. $count; $rank: a rank and its figure.
panel-count = { $count } { $rank }

## Help on the marks of the board

marks =
    /5\  a red piece      [5]  a blue piece
    {"["}#]  hidden, has never moved: it may be a Bomb or the Flag
    {"["}?]  hidden, has moved
    '5   has moved        *5   everyone knows its rank
    ===  the last move    +  x where the selected piece can go or strike
    ~~~  lake             @@@  the selected piece
marks-coins =
    /o\  a red coin       [o]  a blue coin: it may be anything
    'o   a coin that has moved: neither Bomb nor Flag
    {"*"}5   a piece: everyone knows its rank
    ===  the last move    +  x where the selected one can go or strike
    +9   where a coin becomes a Scout
    ~~~  lake             @@@  the selected one
marks-reserve =
    /5\  a red piece   [5]  a blue piece   [+]  it has one of several ranks
    {"["}#]  hidden, has never moved           [?]  hidden, has moved
    beside a piece: ' has moved  * known to all  ^ labeled: always face up
    r y b g  a square's chip  ===  the last move  @@@  the selected one
    where it can go: + as usual  = by a supply line  * by a flash  x strike
