### Programs of the line protocol that play on a server (flagfall bot --exec). A line of output
### begins with the program's name.

bot-needs-one = Add --exec or --line.
exec-needs-unix = --exec needs a Unix system: Linux, macOS, or WSL on Windows.
exec-needs-rules = Which ruleset does the program play? Name it with --rules, as in --rules pbm.
# $program: its path or name; $why: from the system.
program-not-started = { $program } cannot be started: { $why }
# $failure: what was wrong.
program-failed = the program failed: { $failure }
# $program: its name; $complaint: a sentence.
program-complaint = { $program }: { $complaint }
# $seconds: a number with two decimals.
program-processor = it used { $seconds } s of processor time for this answer
# $text: the end of the program's standard error.
program-last-words = the end of its standard error: { $text }

failure-flag-fell = it did not answer before its time was up
# $answer: the program's line.
failure-repetition = it made the illegal move "{ $answer }", which a repetition rule forbids this turn
failure-estranged = the game on the server does not match what the program was told (another client played this seat, or the server lost a part of the game)
# $message: the server's refusal.
failure-refused = the server refused a command that should be legal: { $message }

session-no-seat = you have no seat in this game
session-too-late = the game has begun, but a program can only join before it deploys
# $ruleset; $server: options that name the server; $game: its id.
session-no-words = the line protocol cannot express everything that can happen in { $ruleset }. You keep your seat. To play the game yourself: flagfall play{ $server } --game { $game }
session-replaced = another connection of this player has taken over the seat
session-damaged = this game cannot continue, because its log on the server is damaged
# $ruleset: what was typed; $rulesets: a list.
ruleset-not-for-programs = the line protocol cannot express everything that can happen in { $ruleset }; choose one of these: { $rulesets }
# $games, $won, $drawn, $lost, $aborted: numbers.
tally =
    { $aborted ->
        [0] Games { $games }: won { $won }, drawn { $drawn }, lost { $lost }.
       *[other] Games { $games }: won { $won }, drawn { $drawn }, lost { $lost }, aborted { $aborted }.
    }
