### The page in a browser: what it says besides what both clients say.

## Everywhere

nav = Главное меню
nav-play = Играть
nav-watch = Смотреть
no-answer = Сервер не отвечает. Проверьте соединение и повторите.
not-loaded = Не удалось загрузить
nav-rules = Правила
nav-deployments = Расстановки
nav-games = Ваши партии
nav-leaderboard = Таблицы лидеров
nav-account = Учётная запись
nav-about = Об этом сервере
nav-more = Все страницы
keep = Не менять
close = Закрыть
to-home = На главную
accept = Принять
withdraw = Отозвать
you = вы
settings = Настройки
session-failed = Сервер не может дать вам место. Повторите через несколько секунд.
unreachable = Сервер не отвечает. Страница скоро попробует снова.
unknown-title = Здесь ничего нет
unknown-text = Этот адрес никуда не ведёт. Возможно, ссылка неполная.

## The bar above the page

# $move: as in a4a5, or none.
bar-reconnecting =
    { $move ->
        [none] Соединяемся снова…
       *[other] Соединяемся снова… Ваш ход { $move } отправляется.
    }
bar-offline = Нет сети. Партия продолжится, как только связь вернётся.
bar-store-away = Сейчас ходы нельзя сохранить. Ваши ходы не пропадут, а время на часах потом исправится.
bar-restarting = Сервер перезапускается. Это займёт несколько секунд.
bar-new-epoch = Сервер потерял последние мгновения партии. На доске позиция, которая есть сейчас: сделайте ход снова.
bar-act-new-epoch = Продолжить
bar-superseded = Эта партия открыта в другой вкладке.
bar-act-superseded = Играть здесь
bar-logged-out = Вы вышли из учётной записи в другом месте.
bar-act-logged-out = Войти
bar-seat-gone = Вашего места больше нет: сервер его не знает.
bar-act-seat-gone = Повторить
bar-old-page = Версия сервера отличается от версии этой страницы. Обновите страницу.
bar-act-old-page = Обновить
bar-account-closed = Администраторы этого сервера закрыли учётную запись. Напишите им, если считаете это ошибкой.
bar-too-many-tabs = Открыто слишком много вкладок. Закройте некоторые.
bar-act-too-many-tabs = Повторить
bar-broken-line = Сервер и эта страница не понимают друг друга.
bar-act-broken-line = Повторить
# $game: its id.
bar-quarantined = Эта партия повреждена на сервере и остановлена. Сообщите администратору её номер: { $game }.
bar-paused = Сервер недоступен: партия приостановлена, часы стоят.

## The first page

home-title = Спрячьте свой Флаг. Найдите чужой.
home-lead = Две армии, скрытые ранги и доска, полная блефа. Двенадцать вариантов правил, без регистрации.
home-choices = Начать партию
play-house = Против сервера
play-house-text = С вами играет компьютер. Классические правила, без часов.
play-quick = Быстрая партия
# $rated: yes or no.
play-quick-text =
    { $rated ->
        [yes] С любым соперником, 10 минут и 5 секунд на ход, рейтинговая.
       *[no] С любым соперником, 10 минут и 5 секунд на ход.
    }
play-friend = С другом
play-friend-text = По ссылке, которую вы отправите.
all-choices = Все правила, часы и соперники
home-rules = Впервые здесь? Как в это играют
change = Изменить
# $choice: what is started, as in “Quick game”.
choice-change = Изменить: { $choice }
your-games = Ваши партии
your-games-empty = Сейчас партий нет. Начатые партии появятся здесь.
your-games-finished = Оконченные партии
offers = Открытые предложения
offer-own = Ваше предложение
offer-withdrawn = Ваше предложение отозвано.
offers-empty = Пока нет. Предложите игру: когда её примут, раздастся звук.
offers-post = Предложить игру
offers-filter = Фильтр
live-games = Идущие партии
live-games-empty = Сейчас никто не играет.
live-games-last = Последняя законченная партия:
continue = Продолжить
watch = Смотреть
# $ply; $phase.
game-ply =
    { $phase ->
        [deploying] расстановка
        [over] окончена
       *[playing] полуход { $ply }
    }
# $side: the one that the person who offers wants.
offer-side =
    { $side ->
        [red] соперник за красных
       *[blue] соперник за синих
    }
pool-waiting = Ищем соперника…
# $seconds: so far; $waiting: players, you among them, or 0 if it is not known yet.
pool-details = Прошло { $seconds } с{ $waiting ->
        [0] {""}
        [1] , больше никто не ждёт такую партию
        [2] , ждёт ещё один игрок
        [one] , ждёт { $waiting } игрок
        [few] , ждут { $waiting } игрока
       *[many] , ждут { $waiting } игроков
    }
pool-leave = Не ждать

## Offering a game

# $minutes, $seconds.
time-fischer = { $minutes } мин + { $seconds } с на ход
time-delay = { $minutes } мин, задержка { $seconds } с на ход
# $days.
time-days =
    { $days ->
        [one] { $days } день на ход
        [few] { $days } дня на ход
       *[many] { $days } дней на ход
    }
# $title: of the ruleset that is changed.
custom-title = { $title }, с изменениями

## A friend's offer

challenges = Вызовы вам
decline = Отклонить
# $side.
challenge-side =
    { $side ->
        [red] Вы будете играть за красных и ходить первыми.
       *[blue] Вы будете играть за синих.
    }
# $name.
challenge-declined = { $name } не принимает ваше предложение.
# $name.
challenge-came = { $name } вызывает вас. Предложение — на странице «Ваши партии».

## A game

# $red, $blue: names.
game-heading = За красных { $red }, за синих { $blue }
rules-link = Правила партии
game-not-shown = Эту партию нельзя показать
waiting-for-game = Ждём сервер…
waiting-for-page = Остальная часть страницы ещё загружается…
# $side: the one at the lower edge.
board-name =
    { $side ->
        [red] Доска, красные внизу
       *[blue] Доска, синие внизу
    }
actions = Действия
flip = Повернуть доску
whole-board = Вся доска
quarter-turn = На четверть
more = Ещё
# $time: a clock.
claim-in = засчитать через { $time }

## What the game waits for

latest = Последние события
status-deploying = Обе стороны втайне расставляют фигуры.
status-deploy = Расставьте свою армию или нажмите «Подсказать».
status-deploy-last = Расставьте свою армию или нажмите «Подсказать». Соперник готов.
status-deploy-complete = { deploy-all-placed } Нажмите «Готово».
status-deployed = Вы готовы. Ждём соперника.
status-deploy-changed = Изменение не отправлено: пока вы не нажмёте «Готово», в силе прежняя расстановка.
status-sent = Ваш ход отправляется…
# $whose: own, red or blue.
status-turn =
    { $whose ->
        [own] Ваш ход.
        [red] Ходят красные.
       *[blue] Ходят синие.
    }
# On the first turn.
status-first-turn = Ваш ход. Выберите фигуру.
# $count: plies.
status-limit =
    { $count ->
        [0] Этот ход завершает партию вничью.
        [one] Ничья через { $count } ход без взятия.
        [few] Ничья через { $count } хода без взятия.
       *[many] Ничья через { $count } ходов без взятия.
    }
# $rank.
status-chosen = Ваш выбор: { rank }. Ждём другую сторону.
# $whose: own, red or blue, who strikes; $square.
status-choose =
    { $whose ->
        [own] Ваша монета атакует { $square }. Кем она станет?
        [red] Красные атакуют вашу монету на { $square }. Кем она станет?
       *[blue] Синие атакуют вашу монету на { $square }. Кем она станет?
    }
status-choosing = Ждём, пока решится, кем станет монета.
status-color = Выберите цвет фишки.
status-owe-color = Назовите цвет своей фишки.

## Acts

draw-offer = Предложить ничью
draw-accept = Принять ничью
draw-decline = Отклонить
resign = Сдаться
resign-ask = Сдаться в этой партии?
resign-text = Соперник сразу победит.
abort = Отменить партию
abort-ask = Отменить эту партию? Никто не победит.
# $move: as in a4a5.
illegal-ask = Ход { $move } против правил, а в этой игре такой ход сразу проигрывает. Сделать его?
illegal-yes = Сделать и проиграть
# $cause: who called the game off, or was late to deploy; idle if nothing happened for many days.
outcome-aborted = Партия отменена: { $cause ->
        [red-called-off] так решили красные.
        [blue-called-off] так решили синие.
        [red-late] красные не расставили фигуры вовремя.
        [blue-late] синие не расставили фигуры вовремя.
        [idle] в ней много дней ничего не происходило.
       *[both-late] обе стороны не расставили фигуры вовремя.
    }
claim-win = Засчитать победу
claim-draw = Засчитать ничью
rematch-came = Соперник предлагает реванш.
# $state: none, own or theirs.
rematch =
    { $state ->
        [own] Реванш предложен
        [theirs] Принять реванш
       *[none] Реванш
    }
# $move: as in a4a5.
confirm-move = Ход { $move }?
confirm-move-yes = Сделать ход
move-not-made = Ход { $move } не сделан: партия ушла вперёд. Посмотрите на доску и сходите снова.
plan-drop = Отменить предварительный ход
held-by-reserve-rule = Эта монета должна стоять: у вас должно быть не меньше неходивших монет, чем Бомб и Флагов в вашем запасе.
no-way-now = Сейчас эта фигура ходить не может: вокруг нет свободных полей.

## Deploying

deploy-title = Армия
deploy-tray = Фигуры для расстановки
# $rank, $count.
tray-piece = { rank }, осталось { $count }
deploy-suggest = Подсказать
deploy-saved = Сохранённые
# $name: of the saved deployment that the player chose before the game.
deploy-chosen = Поставить «{ $name }»
deploy-chosen-gone = Расстановка под именем «{ $name }» больше не сохранена.
saved-empty = Для этих правил ничего не сохранено. Создать и сохранить расстановку можно здесь:
deploy-save = Сохранить
deploy-random = Случайно
deploy-mirror = Отразить
deploy-clear = Очистить
deploy-undo = Шаг назад
deploy-ready = Готово
deploy-done = Готово, ждём
# $count.
deploy-missing =
    { $count ->
        [one] Осталась { $count } фигура
        [few] Осталось { $count } фигуры
       *[many] Осталось { $count } фигур
    }
deploy-hint = Выберите ранг, затем отмеченные поля, или перетаскивайте фигуры на них. Если поставить фигуру на другую, они поменяются местами.
deploy-no-rank = Сначала выберите ранг или перетащите сюда фигуру.
deploy-hint-keys = С клавиатуры: перейдите на поле и нажмите цифру или букву ранга, чтобы поставить фигуру.
deploy-changeable = Расстановку можно менять, пока соперник не готов.
deploy-final = Отправить эту расстановку?
deploy-final-text = По этим правилам её потом нельзя изменить, а за недопустимую расстановку засчитывают поражение.
deploy-final-yes = Отправить
deploy-final-wait = Изменить её больше нельзя.
# $time: a clock.
deploy-left = осталось { $time }

# What has changed, for those who hear the board. $rank; $square; $count: how many are left to place.
deploy-placed = { $rank } на { $square }, осталось { $count }.
deploy-taken-off = { $rank }: убрано с { $square }, осталось { $count }.
# $rank; $from, $to: squares.
deploy-moved = { $rank }: с { $from } на { $to }.
# $rank, now on $to; $other, now on $from.
deploy-swapped = { $rank } на { $to }, { $other } на { $from }.
deploy-in-hand = { $rank } на { $square }, в руке.
deploy-all-placed = Все фигуры расставлены.
# $what: suggested, random, mirrored, cleared, undone, or nothing that can be undone.
deploy-told =
    { $what ->
        [suggested] Подсказанная расстановка.
        [random] Случайная расстановка.
        [mirrored] Расстановка отражена.
        [undone] Шаг назад.
        [nothing] Отменять нечего.
       *[cleared] Доска очищена.
    }
deploy-not-home = Фигуру можно поставить только на домашнее поле.
# $rank.
deploy-none-left = { $rank }: больше ставить нечего.

## Questions of a turn

way-title = Каким путём?
# $by: legs, supply_line, flash or scout; $path: squares.
way =
    { $by ->
        [supply_line] Линия снабжения: { $path }
        [flash] Вспышка: { $path }
       *[legs] { $path }
    }
color-title = Цвет фишки
# $square.
owed-title = Цвет вашей фишки на { $square }
choice-text = Изменить выбор нельзя.
choice-not-in-pool = в вашем запасе таких не осталось
choice-immovable = ваша монета ходит или уже ходила
choice-reserve-rule = осталось бы слишком мало неходивших монет
# $count: pieces.
reserve-title = Ваш резерв: { $count }
reserve-hint = Чтобы поставить фигуру, выберите её здесь, затем пустое домашнее поле, или перетащите её туда. Чтобы убрать фигуру в резерв, выберите её на доске и нажмите «Убрать в резерв» или перетащите с доски.
reserve-hint-keys = На доске фигуру убирает в резерв клавиша Delete.
to-reserve = Убрать в резерв

## Beside the board

tab-moves = Ходы
tab-losses = Потери
tab-notes = Пометки
tab-chat = Чат
# $count: what the opponent said.
chat-unseen =
    { $count ->
        [one] { $count } новое сообщение
        [few] { $count } новых сообщения
       *[many] { $count } новых сообщений
    }
moves-empty = Здесь будет всё, что произойдёт с этого момента.
losses-rank = Ранг
# $side.
losses-of =
    { $side ->
        [red] Потери красных
       *[blue] Потери синих
    }
pool-of =
    { $side ->
        [red] Запас красных
       *[blue] Запас синих
    }
# $lost, $count.
lost-of = { $lost } из { $count }
said-aloud = Соперник что-то пишет.
typed-label = Ввести ход
typed-placeholder = Ход, например a4a5
typed-go = Ход
typed-unknown = Такой команды нет. Введите ход, например a4a5, или: place 9 c3, remove c3, draw, resign.
# $typed.
typed-no-move = Ход { $typed } сейчас невозможен.
typed-no-place = Фигуру из резерва ставят на пустое домашнее поле.
typed-wait = Подождите: ваш последний ход ещё отправляется.

## Names of squares, for those who hear the board

square-empty = пусто
square-lake = озеро
# $whose: own, enemy, red or blue; $moved: yes or no.
square-hidden =
    { $whose ->
        [own] ваша фигура, скрыта
        [enemy] фигура противника, скрыта
        [red] фигура красных, скрыта
       *[blue] фигура синих, скрыта
    }, { $moved ->
        [yes] ходила
       *[no] не ходила
    }
# $whose; $rank: its name; $moved.
square-piece =
    { $whose ->
        [own] ваша фигура: { $rank }
        [enemy] фигура противника: { $rank }
        [red] фигура красных: { $rank }
       *[blue] фигура синих: { $rank }
    }{ $moved ->
        [yes] , ходила
       *[no] {""}
    }
square-known = известна другой стороне
square-labeled = с меткой
# $color.
square-chip = { color } фишка
square-chosen = в вашей руке
# $guess: a rank, or weak, strong or watch in words.
square-guess = ваша догадка: { $guess }
# $end: from or to.
square-planned =
    { $end ->
        [from] отсюда начинается предварительный ход
       *[to] здесь заканчивается предварительный ход
    }
# $by: legs, scout, supply_line or flash; $strikes: yes or no; $color: of the first square.
square-target =
    { $strikes ->
        [yes] сюда можно ударить{ $by ->
            [scout] ; монета станет Разведчиком
           *[legs] {""}
        }
       *[no] { $by ->
            [scout] сюда можно пойти; монета станет Разведчиком
            [supply_line] сюда можно пойти по линии снабжения
            [flash] сюда можно пойти вспышкой, и на каждом поле пути будет { color } фишка
           *[legs] сюда можно пойти
        }
    }
square-refused = сейчас запрещено правилом повторений

## Notes

# $mark: the letter of a rank, weak, strong or watch; $rank: of a letter.
note-mark =
    { $mark ->
        [weak] слабая
        [strong] сильная
        [watch] следить
       *[other] { $mark } { rank }
    }

## What the keys of the board say

# $side; $clock; $runs: yes or no.
clock-said = { side }: { $clock }{ $runs ->
        [yes] , часы идут
       *[no] {""}
    }.
# $side; $name; $presence: a word.
opponent-said = { side }, { $name }: { $presence }.

## Records

replay = Просмотр

## Looking on

watch-all = Все идущие партии

## Later additions

bar-new-page = На сервере новая версия страницы.
bar-act-new-page = Загрузить
