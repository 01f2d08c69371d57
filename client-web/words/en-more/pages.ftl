### Rules, deployments, profiles, leaderboards, own games and the account.

try-again = Try again

## Rules

# $rank: what is known of the piece; $square.
no-way = The { $rank } cannot go to { $square }.
refused-repetition = A repetition rule forbids this move on this turn.
# $ranks: what the others then take the piece for.
move-shows = The others learn: { $ranks }.
# $color; $ranks: as above, or none if they learn nothing.
move-shows-with = With a { color } chip, the others learn { $ranks ->
        [none] nothing
       *[other] less: { $ranks }
    }.
# $ranks: what the others then take the piece for.
square-shows = shows the others: { $ranks }

rules-page-title = Rules
rules-page-lead = Every game here has hidden pieces. The rules differ in what the pieces may do.
rules-all = All rules
rules-unknown = There are no such rules here
rules-unknown-text = The link may come from another server.
rules-play = Play
rules-deployments = Deployments
# $columns, $rows; $count: pieces of a side.
ruleset-facts = { $columns }×{ $rows } squares, { $count } pieces a side
rules-board-title = The board: { $columns } columns, { $rows } rows
# $start: deployments or coins.
rules-board-legend =
    { $start ->
        [coins] Red’s coins are below, Blue’s above. Water is a lake.
       *[deployments] Red’s home rows are below, Blue’s above. Water is a lake.
    }
column-rank = Rank
column-count = Pieces
column-note = What is special
rules-changes-some = A casual game can change individual rules. One rule of each group applies.
# $meaning: of a rule; $here: yes if it is the rule of this ruleset.
rules-change =
    { $here ->
        [yes] { $meaning } (here)
       *[no] { $meaning }
    }
# What a piece can do, beside the board. $rank; $figure: on its picture, or none; $does: the texts below and
# those of the army, joined.
about-rank =
    { $figure ->
        [none] { rank }
       *[other] Rank { $figure }
    }: { $does }.
about-step = moves one square at a time
about-near = strikes only a piece next to it
# $rank: the strongest of those that it captures.
about-captures = captures a { rank } and weaker pieces
# $moved: yes or no.
about-hidden =
    { $moved ->
        [yes] Its rank is hidden until a strike shows it. It has moved, so it is neither a Bomb nor the Flag.
       *[no] Its rank is hidden until a strike shows it. It has not moved, so it may be a Bomb or the Flag.
    }
# $ranks: two or more, joined by “or”.
about-several = What it did shows that it is a { $ranks }.
about-coin = It has no rank yet, and moves one square. When it strikes or is struck, its owner names its rank.
diagram-scout-far = Where a Scout may go (dots) and strike (double frame), any distance away.
diagram-scout-near = Where a Scout may go (dots). It can only strike a piece that stands next to it.
diagram-coin-one = A coin moves one square. It can no longer be a Bomb or the Flag, so it has lost the bar of an unmoved coin.
diagram-exchange-own = How Blue sees it: a Miner leaves, and on another turn a Major comes.
diagram-label = A Scout strikes and loses. The piece that beat it is labeled: it has a raised corner, and stays face up wherever it goes.
diagram-supply-line = A Captain on a red chip may go to any square with a dot, along chips of that color.

## Deployments

deployments-title = Deployments
# $place: account or device.
deployments-lead =
    { $place ->
        [account] Your deployments are saved with your account. Nobody else sees them.
       *[device] Your deployments are saved on this device. With an account, the server keeps them.
    }
deployments-all = All deployments
# $count: deployments.
deployments-left =
    { $count ->
        [one] 1 deployment is saved on this device only.
       *[other] { $count } deployments are saved on this device only.
    }
deployments-take = Move to the account
deployments-taken = They are saved with your account now.
deployment-new = New deployment
suggestions-title = Nothing is saved yet
# $ruleset: its title.
suggestions-text = Three deployments to start from ({ $ruleset }), or make one of your own.
# $number: 1 to 3.
suggestion = Suggestion { $number }
files-title = As a file
files-text = All deployments in one file. The terminal client reads and writes such files too. Files of up to 1 MB can be opened.
file-open = Open a file
file-save = Save as a file
file-too-large = This file is larger than 1 MB.
file-wrong = This file contains no Flagfall deployments.
# $ruleset, $name.
file-wrong-one = Nothing was saved: { $name } ({ $ruleset }) is not a valid deployment here.
not-copied = The browser does not let this page copy. Select the text and copy it yourself.
deployment-no-ruleset = These rules have no deployments
deployment-no-ruleset-text = The link may come from another server, or the game begins with coins.
# $name.
deployment-missing = No deployment is saved under the name { $name }. You can make it here.
deployment-opened = The deployment is on the board.
editor-board = Your home rows
deployment-name = Name
deployment-name-hint = 1 to 30 letters (a–z), digits, - and _. The names “random” and “suggested” are taken.
deployment-bad-name = This name is not allowed. Choose another one.
# $name.
deployment-replace = Replace { $name }?
deployment-replace-yes = Replace
deployment-save = Save
# $place: account or device.
deployment-saved =
    { $place ->
        [account] Saved with your account.
       *[device] Saved on this device.
    }
# $place: account or device.
deployment-place =
    { $place ->
        [account] It is saved with your account. Nobody else sees it.
       *[device] It is saved on this device. With an account, the server keeps it.
    }
deployment-delete = Delete
# $name.
deployment-delete-ask = Delete { $name }?
deployment-deleted = Deleted.
deployment-text = As text
# $count: letters of a row.
deployment-text-hint = A row of { $count } letters for each home row, the one nearest the enemy first, each from your left to your right. A dot is an empty square.
deployment-use-text = Use this text
text-copy = Copy the text
text-copied = The text is copied.

## A player

# $rating; $provisional: yes or no.
rating =
    { $provisional ->
        [yes] { $rating }?
       *[no] { $rating }
    }
ratings = Ratings
ratings-empty = No rated game has been played yet.
ratings-empty-own = You have not played a rated game yet. A rated game needs two accounts, a clock, and rules without changes.
column-rules = Rules
column-pace = Speed
column-points = Rating
column-played = Games
column-date = Date
column-opponent = Opponent
column-result = Result
column-after = Rating
column-place = Place
column-player = Player
# $speed: its name in the protocol.
speed =
    { $speed ->
        [bullet] Bullet
        [blitz] Blitz
        [rapid] Rapid
        [classical] Classical
        [correspondence] Correspondence
       *[other] { $speed }
    }
# $speed: its name in the protocol.
speed-long =
    { $speed ->
        [bullet] Bullet, under 3 minutes for 40 turns
        [blitz] Blitz, under 8 minutes
        [rapid] Rapid, under 25 minutes
        [classical] Classical, longer
       *[correspondence] Correspondence, days a turn
    }
# $ruleset, $speed.
chart-of = Chart: { $ruleset }, { speed }
# $title; $count: games; $rating: now.
chart-label = Rating in { $title }: { $rating } after { $count ->
        [one] 1 game
       *[other] { $count } games
    }. The band is one deviation wide on each side.
chart-empty = There are no games for a chart yet.
rating-table = As a table
provisional-text = A question mark means that a rating is provisional, because too few games have been played. The mark disappears when the number after ± falls below 110.
# $before, $after: ratings; $change: as in +12.
rating-step = { $before } → { $after } ({ $change })
rating-undone = undone
# $score: won, drawn or lost.
score =
    { $score ->
        [won] Won
        [drawn] Draw
       *[lost] Lost
    }
against = You and this player
against-empty = You have not finished a game against each other.
# $won, $drawn, $lost: your games.
tally = { $won } won, { $drawn } drawn, { $lost } lost
history = Finished games
history-empty = No game has been finished yet.
history-empty-own = You have not finished a game yet. Finished games appear here.
history-more = More games
history-against = against
# $side.
history-as =
    { $side ->
        [red] as Red
       *[blue] as Blue
    }
# $count: plies.
history-plies =
    { $count ->
        [one] 1 ply
       *[other] { $count } plies
    }
history-rated = rated
history-private = private
# The operator of the server has erased this game.
history-erased = erased
game-replay = Replay
challenge = Challenge
challenge-send-it = Send the challenge
rated-two-accounts = Only between two accounts.
# $name.
challenged = { $name } has been notified of your challenge.
block = Block
unblock = Unblock
# $name.
blocked = You and { $name } can no longer write to each other or accept each other’s offers.

## Leaderboards

leaderboard-title = Leaderboards
leaderboard-speed = Speed
leaderboard-kind = Who
# $kind: people or bots.
leaderboard-kind-option =
    { $kind ->
        [bots] Bots
       *[people] People
    }
leaderboard-empty = Not enough rated games yet
leaderboard-empty-text = Nobody has played enough rated games here for a reliable rating. Play some, and the first place is yours.
leaderboard-play = Play
leaderboard-text = A player is listed while the rating is certain, with a deviation of 75 points or less. The deviation grows when the player has not played for a long time.

## Own games

games-title = Your games
games-none = No game is running
games-none-text = The games that you start appear here, the most urgent first.
games-start = Start a game
games-to-act = Your turn
games-waiting = Waiting for opponents
# $count: games.
games-unavailable =
    { $count ->
        [one] 1 game cannot be shown right now.
       *[other] { $count } games cannot be shown right now.
    }
# $name; $side: the player's own.
games-against = { $name }, you play { side }
games-deploy = Place your army
games-deployed = They place their army
games-theirs = Their turn
games-draw = a draw is offered
games-finished = Finished games
queue-title = Queued moves
queue-text = The server makes these moves on your next turns, one on each turn. It stops if a move is not legal, or if your opponent does not make the move that you named.
# $move: as in a4a5; $if: the move before it, or none.
queue-move =
    { $if ->
        [none] { $move }
       *[other] { $move }, if they play { $if }
    }
queue-label = Moves, separated by commas
queue-save = Queue these moves
queue-clear = Empty the queue
# $count: moves.
queue-set =
    { $count ->
        [one] 1 move is queued.
       *[other] { $count } moves are queued.
    }
# $typed.
queue-wrong = “{ $typed }” is not a move. Write a4a5, or a4a5 if b7b6.
# $max: moves.
queue-length = Queue 1 to { $max } moves.

## The account

about-none = The operator of this server has written nothing about it.

account-title = Account
account-lead = You can play without an account. With one, your games, ratings and deployments are yours on every device.
account-profile = Your page, as others see it
account-name = Name
account-name-hint = 2 to 20 letters, digits, - and _. Everybody sees it.
password-hint = At least 8 characters.
sign-up = Sign up
sign-up-text = No e-mail address is needed.
sign-up-guest = Your games and your seat stay yours.
log-in = Log in
log-in-guest = The games of this guest stay with the guest and do not move to the account.
log-out = Log out
forgot = Forgot your password?
# $name.
guest-title = You play as a guest: { $name }
guest-text = Only this browser knows you. Without an account:
guest-loses-browser = you lose your seat and your games when the browser's data is deleted, and you cannot continue on another device;
guest-loses-ratings = you have no rating and cannot play rated games;
guest-loses-games = after 90 days without a visit, the server forgets you and your finished games;
guest-loses-deployments = your deployments stay on this device.
guest-leave = Give up this seat
guest-leave-ask = Give up this seat?
guest-leave-text = Nobody can take it again, not even you. Its running games are lost.
recover = Set a new password
recover-text = With the recovery code that you got when you signed up.
recover-do = Set the password
recover-back = Log in instead
# $kind: recovery or token.
secret-title =
    { $kind ->
        [token] The new token
       *[recovery] Your recovery code
    }
# $kind: recovery or token.
secret-text =
    { $kind ->
        [token] A program that has this token can play as you. The token is shown only now: copy it to a safe place.
       *[recovery] With this code, you can set a new password if you forget yours. There is no other way. The code is shown only now: copy it to a safe place, or write it down.
    }
secret-copy = Copy
secret-copied = Copied. Now put it where you will find it again.
secret-kept = I have saved it or written it down
secret-done = Go on
password-change = Change the password
password-change-text = This logs out all other devices.
password-changed = The password is changed.
recovery = Recovery code
recovery-text = A new code replaces the old one.
recovery-new = Make a new code
push-title = While the page is closed
push-text = When it is your turn, a notice comes through your browser's push service, which cannot read it.
push-none = This browser cannot show notices while the page is closed.
push-choice = Notify me when it is my turn in games with days per move
push-failed = The push service of your browser cannot be reached. Try again later.
push-turn = It is your turn.

email-title = E-mail
email-text = You get a mail when it is your turn in a game with days per move, at most one every ten minutes.
email-none = No address is set.
# $state: pending, suspended or active; $address.
email-state =
    { $state ->
        [pending] { $address } is not confirmed yet. Open the link in the mail that the server has sent there; it is valid for 24 hours.
        [suspended] The mail server of { $address } refuses mail for this address, so no more is sent. Check the address, and confirm it again.
       *[active] Mails go to { $address }.
    }
email-address = E-mail address
email-set = Set the address
email-change = Set this address
email-again = Send the confirmation again
email-sent = The mail is on its way. Open the link in it.
email-saved = Mails go to this address.
email-remove = Remove
email-remove-ask = Remove the address?
email-removed = The address is removed. No more mail is sent.

tokens = Devices and programs
tokens-text = Each device on which you are logged in has a token, and so does each program that plays as you.
# $scope: play or bot.
token-scope =
    { $scope ->
        [bot] may only play
       *[play] may do everything
    }
token-scope-label = What it may do
# $date.
token-since = since { $date }
token-current = this browser
# The name of the first token of an account that began as a guest.
token-guest = The browser where you began as a guest
token-revoke = Revoke
# $name: of the token.
token-revoke-one = Revoke { $name }
# $name: of the token.
token-revoke-ask = Revoke { $name }?
token-revoke-text = Every device and program that uses this token is logged out at once.
token-revoked = Revoked.
token-new = New token for a program
token-name = Name of the token
token-name-hint = What it is for. Only you see it.
token-make = Make the token
blocks = Blocked players
blocks-text = These players cannot talk to you or accept your offers, and you are not paired with them.
blocks-empty = You have not blocked anyone.
# $name.
unblock-one = Unblock { $name }
export = Your data
export-text = A file with everything that the server keeps about you, except passwords and tokens.
export-do = Save as a file
account-delete = Delete the account
account-delete-text = Your finished games stay without your name. This cannot be undone.
account-delete-ask = Delete the account permanently?
account-kept = The account is kept.

## More choices of an offer

play-more = More choices
play-more-text = A casual game can change individual rules. Your opponent reads each change before the game.
play-changed = This game changes the rules:
# $group: strikes, repetition, end, board, terms, or others.
option-group =
    { $group ->
        [strikes] Strikes
        [repetition] Repetition
        [end] The end
        [board] Board
        [terms] Players and deployment
       *[others] Other rules
    }
# $option: its name in the protocol.
option-name =
    { $option ->
        [ties] Equal ranks
        [disclosure] Ranks that a strike shows
        [bombs] Bombs
        [scout-strike] Scouts
        [winner] A defender that wins
        [two-squares] Two-squares rule
        [more-squares] More-squares rule
        [quiet] Draw without captures
        [islands] Lakes
       *[other] { $option }
    }
# $meaning: of the value that the ruleset has.
option-usual = { $meaning } (as usual)
option-fixed = This is fixed in these rules.
form-secret = Keep my deployment secret after the game
# $bound: min or max.
form-rating =
    { $bound ->
        [min] Opponent’s rating, at least
       *[max] Opponent’s rating, at most
    }
range-only-anybody = Only for an offer to anybody.
range-no-ratings = Ratings need a clock, and rules without changes.
rated-not-custom = Not with changed rules.

## Mutes and reports

mutes = Muted players
mutes-text = You do not see what these players say. The list is kept only on this device.
mutes-empty = You have not muted anyone. In a game, the chat has a button for it.
unmute = Unmute
# $name.
unmute-one = Unmute { $name }
reports = Your reports
reports-text = The operators of this server read your reports. Here you see what became of them.
# $state: open, acted or nothing.
report-state =
    { $state ->
        [open] The operators have not decided yet.
        [acted] The operators took action.
       *[nothing] The operators saw no reason to act.
    }
reports-empty = You have not reported anyone.
# $date.
report-at = sent on { $date }
# $name: of the opponent.
report-title = Report { $name }?
report-text = The operators of this server read your report and see this game. You can report a game once.
report-reason = What happened
report-send = Send the report
report-empty = Nothing was sent: write what happened.
report-sent = The report is sent.

## Webhook and feed

webhook = Webhook
webhook-text = For programs: the server calls an address of yours when it is your turn in a game with days per move.
webhook-open = Address and results
webhook-none = No address is set.
webhook-address = Address, with https
webhook-set = Set the address
webhook-change = Set this address
# $url; $date.
webhook-is = Notices have gone to { $url } since { $date }.
webhook-test = Send a test
# $delivered: yes or no; $result: the server’s words.
webhook-tested =
    { $delivered ->
        [yes] The webhook works: { $result }
       *[no] The test was not delivered: { $result }
    }
webhook-remove = Remove
webhook-remove-ask = Remove the webhook?
webhook-secret = The webhook’s secret
webhook-secret-text = The secret signs the notices, so that your program knows who sends them. It is shown only now: copy it to a safe place.
feed = Feed
feed-text = A feed reader can follow your turns and finished games. A new address replaces the old one.
feed-open = Address
feed-state =
    { $exists ->
        [yes] You have a feed. Its address was shown when you made it.
       *[no] You have no feed.
    }
# $exists: yes if there is an address already.
feed-make =
    { $exists ->
        [yes] Make a new address
       *[no] Make an address
    }
feed-remove = Remove the feed
feed-secret = The address of your feed
feed-secret-text = Everybody who has this address can see your games. It is shown only now: copy it into your feed reader.

## Statistics

statistics = Your statistics
statistics-lead = Your finished games by rules, side and deployment. Only you see them.
statistics-guest = Statistics need an account
statistics-guest-text = Without one, nothing is counted. If you sign up, your games as a guest stay yours.
statistics-empty = You have not finished a game yet
statistics-empty-text = Your statistics begin with the first one.
# $side: all, red or blue.
statistics-side =
    { $side ->
        [red] As Red
        [blue] As Blue
       *[all] All games
    }
column-side = Side
column-won = Won
column-drawn = Drawn
column-lost = Lost
column-share = Points
# $percent.
statistics-share = { $percent } %
statistics-deployments = By deployment
statistics-open = Open in the editor

## What a browser has checked of a record

# $result: good, bad or unknown.
check-result =
    { $result ->
        [good] Correct.
        [bad] FALSE.
       *[unknown] Not checked.
    }
# $result: good, bad or unknown; $why: running, unsigned, side, no-key, no-browser or hidden.
check-signature =
    { $result ->
        [good] This server has signed what everybody saw of this game.
        [bad] The server’s signature does not belong to this record.
       *[unknown] { $why ->
            [running] Games are signed when they are over.
            [unsigned] This record has no signature.
            [side] The signature covers what everybody saw, but this is a player’s record.
            [no-key] The signature was made with a key that this server does not know.
            [no-browser] This browser cannot verify the signature.
           *[hidden] This record lacks what the signature covers.
        }
    }
check-same =
    { $result ->
        [good] This record has the same turns and times as the record that everybody can read.
       *[bad] This record differs from the one that everybody can read.
    }
check-commitments =
    { $result ->
        [good] The deployments that are open are those that were committed to at the start.
        [bad] A deployment is not the one that was committed to at the start.
       *[unknown] No deployment with a commitment is open.
    }
check-start =
    { $result ->
        [good] The commitments are the same as at the start.
       *[bad] The commitments differ from those at the start.
    }
check-opened =
    { $result ->
        [good] The result and the deployments at the end match the record.
       *[bad] The end differs from what the record says.
    }
check-times =
    { $result ->
        [good] No event is earlier than the one before it.
       *[bad] An event is earlier than the one before it.
    }
check-needs-https = Browsers check records only on pages with https. Use the terminal client: flagfall check.
check-not = This page does not check whether each move, strike and clock follows the rules. The terminal client does that: flagfall check.
check-file = The keys are those of this server. A record of another server has to be checked with that server's keys.

## The filter of open offers

filter-any = Any
# $rated: true or false.
filter-rated =
    { $rated ->
        [true] Yes
       *[false] No
    }
filter-clear = Show all
# $count: 80 if there may be more.
offers-selected =
    { $count ->
        [0] No open offer fits.
        [one] 1 open offer fits.
        [80] At least 80 open offers fit.
       *[other] { $count } open offers fit.
    }

## The terms of an offer

# $count.
players-online =
    { $count ->
        [one] 1 player is online.
       *[other] { $count } players are online.
    }
form-ruleset = Rules
form-time = Clock
form-side = Your side
# $side: any, red or blue.
form-side-option =
    { $side ->
        [red] Red, moves first
        [blue] Blue
       *[any] Random
    }
form-opponent = Opponent
# $who: house, anybody, pool, player or friend.
form-opponent-option =
    { $who ->
        [house] House
        [anybody] Anybody
        [pool] Pairing
        [player] By name
       *[friend] Friend
    }
form-level = Level
# $level: random, simple or good.
level =
    { $level ->
        [random] Random moves
        [simple] Simple
        [good] Good
       *[other] { $level }
    }
form-rated = Rated
rated-needs-account = Only for accounts.
rated-not-house = Not against the house.
rated-needs-clock = Only with a clock.
side-not-pool = The server chooses the sides.
house-away = No house player plays these rules.
# $level: random, simple or good.
level-away = { level } (does not play these rules)
form-name = Name of the player
form-name-text = They are notified at once. If they are not here now, they find your challenge under “Your games”.
player-yourself = This is your own name.
# $name.
player-not-rated = { $name } has no account of the same kind as yours, so the game cannot be rated.
form-deployment = Your deployment
form-deployment-later = Choose it in the game
clock-own = Your own clock…
clock-numbers = Your own numbers
clock-kind = How time counts
# $kind: fischer, delay or correspondence.
clock-kind-option =
    { $kind ->
        [fischer] Seconds are added after each move
        [delay] The first seconds of each move are free
       *[correspondence] Days for each move
    }
clock-minutes = Minutes each
clock-seconds = Seconds a move
clock-days = Days a move
# $kind: fischer, delay or correspondence.
clock-bounds =
    { $kind ->
        [fischer] From 10 seconds (0.17 minutes) to 24 hours (1,440 minutes), and 0 to 3,600 seconds a move.
        [delay] From 10 seconds (0.17 minutes) to 24 hours (1,440 minutes), and 1 to 3,600 seconds a move.
       *[correspondence] 1 to 14 days.
    }
# $speed: its name in the protocol.
clock-speed = Speed: { speed }
clock-no-speed = Without a clock, a game has no speed and no rating.
form-private = Only the two players can see it
# $who: house, anybody, pool, player or friend.
form-submit =
    { $who ->
        [house] Play
        [anybody] Post the offer
        [pool] Find an opponent
        [player] Send the challenge
       *[friend] Make a link
    }
offer-posted = Your offer is posted. The game starts when somebody accepts it.
offer-show = Go to your offer
# $what: offer or pool. It ended while the browser had stopped the page, or had no connection.
offer-gone =
    { $what ->
        [pool] The server did not hear from this page for too long, so you are no longer waiting for an opponent.
       *[offer] The server did not hear from this page for too long, so your offer was withdrawn.
    }
offer-again =
    { $what ->
        [pool] Wait again
       *[offer] Post it again
    }
game-began = Another game of yours has begun.
game-began-open = Open it in a new tab
refusal-session-changed = This was not sent, because this browser now plays as someone else.

## Replays

play-title = Start a game
# $red, $blue: names.
replay-heading = Record: { $red } played Red, { $blue } played Blue
replay-title = { $red } – { $blue }, record
replay-waiting = Waiting for the record…
replay-controls = Steps
replay-slider = Place in the game
# $ply, $plies: of all; $text: what happened.
replay-place = Ply { $ply } of { $plies }: { $text }
replay-ply = Ply { $ply } of { $plies }
replay-first = To the start
replay-back = Previous
replay-play = Play
replay-pause = Pause
replay-next = Next
replay-last = To the end
replay-earlier = Earlier moves
replay-later = Later moves
replay-facts = About this game
replay-scope = Seen as
# $scope: red, blue, public or all.
replay-scope-option =
    { $scope ->
        [red] Red
        [blue] Blue
        [public] Everyone
       *[all] All open
    }
replay-all-open = The game is over: everything is open.
replay-closed-not-over = The other views open when the game is over.
replay-closed-aborted = This game was called off, so hidden ranks stay hidden.
replay-closed-secret = A player keeps their deployment secret, so hidden ranks stay hidden.
replay-not-over = This game is still being played. This is its record so far.
replay-reload = Load what happened since
replay-to-game = Watch the game
replay-share = Copy the link
replay-save = Save as a file
replay-open = Open a file
replay-open-title = Open a record
replay-open-text = A record that was saved from a game, as JSON. It is read on this device and sent nowhere.
replay-again = Try again
replay-not-shown = This record cannot be shown
replay-no-game = There is no game with this number, it is private, or it is old and was deleted.
replay-wrong-not-json = Only the JSON from “Save as a file” can be opened.
# $detail: where the file differs.
replay-wrong-not-a-record = This file is not a record of Flagfall (at { $detail }).
replay-wrong-too-large = This file is larger than 1 MB, so it is not opened.
replay-wrong-broken = This record contradicts itself ({ $detail }).
replay-wrong-no-views = This record has no views: it is from an old server, or was made from text.
# $detail: the ruleset.
replay-wrong-no-rules = This page does not know the rules of this record: { $detail }.
replay-commitments-kept = Both deployments are the ones that were committed to at the start. This browser has checked it.
replay-commitments-one-kept = The open deployment is the one that was committed to at the start. This browser has checked it.
replay-commitments-broken = A deployment is not the one that was committed to at the start.
chart-ply = Ply
chart-side = Side
chart-time = Time
chart-times = Time for each move
chart-clocks = Clocks
chart-left = Pieces left
chart-known = Ranks known to all
# $side; $all, $longest: times.
chart-times-summary = { side }: { $all } in all, { $longest } for the longest move.
# $title; $red, $blue: at the start; $redEnd, $blueEnd.
chart-summary = { $title }: Red from { $red } to { $redEnd }, Blue from { $blue } to { $blueEnd }.
replay-check = Check this record
replay-save-text = Save as text

## A friend's offer, and links to send

copy = Copy the link
copied = The link is copied.
copy-by-hand = Copy the address from the bar of your browser.
share = Share
# $name.
challenge-from = { $name } offers you a game
challenge-own = Your offer to a friend
challenge-title = A game offer
# $why: incomplete, unknown, taken, withdrawn, expired, declined, trouble or gone.
challenge-closed =
    { $why ->
        [incomplete] This link is incomplete
        [unknown] This offer is not open
        [taken] This offer is taken
        [withdrawn] This offer was withdrawn
        [expired] This offer has expired
        [declined] Your offer was declined
        [trouble] This offer cannot be shown
       *[gone] This offer is closed
    }
challenge-incomplete = A part of the link is missing. Ask your friend to send it again.
# $own: yes or no.
challenge-gone =
    { $own ->
        [yes] You have withdrawn it, or somebody accepted it.
       *[no] It was withdrawn, or somebody else accepted it.
    }
# $own: yes or no.
challenge-taken =
    { $own ->
        [yes] Somebody has accepted it. The game is on the first page.
       *[no] Somebody has accepted it already. If that was you, the game is on the first page.
    }
# $own: yes or no.
challenge-withdrawn =
    { $own ->
        [yes] You have withdrawn it.
       *[no] The player who made it has withdrawn it. Ask for a new link, or play somebody else.
    }
# $own: yes or no.
challenge-expired =
    { $own ->
        [yes] Nobody accepted it in time.
       *[no] Ask your friend for a new one.
    }
challenge-anew = Make a new link
challenge-away = Offers cannot be read right now
challenge-away-text = The server cannot reach its store. This page asks again until it can.
# $time: a date with the time of day.
challenge-until = Open until { $time }.
# $side: the player's own.
challenge-own-side =
    { $side ->
        [red] You play Red, and move first.
       *[blue] You play Blue.
    }
challenge-needs-account = This game is rated, so you need an account to accept it. Log in or sign up, then come back to this page.
challenge-needs-bot = This game is rated and offered by a bot, so only a bot can accept it.
challenge-qr = QR code
challenge-scan = Or let your friend scan this code.
share-failed = The browser could not share the link. Copy it instead.
challenge-decline = Not now
challenge-send = Send this link to a friend. The game starts when they accept.
challenge-link = The link
challenge-wait = You can leave this page and come back.

## Looking on, and losses over time

replay-losses = Losses by rank
charts = Charts
chart-table = As a table
watch-title = Live games
watch-empty = Nobody is playing right now. Start a game, or look at the latest finished games.
watch-nothing = Nobody is playing right now, and no game has ended recently.
watch-start = Start a game
watch-others = Other live games
watch-more = More live games
# $red, $blue: names; $ply.
watch-board = { $red } – { $blue }, ply { $ply }
# $red, $blue.
watch-show = Show { $red } – { $blue } large
watch-open = Open the game
