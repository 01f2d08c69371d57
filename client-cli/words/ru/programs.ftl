### Programs of the line protocol that play on a server (flagfall bot --exec). A line of output
### begins with the program's name.

bot-needs-one = Добавьте --exec или --line.
exec-needs-unix = --exec требует системы Unix: Linux, macOS или WSL в Windows.
exec-needs-rules = По каким правилам играет программа? Укажите правила, например --rules pbm.
# $program: its path or name; $why: from the system.
program-not-started = Не удалось запустить { $program }: { $why }
# $failure: what was wrong.
program-failed = сбой программы: { $failure }
# $program: its name; $complaint: a sentence.
program-complaint = { $program }: { $complaint }
# $seconds: a number with two decimals.
program-processor = процессорное время на этот ответ: { $seconds } с
# $text: the end of the program's standard error.
program-last-words = последнее, что есть в её стандартном потоке ошибок: { $text }

failure-flag-fell = она не ответила до конца отведённого времени
# $answer: the program's line.
failure-repetition = она сделала недопустимый ход «{ $answer }»: сейчас он запрещён правилом повторений
failure-estranged = партия на сервере расходится с тем, что сообщалось программе (это место занимал другой клиент, или сервер потерял часть партии)
# $message: the server's refusal.
failure-refused = сервер отказал в команде, которая должна быть допустимой: { $message }

session-no-seat = у вас нет места в этой партии
session-too-late = партия уже началась, а программа может вступить только до расстановки
# $ruleset; $server: options that name the server; $game: its id.
session-no-words = строчный протокол не может выразить всё, что бывает по правилам { $ruleset }. Место остаётся за вами. Чтобы сыграть партию без программы: flagfall play{ $server } --game { $game }
session-replaced = место занято другим соединением этого игрока
session-damaged = партию нельзя продолжить: её журнал на сервере повреждён
# $ruleset: what was typed; $rulesets: a list.
ruleset-not-for-programs = строчный протокол не может выразить всё, что бывает по правилам { $ruleset }; возможные правила: { $rulesets }
# $games, $won, $drawn, $lost, $aborted: numbers.
tally =
    { $aborted ->
        [0] Партий { $games }: побед { $won }, ничьих { $drawn }, поражений { $lost }.
       *[other] Партий { $games }: побед { $won }, ничьих { $drawn }, поражений { $lost }, отменено { $aborted }.
    }
