### Commands of play by mail, where a player has many games and need not open one.

mail-welcome = Type “help” for the commands of play by mail.
lines-help-mail =
    games: your running games, the most urgent first. next: open the next game in which it is your turn.
    open GAME: open a game of yours.
    challenge [NAME] [RULESET] [TIME] [red|blue] [rated] [private] [secret]: offer a game to NAME, or without a name get a code for a friend. Without a ruleset: pbm, or pbm-small with -small. Without a time: 3days.
    accept CODE, reject CODE: answer a challenge. challenges: list the challenges that wait for your answer; new ones are shown at once. withdraw CODE: withdraw a challenge of yours.
    move #12 a4a5: move only if the game is still at ply 12 (status shows the ply).
    queue a4a5, queue a4a5 if b7b6: let the server make a move on your next turn, even while you are away; with `if`, only if the other side has just made the move you name. To queue moves for later turns, add them after commas. A move that cannot be made empties the queue. queue: show the queue. queue clear: empty it. Queues are only for games with days per move.
    propose: offer a draw. propose rematch: ask for another game after the end. accept, reject: answer the other side's offer.
    show [GAME]: the board as spectators see it. showas [GAME]: the board as you see it.
    history [GAME]: the moves. history NAME [NAME]: a player's games, or the games of two players against each other.
    standings [RULESET] [SPEED]: the leaderboard. ratings [NAME]: a player's ratings.
    set: your settings. set flip, set noflip: show your side at the bottom, or always Red. set numbers us, set numbers eu: how ranks are numbered.

# $text: what was typed.
not-a-game-id = “{ $text }” is not a game's id. To list them, type: games. Then, for example: open 0123456789ab
no-game-open = No game is open. Type “next” or “open GAME”.
no-game-named = No game is open. Name one, or type “next” or “open GAME”.
# $word: what was typed.
challenge-not-understood = “{ $word }” is not understood. Type: challenge NAME RULESET TIME (for example: challenge ann pbm 3days)
# $word: what was typed; $meant: a ruleset.
challenge-not-understood-meant = “{ $word }” is not understood. Did you mean { $meant }? Type: challenge NAME RULESET TIME (for example: challenge ann pbm 3days)
# $terms; $code; $left: how long.
challenge-made = Your challenge ({ $terms }) is open for { $left }. To play, your friend types: accept { $code }
# $link: an address.
challenge-made-link = Or your friend opens { $link } in a browser.
# $name; $code.
challenge-sent = You have challenged { $name }. To withdraw the challenge, type: withdraw { $code }
# $code.
challenge-withdrawn = Challenge { $code } has been withdrawn.
# $code.
challenge-rejected = You have declined challenge { $code }.
challenges-none = No challenges are waiting for your answer.
withdraw-usage = Type “withdraw CODE” with the code of one of your challenges.
# $text: what was typed.
propose-usage = “propose { $text }” is not understood. Type “propose draw” or “propose rematch”.
queue-days-only = Moves can only be queued in games with days per move. Type your move when your turn comes.
queue-players-only = Only players can queue moves, and only while the game is running.
# $text: what was typed.
queue-not-understood = “{ $text }” is not understood. Type “queue a4a5”, or “queue a4a5 if b7b6”. Separate several moves with commas.
history-usage = Type “history GAME”, “history NAME”, or “history NAME NAME”.
# $word: what was typed.
standings-not-understood = “{ $word }” is neither a ruleset nor a speed. For example, type: standings pbm correspondence
# $word: what was typed; $meant: a ruleset or a speed.
standings-not-understood-meant = “{ $word }” is neither a ruleset nor a speed. Did you mean { $meant }? For example, type: standings pbm correspondence
# $text: what was typed.
set-usage = “set { $text }” is not understood. Type “set flip”, “set noflip”, “set numbers us” or “set numbers eu”.
# $flip: yes or no; $numbers: us or eu.
settings = { $flip ->
        [yes] Settings: flip (your side at the bottom)
       *[no] Settings: noflip (Red always at the bottom)
    }, { $numbers ->
        [us] numbers us (1 Marshal to 9 Scout).
       *[eu] numbers eu (10 Marshal to 2 Scout).
    }
# $word: what was typed.
not-a-ply = “{ $word }” is not a ply number. For example, type: move #12 a4a5
