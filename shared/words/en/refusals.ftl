### Refusals. The message of a code is `refusal-` and the code, with hyphens for its underscores:
### `no_such_seek` is `refusal-no-such-seek`. A comment names the arguments of each message.
###
### A code with several reasons selects on `$reason`. With an unknown reason the variant with the
### star is shown, so that variant uses no argument of a single reason.
###
### A refusal says what happened and what to do. It names no command or control of a client.

# A code that these texts do not know. $code.
refusal-unknown = The request was refused ({ $code }).

## Messages and connections

# $reason: not_json ($column), not_an_object, too_deep ($max), missing_field, unknown_field and
# duplicate_field ($field), expected ($expected), value, body.
refusal-malformed =
    { $reason ->
        [not_json] The message is not JSON: see column { $column }.
        [not_an_object] This is not a message of the protocol: an object was expected.
        [too_deep] The message is nested deeper than { $max } levels.
        [missing_field] This is not a message of the protocol: missing field `{ $field }`.
        [unknown_field] This is not a message of the protocol: unknown field `{ $field }`.
        [duplicate_field] This is not a message of the protocol: duplicate field `{ $field }`.
        [expected] This is not a message of the protocol: expected { $expected }.
        [body] The body must be a JSON object with exactly the fields that /api/openapi.json names for this path, sent as Content-Type: application/json.
       *[value] This is not a message of the protocol: a field has a value that it cannot have.
    }
# $reason: not_first, repeated.
refusal-hello-expected =
    { $reason ->
        [repeated] This connection has already said hello.
       *[not_first] The first message must be a hello.
    }
# $version: the server's version of the protocol.
refusal-protocol-version = This server speaks version { $version } of the protocol. Use a program that speaks it too.
# $reason: missing (a request without a token), unknown_to_http.
refusal-bad-token =
    { $reason ->
        [missing] This needs a token: send the header Authorization: Bearer TOKEN. POST /api/login returns one.
        [unknown_to_http] The token is unknown. Without the header Authorization you see what is public.
       *[unknown] The token is unknown. It was mistyped or revoked, or its guest was away for too long.
    }
refusal-sign-in-expected = You are looking on as nobody in particular. Sign in, or begin as a guest, to do this.
refusal-superseded = You are playing this game from a newer connection. Open the game again to continue here.
refusal-cmd-id-reused = This command id was used for another command.
refusal-stale-epoch = The server has lost the last moves of this game, and your command was made before that. Look at the game, then try again.
# $reason: pausing (a running game waits for the restart).
refusal-stopping =
    { $reason ->
        [pausing] The server is restarting. It will be back, and nothing is lost.
       *[no_new_games] The server is restarting and starts no new games. Try again in a moment.
    }
# $reason: memory, games ($count: running games).
refusal-server-full =
    { $reason ->
        [games] The server has { $count } running games, as many as its operators allow. Try again in a few minutes.
       *[memory] The server has no room for new games; running games continue. Try again in a few minutes.
    }
# $reason: unknown_outcome (a command may or may not have been done), damaged.
refusal-store-unavailable =
    { $reason ->
        [unknown_outcome] The server cannot reach its store. Send the same command again in a moment.
        [damaged] The server cannot read what it has stored about you. Its operators can find out more in its log.
       *[away] The server cannot reach its store. Try again in a moment.
    }
# $reason: game (a game's process failed and was restarted).
refusal-internal =
    { $reason ->
        [game] The game ran into a defect of the server and was opened again. Try again in a moment.
       *[other] The server has a defect. Its operators can find out more in its log.
    }
# After a refusal-internal. $text: that text; $request: the id of the request in the server's log.
report-request = { $text } If you report this, name the request { $request }.

## Limits

# $reason: one of those below; $count: the limit; $seconds: how long to wait.
# With $count: tokens, seeks, challenges, games, games_of_one, webhooks, deployments, blocks, reports, open_games.
# With $seconds: server_connections, connections, handshakes, hellos, guests, offers, games_of_address,
# house_games, house_games_of_address, watched, watched_of_address, stored, requests.
refusal-too-many =
    { $reason ->
        [messages] Too many messages in a short time. Connect again and send fewer.
        [commands] Too many commands at once. Wait for their answers.
        [chat] You are talking too fast. Wait a few seconds.
        [logins] Too many people are logging in. Try again in a few seconds.
        [new_guests] Too many new guests. Try again in a minute, or log in.
        [tokens] You already have { $count } tokens. Revoke one first.
        [seeks] You already have { $count ->
            [one] 1 open seek
           *[other] { $count } open seeks
        }. Take one back first.
        [challenges] You already have { $count ->
            [one] 1 open challenge
           *[other] { $count } open challenges
        }. Take one back first.
        [lobby] The lobby is full. Accept somebody's seek, or try again in a moment.
        [games] You are already playing { $count ->
            [one] 1 game
           *[other] { $count } games
        }. Finish one first.
        [games_of_one] One of the two players is already playing { $count ->
            [one] 1 game
           *[other] { $count } games
        }. Wait until a game of theirs is over.
        [opponent] The other player is playing too many games. Try again later.
        [deployments] You already keep { $count } deployments of this ruleset. Remove one first.
        [blocks] You have already blocked { $count } players. Unblock one first.
        [reports] You have made { $count } reports within a day. Tell the operators the rest tomorrow.
        [webhook_test] The webhook was tested a moment ago. Try again in a few seconds.
        [webhook_busy] Other notices are being sent to this address. Try again in a few seconds.
        [rematch] The rematch is being made. Wait for its answer.
        [spectators] This game has as many spectators as the server allows. Try again later.
        [open_games] { $count ->
            [one] 1 game is
           *[other] { $count } games are
        } open on this connection. Close one first.
        [server_connections] The server is full. Try again in { duration-seconds }.
        [connections] Too many connections are open from your address. Try again in { duration-seconds }.
        [handshakes] Too many connections from your address in a short time. Try again in { duration-seconds }.
        [hellos] You connect too often. Try again in { duration-seconds }.
        [guests] Too many new guests from your address in a short time. Log in, come back as an earlier guest, or try again in { duration-seconds }.
        [offers] Too many offers from your address are open. Take one back, or try again in { duration-seconds }.
        [games_of_address] Too many games from your address are running. Finish one, or try again in { duration-seconds }.
        [house_games] You are playing too many games against house players. Finish one, or try again in { duration-seconds }.
        [house_games_of_address] Too many games against house players are running from your address. Finish one, or try again in { duration-seconds }.
        [watched] You are watching too many games. Close one, or try again in { duration-seconds }.
        [watched_of_address] Too many games are being watched from your address. Close one, or try again in { duration-seconds }.
        [stored] Too much is being written from your address. Try again in { duration-seconds }.
        [requests] Too many requests from your address in a short time. Try again in { duration-seconds }.
       *[other] Too many requests. Try again later.
    }
# $seconds: how long to wait.
refusal-too-many-attempts = Too many attempts for this name or from your network. Try again in { duration-seconds }. A device or network that you have logged in from before need not wait, and the recovery code works everywhere.

## Accounts

# $reason: length ($min, $max), characters, taken.
refusal-bad-name =
    { $reason ->
        [length] A name has { $min } to { $max } characters.
        [taken] This name is taken, and so are its variations. Choose another one.
       *[characters] A name consists of letters (a to z), digits, - and _, and begins with a letter or digit.
    }
refusal-name-taken = This name is taken or reserved. Choose another one.
# $reason: length ($min, $max), has_name, common.
refusal-bad-password =
    { $reason ->
        [length] A password has { $min } to { $max } characters. Four unrelated words make a good one.
        [has_name] A password must not contain your name. Four unrelated words make a good one.
       *[common] This password is too easy to guess: it is a common one, a keyboard pattern or a repetition. Four unrelated words make a good one.
    }
refusal-wrong-password = Wrong name or password. Check both; capitals in the name do not matter. With the recovery code you can set a new password.
refusal-wrong-recovery-code = Wrong name or recovery code. Check both; each code works once.
refusal-account-closed = The operators of this server have closed this account. Write to them if you think that this is a mistake.
refusal-already-account = You already have an account. Log out first to create another one.
# $reason: deployments, webhooks.
refusal-account-expected =
    { $reason ->
        [deployments] Only accounts can keep deployments on the server. Sign up first.
        [webhooks] Only accounts can have webhooks and feeds. Sign up first.
       *[other] Only an account can do that. Sign up first; your games stay yours.
    }
refusal-no-such-token = You have no token of this id. Check the list of your tokens.
# $reason: name ($min, $max), bot_scope.
refusal-bad-token-terms =
    { $reason ->
        [name] A token's name has { $min } to { $max } printable characters.
       *[bot_scope] Tokens of scope bot are for bot accounts. Sign up as a bot to get one.
    }
refusal-scope-missing = This token can only be used to play. Log in with the password for anything else.
refusal-no-such-player = There is no player of this name.
refusal-games-running = You have running games. Finish or resign them, then delete the account.
# $count: games left lately; $seconds: how long to wait.
refusal-left-games =
    { $count ->
        [one] You recently left 1 game, or did not deploy in it.
       *[other] You recently left { $count } games, or did not deploy in them.
    } You can play rated games and wait in the pool again in { duration-seconds }. Casual games and house players are open to you.

## Lobby

refusal-no-such-game = There is no game of this id, or it is private.
refusal-record-not-opened = This record shows hidden ranks that are not open to you.
refusal-game-quarantined = The log of this game is damaged, and an operator must look at it. Other games continue.
refusal-no-such-seek = This seek is gone. Somebody took it, or its seeker left.
refusal-no-such-challenge = This challenge is not open. It was taken, withdrawn or mistyped, or it expired.
# $reason: block (players cannot block themselves).
refusal-own-offer =
    { $reason ->
        [block] You cannot block yourself.
       *[offer] This offer is your own. Somebody else must accept it.
    }
# $known: the ids of the rulesets. $reason: saved (a deployment of changed rules), suggested.
refusal-no-such-ruleset =
    { $reason ->
        [known] There is no such ruleset. These exist: { $known }.
        [rated] There is no such ruleset. Custom rules have no ratings.
        [suggested] There is no such ruleset with deployments. Those of custom rules are those of the ruleset that they change.
        [saved] There is no such ruleset. Deployments for custom rules are kept under the ruleset that they change.
       *[other] There is no such ruleset.
    }
# $base: the ruleset; $option: the rule. $reason: form, no_such_option and fixed ($known: options),
# no_such_value ($known: values), twice.
refusal-bad-rule-change =
    { $reason ->
        [no_such_option] { $base } has no such rule. You can change these: { $known }.
        [fixed] The rule { $option } cannot be changed in { $base }. You can change these: { $known }.
        [no_such_value] The rule { $option } has no such value. It can be one of these: { $known }.
        [twice] The rule { $option } is named twice.
       *[form] Changes of a ruleset are written as in classic,ties=attacker,quiet=off: a name and a value each.
    }
# In seconds: $base_min, $base_max, $increment_min, $increment_max, $free_min, $free_max.
# In days: $days_min, $days_max.
refusal-bad-time = The base time is { $base_min } to { $base_max } seconds, the increment { $increment_min } to { $increment_max }, the free time of a turn { $free_min } to { $free_max }. In correspondence games a move has { $days_min } to { $days_max } days.
# $known: the names of the house players.
refusal-no-such-bot = There is no such house player. These exist: { $known }.
# $reason: custom_rules, no_clock, house_player, bots_and_people, guest.
refusal-not-rated =
    { $reason ->
        [custom_rules] Games with custom rules are not rated. Take the ruleset as it is, or play a casual game.
        [no_clock] Games without a clock are not rated. Choose a time, or play a casual game.
        [house_player] Games against house players are not rated. Play a casual game.
        [bots_and_people] People and bots have separate ratings. Play a casual game.
        [guest] Only accounts can play rated games. Sign up first; your games stay yours.
       *[unchanged] This game has changed no rating: it is not rated, does not count, or is not over.
    }
# $reason: no_ratings, guest, bounds ($min, $max).
refusal-bad-rating-range =
    { $reason ->
        [guest] Guests have no rating to choose around. Name both ends, as in 1400-1600, or sign up.
        [bounds] A range of ratings has a lower end, an upper end or both, from { $min } to { $max } points, the lower one first.
       *[no_ratings] Such games have no ratings to choose by. Choose a time, and take the ruleset as it is.
    }
# $range, $min, $max: the range of the offer. $reason: rating ($rating: the player's own), bots_and_people, guest.
refusal-outside-rating-range =
    { $reason ->
        [rating] This offer is for players rated { rating-range } in such games. Your rating is { $rating }. Take another offer, or make your own.
        [bots_and_people] This offer is for players rated { rating-range } in such games. People and bots have separate ratings. Take another offer, or make your own.
        [guest] This offer is for players rated { rating-range } in such games. A guest has no rating. Sign up, or take another offer.
       *[other] This offer is for players of other ratings. Take another offer, or make your own.
    }
# $reason: game ($game: its id).
refusal-already-paired =
    { $reason ->
        [game] You have been paired. Play the game { $game } first.
       *[now] You are being paired at this moment. The game is about to start.
    }
refusal-no-such-speed = There is no such speed. These exist: bullet, blitz, rapid, classical, correspondence.
# $reason: offer, chat; without one, the way of a piece is blocked.
refusal-blocked =
    { $reason ->
        [offer] You and this player do not play each other: one of you has blocked the other.
        [chat] This player has blocked you. Your messages do not arrive.
       *[move] The way is blocked.
    }
# $reason: chat ($max: characters), report ($max).
refusal-bad-text =
    { $reason ->
        [chat] A message has 1 to { $max } printable characters in one line.
        [report] Say in 1 to { $max } printable characters what happened.
       *[other] The text is empty, too long, or has characters that cannot be printed.
    }
# $reason: chat, report.
refusal-house-player =
    { $reason ->
        [report] House players cannot be reported. Tell the operators of this server if one misbehaves.
       *[chat] House players do not talk.
    }
refusal-reported-before = You have already reported this game. The operators have your report.

## Deployments, notices and queues that the server keeps

# $reason: name, too_long, setup (the arguments of setup-problem).
refusal-bad-deployment =
    { $reason ->
        [name] A name has 1 to 30 letters, digits, - and _, and is not random or suggested.
        [too_long] Not saved: the text is longer than any deployment.
        [setup] Not saved. { setup-problem }
       *[other] This is not a deployment of its ruleset.
    }
refusal-no-such-deployment = There is no deployment of this name for this ruleset.
# $reason: form ($max: characters), not_encrypted, private.
refusal-bad-webhook =
    { $reason ->
        [form] This is not the address of a webhook. It looks like https://example.org/turns, has at most { $max } characters, and no user or password.
        [not_encrypted] Webhooks need https. The operators can allow http to private addresses.
       *[private] Webhooks must lead to public addresses. The operators can allow private ones.
    }
# $reason: feed.
refusal-no-such-webhook =
    { $reason ->
        [feed] There is no such feed. It was removed or replaced, or its address is mistyped.
       *[webhook] You have no webhook.
    }
# $reason: length ($max: plies).
refusal-bad-queue =
    { $reason ->
        [length] A queue has 1 to { $max } plies: moves, removals and placings.
       *[game] Players can queue moves in their running games with days per move.
    }
refusal-own-turn = It is your turn. Make your move, then queue what follows.

## The HTTP API

refusal-no-such-path = There is nothing at this path. /api/openapi.json lists the paths of the HTTP API; games are played over the WebSocket at /ws.
refusal-method-not-allowed = This path exists, but not for this method. The header Allow lists its methods.
# $reason: session (a request with the session of this server's page, or for one), page.
refusal-foreign-origin =
    { $reason ->
        [session] Sessions are for this server's own page, at the address that its operators have set. Programs and other pages send a token instead.
       *[page] Pages of this origin may not connect. The operators can allow it.
    }
refusal-upgrade-expected = This path speaks WebSocket version 13. Connect with a WebSocket client.
# $reason: list, page, games, suggested.
refusal-bad-query =
    { $reason ->
        [list] The query is not understood: bots is true or false.
        [games] The query is not understood: order is newest or rating.
        [suggested] The query is not understood: seed is a whole number from 0 to 4294967295.
        [page] The query is not understood: after is the value of next from the page before, limit a number.
       *[record] The query is not understood: format is json or text, and as is red, blue, public or all.
    }
# $kib: the limit in KiB.
refusal-body-too-large = The body is too long: it can have { $kib } KiB at most.
refusal-host-expected = A request has exactly one header Host. Name the server's host in it.
refusal-timed-out = The answer took too long. Try again in a moment.

## Playing a game

# $reason: waiting (the pool of the lobby); otherwise the pool of a ruleset with coins.
refusal-not-in-pool =
    { $reason ->
        [waiting] You are not waiting in the pool. You left it, or were away for too long.
       *[piece] No such piece is left in your pool.
    }
refusal-not-your-game = You have no seat in this game.
refusal-not-over = You can offer a rematch after the end of the game.
refusal-not-deploying = The game has started. Deployments can no longer change.
refusal-deployment-final = Your deployment is submitted and final.
refusal-not-playing = The game has not started. Both sides must deploy first.
refusal-game-over = The game is over.
refusal-paused = The game is paused while the server restarts. Try again in a moment.
refusal-not-your-turn = It is not your turn.
# $named: the ply that the command names; $current: the game's ply. $reason: queue.
refusal-stale-ply =
    { $reason ->
        [queue] The game has moved on to ply { $current }. Look at it, then queue again.
       *[command] This command was for ply { $named }, but the game is at ply { $current }.
    }
refusal-out-of-time = Your time is up.
refusal-draw-already-offered = Your draw offer is still open.
# $plies: plies until the next offer.
refusal-draw-offered-recently =
    { $plies ->
        [one] You have already offered a draw. You can offer again after 1 more ply, or when the other side has offered.
       *[other] You have already offered a draw. You can offer again after { $plies } more plies, or when the other side has offered.
    }
refusal-no-draw-offer = There is no draw offer to answer.
refusal-too-late-to-abort = You can abort a game only before your first move. Resign instead.
refusal-opponent-present = The other side is here. You can claim the game when they have been gone for a while.
# $seconds: how long to wait.
refusal-claim-too-early = It is too early to claim the game. You can claim it in { duration-seconds }, unless the other side comes back.
refusal-no-claims = A game with days per move cannot be claimed. Players need not be here, and the clock decides.

## Deployments

# What is wrong with a deployment. $problem: the code of its refusal, whose arguments come with it.
setup-problem =
    { $problem ->
        [setup_too_short] { refusal-setup-too-short }
        [setup_too_long] { refusal-setup-too-long }
        [setup_unknown_letter] { refusal-setup-unknown-letter }
        [setup_outside_home] { refusal-setup-outside-home }
        [setup_double_square] { refusal-setup-double-square }
        [setup_empty_square] { refusal-setup-empty-square }
        [setup_wrong_count] { refusal-setup-wrong-count }
        [setup_too_many] { refusal-setup-too-many }
       *[other] This is not a deployment of its ruleset.
    }
# $have: characters found; $want: characters expected.
refusal-setup-too-short =
    { $have ->
        [one] The deployment has 1 character instead of { $want }: one for each home square, the row nearest the enemy first.
       *[other] The deployment has { $have } characters instead of { $want }: one for each home square, the row nearest the enemy first.
    }
# $have: characters found; $want: characters expected.
refusal-setup-too-long =
    { $have ->
        [one] The deployment has 1 character instead of { $want }: one for each home square, the row nearest the enemy first.
       *[other] The deployment has { $have } characters instead of { $want }: one for each home square, the row nearest the enemy first.
    }
# $letter: the character.
refusal-setup-unknown-letter = “{ $letter }” is not the letter of a piece. Use 1-9, S, B and F, P for a Phoenix, and . for an empty square, where the ruleset has them.
# $square: where the piece stands.
refusal-setup-outside-home = { $square } is outside the home rows.
# $square: where the pieces stand.
refusal-setup-double-square = { $square } has more than one piece.
# $square: the empty square.
refusal-setup-empty-square = { $square } is empty. Every home square must have a piece.
# $rank; $have: how many were placed; $want: how many the army has.
refusal-setup-wrong-count = { rank }: { $have } placed instead of { $want }.
# $rank; $have: how many were placed; $most: how many the army has.
refusal-setup-too-many = { rank }: { $have } placed, but the army has { $most }.

## Moves

refusal-off-board = This board has no such square.
refusal-no-piece = There is no piece on that square.
refusal-not-your-piece = That piece is not yours.
refusal-immovable = Flags and Bombs never move.
refusal-not-in-line = Pieces move along a row or a column.
refusal-too-far = Only a Scout moves more than one square.
refusal-lake = No piece can enter a lake.
refusal-own-piece = Your own piece stands there.
refusal-strike-from-afar = Here a Scout can only strike a neighboring square. Move next to the piece first.
refusal-two-squares = Two-squares rule: this piece has gone back and forth between these squares three times in a row. Move another piece, or move elsewhere.
refusal-more-squares = More-squares rule: a chase must not repeat a position. Move elsewhere.
refusal-no-path = That path does not lead there. + goes over rows or columns counting up, - counting down.
refusal-no-supply-line = No rule carries that piece so far. All squares on the way must have the color of its square, or the move must be a flash over chips within its range.
refusal-color-wanted = Name the color of the chip to lay: red, yellow, blue or green.
refusal-color-refused = No color can be named here. A flash takes the color of its first square, and other rulesets have no chips.
refusal-choice-pending = Choose first: the color of the chip where your piece won, or what a struck coin is.
refusal-no-choice = You have nothing to choose now.
refusal-choice-final = Your choice is made and final.
refusal-reserve-rule = Reserve rule: as many coins must stay unmoved as there are Bombs and Flags left in your pool. Act with a coin that has moved or with a piece, or name a Bomb or the Flag.
refusal-no-scout-left = A coin that moves several squares becomes a Scout, and your pool has no Scout left.
refusal-no-reserve = This ruleset has no reserve.
refusal-not-in-reserve = You have no such piece in reserve.
refusal-flag-stays = The Flag stays on the board.
refusal-not-home = Place pieces on your own home rows.
refusal-not-empty = Place pieces on empty squares.
