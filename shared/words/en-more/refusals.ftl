### Refusals. The id of a message is `refusal-` and the code, with hyphens instead of underscores. For
### example, the code `no_such_seek` has the message `refusal-no-such-seek`. The comment before a
### message names its arguments.
###
### A code with several reasons selects on `$reason`. If the reason is unknown, the variant with the
### star is shown, so that variant must not use an argument that only one reason has.
###
### A refusal says what happened and what to do. It must not name a command or control of a client.

# For a code without a message here. $code.
refusal-unknown = The request was refused ({ $code }).

## Messages and connections

# $reason: not_json ($column), not_an_object, too_deep ($max), missing_field, unknown_field and
# duplicate_field ($field), value, body.
refusal-malformed =
    { $reason ->
        [not_json] The message is not JSON. The error is at column { $column }.
        [not_an_object] This is not a message of the protocol, because it is not a JSON object.
        [too_deep] The message is nested deeper than { $max } levels.
        [missing_field] This is not a message of the protocol, because of the missing field `{ $field }`.
        [unknown_field] This is not a message of the protocol, because of the unknown field `{ $field }`.
        [duplicate_field] This is not a message of the protocol, because of the duplicate field `{ $field }`.
        [body] The body must be a JSON object with exactly the fields that /api/openapi.json lists for this path. Send it with the Content-Type header application/json.
       *[value] This is not a message of the protocol, because the name or the value of a field is not allowed.
    }
# $reason: not_first, repeated.
refusal-hello-expected =
    { $reason ->
        [repeated] This connection has already sent its hello.
       *[not_first] The first message must be a hello.
    }
# $version: the server's version of the protocol.
refusal-protocol-version = This server speaks version { $version } of the protocol. Use a client that speaks the same version.
# $reason: missing (a request without a token), unknown_to_http (a request with an unknown token).
refusal-bad-token =
    { $reason ->
        [missing] This request needs a token. POST /api/login returns one. Send the token in a header: Authorization: Bearer TOKEN.
        [unknown_to_http] The token is unknown. Log in for a new one, or leave out the Authorization header to see only what is public.
       *[unknown] The token is unknown. It was mistyped or revoked, or it belonged to a guest who was away for too long. Log in again, or play as a new guest.
    }
refusal-watch-only = This server only shows games to spectators. To play, connect through the address of the service.
refusal-sign-in-expected = You are only watching. To take part, log in or start as a guest.
refusal-superseded = You are playing this game from a newer connection. Open the game again to continue here.
refusal-cmd-id-reused = This command id was already used for another command. Give each command a new id.
refusal-stale-epoch = The server lost the last moves of this game, so your command may no longer apply. Look at the game, then try again.
# $reason: pausing (a running game waits until the server has restarted).
refusal-stopping =
    { $reason ->
        [pausing] The server is restarting, and your game is kept. Try again in a moment.
       *[no_new_games] The server is restarting and starts no new games. Try again in a moment.
    }
# $reason: memory, games ($count: running games).
refusal-server-full =
    { $reason ->
        [games] The server already has { $count ->
            [one] 1 running game
           *[other] { $count } running games
        }, which is the limit that its operators set. Try again in a few minutes.
       *[memory] The server has no memory for new games, but running games continue. Try again in a few minutes.
    }
# $reason: unknown_outcome (the command may or may not have been carried out), damaged.
refusal-store-unavailable =
    { $reason ->
        [unknown_outcome] The server cannot reach its store and does not know whether your command was carried out. Send the same command again in a moment.
        [damaged] The data that the server stores about you is damaged. Tell its operators, who can find the cause in the server's log.
       *[away] The server cannot reach its store. Try again in a moment.
    }
# $reason: game (the task that runs a game failed and was restarted).
refusal-internal =
    { $reason ->
        [game] A defect of the server interrupted the game. The server has opened the game again, so try again in a moment.
       *[other] A defect of the server prevented this. Tell its operators, who can find the cause in the server's log.
    }
# A failure of the server, with the request. $text: the refusal; $request: the request's id in the log.
report-request = { $text } If you report this, include the request's id, { $request }.

## Limits

# $reason: one of the variants below; $count: the limit; $seconds: how long to wait.
# Reasons with $count: tokens, seeks, challenges, games, games_of_one, webhooks, deployments, blocks, reports, open_games.
# Reasons with $seconds: server_connections, connections, handshakes, hellos, guests, offers, games_of_address,
# house_games, house_games_of_address, watched, watched_of_address, stored, requests.
refusal-too-many =
    { $reason ->
        [messages] You sent too many messages in a short time. Connect again and send fewer.
        [commands] You sent too many commands at once. Wait until they are answered.
        [chat] You are sending chat messages too fast. Wait a few seconds.
        [logins] Too many people are logging in. Try again in a few seconds.
        [new_guests] Too many new guests are arriving. Try again in a minute, or log in to an account.
        [tokens] You already have { $count } tokens. Revoke one first.
        [seeks] You already have { $count ->
            [one] 1 open seek
           *[other] { $count } open seeks
        }. Withdraw one first.
        [challenges] You already have { $count ->
            [one] 1 open challenge
           *[other] { $count } open challenges
        }. Withdraw one first.
        [lobby] The lobby is full. Accept an open seek, or try again in a moment.
        [games] You are already playing { $count ->
            [one] 1 game
           *[other] { $count } games
        }. Finish one first.
        [games_of_one] One of the two players is already playing { $count ->
            [one] 1 game
           *[other] { $count } games
        }. Wait until one of that player's games is over.
        [opponent] The other player is playing too many games. Try again later.
        [deployments] You already have { $count } saved deployments for this ruleset. Remove one first.
        [blocks] You have already blocked { $count } players. Unblock one first.
        [reports] You have already sent { $count } reports in the last 24 hours. Send any others tomorrow.
        [webhook_test] The webhook was tested a moment ago. Try again in a few seconds.
        [mails_of_account] You have asked for too many confirmation mails. Try again tomorrow.
        [mails_to_address] Too many confirmation mails have been sent to this address. Try again tomorrow.
        [webhook_busy] Other notices are being sent to this address. Try again in a few seconds.
        [rematch] The server is already creating the rematch. Wait until it begins.
        [spectators] This game has as many spectators as the server allows. Try again later.
        [open_games] { $count ->
            [one] 1 game is
           *[other] { $count } games are
        } open on this connection. Close one first.
        [server_connections] The server is full. Try again in { duration-seconds }.
        [connections] Too many connections are open from your address. Try again in { duration-seconds }.
        [handshakes] Too many connections from your address in a short time. Try again in { duration-seconds }.
        [hellos] You are connecting too often. Try again in { duration-seconds }.
        [guests] Too many new guests from your address in a short time. Log in, continue as an earlier guest, or try again in { duration-seconds }.
        [offers] Too many offers from your address are open. Withdraw one, or try again in { duration-seconds }.
        [games_of_address] Too many games from your address are running. Finish one, or try again in { duration-seconds }.
        [house_games] You are playing too many games against house players. Finish one, or try again in { duration-seconds }.
        [house_games_of_address] Too many games against house players are running from your address. Finish one, or try again in { duration-seconds }.
        [watched] You are watching too many games. Close one, or try again in { duration-seconds }.
        [watched_of_address] Too many games are being watched from your address. Close one, or try again in { duration-seconds }.
        [stored] The server is saving too many changes from your address. Try again in { duration-seconds }.
        [requests] Too many requests from your address in a short time. Try again in { duration-seconds }.
       *[other] Too many requests. Try again later.
    }
# $seconds: how long to wait.
refusal-too-many-attempts = Too many attempts for this name or from your network. Try again in { duration-seconds }. You do not need to wait if you use your recovery code, or a device or network from which you have logged in before.

## Accounts

# $reason: length ($min, $max), characters, taken.
refusal-bad-name =
    { $reason ->
        [length] A name has { $min } to { $max } characters.
        [taken] This name is taken, and so are the similar names that the server tried. Choose another one.
       *[characters] A name may only contain letters (a to z), digits, - and _, and must begin with a letter or digit.
    }
refusal-name-taken = This name is taken or reserved. Choose another one.
# $reason: length ($min, $max), has_name, common.
refusal-bad-password =
    { $reason ->
        [length] A password has { $min } to { $max } characters. Four unrelated words make a good one.
        [has_name] A password must not contain your name. Four unrelated words make a good one.
       *[common] This password is too easy to guess, because it is common, a keyboard pattern or a repetition. Four unrelated words make a good one.
    }
refusal-wrong-password = Wrong name or password. Check both. Capital and small letters in the name count as the same. With the recovery code you can set a new password.
refusal-wrong-recovery-code = Wrong name or recovery code. Check both. Each code works only once.
refusal-account-closed = The operators of this server have closed this account. Write to them if you think that this is a mistake.
refusal-already-account = You already have an account. Log out first to create another one.
# $reason: deployments, webhooks, email.
refusal-account-expected =
    { $reason ->
        [deployments] Only accounts can keep deployments on the server. Sign up first.
        [preferences] Only accounts can keep settings on the server. Sign up first.
        [webhooks] Only accounts can have webhooks and feeds. Sign up first.
        [email] Only accounts can get e-mail. Sign up first.
       *[other] Only an account can do that. Sign up first; your games stay yours.
    }
refusal-no-such-token = You have no token with this id. Check the list of your tokens.
# $reason: name ($min, $max), bot_scope.
refusal-bad-token-terms =
    { $reason ->
        [name] A token's name has { $min } to { $max } printable characters.
       *[bot_scope] Tokens with the scope “bot” are for bot accounts. Sign up as a bot to get one.
    }
refusal-scope-missing = This token only allows playing. Log in with your password for anything else.
refusal-no-such-player = There is no player with this name. Check the name.
refusal-games-running = You have running games. Finish or resign them, then delete the account.
# $count: games left lately; $seconds: how long to wait.
refusal-left-games =
    { $count ->
        [one] You recently left 1 game or did not deploy in it.
       *[other] You recently left { $count } games or did not deploy in them.
    } After { duration-seconds }, you can play rated games and wait in the pool again. Until then you can play casual games, also against house players.

## Lobby

refusal-no-such-game = There is no game with this id, or it is private. Check the id.
refusal-record-not-opened = This record shows ranks that you may not see. Ask for a record that is open to you, such as the public one.
refusal-game-quarantined = The log of this game is damaged, so the game waits until an operator has looked at it. Other games continue.
refusal-server-too-old = A newer server has continued this game, and this server is too old to read it. Try again later, or on another server.
# $reason: taken, withdrawn, other.
refusal-no-such-seek =
    { $reason ->
        [taken] Somebody else has accepted this offer.
        [withdrawn] This offer was withdrawn, or the player who made it left.
       *[other] This offer is no longer open. Somebody else accepted it, or the player who made it left.
    }
# $reason: taken, withdrawn, declined, other.
refusal-no-such-challenge =
    { $reason ->
        [taken] Somebody has already accepted this challenge.
        [withdrawn] The player who made this challenge has withdrawn it.
        [declined] This challenge was declined.
       *[other] This challenge is not open. It was accepted or withdrawn, it has expired, or its code was mistyped.
    }
# $reason: block (players cannot block themselves).
refusal-own-offer =
    { $reason ->
        [block] You cannot block yourself.
       *[offer] You made this offer yourself, so somebody else must accept it.
    }
# $known: the ids of the rulesets. $reason: known, rated (a leaderboard), suggested (deployments), saved (a deployment for changed rules).
refusal-no-such-ruleset =
    { $reason ->
        [known] There is no such ruleset. Choose one of these: { $known }.
        [rated] There are no ratings for these rules. Name a ruleset without changes, because custom rules have no ratings.
        [suggested] There are no deployments for these rules. For custom rules, name the ruleset without the changes.
        [saved] There is no such ruleset. To save a deployment for custom rules, name the ruleset without the changes.
       *[other] There is no such ruleset.
    }
# $base: the ruleset; $option: the rule. $reason: form, no_such_option and fixed ($known: the options),
# no_such_value ($known: the values), twice.
refusal-bad-rule-change =
    { $reason ->
        [no_such_option] { $base } has no such rule. You can change these: { $known }.
        [fixed] The rule { $option } cannot be changed in { $base }. You can change these: { $known }.
        [no_such_value] The rule { $option } has no such value. It can be one of these: { $known }.
        [twice] The rule { $option } is changed twice. Change it only once.
       *[form] Rule changes are not written like this. Write the ruleset, then each rule and its new value, as in classic,ties=attacker,quiet=off.
    }
# In seconds: $base_min, $base_max, $increment_min, $increment_max, $free_min, $free_max.
# In days: $days_min, $days_max.
refusal-bad-time = The base time must be { $base_min } to { $base_max } seconds, the increment { $increment_min } to { $increment_max } seconds, and the free time of each turn { $free_min } to { $free_max } seconds. In correspondence games the time for a move must be { $days_min } to { $days_max } days.
# $known: the names of the house players.
refusal-no-such-bot = There is no such house player. Choose one of these: { $known }.
# $reason: custom_rules, no_clock, house_player, bots_and_people, guest, unchanged (a game without rating changes).
refusal-not-rated =
    { $reason ->
        [custom_rules] Games with custom rules are not rated. Use the ruleset without changes, or play a casual game.
        [no_clock] Games without a clock are not rated. Choose a time, or play a casual game.
        [house_player] Games against house players are not rated. Play a casual game.
        [bots_and_people] People and bots have separate ratings. Play a casual game.
        [guest] Only accounts can play rated games. Sign up first; your games stay yours.
       *[unchanged] This game has not changed any ratings. Either it is casual, or it does not count, or it is not over.
    }
# $reason: no_ratings, guest, bounds ($min, $max).
refusal-bad-rating-range =
    { $reason ->
        [guest] Guests have no rating, so the range cannot be relative to yours. Name two ratings, as in 1400-1600, or sign up.
        [bounds] A range of ratings needs a lower limit, an upper limit, or both, with the lower one first. Limits must be from { $min } to { $max } points.
       *[no_ratings] Games with custom rules or without a clock have no ratings, so opponents cannot be chosen by rating. Choose a time and a ruleset without changes.
    }
# $range, $min, $max: the range of the offer. $reason: rating ($rating: the player's own), bots_and_people, guest.
refusal-outside-rating-range =
    { $reason ->
        [rating] This offer is for players rated { rating-range } in such games. Your rating is { $rating }. Take another offer, or make your own.
        [bots_and_people] This offer is for players rated { rating-range } in such games. Ratings of people and of bots cannot be compared. Take another offer, or make your own.
        [guest] This offer is for players rated { rating-range } in such games, but guests have no rating. Sign up, or take another offer.
       *[other] This offer is for players with other ratings. Take another offer, or make your own.
    }
# $reason: game ($game: its id).
refusal-already-paired =
    { $reason ->
        [game] You have been paired. Play the game { $game } first.
       *[now] You are being paired right now. Your game is about to start.
    }
refusal-no-such-speed = There is no such speed. Choose one of these: bullet, blitz, rapid, classical, correspondence.
# $reason: offer, chat. Without a reason, the path of a piece is blocked.
refusal-blocked =
    { $reason ->
        [offer] You and this player cannot play each other, because one of you has blocked the other.
        [chat] You and this player cannot write to each other, because one of you has blocked the other.
       *[move] Another piece or a lake blocks the path of this piece.
    }
# $reason: chat ($max: characters), report ($max).
refusal-bad-text =
    { $reason ->
        [chat] A message has 1 to { $max } printable characters in one line.
        [report] Describe what happened in 1 to { $max } printable characters.
       *[other] The text is empty, too long, or contains characters that cannot be printed.
    }
# $reason: chat, report.
refusal-house-player =
    { $reason ->
        [report] House players cannot be reported. Tell the operators of this server if one misbehaves.
       *[chat] House players do not talk.
    }
refusal-reported-before = You have already reported this game. The operators have your report.

## Deployments, webhooks, e-mail and queues of moves that the server stores

# $reason: name, too_long, setup (with the arguments of setup-problem).
refusal-bad-deployment =
    { $reason ->
        [name] A name consists of 1 to 30 letters, digits, - and _. The names “random” and “suggested” are reserved.
        [too_long] Not saved. The text is too long for a deployment.
        [setup] Not saved. { setup-problem }
       *[other] This is not a valid deployment for its ruleset.
    }
refusal-no-such-deployment = You have no deployment with this name for this ruleset.
# $count: the most settings; $name_max, $value_max: characters.
refusal-bad-preferences = Not saved. An account can have { $count } settings; a name has 1 to { $name_max } small letters a to z, digits and _, and a value at most { $value_max } ASCII characters.
# $reason: form ($max: characters), not_encrypted, private.
refusal-bad-webhook =
    { $reason ->
        [form] This is not a valid address for a webhook. Use one such as https://example.org/turns, with at most { $max } characters and without a user name or password.
        [not_encrypted] The address of a webhook must begin with https. The server's operators can allow http for private addresses.
       *[private] The address of a webhook must be public. The server's operators can allow private addresses.
    }
# $reason: feed.
refusal-no-such-webhook =
    { $reason ->
        [feed] There is no such feed. It was removed or replaced, or its address is mistyped.
       *[webhook] You have no webhook.
    }
refusal-mail-off = This server does not send e-mail, because its operators have not set up e-mail.
# $max: characters.
refusal-bad-email = This is not a valid e-mail address. Use one such as ann@example.org, with at most { $max } characters, all of them ASCII.
refusal-no-such-email = You have set no e-mail address.
# $reason: length ($max: plies).
refusal-bad-queue =
    { $reason ->
        [length] You can queue 1 to { $max } plies. A ply is one turn: you move, take a piece off the board, or place one on it.
       *[game] You can only queue moves in your own running games with days per move.
    }
refusal-own-turn = It is your turn. Make your move first, then queue the moves after it.

## The HTTP API

refusal-no-such-path = There is nothing at this path. /api/openapi.json lists the paths of the HTTP API; games are played over the WebSocket at /ws.
refusal-method-not-allowed = This path does not support this method. The Allow header lists the methods that are supported.
# $reason: session (a request with the session of this server's page, or for one), page.
refusal-foreign-origin =
    { $reason ->
        [session] Only this server's own page can have a session, and only at the address that the server's operators have set. Programs and other pages must send a token instead.
       *[page] Web pages from this origin may not connect to the server. Its operators can allow the origin.
    }
refusal-upgrade-expected = This path speaks WebSocket version 13. Connect with a WebSocket client.
# $reason: list, page, games, suggested.
refusal-bad-query =
    { $reason ->
        [list] The query is not valid. The parameter "bots" must be true or false.
        [games] The query is not valid. The parameter "order" must be newest or rating, "phase" must be "over" and cannot be combined with order=rating, and "limit" must be a number.
        [suggested] The query is not valid. The parameter "seed" must be a whole number from 0 to 4294967295.
        [page] The query is not valid. The parameter "after" must be the value of "next" from the previous page, and "limit" must be a number.
       *[record] The query is not valid. The parameter "format" must be json or text, and "as" must be red, blue, public or all.
    }
# $kib: the limit in KiB.
refusal-body-too-large = The body of the request is too long. Send at most { $kib } KiB.
refusal-host-expected = A request must have exactly one Host header, and it must name the server's host.
refusal-timed-out = The answer took too long. Try again in a moment.

## Playing a game

# $reason: waiting (for the pool in the lobby), piece (for the pool of a ruleset with coins).
refusal-not-in-pool =
    { $reason ->
        [waiting] You are not waiting in the pool. You left the pool, or you were away for too long.
       *[piece] No such piece is left in your pool.
    }
refusal-not-your-game = You have no seat in this game.
refusal-not-over = The game is not over. You can ask for a rematch after the end.
refusal-not-deploying = The game has started, so deployments can no longer be changed.
refusal-deployment-final = Your deployment is submitted and can no longer be changed.
refusal-not-playing = The game has not started, because both sides must deploy first.
refusal-game-over = The game is over.
refusal-paused = The game is paused while the server restarts. Try again in a moment.
# $named: the ply that the command names; $current: the game's current ply. $reason: queue, command.
refusal-stale-ply =
    { $reason ->
        [queue] The game has moved on to ply { $current }. Look at the game, then queue your moves again.
       *[command] This command was for ply { $named }, but the game is at ply { $current }. Look at the game, then try again.
    }
refusal-out-of-time = Your time is up.
refusal-draw-already-offered = Your draw offer is still open. Wait for the other side's answer.
# $plies: plies until the player may offer again.
refusal-draw-offered-recently =
    { $plies ->
        [one] You have already offered a draw. You can offer again after 1 more ply, or after the other side offers one.
       *[other] You have already offered a draw. You can offer again after { $plies } more plies, or after the other side offers one.
    }
refusal-no-draw-offer = There is no draw offer to answer.
refusal-too-late-to-abort = You can abort a game only before your first move. Resign instead.
refusal-opponent-present = Your opponent is here. You can claim the game after they have been gone for a while.
# $seconds: how long to wait.
refusal-claim-too-early = It is too early to claim the game. You can claim it in { duration-seconds }, unless your opponent comes back.
refusal-no-claims = A game with days per move cannot be claimed, because its players need not stay connected. Wait for a move or the end of your opponent's time.

## Deployments

# What is wrong with a deployment. $problem: the code of one of the refusals below, with the arguments of that refusal.
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
       *[other] This is not a valid deployment for its ruleset.
    }
# $have: characters found; $want: characters expected.
refusal-setup-too-short =
    { $have ->
        [one] The deployment has 1 character instead of { $want }. It needs one for each home square, the row nearest the enemy first.
       *[other] The deployment has { $have } characters instead of { $want }. It needs one for each home square, the row nearest the enemy first.
    }
# $have: characters found; $want: characters expected.
refusal-setup-too-long =
    { $have ->
        [one] The deployment has 1 character instead of { $want }. It needs one for each home square, the row nearest the enemy first.
       *[other] The deployment has { $have } characters instead of { $want }. It needs one for each home square, the row nearest the enemy first.
    }
# $letter: the character.
refusal-setup-unknown-letter = “{ $letter }” is not the letter of a piece. Use 1-9, S, B and F. Some rulesets also have P for a Phoenix, or . for an empty square.
# $square: where the piece stands.
refusal-setup-outside-home = { $square } is outside your home rows. Place all pieces on your home rows.
# $square: where the pieces stand.
refusal-setup-double-square = { $square } has more than one piece. Place each piece on a square of its own.
# $square: the empty square.
refusal-setup-empty-square = { $square } is empty. Every home square must have a piece.
# $rank; $have: how many were placed; $want: how many the army has.
refusal-setup-wrong-count = { rank }: { $have } placed, but the army has { $want }. Place exactly that many.
# $rank; $have: how many were placed; $most: how many the army has.
refusal-setup-too-many = { rank }: { $have } placed, but the army has { $most }.

## Moves

refusal-off-board = There is no such square on this board.
refusal-no-piece = There is no piece on that square.
refusal-not-your-piece = That piece is not yours.
refusal-immovable = Flags and Bombs never move.
refusal-not-in-line = Pieces only move along a row or a column, never diagonally.
refusal-too-far = Only a Scout can move more than one square.
refusal-lake = No piece can enter a lake.
refusal-own-piece = One of your own pieces is on that square.
refusal-strike-from-afar = In this ruleset a Scout can only strike a piece on a neighboring square. Move next to the piece first.
refusal-two-squares = Two-squares rule: this piece has gone back and forth between these squares too many times without a break. Move it elsewhere, or move another piece.
refusal-more-squares = More-squares rule: this move would repeat a position while you chase a piece. Make another move.
refusal-no-path = The piece cannot reach that square in this direction. A “+” after the move means toward higher row numbers or later column letters, a “-” means the other way.
refusal-no-supply-line = That piece cannot go so far. Along a supply line, every square on the way must have a chip of the same color as the piece's own square. A flash may cross chips of any color, but only within the piece's range.
refusal-color-wanted = Name the color of the chip to lay: red, yellow, blue or green.
refusal-color-refused = You cannot name a color for this move. Either the ruleset has no chips, or the move is a flash, which takes the color of its first square.
refusal-choice-pending = First make the choice that the game is waiting for: name the color of the chip where your piece won, or say what your coin is.
refusal-no-choice = There is nothing for you to choose now.
refusal-choice-final = You have already chosen, and a choice is final.
refusal-reserve-rule = Reserve rule: you must keep at least as many unmoved coins as there are Bombs and Flags in your pool. Move a piece, or a coin that has already moved. If you are choosing what a coin is, choose a Bomb or the Flag.
refusal-no-scout-left = A coin that moves several squares becomes a Scout, but your pool has no Scout left. Move it one square.
refusal-not-in-reserve = You have no such piece in your reserve.
refusal-flag-stays = The Flag must stay on the board. Take off another piece.
refusal-not-home = That square is outside your home rows. Place pieces only on your home rows.
refusal-not-empty = That square is not empty. Place pieces only on empty squares.
