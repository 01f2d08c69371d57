### Commands of play by mail, where a player has many games and need not open one.

mail-welcome = Введите «help», чтобы увидеть команды игры по переписке.
lines-help-mail =
    games: ваши идущие партии, сначала самые срочные. next: открыть следующую партию, в которой ваш ход.
    open GAME: открыть свою партию.
    challenge [NAME] [RULESET] [TIME] [red|blue] [rated] [private] [secret]: вызвать игрока NAME или, без имени, получить код для друга. Без правил: pbm, а с -small – pbm-small. Без часов: 3days.
    accept CODE, reject CODE: ответить на вызов. challenges: вызовы, которые ждут вашего ответа; новые показываются сразу. withdraw CODE: отозвать свой вызов.
    move #12 a4a5: ход, только если в партии всё ещё полуход 12 (его показывает status).
    queue a4a5, queue a4a5 if b7b6: сервер сам сделает этот ход, когда придёт ваша очередь, даже если вас нет; с «if» – только в ответ на ход другой стороны, названный после «if». Несколько ходов подряд указывайте через запятую. Если ход невозможен, все отложенные ходы сбрасываются. queue: показать отложенные ходы. queue clear: убрать их. Откладывать ходы можно только в партиях по переписке.
    propose: предложить ничью. propose rematch: предложить ещё одну партию после конца. accept, reject: ответить на предложение другой стороны.
    show [GAME]: доска, какой её видят зрители. showas [GAME]: доска, какой её видите вы.
    history [GAME]: ходы. history NAME [NAME]: партии игрока или партии двух игроков друг с другом.
    standings [RULESET] [SPEED]: таблица лидеров. ratings [NAME]: рейтинги игрока.
    set: ваши настройки. set flip, set noflip: внизу ваша сторона или всегда красные. set numbers us, set numbers eu: какими цифрами обозначены ранги.

# $text: what was typed.
not-a-game-id = «{ $text }» – не id партии. Чтобы увидеть список, введите: games. Потом, например: open 0123456789ab
no-game-open = Партия не открыта. Введите «next» или «open GAME».
no-game-named = Партия не открыта. Укажите её номер либо введите «next» или «open GAME».
# $word: what was typed.
challenge-not-understood = Непонятно: «{ $word }». Введите: challenge NAME RULESET TIME (например: challenge ann pbm 3days)
# $word: what was typed; $meant: a ruleset.
challenge-not-understood-meant = Непонятно: «{ $word }». Может быть, { $meant }? Введите: challenge NAME RULESET TIME (например: challenge ann pbm 3days)
# $terms; $code; $left: how long.
challenge-made = Ваш вызов открыт ещё { $left }: { $terms }. Чтобы играть, друг вводит: accept { $code }
# $link: an address.
challenge-made-link = Или друг открывает в браузере { $link }
# $name; $code.
challenge-sent = Вызов отправлен: { $name }. Чтобы отозвать его, введите: withdraw { $code }
# $code.
challenge-withdrawn = Вызов { $code } отозван.
# $code.
challenge-rejected = Вызов { $code } отклонён.
challenges-none = Нет вызовов, которые ждут вашего ответа.
withdraw-usage = Введите «withdraw CODE» с кодом одного из своих вызовов.
# $text: what was typed.
propose-usage = Непонятно: «propose { $text }». Введите «propose draw» или «propose rematch».
queue-days-only = Откладывать ходы можно только в партиях по переписке. Введите ход, когда придёт ваша очередь.
queue-players-only = Откладывать ходы могут только игроки и только пока партия идёт.
# $text: what was typed.
queue-not-understood = Непонятно: «{ $text }». Введите «queue a4a5» или «queue a4a5 if b7b6». Несколько ходов разделяйте запятыми.
history-usage = Введите «history GAME», «history NAME» или «history NAME NAME».
# $word: what was typed.
standings-not-understood = «{ $word }» – не правила и не темп. Введите, например: standings pbm correspondence
# $word: what was typed; $meant: a ruleset or a speed.
standings-not-understood-meant = «{ $word }» – не правила и не темп. Может быть, { $meant }? Введите, например: standings pbm correspondence
# $text: what was typed.
set-usage = Непонятно: «set { $text }». Введите «set flip», «set noflip», «set numbers us» или «set numbers eu».
# $flip: yes or no; $numbers: us or eu.
settings = { $flip ->
        [yes] Настройки: flip (внизу ваша сторона)
       *[no] Настройки: noflip (внизу всегда красные)
    }, { $numbers ->
        [us] numbers us (1 – Маршал, 9 – Разведчик).
       *[eu] numbers eu (10 – Маршал, 2 – Разведчик).
    }
# $word: what was typed.
not-a-ply = «{ $word }» – не номер полухода. Введите, например: move #12 a4a5
