### The page in a browser: what it says besides what both clients say.

## Everywhere

nav = Главное меню
nav-play = Играть
nav-watch = Смотреть
no-answer = Сервер не отвечает. Проверьте соединение и повторите.
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
copy = Скопировать ссылку
copied = Ссылка скопирована.
copy-by-hand = Скопируйте адрес из адресной строки браузера.
share = Поделиться
you = вы
settings = Настройки
session-failed = Сервер не может дать вам место. Повторите через несколько секунд.
unreachable = Сервер не отвечает. Страница скоро спросит его снова.
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
bar-store-away = Ходы сейчас нельзя сохранить. Ваши не пропадут, а часы потом исправятся.
bar-restarting = Сервер перезапускается. Это займёт несколько секунд.
bar-new-epoch = Сервер потерял последние мгновения. Теперь позиция такая, сделайте ход снова.
bar-act-new-epoch = Продолжить
bar-superseded = Эта партия открыта в другой вкладке.
bar-act-superseded = Играть здесь
bar-logged-out = Вы вышли из учётной записи в другом месте.
bar-act-logged-out = Повторить
bar-seat-gone = Этого места больше нет: сервер его не знает.
bar-act-seat-gone = Повторить
bar-old-page = У сервера другая версия. Обновите страницу.
bar-act-old-page = Обновить
bar-account-closed = Администраторы этого сервера закрыли учётную запись.
bar-act-account-closed = Повторить
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
play-house-text = Классические правила, без часов. Начинается сразу.
play-quick = Быстрая партия
play-quick-text = С любым соперником, 10 минут и 5 секунд на ход.
play-friend = С другом
play-friend-text = По ссылке, которую вы отправите.
all-choices = Все правила, часы и соперники
your-games = Ваши партии
your-games-empty = Сейчас партий нет. Начатые появятся здесь.
offers = Открытые предложения
offers-empty = Пока нет. Предложите игру и ждите, пока её примут.
live-games = Идущие партии
live-games-empty = Сейчас никто не играет.
continue = Продолжить
watch = Смотреть
your-turn-note = Ваш ход
deploy-note = Расставьте армию
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
time-delay = { $minutes } мин, на ход { $seconds } с свободно
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

# $name.
challenge-from = { $name } предлагает вам партию
challenge-own = Ваше предложение другу
challenge-closed = Это предложение закрыто
challenge-gone = Его отозвали или принял кто-то другой.
# $side.
challenge-side =
    { $side ->
        [red] Вы будете играть за красных и ходить первыми.
       *[blue] Вы будете играть за синих.
    }
challenge-decline = Не сейчас
# $name.
challenge-declined = { $name } не принимает ваше предложение.
challenge-send = Отправьте эту ссылку другу. Партия начнётся, когда её примут.
challenge-link = Ссылка
challenge-wait = Она действует один день. Страницу можно закрыть и вернуться.

## A game

# $red, $blue: names.
game-heading = За красных { $red }, за синих { $blue }
rules-link = Правила этой партии
game-not-shown = Эту партию нельзя показать
waiting-for-game = Ждём сервер…
# $side: the one at the lower edge.
board-name =
    { $side ->
        [red] Доска, красные внизу
       *[blue] Доска, синие внизу
    }
actions = Действия
flip = Повернуть доску
more = Ещё
not-your-turn-yet = Сейчас не ваш ход.
no-move-yet = Ходов ещё не было.
# $time: a clock.
claim-in = засчитать можно через { $time }

## What the game waits for

latest = Последние события
status-deploying = Обе стороны втайне расставляют фигуры.
status-deploy = Расставьте свою армию.
status-deploy-last = Расставьте свою армию. Соперник готов.
status-deployed = Вы готовы. Ждём соперника.
status-sent = Ваш ход отправляется…
# $whose: own, red or blue.
status-turn =
    { $whose ->
        [own] Ваш ход.
        [red] Ходят красные.
       *[blue] Ходят синие.
    }
status-draw-own = Вы предлагаете ничью.
# $count: plies.
status-limit =
    { $count ->
        [0] Этот ход завершает партию вничью.
        [one] Ничья через { $count } ход без взятия.
        [few] Ничья через { $count } хода без взятия.
       *[many] Ничья через { $count } ходов без взятия.
    }
# $rank.
status-chosen = Ваш выбор: { rank }. Ждём.
# $whose: own, red or blue, who strikes; $square.
status-choose =
    { $whose ->
        [own] Ваша монета атакует { $square }. Кем она станет?
        [red] Красные атакуют вашу монету на { $square }. Кем она станет?
       *[blue] Синие атакуют вашу монету на { $square }. Кем она станет?
    }
status-choosing = Ждём, пока назовут монеты.
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
claim-win = Засчитать победу
claim-draw = Засчитать ничью
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
plan-dropped = Предварительный ход { $move } отменён: что-то изменилось.
plan-drop = Отменить предварительный ход
refused-repetition = Правило о повторении сейчас запрещает этот ход. Сначала сходите другой фигурой.
held-by-reserve-rule = Она должна стоять: неходивших монет нужно не меньше, чем Бомб и Флагов в вашем запасе.

## Deploying

deploy-title = Ваша армия
deploy-tray = Фигуры для расстановки
# $rank, $count.
tray-piece = { rank }, осталось { $count }
deploy-suggest = Подсказать
deploy-saved = Сохранённые
saved-title = Сохранённые расстановки
saved-empty = Для этих правил ничего не сохранено. Создать и сохранить расстановку можно здесь:
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
deploy-hint = Выберите ранг, затем отмеченные поля, или перетаскивайте фигуры на них. Две поставленные фигуры меняются местами.
deploy-no-rank = Сначала выберите ранг или перетащите сюда фигуру.
deploy-not-there = Ваши фигуры могут стоять только на полях домашних рядов.
deploy-hint-keys = На доске ранг ставит его буква.
deploy-changeable = Расстановку можно менять, пока соперник не готов.
deploy-final = Сдать эту расстановку?
deploy-final-text = По этим правилам её потом нельзя изменить, а недопустимая проигрывает.
deploy-final-yes = Сдать
deploy-final-wait = Изменить её больше нельзя.
# $time: a clock.
deploy-left = осталось { $time }

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
chat-text = Ваше сообщение
chat-send = Отправить
said-aloud = Соперник что-то пишет.
typed-label = Ввести ход
typed-placeholder = a4a5
typed-go = Ход
typed-unknown = Такой команды нет. Введите ход, например a4a5, или: place 9 c3, remove c3, draw, resign.
# $typed.
typed-no-move = Ход { $typed } сейчас невозможен.
typed-no-reserve = В этих правилах нет резерва.
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
        [enemy] противник: { $rank }
        [red] красные: { $rank }
       *[blue] синие: { $rank }
    }{ $moved ->
        [yes] , фигура ходила
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
        [from] запланирован ход отсюда
       *[to] запланирован ход сюда
    }
# $by: legs, scout, supply_line or flash; $strikes: yes or no.
square-target =
    { $strikes ->
        [yes] сюда можно ударить
       *[no] { $by ->
            [scout] сюда можно пойти; монета станет Разведчиком
            [supply_line] сюда можно пойти по линии снабжения
            [flash] сюда можно пойти вспышкой
           *[legs] сюда можно пойти
        }
    }

## Notes

# $square.
note-title = Ваша догадка о { $square }
note-text = Её видите только вы. Она следует за фигурой.
note-none = Без пометки
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
# $side; $kinds: how many ranks; $pieces: a list.
losses-said =
    { $kinds ->
        [0] { side } ничего не потеряли.
       *[other] { side } потеряли: { $pieces }.
    }
your-turn-low = Ваш ход, времени мало.

## Records

replay = Просмотр
replay-losses = Потери по рангам

charts = Графики
chart-table = Таблицей

## Looking on

watch-title = Идущие партии
watch-empty = Сейчас никто не играет. Начните партию или посмотрите те, что закончились последними.
watch-nothing = Сейчас никто не играет, и недавно закончившихся партий нет.
watch-start = Начать партию
watch-others = Другие идущие партии
watch-more = Ещё идущие партии
# $red, $blue: names; $ply.
watch-board = { $red } – { $blue }, полуход { $ply }
# $red, $blue.
watch-show = Показать крупно: { $red } – { $blue }
watch-open = Открыть партию
watch-all = Все идущие партии

## Later additions

bar-new-page = На сервере новая версия страницы.
bar-act-new-page = Загрузить
