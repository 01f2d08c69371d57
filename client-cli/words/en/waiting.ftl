### Finding a game: offers, challenges and the pool.

game-begins-soon = The game is about to begin …
opening-game = Opening the game …

## The pool

pool-back = You are waiting in the pool again, at the front.
# $player: a name; $side.
aborted-by = { $player } ({ side }) aborted the game.
aborted-own = You aborted the game.
# $player: a name; $side.
not-deployed = { $player } ({ side }) did not deploy in time.
not-deployed-own = You did not deploy in time.
not-deployed-both = Neither side deployed in time.
aborted-idle = Nothing happened in the game for many days.

## Challenges

# $player: a name; $terms.
challenged = { $player } challenges you: { $terms }.
# $player: a name; $terms; $side: the player's own.
challenged-side = { $player } challenges you: { $terms }. You would play { side }.
# $server: an option of the command line; $code.
challenged-program = To play: flagfall play{ $server } --accept { $code }
# $code.
challenged-type = Type accept { $code } or reject { $code }.
# $key.
challenged-press = Press { $key } to answer.
# $challenge: a sentence; $how: a sentence that says how to answer.
challenged-note = { $challenge } { $how }
# $player: a name; $reason: taken, withdrawn, declined (by another player) or other.
challenge-gone =
    { $reason ->
        [taken] Somebody else has accepted the challenge of { $player }.
        [withdrawn] { $player } has withdrawn the challenge.
        [declined] Somebody else has declined the challenge of { $player }.
       *[other] The challenge of { $player } is no longer open.
    }
# $player: a name.
challenge-accepted = { $player } accepts your challenge. The game begins.
# $player: a name.
challenge-declined = { $player } declines your challenge.
# $code.
challenge-code = The code is { $code }. Your friend types:
# $server: an option of the command line; $code.
challenge-accept-command = flagfall play{ $server } --accept { $code }
challenge-link = Or your friend opens this address in a browser:
# $left: how long.
challenge-stands = The challenge stays open for { $left }.
# $terms.
waiting-for-friend = Waiting for your friend: { $terms }
# $side.
challenge-your-side = You will play { side }.
challenge-side-drawn = Sides are drawn at random.
# $player: a name.
challenge-secret = { $player }'s deployment stays secret after the game.
challenge-terms-ask = Type “accept” to play, or “quit”.

## Offers

offer-looking = Looking for an open offer …
# $why: a sentence.
offer-gone = { $why } Looking for another one.
# $terms.
offer-making = Making your offer: { $terms } …
# $terms.
offer-waiting = Waiting for an opponent: { $terms }
offer-listed = Your offer is in the lobby. The game begins when a player takes it.
# $server: an option of the command line.
offer-house = To play against the house instead: flagfall play{ $server } --bot
# $server: an option of the command line.
offer-friend = To invite a friend: flagfall play{ $server } --challenge
# $seeker: a name; $terms; $side: the side that is left for this player, or any; $rating: the seeker's
# rating, or none; $range: both, min, max or any; $min, $max: the ratings that the offer is for.
offer =
    { $seeker }'s offer{ $rating ->
        [none] {""}
       *[some] {" "}(rated { $rating })
    }: { $terms }{ $side ->
        [any] {""}
       *[one] , you play { side }
    }{ $range ->
        [any] {""}
       *[some] , for players rated { rating-range }
    }
# $offer.
offer-accepted = You take { $offer }.
# $terms.
pool-waiting = Waiting in the pool: { $terms }
pool-explained = The server pairs you with an opponent of about your strength. The longer you wait, the wider it searches.
pool-leave = The game begins automatically. Quit to leave the pool.

## Lists of games

choose-play = What will you play?
choose-game = Which game?
choose-number = Which? Type its number.
# $number; $entry.
choice = { $number }. { $entry }
# $last: the highest number.
choice-usage = Type a number from 1 to { $last }, or “quit”.
# $game: a summary.
choice-open = Continue { $game }
# $offer.
choice-take = Take { $offer }
# $terms.
choice-offer = Offer a game: { $terms }
# $game: a summary.
game-running = You have a running game: { $game }
# $server: an option of the command line; $game.
game-running-go-on = To continue it: flagfall play{ $server } --game { $game }
# $game.
game-begun-open = A game of yours has started. To play it, type: open { $game }
# $server: an option of the command line; $game.
game-begun-elsewhere = Another game of yours has started. To play it: flagfall play{ $server } --game { $game }
# $key.
game-begun-key = Another game of yours has started. Press { $key } to open the most urgent other game that waits for your move.
public-games-none = No public game is running at the moment.
public-games-wait = The list appears when a public game begins.
# $server: an option of the command line.
public-games = Public games (watch with: flagfall watch{ $server } ID):
