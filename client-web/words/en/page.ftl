### The page in a browser: what it says besides what both clients say.

## Everywhere

nav = Main
nav-play = Play
nav-watch = Watch
no-answer = The server does not answer. Check your connection, and try again.
not-loaded = This could not be loaded
nav-rules = Rules
nav-deployments = Deployments
nav-games = Your games
nav-leaderboard = Leaderboards
nav-account = Account
nav-about = About this server
nav-more = All pages
keep = Keep things as they are
close = Close
to-home = Go to the first page
accept = Accept
withdraw = Withdraw
you = you
settings = Settings
session-failed = The server could not give you a seat. Try again in a moment.
unreachable = The server does not answer. The page will try again in a moment.
unknown-title = Page not found
unknown-text = This address leads nowhere. The link may be incomplete.

## The bar above the page

# $move: as in a4a5, or none.
bar-reconnecting =
    { $move ->
        [none] Reconnecting…
       *[other] Reconnecting… Your move { $move } is on its way.
    }
bar-offline = You are offline. The game goes on as soon as you are back.
bar-store-away = Moves cannot be saved right now. Yours are kept, and the clocks are corrected afterwards.
bar-restarting = The server is restarting. This takes a few seconds.
bar-new-epoch = The server lost the last moments of the game. This is the position now, so move again.
bar-act-new-epoch = Go on
bar-superseded = You are playing this game in another tab.
bar-act-superseded = Play here
bar-logged-out = You were logged out elsewhere.
bar-act-logged-out = Log in
bar-seat-gone = This seat is gone: the server no longer recognizes it.
bar-act-seat-gone = Try again
bar-old-page = The server and this page have different versions. Reload the page.
bar-act-old-page = Reload
bar-account-closed = The operators of this server have closed the account. Write to them if you think that this is a mistake.
bar-too-many-tabs = Too many tabs are open. Close some.
bar-act-too-many-tabs = Try again
bar-broken-line = The server and this page do not understand each other.
bar-act-broken-line = Try again
# $game: its id.
bar-quarantined = This game is damaged on the server and cannot go on. Tell the operator its number: { $game }.
bar-paused = The game is paused while the server is away. No clock runs.

## The first page

home-title = Hide your Flag. Find theirs.
home-lead = Two armies, unseen ranks, and a board of bluffs. Twelve sets of rules, no account needed.
home-choices = Start a game
play-house = Against the house
play-house-text = The computer plays against you. Classic rules, no clock.
play-quick = Quick game
# $rated: yes or no.
play-quick-text =
    { $rated ->
        [yes] Against anyone, 10 minutes and 5 seconds a move, rated.
       *[no] Against anyone, 10 minutes and 5 seconds a move.
    }
play-friend = A friend
play-friend-text = Makes a link that you can send.
all-choices = All rules, clocks and opponents
home-rules = New here? Learn how to play
change = Change
# $choice: what is started, as in “Quick game”.
choice-change = Change: { $choice }
your-games = Your games
your-games-empty = No game is running. The games that you start appear here.
your-games-finished = Finished games
offers = Open offers
offer-own = Your offer
offer-withdrawn = Your offer is withdrawn.
offers-empty = None right now. Post one, and a sound tells you when somebody accepts it.
offers-post = Post an offer
offers-filter = Filter
live-games = Live games
live-games-empty = Nobody is playing right now.
live-games-last = The last game that ended:
continue = Continue
watch = Watch
# $ply; $phase.
game-ply =
    { $phase ->
        [deploying] deploying
        [over] over
       *[playing] ply { $ply }
    }
# $side: the one that the person who offers wants.
offer-side =
    { $side ->
        [red] they play Red
       *[blue] they play Blue
    }
pool-waiting = Looking for an opponent…
# $seconds: so far; $waiting: players, you among them, or 0 if it is not known yet.
pool-details = { $seconds } s so far{ $waiting ->
        [0] {""}
        [one] , nobody else is waiting for this game yet
        [2] , one other player is waiting
       *[other] , { $waiting } players are waiting
    }
pool-leave = Stop waiting

## Offering a game

# $minutes, $seconds.
time-fischer = { $minutes } min + { $seconds } s a move
time-delay = { $minutes } min, { $seconds } s free each move
# $days.
time-days =
    { $days ->
        [one] 1 day a move
       *[other] { $days } days a move
    }
# $title: of the ruleset that is changed.
custom-title = { $title }, changed

## A friend's offer

challenges = Challenges for you
decline = Decline
# $side.
challenge-side =
    { $side ->
        [red] You would play Red, and move first.
       *[blue] You would play Blue.
    }
# $name.
challenge-declined = { $name } declined your offer.
# $name.
challenge-came = { $name } challenges you. “Your games” has the offer.

## A game

# $red, $blue: names.
game-heading = { $red } plays Red, { $blue } plays Blue
rules-link = Rules of this game
game-not-shown = This game cannot be shown
waiting-for-game = Waiting for the server…
waiting-for-page = The rest of the page is still loading…
# $side: the one at the lower edge.
board-name =
    { $side ->
        [red] Board, Red below
       *[blue] Board, Blue below
    }
actions = Actions
flip = Turn the board
whole-board = Whole board
quarter-turn = Quarter turn
more = More
# $time: a clock.
claim-in = claim in { $time }

## What the game waits for

latest = Latest events
status-deploying = Both sides deploy in secret.
status-deploy = Place your army, or press “Suggest”.
status-deploy-last = Place your army, or press “Suggest”. Your opponent is ready.
status-deploy-complete = { deploy-all-placed } Press “Ready”.
status-deployed = You are ready. Waiting for your opponent.
status-deploy-changed = This change is not submitted: until you press “Ready”, your earlier army counts.
status-sent = Your move is on its way…
# $whose: own, red or blue.
status-turn =
    { $whose ->
        [own] Your turn.
        [red] Red moves.
       *[blue] Blue moves.
    }
# On the first turn.
status-first-turn = Your turn. Choose a piece.
# $count: plies.
status-limit =
    { $count ->
        [0] This move ends the game in a draw.
        [one] A draw in 1 move without a capture.
       *[other] A draw in { $count } moves without a capture.
    }
# $rank.
status-chosen = You chose { rank }. Waiting for the other side.
# $whose: own, red or blue, who strikes; $square.
status-choose =
    { $whose ->
        [own] Your coin strikes { $square }. What is it?
        [red] Red strikes your coin on { $square }. What is it?
       *[blue] Blue strikes your coin on { $square }. What is it?
    }
status-choosing = Waiting for a side to choose what its coin is.
status-color = Choose the color of the chip.
status-owe-color = Name the color of your chip.

## Acts

draw-offer = Offer a draw
draw-accept = Accept the draw
draw-decline = Decline
resign = Resign
resign-ask = Resign this game?
resign-text = Your opponent wins at once.
abort = Call off
abort-ask = Call this game off? Nobody wins.
# $move: as in a4a5.
illegal-ask = { $move } is against the rules, and in this game an illegal move loses at once. Make it?
illegal-yes = Make it and lose
# $cause: who called the game off, or was late to deploy; idle if nothing happened for many days.
outcome-aborted = The game was aborted: { $cause ->
        [red-called-off] Red called it off.
        [blue-called-off] Blue called it off.
        [red-late] Red did not deploy in time.
        [blue-late] Blue did not deploy in time.
        [idle] nothing happened in it for many days.
       *[both-late] neither side deployed in time.
    }
claim-win = Claim the win
claim-draw = Claim a draw
rematch-came = Your opponent offers a rematch.
# $state: none, own or theirs.
rematch =
    { $state ->
        [own] Rematch offered
        [theirs] Accept the rematch
       *[none] Rematch
    }
# $move: as in a4a5.
confirm-move = Move { $move }?
confirm-move-yes = Move
move-not-made = { $move } was not made, because the game had gone on. Look at the board and move again.
plan-drop = Drop the planned move
held-by-reserve-rule = This coin must stay: you need at least as many unmoved coins as there are Bombs and Flags in your pool.
no-way-now = This piece cannot move now: no square beside it is free.

## Deploying

deploy-title = Your army
deploy-tray = Pieces to place
# $rank, $count.
tray-piece = { rank }, { $count } left
deploy-suggest = Suggest
deploy-saved = Saved
# $name: of the saved deployment that the player chose before the game.
deploy-chosen = Place “{ $name }”
deploy-chosen-gone = No deployment is saved under the name “{ $name }” any more.
saved-empty = No deployment is saved for these rules yet. You can make and save some here:
deploy-save = Save
deploy-random = Random
deploy-mirror = Mirror
deploy-clear = Clear
deploy-undo = Undo
deploy-ready = Ready
deploy-done = Ready, waiting
# $count.
deploy-missing =
    { $count ->
        [one] 1 piece to place
       *[other] { $count } pieces to place
    }
deploy-hint = Choose a rank, then marked squares, or drag pieces to them. A piece that you put on another one swaps places with it.
deploy-no-rank = Choose a rank first, or drag a piece here.
deploy-hint-keys = With the keyboard, go to a square and type the number or letter of a rank to place a piece.
deploy-changeable = You can change it until your opponent is ready.
deploy-final = Submit this deployment?
deploy-final-text = In these rules it cannot be changed afterwards, and an illegal deployment loses the game.
deploy-final-yes = Submit
deploy-final-wait = It can no longer be changed.
# $time: a clock.
deploy-left = { $time } left

# What has changed, for those who hear the board. $rank; $square; $count: how many are left to place.
deploy-placed = { $rank } on { $square }, { $count } left.
deploy-taken-off = { $rank } taken off { $square }, { $count } left.
# $rank; $from, $to: squares.
deploy-moved = { $rank } from { $from } to { $to }.
# $rank, now on $to; $other, now on $from.
deploy-swapped = { $rank } on { $to }, { $other } on { $from }.
deploy-in-hand = { $rank } on { $square }, in your hand.
deploy-all-placed = All pieces are placed.
# $what: suggested, random, mirrored, cleared, undone, or nothing that can be undone.
deploy-told =
    { $what ->
        [suggested] Suggested deployment.
        [random] Random deployment.
        [mirrored] Mirrored.
        [undone] Undone.
        [nothing] There is nothing to undo.
       *[cleared] Cleared.
    }
deploy-not-home = A piece can only go to one of your home squares.
# $rank.
deploy-none-left = No { $rank } is left to place.

## Questions of a turn

way-title = Which way?
# $by: legs, supply_line, flash or scout; $path: squares.
way =
    { $by ->
        [supply_line] Supply line: { $path }
        [flash] Flash: { $path }
       *[legs] { $path }
    }
color-title = Color of the chip
# $square.
owed-title = Color of your chip on { $square }
choice-text = Your choice is final.
choice-not-in-pool = none is left in your pool
choice-immovable = your coin moves, or has moved
choice-reserve-rule = too few unmoved coins would be left
# $count: pieces.
reserve-title = Your reserve: { $count }
reserve-hint = To place a piece, choose it here, then an empty home square, or drag it there. To take one into the reserve, choose it on the board and press “Take into the reserve”, or drag it off the board.
reserve-hint-keys = On the board, Delete takes one into the reserve.
to-reserve = Take into the reserve

## Beside the board

tab-moves = Moves
tab-losses = Losses
tab-notes = Notes
tab-chat = Chat
# $count: what the opponent said.
chat-unseen =
    { $count ->
        [one] 1 new message
       *[other] { $count } new messages
    }
moves-empty = What happens from now on is listed here.
losses-rank = Rank
# $side.
losses-of =
    { $side ->
        [red] Red lost
       *[blue] Blue lost
    }
pool-of =
    { $side ->
        [red] Red pool
       *[blue] Blue pool
    }
# $lost, $count.
lost-of = { $lost } of { $count }
said-aloud = Your opponent says something.
typed-label = Type a move
typed-placeholder = Move, such as a4a5
typed-go = Go
typed-unknown = This is not a command. Type a move as in a4a5, or: place 9 c3, remove c3, draw, resign.
# $typed.
typed-no-move = { $typed } is not possible now.
typed-no-place = A piece from your reserve can only go to an empty home square.
typed-wait = One moment: your last move is on its way.

## Names of squares, for those who hear the board

square-empty = empty
square-lake = lake
# $whose: own, enemy, red or blue; $moved: yes or no.
square-hidden =
    { $whose ->
        [own] your piece, hidden
        [enemy] enemy, hidden
        [red] Red, hidden
       *[blue] Blue, hidden
    }, { $moved ->
        [yes] has moved
       *[no] never moved
    }
# $whose; $rank: its name; $moved.
square-piece =
    { $whose ->
        [own] your { $rank }
        [enemy] enemy { $rank }
        [red] Red's { $rank }
       *[blue] Blue's { $rank }
    }{ $moved ->
        [yes] , has moved
       *[no] {""}
    }
square-known = known to the other side
square-labeled = labeled
# $color.
square-chip = { color } chip
square-chosen = in your hand
# $guess: a rank, or weak, strong or watch in words.
square-guess = your guess: { $guess }
# $end: from or to.
square-planned =
    { $end ->
        [from] a planned move starts here
       *[to] a planned move ends here
    }
# $by: legs, scout, supply_line or flash; $strikes: yes or no; $color: of the first square.
square-target =
    { $strikes ->
        [yes] you can strike here{ $by ->
            [scout] ; your coin becomes a Scout
           *[legs] {""}
        }
       *[no] { $by ->
            [scout] you can go here; your coin becomes a Scout
            [supply_line] you can go here by a supply line
            [flash] you can flash here, and the squares on the way turn { color }
           *[legs] you can go here
        }
    }
square-refused = forbidden for now by a repetition rule

## Notes

# $mark: the letter of a rank, weak, strong or watch; $rank: of a letter.
note-mark =
    { $mark ->
        [weak] weak
        [strong] strong
        [watch] watch
       *[other] { $mark } { rank }
    }

## What the keys of the board say

# $side; $clock; $runs: yes or no.
clock-said = { side }: { $clock }{ $runs ->
        [yes] , running
       *[no] {""}
    }.
# $side; $name; $presence: a word.
opponent-said = { side }, { $name }: { $presence }.

## Records

replay = Replay

## Looking on

watch-all = All live games

## Later additions

bar-new-page = The server has a newer page.
bar-act-new-page = Load it
