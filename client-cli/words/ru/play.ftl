### Playing a game: offers, moves, talk, and leaving.

no-game-yet = Партии ещё нет.
# $squares: the move; $key: a key.
premove-planned = Предварительный ход: { $squares }. { $key } отменяет его.
game-goes-on = Партия продолжается.

## Players who come and go

# $player: a name; $side.
player-here =
    { $player } ({ $side ->
        [red] красные
       *[blue] синие
    }) на связи.
player-left =
    { $player } ({ $side ->
        [red] красные
       *[blue] синие
    }) больше не в партии.
player-reconnecting =
    { $player } ({ $side ->
        [red] красные
       *[blue] синие
    }) восстанавливает связь и может скоро вернуться.
player-away =
    { $player } ({ $side ->
        [red] красные
       *[blue] синие
    }) не на связи.
claim-type = Соперника уже давно нет. Введите «claim win» или «claim draw» либо ждите дальше.
# $key.
claim-press = Соперника уже давно нет. Нажмите { $key }, чтобы засчитать победу или ничью, либо ждите дальше.
claim-usage = Введите «claim win» или «claim draw».

## Talk

# $player: who says it; $message.
said = { $player }: { $message }
# $message.
said-own = Вы: { $message }
# $game; $side; $message.
said-elsewhere = { side }, партия { $game }: { $message }
# $number; $phrase.
say-phrase = say { $number }: { $phrase }
# $word: what was typed.
no-slash-command = Не отправлено: команды { $word } нет. Есть команды /mute, /unmute и /report WORDS.
# $word: what was typed; $meant: a command.
no-slash-command-meant = Не отправлено: команды { $word } нет. Может быть, { $meant }? Есть команды /mute, /unmute и /report WORDS.
# $max: characters.
message-too-long = В сообщении может быть от 1 до { $max } печатных символов.
# $server: an option of the command line.
muted = Сообщения соперника в этой партии больше не видны; команда «unmute» вернёт их. Чтобы заблокировать игрока насовсем: flagfall block{ $server } NAME
unmuted = Сообщения соперника снова видны.

## Leaving

# $consequences: sentences.
leave-ask = Выйти из партии? { $consequences } Введите «yes», чтобы выйти, или что угодно другое, чтобы остаться.
leave-deployed = Ваша расстановка отправлена, и партия может начаться без вас.
# $counts: yes if the server counts it as leaving a game, or no.
leave-undeployed =
    { $counts ->
        [yes] Если вы не расставите армию, партия будет отменена и вам зачтут уход из партии.
       *[no] Если вы не расставите армию, партия будет отменена.
    }
# $left: a clock; $counts: as above.
leave-undeployed-within =
    { $counts ->
        [yes] Если вы не расставите армию за { $left }, партия будет отменена и вам зачтут уход из партии.
       *[no] Если вы не расставите армию за { $left }, партия будет отменена.
    }
leave-no-clock = Часы не идут.
leave-own-turn = Ваши часы идут дальше.
leave-their-turn = Когда наступит ваш ход, ваши часы пойдут.
# $player: a name; $wait: how long.
leave-claim = Примерно через { $wait } соперник ({ $player }) сможет засчитать результат.
leave-no-return = Ваше место не сохранено на этом компьютере, поэтому вернуться не получится.
leave-seat-stays = Место остаётся за вами.
# $consequences: sentences.
left = Вы вышли из партии. { $consequences }
# $consequences: sentences; $server: an option of the command line; $game.
left-return = Вы вышли из партии. { $consequences } Продолжить: flagfall play{ $server } --game { $game }
# $server: an option of the command line; $game.
record-of-game = Запись партии: flagfall record{ $server } { $game }

## The reserve

reserve-empty-own = Ваш резерв пуст.
# $square.
no-own-piece-on = На { $square } нет вашей фигуры.
# $square.
place-not-home = { $square } – не ваше домашнее поле. Фигуры можно ставить только на домашние поля.
# $square.
place-not-empty = Поле { $square } занято.
report-usage = Напишите, что произошло: report WORDS.
talk-lost = Ваше последнее сообщение могло не дойти.
talk-players-only = Переписываться могут только игроки.

## Messages about a game

# $why: a sentence.
game-unavailable = Сейчас эту партию нельзя продолжить. { $why }
# $not_done: what was not done.
not-done-lost = { $not_done }: сервер потерял последние ходы партии. Посмотрите на доску ещё раз.
# $message: the server's, as a sentence.
did-not-happen = Команда не выполнена. { $message }
report-sent = Жалоба отправлена администраторам сервера.
rematch-asked = Вы предлагаете реванш. Он начнётся, когда его предложит и другая сторона.
# $side.
rematch-type = { side } предлагают реванш. Введите «rematch», чтобы сыграть.
# $side; $key.
rematch-press = { side } предлагают реванш. Нажмите { $key }, чтобы сыграть.
# $side.
rematch-withdrawn = { side } больше не предлагают реванш.
rematch-not-now = Предложить реванш могут только игроки и только после конца партии.
superseded = Место занято другим вашим соединением, поэтому здесь партию можно только смотреть.
deployment-not-understood = Этот клиент не понимает расстановку, которая есть у сервера.
turned-back = Серверу пришлось вернуться к более раннему состоянию партии. Партия продолжается с этого места.
# $game; $side; $opponent: a name; $terms.
game-as-player =
    { $side ->
        [red] Партия { $game }: вы играете за красных против { $opponent }. { $terms }.
       *[blue] Партия { $game }: вы играете за синих против { $opponent }. { $terms }.
    }
# $game; $red and $blue: names; $terms.
game-over-opened = Партия { $game }: за красных { $red }, за синих { $blue }. { $terms }. Партия окончена.
# $game; $red and $blue: names; $terms.
game-as-spectator = Партия { $game }: за красных { $red }, за синих { $blue }. { $terms }. Вы зритель и видите только то, что известно обоим игрокам.
# $game; $red and $blue: names; $terms.
game-without-seat = Партия { $game }: за красных { $red }, за синих { $blue }. { $terms }. Вы в ней не играете: вы зритель и видите только то, что известно обоим игрокам.
# $ruleset: its id.
ruleset-unknown = Этот клиент не знает правил { $ruleset }. Обновите клиент, чтобы играть или смотреть эту партию.
# $squares.
lakes = Озёра в этой партии: { $squares }.
read-only = Этой партией управляет другое ваше соединение. Здесь её можно только смотреть.
watch-only = Вы только смотрите эту партию.
answer-draw = Введите «accept» или «decline», чтобы ответить на предложение ничьей.
deploy-now = Расставьте армию: введите «deploy suggested», «deploy random» или «deploy» и свой текст (подробнее – «help»).
# $side.
your-turn =
    { $side ->
        [red] Ваш ход, вы играете за красных.
       *[blue] Ваш ход, вы играете за синих.
    }
# $side; $left: a clock.
your-turn-clock =
    { $side ->
        [red] Ваш ход, вы играете за красных. У вас { $left }.
       *[blue] Ваш ход, вы играете за синих. У вас { $left }.
    }
deploy-not-now = Сейчас расставлять армию нельзя.
deployed-already = Эта расстановка уже отправлена. Чтобы отправить другую, измените что-нибудь.
# $plies.
quiet-limit =
    { $plies ->
        [one] Ещё { $plies } полуход без взятия – и ничья.
        [few] Ещё { $plies } полухода без взятия – и ничья.
       *[many] Ещё { $plies } полуходов без взятия – и ничья.
    }
# $server: an option of the command line; $game.
game-ended = Введите «rematch» или «quit». Запись: flagfall record{ $server } { $game }
# $squares.
illegal-loses = Ход { $squares } против правил, а в этой партии за запрещённый ход засчитывают поражение. Введите «sure», чтобы всё равно сделать этот ход, или что угодно другое, чтобы отказаться.
# $squares.
move-taken-back = Ход { $squares } отменён.

## Lines

lines-help-play =
    a4a5 или move a4a5: ход или удар. Где есть фишки – с цветом: a4a5 green. Где края соединены, ход a1a7+ ведёт к большим номерам рядов или дальним буквам столбцов, ход a1a7- – в другую сторону.
    place scout a4, place labeled scout a4: поставить фигуру из резерва (с цветом: place scout a4 green). remove a4: убрать фигуру в резерв. color green: назвать цвет фишки, когда об этом спрашивают.
    reserve: фигуры в обоих резервах. choose captain: выбрать ранг для своей монеты при ударе (где есть монеты). pool: кем ещё могут стать монеты обеих сторон.
    deploy suggested: отправить готовую разумную расстановку. deploy random: случайную. deploy NAME: сохранённую.
    deploy TEXT: отправить свою, по букве на поле, первым ближний к противнику ряд, в каждом ряду слева направо: 1-9, S Шпион, B Бомба, F Флаг и . для пустого поля, где это разрешено.
    board: напечатать доску. status: чей ход, часы, кто на связи. clocks: только часы. last: последний ход.
    square a4: что стоит на этом поле. row 4: что стоит в этом ряду. rank scout: где видны Разведчики, сколько их потеряно и осталось. losses: все потери и остаток.
    draw: предложить ничью или принять её. accept, decline: ответить на предложение ничьей.
    resign: сдаться. abort: закончить партию без результата до своего первого хода. Обе команды переспрашивают; ответьте yes в следующей строке. Для сценариев: resign yes и abort yes не переспрашивают.
    claim win, claim draw: закончить партию, из которой другая сторона давно ушла.
    say WORDS: сообщение, которое видит только соперник. say 1 … say 7 – готовые фразы; say показывает их. mute, unmute: скрыть и показать сообщения соперника.
    report WORDS: сообщить администраторам сервера, что сделал соперник в этой партии.
    rematch: после конца предложить ещё одну партию со сменой сторон.
lines-help-last = help: этот текст. quit: выйти; пока партия идёт, переспрашивает (quit yes не переспрашивает). Место остаётся за вами.

resign-ask = Точно сдаться? Введите «yes», чтобы сдаться, или что угодно другое, чтобы играть дальше.
abort-ask = Точно отменить партию? Введите «yes», чтобы отменить, или что угодно другое, чтобы играть дальше.
# $text: what was typed.
line-not-understood = Непонятно: «{ $text }». Введите ход, например a4a5, или «help».
status-deploying = Обе стороны расставляют армии.
# $ply; $side.
status-turn =
    { $side ->
        [red] Полуход { $ply }: ходят красные.
       *[blue] Полуход { $ply }: ходят синие.
    }
# $ply.
status-ply = Полуход { $ply }.
# $side; $player: a name; $presence; $clock: a clock or none; $ready: yes, no or started.
status-player = { side }: { $player }, { $presence }{ $clock ->
        [none] {""}
       *[some] , осталось { $clock }
    }{ $ready ->
        [yes] , расстановка готова
        [no] , расстановка не готова
       *[started] {""}
    }.
# $event: a sentence.
status-last = Последнее: { $event }
no-coins = По этим правилам монет нет.

## The full screen

# $text: what was typed.
command-not-understood = Непонятно: «{ $text }». Введите «a4a5 green», «place 9 a4 red», «remove a4» или «color blue».
# $text: what was typed.
not-a-move = { $text } – не ход. Введите два поля, например a4a5, затем Enter.
save-name-wanted = Не сохранено: сначала введите название.
# $name.
deployment-saved = Сохранено: { $name }.
# $why: a refusal.
deployment-not-saved = Не сохранено. { $why }
# $key.
no-deployment-saved = Для этих правил нет сохранённых расстановок. { $key } – сохранить эту.
# $name; $key.
deployment-loaded = Расстановка загружена: { $name }. { $key } – отправить её.
# $name; $why: a refusal.
deployment-not-loaded = { $name } – не расстановка. { $why }
# $rank; $key.
none-in-hand = Такой фигуры в руке нет: { rank }. { $key } – снять фигуру с доски.
# $key.
challenge-waits = Вызов ещё открыт. Нажмите { $key }, чтобы ответить.
taken-back = Отменено.
# $square.
piece-cannot-move = Фигура на { $square } сейчас не может ходить.
repetition-forbids = Этот ход сейчас запрещён правилом повторений.
# $from and $to: squares.
piece-cannot-go = Фигура с { $from } не может пойти на { $to }.
select-own-first = Сначала выберите свою фигуру.

## Answers of the server

# $why: a sentence.
saved-unavailable = Сохранённые расстановки недоступны: { $why }
game-not-now = Сейчас эту партию открыть нельзя. Попробуйте чуть позже.
# $outcome: a sentence; $server: an option of the command line; $game.
outcome-and-record = { $outcome } Запись: flagfall record{ $server } { $game }
