### Playing a game: offers, moves, talk, and leaving.

no-game-yet = There is no game yet.
# $squares: the move; $key: a key.
premove-planned = Planned for your turn: { $squares }. { $key } takes it back.
game-goes-on = The game goes on.

## Players who come and go

# $player: a name; $side.
player-here = { $player } ({ side }) is here.
player-left = { $player } ({ side }) left.
player-reconnecting = { $player } ({ side }) lost the connection and may be back in a moment.
player-away = { $player } ({ side }) is away.
claim-type = Your opponent has been gone for a while. Type “claim win” or “claim draw”, or keep waiting.
# $key.
claim-press = Your opponent has been gone for a while. Press { $key } to claim a win or a draw, or keep waiting.
claim-usage = Type “claim win” or “claim draw”.

## Talk

# $player: who says it; $message.
said = { $player }: { $message }
# $message.
said-own = You: { $message }
# $game; $side; $message.
said-elsewhere = { side } in game { $game }: { $message }
# $number; $phrase.
say-phrase = say { $number }: { $phrase }
# $word: what was typed.
no-slash-command = Not sent, because there is no command { $word }. The commands are /mute, /unmute and /report WORDS.
# $word: what was typed; $meant: a command.
no-slash-command-meant = Not sent, because there is no command { $word }. Did you mean { $meant }? The commands are /mute, /unmute and /report WORDS.
# $max: characters.
message-too-long = A message has 1 to { $max } printable characters.
# $server: an option of the command line.
muted = You no longer see your opponent's messages in this game. The command “unmute” brings them back. To block a player permanently: flagfall block{ $server } NAME
unmuted = You will see your opponent's messages again.

## Leaving

# $consequences: sentences.
leave-ask = Leave the game? { $consequences } Type “yes” to leave, or anything else to stay.
leave-deployed = Your deployment is submitted, and the game may start without you.
# $counts: yes if the server counts it as leaving a game, or no.
leave-undeployed =
    { $counts ->
        [yes] If you do not deploy, the game is aborted and counts against you.
       *[no] If you do not deploy, the game is aborted.
    }
# $left: a clock; $counts: as above.
leave-undeployed-within =
    { $counts ->
        [yes] If you do not deploy within { $left }, the game is aborted and counts against you.
       *[no] If you do not deploy within { $left }, the game is aborted.
    }
leave-no-clock = No clock runs.
leave-own-turn = Your clock keeps running.
leave-their-turn = Your clock runs when it is your turn.
# $player: a name; $wait: how long.
leave-claim = { $player } can claim the game in about { $wait }.
leave-no-return = Your seat is not saved on this machine, so you cannot come back.
leave-seat-stays = You keep your seat.
# $consequences: sentences.
left = You left. { $consequences }
# $consequences: sentences; $server: an option of the command line; $game.
left-return = You left. { $consequences } To go on: flagfall play{ $server } --game { $game }
# $server: an option of the command line; $game.
record-of-game = The record of the game: flagfall record{ $server } { $game }

## The reserve

reserve-empty-own = Your reserve is empty.
# $square.
no-own-piece-on = None of your pieces stands on { $square }.
# $square.
place-not-home = Pieces can only be placed on your home squares. { $square } is not one of them.
# $square.
place-not-empty = A piece stands on { $square }.
report-usage = Say what happened: report WORDS.
talk-lost = Your last message may not have arrived.
talk-players-only = Only players can talk to each other.

## Messages about a game

# $why: a sentence.
game-unavailable = This game cannot continue at the moment. { $why }
# $not_done: what was not done.
not-done-lost = { $not_done }, because the server lost the last moves of the game. Look at the board again.
# $message: the server's, as a sentence.
did-not-happen = Your command was not carried out. { $message }
report-sent = Your report was sent to the operators of the server.
rematch-asked = You have asked for a rematch. It begins when the other side asks too.
# $side.
rematch-type = { side } asks for a rematch. Type “rematch” to play it.
# $side; $key.
rematch-press = { side } asks for a rematch. Press { $key } to play it.
# $side.
rematch-withdrawn = { side } no longer asks for a rematch.
rematch-not-now = Only players can ask for a rematch, and only when the game is over.
superseded = Another connection of yours has taken the seat, so this game is read-only here.
deployment-not-understood = This client does not understand the deployment that the server has.
turned-back = The server had to go back to an earlier state of the game. The game goes on from there.
# $game; $side; $opponent: a name; $terms.
game-as-player = Game { $game }: you play { side } against { $opponent }. { $terms }.
# $game; $red and $blue: names; $terms.
game-over-opened = Game { $game }: { $red } plays Red, { $blue } plays Blue. { $terms }. The game is over.
# $game; $red and $blue: names; $terms.
game-as-spectator = Game { $game }: { $red } plays Red, { $blue } plays Blue. { $terms }. You are a spectator and see only what both players know.
# $game; $red and $blue: names; $terms.
game-without-seat = Game { $game }: { $red } plays Red, { $blue } plays Blue. { $terms }. You have no seat in it: you are a spectator and see only what both players know.
# $ruleset: its id.
ruleset-unknown = This client does not know the ruleset { $ruleset }. Update it to play or watch this game.
# $squares.
lakes = The lakes of this game: { $squares }.
read-only = Another connection of yours controls this game. This connection is read-only.
watch-only = You are only watching this game.
answer-draw = Type “accept” or “decline” to answer the draw offer.
deploy-now = Deploy now: type “deploy suggested”, “deploy random”, or “deploy” and your own text (“help” explains it).
# $side.
your-turn = Your turn, { side }.
# $side; $left: a clock.
your-turn-clock = Your turn, { side }. You have { $left }.
deploy-not-now = You cannot deploy now.
deployed-already = This deployment is already submitted. Change something to submit another deployment.
# $plies.
quiet-limit =
    { $plies ->
        [one] After 1 more ply without a capture, the game is a draw.
       *[other] After { $plies } more plies without a capture, the game is a draw.
    }
# $server: an option of the command line; $game.
game-ended = Type “rematch” or “quit”. The record: flagfall record{ $server } { $game }
# $squares.
illegal-loses = { $squares } is against the rules, and in this game an illegal move loses. Type “sure” to send it anyway, or anything else to take it back.
# $squares.
move-taken-back = { $squares } is taken back.

## Lines

lines-help-play =
    a4a5 or move a4a5: move or strike. Where there are chips, with a color: a4a5 green. Where edges are joined, a1a7+ goes toward higher rows or later columns, a1a7- the other way.
    place scout a4, place labeled scout a4: place a piece from the reserve (with a color: place scout a4 green). remove a4: return your piece on a4 to the reserve. color green: name the color of a chip when you are asked for it.
    reserve: the pieces in both reserves. choose captain: choose a rank for your coin in a strike (in games with coins). pool: what both sides' coins can still become.
    deploy suggested: submit a sensible deployment. deploy random: a random one. deploy NAME: a saved one.
    deploy TEXT: submit your own, one letter for each square, the row nearest the enemy first, each row from your left: 1-9, S Spy, B Bomb, F Flag, and . for a square left empty where allowed.
    board: print the board. status: turn, clocks, presence. clocks: the clocks alone. last: the last move.
    square a4: what is on that square. row 4: what is on that row. rank scout: where Scouts are seen, how many are lost and how many remain. losses: which pieces are lost and which remain.
    draw: offer a draw, or accept the other side's. accept, decline: answer the other side's draw offer.
    resign: give up. abort: end the game without a result before your first move. Both ask first; answer yes on the next line. resign yes, abort yes: the same without the question, for scripts.
    claim win, claim draw: end a game that the other side left some time ago.
    say WORDS: send a message that only your opponent sees. say N (1 to 7): send the phrase with this number. say alone: list the phrases. mute, unmute: hide and show your opponent's messages.
    report WORDS: tell the operators of the server what your opponent did in this game.
    rematch: after the end, ask for another game with sides swapped.
lines-help-last = help: this text. quit: leave; asks first while a game runs (quit yes does not ask). You keep your seat.

resign-ask = Really resign? Type “yes” to resign, or anything else to play on.
abort-ask = Really abort the game? Type “yes” to abort it, or anything else to play on.
# $text: what was typed.
line-not-understood = “{ $text }” is not understood. Type a move, such as a4a5, or type “help”.
status-deploying = Both sides deploy.
# $ply; $side.
status-turn = Ply { $ply }: it is { side }'s turn.
# $ply.
status-ply = Ply { $ply }.
# $side; $player: a name; $presence; $clock: a clock or none; $ready: yes, no or started.
status-player = { side }: { $player }, { $presence }{ $clock ->
        [none] {""}
       *[some] , { $clock } left
    }{ $ready ->
        [yes] , ready
        [no] , not ready
       *[started] {""}
    }.
# $event: a sentence.
status-last = Last: { $event }
no-coins = There are no coins in this ruleset.

## The full screen

# $text: what was typed.
command-not-understood = “{ $text }” is not understood. Type “a4a5 green”, “place 9 a4 red”, “remove a4” or “color blue”.
# $text: what was typed.
not-a-move = { $text } is not a move. Type two squares, as in a4a5, then Enter.
save-name-wanted = Not saved: type a name first.
# $name.
deployment-saved = Saved as { $name }.
# $why: a refusal.
deployment-not-saved = Not saved. { $why }
# $key.
no-deployment-saved = No deployment is saved for this ruleset. { $key } saves this one.
# $name; $key.
deployment-loaded = Loaded { $name }. { $key } submits it.
# $name; $why: a refusal.
deployment-not-loaded = { $name } is not a deployment. { $why }
# $rank; $key.
none-in-hand = No { rank } is in hand. { $key } takes a piece off the board.
# $key.
challenge-waits = The challenge is still open. Press { $key } to answer it.
taken-back = Taken back.
# $square.
piece-cannot-move = The piece on { $square } cannot move now.
repetition-forbids = A repetition rule forbids that move this turn.
# $from and $to: squares.
piece-cannot-go = The piece on { $from } cannot go to { $to }.
select-own-first = Select one of your own pieces first.

## Answers of the server

# $why: a sentence.
saved-unavailable = Your saved deployments are not available: { $why }
game-not-now = This game cannot be opened right now. Try again in a moment.
# $outcome: a sentence; $server: an option of the command line; $game.
outcome-and-record = { $outcome } The record: flagfall record{ $server } { $game }
