### Rules, deployments, profiles, leaderboards, own games and the account.

try-again = Повторить

## Rules

# $rank: what is known of the piece; $square.
no-way = { $rank }: на { $square } пойти нельзя.
refused-repetition = Этот ход сейчас запрещён правилом повторений.
# $ranks: what the others then take the piece for.
move-shows = Другие узнают: { $ranks }.
# $color; $ranks: as above, or none if they learn nothing.
move-shows-with = Если фишка — { color }, другие { $ranks ->
        [none] не узнают ничего
       *[other] узнают меньше: { $ranks }
    }.
# $ranks: what the others then take the piece for.
square-shows = другим станет ясно: { $ranks }

rules-page-title = Правила
rules-page-lead = Во всех играх здесь фигуры скрыты. Правила различаются тем, что фигуры умеют.
rules-all = Все правила
rules-unknown = Таких правил здесь нет
rules-unknown-text = Возможно, ссылка с другого сервера.
rules-play = Играть
rules-deployments = Расстановки
# $columns, $rows; $count: pieces of a side.
ruleset-facts =
    { $columns }×{ $rows } полей, по { $count ->
        [one] { $count } фигуре
        [few] { $count } фигуры
       *[many] { $count } фигур
    }
rules-board-title = Доска: { $columns }×{ $rows } полей
# $start: deployments or coins.
rules-board-legend =
    { $start ->
        [coins] Монеты красных внизу, синих вверху. Вода – озеро.
       *[deployments] Домашние ряды красных внизу, синих вверху. Вода – озеро.
    }
column-rank = Ранг
column-count = Фигуры
column-note = Особенность
rules-changes-some = В товарищеской партии отдельные правила можно изменить. В каждой группе действует одно.
# $meaning: of a rule; $here: yes if it is the rule of this ruleset.
rules-change =
    { $here ->
        [yes] { $meaning } (здесь)
       *[no] { $meaning }
    }
# What a piece can do, beside the board. $rank; $figure: on its picture, or none; $does: the texts below and
# those of the army, joined.
about-rank =
    { $figure ->
        [none] { rank }
       *[other] Ранг { $figure }
    }: { $does }.
about-step = ходит на одно поле
about-near = атакует только соседнюю фигуру
# $rank: the strongest of those that it captures.
about-captures = берёт тех, кто слабее ({ rank } и ниже)
# $moved: yes or no.
about-hidden =
    { $moved ->
        [yes] Ранг скрыт, пока его не покажет удар. Фигура уже ходила, значит, это не Бомба и не Флаг.
       *[no] Ранг скрыт, пока его не покажет удар. Фигура ещё не ходила: это может быть Бомба или Флаг.
    }
# $ranks: two or more, joined by “or”.
about-several = По её ходам видно, что это { $ranks }.
about-coin = У неё ещё нет ранга, ходит она на одно поле. Когда она атакует или её атакуют, владелец называет её ранг.
diagram-scout-far = Куда может пойти Разведчик (точки) и где ударить (двойная рамка), на любом расстоянии.
diagram-scout-near = Куда может пойти Разведчик (точки). Ударить он может только фигуру рядом с собой.
diagram-coin-one = Монета идёт на одно поле. Полосы неходившей монеты на ней больше нет: это не Бомба и не Флаг.
diagram-exchange-own = Как это видят синие: Сапёр уходит, а на другом ходу приходит Майор.
diagram-label = Разведчик атакует и гибнет. Победившая фигура получает метку – загнутый угол – и остаётся открытой, куда бы ни пошла.
diagram-supply-line = Капитан на красной фишке может пойти на любое поле с точкой по фишкам этого цвета.

## Deployments

deployments-title = Расстановки
# $place: account or device.
deployments-lead =
    { $place ->
        [account] Ваши расстановки хранятся в учётной записи. Никто другой их не видит.
       *[device] Ваши расстановки хранятся на этом устройстве. С учётной записью их хранит сервер.
    }
deployments-all = Все расстановки
# $count: deployments.
deployments-left =
    { $count ->
        [one] { $count } расстановка хранится только на этом устройстве.
        [few] { $count } расстановки хранятся только на этом устройстве.
       *[many] { $count } расстановок хранятся только на этом устройстве.
    }
deployments-take = Перенести в учётную запись
deployments-taken = Теперь они хранятся в учётной записи.
deployment-new = Новая расстановка
suggestions-title = Пока ничего не сохранено
# $ruleset: its title.
suggestions-text = Вот три расстановки для начала ({ $ruleset }). Или составьте свою.
# $number: 1 to 3.
suggestion = Вариант { $number }
files-title = Файл
files-text = Все расстановки в одном файле. Такие файлы читает и пишет и клиент для терминала. Можно открыть файлы до 1 МБ.
file-open = Открыть файл
file-save = Сохранить в файл
file-too-large = Этот файл больше 1 МБ.
file-wrong = В этом файле нет расстановок Flagfall.
# $ruleset, $name.
file-wrong-one = Ничего не сохранено: расстановка { $name } ({ $ruleset }) недопустима.
not-copied = Браузер не даёт этой странице копировать. Выделите текст и скопируйте его сами.
deployment-no-ruleset = Для этих правил расстановок нет
deployment-no-ruleset-text = Возможно, ссылка с другого сервера, или игра начинается с монет.
# $name.
deployment-missing = Расстановки с названием { $name } нет. Составьте её здесь.
deployment-opened = Расстановка на доске.
editor-board = Ваши домашние ряды
deployment-name = Название
deployment-name-hint = От 1 до 30 символов: латинские буквы, цифры и знаки «-» и «_». Названия «random» и «suggested» заняты.
deployment-bad-name = Такое название не подходит. Выберите другое.
# $name.
deployment-replace = Заменить { $name }?
deployment-replace-yes = Заменить
deployment-save = Сохранить
# $place: account or device.
deployment-saved =
    { $place ->
        [account] Сохранено в учётной записи.
       *[device] Сохранено на этом устройстве.
    }
# $place: account or device.
deployment-place =
    { $place ->
        [account] Расстановка хранится в учётной записи. Никто другой её не видит.
       *[device] Расстановка хранится на этом устройстве. С учётной записью её хранит сервер.
    }
deployment-delete = Удалить
# $name.
deployment-delete-ask = Удалить { $name }?
deployment-deleted = Удалено.
deployment-text = Текстом
# $count: letters of a row.
deployment-text-hint =
    Для каждого домашнего ряда строка из { $count ->
        [one] { $count } буквы
        [few] { $count } букв
       *[many] { $count } букв
    }: сначала ряд, ближайший к противнику, каждый слева направо от вас. Точка – пустое поле.
deployment-use-text = Взять этот текст
text-copy = Скопировать текст
text-copied = Текст скопирован.

## A player

# $rating; $provisional: yes or no.
rating =
    { $provisional ->
        [yes] { $rating }?
       *[no] { $rating }
    }
ratings = Рейтинги
ratings-empty = Рейтинговых партий пока нет.
ratings-empty-own = У вас пока нет рейтинговых партий. Для них нужны две учётные записи, часы и правила без изменений.
column-rules = Правила
column-pace = Темп
column-points = Рейтинг
column-played = Партии
column-date = Дата
column-opponent = Соперник
column-result = Итог
column-after = Рейтинг
column-place = Место
column-player = Игрок
# $speed: its name in the protocol.
speed =
    { $speed ->
        [bullet] Пуля
        [blitz] Блиц
        [rapid] Рапид
        [classical] Классический
        [correspondence] По переписке
       *[other] { $speed }
    }
# $speed: its name in the protocol.
speed-long =
    { $speed ->
        [bullet] Пуля, меньше 3 минут на 40 ходов
        [blitz] Блиц, меньше 8 минут
        [rapid] Рапид, меньше 25 минут
        [classical] Классический, дольше
       *[correspondence] По переписке, дни на ход
    }
# $ruleset, $speed.
chart-of = График: { $ruleset }, { speed }
# $title; $count: games; $rating: now.
chart-label = Рейтинг, { $title }: { $rating } после { $count ->
        [one] { $count } партии
        [few] { $count } партий
       *[many] { $count } партий
    }. Полоса – одно отклонение в каждую сторону.
chart-empty = Партий для графика пока нет.
rating-table = Таблицей
provisional-text = Вопросительный знак значит, что рейтинг предварительный: сыграно слишком мало партий. Знак исчезнет, когда число после ± станет меньше 110.
# $before, $after: ratings; $change: as in +12.
rating-step = { $before } → { $after } ({ $change })
rating-undone = отменено
# $score: won, drawn or lost.
score =
    { $score ->
        [won] Победа
        [drawn] Ничья
       *[lost] Поражение
    }
against = Вы и этот игрок
against-empty = Законченных партий друг с другом у вас нет.
# $won, $drawn, $lost: your games.
tally = побед { $won }, ничьих { $drawn }, поражений { $lost }
history = Законченные партии
history-empty = Законченных партий пока нет.
history-empty-own = У вас пока нет законченных партий. Они появятся здесь.
history-more = Ещё партии
history-against = соперник:
# $side.
history-as =
    { $side ->
        [red] за красных
       *[blue] за синих
    }
# $count: plies.
history-plies =
    { $count ->
        [one] { $count } полуход
        [few] { $count } полухода
       *[many] { $count } полуходов
    }
history-rated = рейтинговая
history-private = закрытая
# The operator of the server has erased this game.
history-erased = удалена
game-replay = Просмотр
challenge = Вызвать
challenge-send-it = Бросить вызов
rated-two-accounts = Только между двумя учётными записями.
# $name.
challenged = { $name } узнает о вызове.
block = Заблокировать
unblock = Разблокировать
# $name.
blocked = Вы и { $name } больше не можете писать друг другу и принимать предложения друг друга.

## Leaderboards

leaderboard-title = Таблицы лидеров
leaderboard-speed = Темп
leaderboard-kind = Кто
# $kind: people or bots.
leaderboard-kind-option =
    { $kind ->
        [bots] Боты
       *[people] Люди
    }
leaderboard-empty = Рейтинговых партий пока мало
leaderboard-empty-text = Здесь пока ни у кого нет надёжного рейтинга. Сыграйте несколько рейтинговых партий, и первое место ваше.
leaderboard-play = Играть
leaderboard-text = Игрок есть в таблице, пока рейтинг надёжен: отклонение не больше 75. Оно растёт, если долго не играть.

## Own games

games-title = Ваши партии
games-none = Сейчас партий нет
games-none-text = Начатые партии появятся здесь, самые срочные первыми.
games-start = Начать партию
games-to-act = Ваш ход
games-waiting = Ждём соперников
# $count: games.
games-unavailable =
    { $count ->
        [one] { $count } партию сейчас нельзя показать.
        [few] { $count } партии сейчас нельзя показать.
       *[many] { $count } партий сейчас нельзя показать.
    }
# $name; $side: the player's own.
games-against =
    { $side ->
        [red] { $name }, вы за красных
       *[blue] { $name }, вы за синих
    }
games-deploy = Расставьте армию
games-deployed = Соперник расставляет армию
games-theirs = Ход соперника
games-draw = предложена ничья
games-finished = Сыгранные партии
queue-title = Отложенные ходы
queue-text = Сервер сделает эти ходы за вас, по одному каждый раз, когда наступит ваш ход. Он остановится, если ход недопустим или если соперник сделает не тот ход, который вы указали.
# $move: as in a4a5; $if: the move before it, or none.
queue-move =
    { $if ->
        [none] { $move }
       *[other] { $move }, если соперник ходит { $if }
    }
queue-label = Ходы через запятую
queue-save = Отложить эти ходы
queue-clear = Убрать все
# $count: moves.
queue-set =
    { $count ->
        [one] Отложен { $count } ход.
        [few] Отложено { $count } хода.
       *[many] Отложено { $count } ходов.
    }
# $typed.
queue-wrong = «{ $typed }» – не ход. Напишите a4a5 или a4a5 if b7b6.
# $max: moves.
queue-length = Отложите от 1 до { $max } ходов.

## The account

about-none = Об этом сервере пока ничего не написано.

account-title = Учётная запись
account-lead = Играть можно и без учётной записи. С ней ваши партии, рейтинги и расстановки есть на всех устройствах.
account-profile = Ваша страница, какой её видят другие
account-name = Имя
account-name-hint = От 2 до 20 символов: латинские буквы, цифры и знаки «-» и «_». Имя видят все.
password-hint = Не меньше 8 символов.
sign-up = Зарегистрироваться
sign-up-text = Адрес почты не нужен.
sign-up-guest = Ваши партии и ваше место останутся у вас.
log-in = Войти
log-in-guest = Партии этого гостя останутся у гостя и в учётную запись не перейдут.
log-out = Выйти
forgot = Забыли пароль?
# $name.
guest-title = Вы играете как гость: { $name }
guest-text = Вас знает только этот браузер. Без учётной записи:
guest-loses-browser = вы потеряете место и партии, если удалить данные браузера, и не сможете продолжить на другом устройстве;
guest-loses-ratings = у вас нет рейтинга и рейтинговых партий;
guest-loses-games = после 90 дней отсутствия вы и ваши законченные партии будете забыты;
guest-loses-deployments = ваши расстановки остаются на этом устройстве.
guest-leave = Отказаться от этого места
guest-leave-ask = Отказаться от этого места?
guest-leave-text = Занять его снова не сможет никто, даже вы. Его идущие партии будут проиграны.
recover = Задать новый пароль
recover-text = С кодом восстановления, полученным при регистрации.
recover-do = Задать пароль
recover-back = Войти с паролем
# $kind: recovery or token.
secret-title =
    { $kind ->
        [token] Новый токен
       *[recovery] Ваш код восстановления
    }
# $kind: recovery or token.
secret-text =
    { $kind ->
        [token] Программа, у которой есть этот токен, может играть за вас. Токен показан только сейчас: скопируйте его в надёжное место.
       *[recovery] С этим кодом можно задать новый пароль, если вы забудете свой. Другого способа нет. Код показан только сейчас: скопируйте его в надёжное место или запишите на бумаге.
    }
secret-copy = Скопировать
secret-copied = Скопировано. Теперь сохраните его там, где найдёте.
secret-kept = Сохранено или записано на бумаге
secret-done = Продолжить
password-change = Сменить пароль
password-change-text = На всех других устройствах вы выйдете.
password-changed = Пароль сменён.
recovery = Код восстановления
recovery-text = Новый код отменяет прежний.
recovery-new = Создать новый код
push-title = Когда страница закрыта
push-text = Уведомление о вашем ходе приходит через push-службу браузера, которая не может его прочитать.
push-none = Этот браузер не может показывать уведомления, пока страница закрыта.
push-choice = Уведомлять меня о моём ходе в партиях по переписке
push-failed = Push-служба браузера недоступна. Попробуйте позже.
push-turn = Ваш ход.

email-title = Электронная почта
email-text = Письмо приходит, когда в партии по переписке наступает ваш ход, не чаще раза в десять минут.
email-none = Адрес не указан.
# $state: pending, suspended or active; $address.
email-state =
    { $state ->
        [pending] Адрес { $address } ещё не подтверждён. Откройте ссылку из письма, которое отправил сервер: она действует 24 часа.
        [suspended] Почтовый сервер отказывается принимать письма на { $address }, поэтому они больше не отправляются. Проверьте адрес и подтвердите его снова.
       *[active] Письма приходят на { $address }.
    }
email-address = Адрес электронной почты
email-set = Указать адрес
email-change = Указать этот адрес
email-again = Отправить подтверждение ещё раз
email-sent = Письмо отправлено. Откройте ссылку из него.
email-saved = Письма приходят на этот адрес.
email-remove = Удалить
email-remove-ask = Удалить адрес?
email-removed = Адрес удалён. Писем больше не будет.

tokens = Устройства и программы
tokens-text = Токен есть у каждого устройства, где вы вошли, и у каждой программы, которая играет за вас.
# $scope: play or bot.
token-scope =
    { $scope ->
        [bot] может только играть
       *[play] может всё
    }
token-scope-label = Что ему можно
# $date.
token-since = с { $date }
token-current = этот браузер
# The name of the first token of an account that began as a guest.
token-guest = Браузер, где вы начинали как гость
token-revoke = Отозвать
# $name: of the token.
token-revoke-one = Отозвать { $name }
# $name: of the token.
token-revoke-ask = Отозвать { $name }?
token-revoke-text = Устройства и программы с этим токеном сразу выйдут.
token-revoked = Отозвано.
token-new = Новый токен для программы
token-name = Название токена
token-name-hint = Для чего этот токен. Название видите только вы.
token-make = Создать токен
blocks = Заблокированные игроки
blocks-text = Эти игроки не могут писать вам и принимать ваши предложения, и сервер не подберёт их вам в соперники.
blocks-empty = Вы никого не заблокировали.
# $name.
unblock-one = Разблокировать { $name }
export = Ваши данные
export-text = Всё, что сервер хранит о вас, кроме паролей и токенов, одним файлом.
export-do = Сохранить в файл
account-delete = Удалить учётную запись
account-delete-text = Ваши законченные партии останутся без вашего имени. Отменить это нельзя.
account-delete-ask = Удалить учётную запись навсегда?
account-kept = Учётная запись остаётся.

## More choices of an offer

play-more = Ещё настройки
play-more-text = В товарищеской партии отдельные правила можно изменить. Соперник прочтёт каждое изменение до начала.
play-changed = В этой партии изменены правила:
# $group: strikes, repetition, end, board, terms, or others.
option-group =
    { $group ->
        [strikes] Удары
        [repetition] Повторение
        [end] Конец партии
        [board] Доска
        [terms] Игроки и расстановка
       *[others] Другие правила
    }
# $option: its name in the protocol.
option-name =
    { $option ->
        [ties] Равные ранги
        [disclosure] Ранги, которые раскрывает удар
        [bombs] Бомбы
        [scout-strike] Разведчики
        [winner] Защитник, который победил
        [two-squares] Правило двух полей
        [more-squares] Правило преследования
        [quiet] Ничья без взятий
        [islands] Озёра
       *[other] { $option }
    }
# $meaning: of the value that the ruleset has.
option-usual = { $meaning } (как обычно)
option-fixed = В этих правилах это не меняется.
form-secret = Не раскрывать мою расстановку после партии
# $bound: min or max.
form-rating =
    { $bound ->
        [min] Рейтинг соперника, не меньше
       *[max] Рейтинг соперника, не больше
    }
range-only-anybody = Только для предложения любому сопернику.
range-no-ratings = Рейтинги есть только с часами и для правил без изменений.
rated-not-custom = Не с изменёнными правилами.

## Mutes and reports

mutes = Заглушённые игроки
mutes-text = Вы не видите, что пишут эти игроки. Список хранится только на этом устройстве.
mutes-empty = Заглушённых игроков нет. Во время партии кнопка для этого есть в чате.
unmute = Вернуть голос
# $name.
unmute-one = Вернуть голос: { $name }
reports = Ваши жалобы
reports-text = Ваши жалобы читают администраторы этого сервера. Здесь видно, что они решили.
# $state: open, acted or nothing.
report-state =
    { $state ->
        [open] Решения пока нет.
        [acted] Меры приняты.
       *[nothing] Администраторы не нашли причин для мер.
    }
reports-empty = Жалоб от вас не было.
# $date.
report-at = отправлено { $date }
# $name: of the opponent.
report-title = Пожаловаться: { $name }?
report-text = Администраторы этого сервера прочтут жалобу и увидят эту партию. На одну партию можно пожаловаться один раз.
report-reason = Что случилось
report-send = Отправить жалобу
report-empty = Ничего не отправлено: напишите, что случилось.
report-sent = Жалоба отправлена.

## Webhook and feed

webhook = Вебхук
webhook-text = Для программ: сервер обращается по вашему адресу, когда в партии по переписке наступает ваш ход.
webhook-open = Адрес и результаты
webhook-none = Адрес не задан.
webhook-address = Адрес, с https
webhook-set = Задать адрес
webhook-change = Задать этот адрес
# $url; $date.
webhook-is = Уведомления идут на { $url } с { $date }.
webhook-test = Отправить пробное
# $delivered: yes or no; $result: the server’s words.
webhook-tested =
    { $delivered ->
        [yes] Вебхук работает: { $result }
       *[no] Пробное уведомление не доставлено: { $result }
    }
webhook-remove = Удалить
webhook-remove-ask = Удалить вебхук?
webhook-secret = Секрет вебхука
webhook-secret-text = Этим секретом подписаны уведомления, чтобы ваша программа знала, от кого они. Секрет показан только сейчас: скопируйте его в надёжное место.
feed = Лента
feed-text = За вашими ходами и законченными партиями можно следить в программе для чтения лент. Новый адрес отменяет прежний.
feed-open = Адрес
feed-state =
    { $exists ->
        [yes] Лента у вас есть. Её адрес был показан, когда вы его создали.
       *[no] Ленты у вас нет.
    }
# $exists: yes if there is an address already.
feed-make =
    { $exists ->
        [yes] Создать новый адрес
       *[no] Создать адрес
    }
feed-remove = Удалить ленту
feed-secret = Адрес вашей ленты
feed-secret-text = Все, у кого есть этот адрес, видят ваши партии. Адрес показан только сейчас: скопируйте его в программу для чтения лент.

## Statistics

statistics = Ваша статистика
statistics-lead = Ваши законченные партии по правилам, сторонам и расстановкам. Видите их только вы.
statistics-guest = Для статистики нужна учётная запись
statistics-guest-text = Без неё ничего не считается. Если зарегистрироваться, ваши партии гостя сохранятся.
statistics-empty = У вас пока нет законченных партий
statistics-empty-text = Статистика начнётся с первой.
# $side: all, red or blue.
statistics-side =
    { $side ->
        [red] За красных
        [blue] За синих
       *[all] Все партии
    }
column-side = Сторона
# Where lines may break on narrow screens.
column-won = Побе{ "\u00AD" }ды
column-drawn = Ни{ "\u00AD" }чьи
column-lost = Пора{ "\u00AD" }жения
column-share = Очки
# $percent.
statistics-share = { $percent } %
statistics-deployments = По расстановкам
statistics-open = Открыть в редакторе

## What a browser has checked of a record

# $result: good, bad or unknown.
check-result =
    { $result ->
        [good] Верно.
        [bad] НЕВЕРНО.
       *[unknown] Не проверено.
    }
# $result: good, bad or unknown; $why: running, unsigned, side, no-key, no-browser or hidden.
check-signature =
    { $result ->
        [good] Этот сервер подписал то, что видели в партии все.
        [bad] Подпись сервера не относится к этой записи.
       *[unknown] { $why ->
            [running] Партию подписывают, когда она закончена.
            [unsigned] В этой записи нет подписи.
            [side] Подпись охватывает то, что видели все, а это запись одного из игроков.
            [no-key] Подпись сделана ключом, которого этот сервер не знает.
            [no-browser] Этот браузер не может проверить подпись.
           *[hidden] В этой записи нет всего, что охватывает подпись.
        }
    }
check-same =
    { $result ->
        [good] Ходы и время те же, что в записи, доступной всем.
       *[bad] Запись отличается от той, что доступна всем.
    }
check-commitments =
    { $result ->
        [good] Открытые расстановки совпадают с обязательствами, данными в начале.
        [bad] Расстановка не совпадает с обязательством, данным в начале.
       *[unknown] Нет открытой расстановки с обязательством.
    }
check-start =
    { $result ->
        [good] Обязательства те же, что в начале партии.
       *[bad] Обязательства не те, что в начале партии.
    }
check-opened =
    { $result ->
        [good] В конце партии те же итог и расстановки, что и в записи.
       *[bad] В конце партии не то, что в записи.
    }
check-times =
    { $result ->
        [good] Ни одно событие не раньше предыдущего.
       *[bad] Одно из событий раньше предыдущего.
    }
check-needs-https = Браузеры проверяют записи только на страницах с https. Используйте терминальный клиент: flagfall check.
check-not = Эта страница не проверяет, по правилам ли сделаны ходы и удары и верны ли часы. Это делает клиент для терминала: flagfall check.
check-file = Ключи взяты у этого сервера. Запись другого сервера надо проверять ключами того сервера.

## The filter of open offers

filter-any = Не важно
# $rated: true or false.
filter-rated =
    { $rated ->
        [true] Да
       *[false] Нет
    }
filter-clear = Показать все
# $count: 80 if there may be more.
offers-selected =
    { $count ->
        [0] Подходящих предложений нет.
        [one] Подходит { $count } предложение.
        [few] Подходят { $count } предложения.
        [80] Подходят по меньшей мере 80 предложений.
       *[many] Подходят { $count } предложений.
    }

## The terms of an offer

# $count.
players-online =
    { $count ->
        [one] На сервере { $count } игрок.
        [few] На сервере { $count } игрока.
       *[many] На сервере { $count } игроков.
    }
form-ruleset = Правила
form-time = Часы
form-side = Ваша сторона
# $side: any, red or blue.
form-side-option =
    { $side ->
        [red] Красные, ходят первыми
        [blue] Синие
       *[any] По жребию
    }
form-opponent = Соперник
# $who: house, anybody, pool, player or friend.
form-opponent-option =
    { $who ->
        [house] Сервер
        [anybody] Любой
        [pool] Подбор
        [player] По имени
       *[friend] Друг
    }
form-level = Уровень
# $level: random, simple or good.
level =
    { $level ->
        [random] Случайные ходы
        [simple] Простой
        [good] Хороший
       *[other] { $level }
    }
form-rated = Рейтинговая
rated-needs-account = Только с учётной записью.
rated-not-house = Не против сервера.
rated-needs-clock = Только с часами.
side-not-pool = Стороны выбирает сервер.
house-away = Игроки сервера не играют по этим правилам.
# $level: random, simple or good.
level-away = { level } (не играет по этим правилам)
form-name = Имя игрока
form-name-text = Игрок узнает о вызове сразу, а если его сейчас нет, найдёт вызов на странице «Ваши партии».
player-yourself = Это ваше собственное имя.
# $name.
player-not-rated = У игрока { $name } нет такой же учётной записи, как у вас, поэтому партия не может быть рейтинговой.
form-deployment = Ваша расстановка
form-deployment-later = Выбрать в партии
clock-own = Свои часы…
clock-numbers = Свои значения
clock-kind = Как идёт время
# $kind: fischer, delay or correspondence.
clock-kind-option =
    { $kind ->
        [fischer] Секунды после каждого хода
        [delay] Первые секунды хода не считаются
       *[correspondence] Дни на каждый ход
    }
clock-minutes = Минут каждому
clock-seconds = Секунд на ход
clock-days = Дней на ход
# $kind: fischer, delay or correspondence.
clock-bounds =
    { $kind ->
        [fischer] От 10 секунд (0,17 минуты) до 24 часов (1440 минут) и от 0 до 3600 секунд на ход.
        [delay] От 10 секунд (0,17 минуты) до 24 часов (1440 минут) и от 1 до 3600 секунд на ход.
       *[correspondence] От 1 до 14 дней.
    }
# $speed: its name in the protocol.
clock-speed = Темп: { speed }
clock-no-speed = У партии без часов нет ни темпа, ни рейтинга.
form-private = Партию видят только оба игрока
# $who: house, anybody, pool, player or friend.
form-submit =
    { $who ->
        [house] Играть
        [anybody] Предложить игру
        [pool] Найти соперника
        [player] Отправить вызов
       *[friend] Создать ссылку
    }
offer-posted = Ваше предложение опубликовано. Партия начнётся, когда его примут.
offer-show = Перейти к предложению
# $what: offer or pool. It ended while the browser had stopped the page, or had no connection.
offer-gone =
    { $what ->
        [pool] От этой страницы слишком долго не было вестей, поэтому поиск соперника прекращён.
       *[offer] От этой страницы слишком долго не было вестей, поэтому ваше предложение снято.
    }
offer-again =
    { $what ->
        [pool] Искать снова
       *[offer] Предложить снова
    }
game-began = Началась ещё одна ваша партия.
game-began-open = Открыть в новой вкладке
refusal-session-changed = Это не отправлено: в этом браузере теперь другой игрок.

## Replays

play-title = Начать партию
# $red, $blue: names.
replay-heading = Запись: за красных { $red }, за синих { $blue }
replay-title = { $red } – { $blue }, запись
replay-waiting = Ждём запись…
replay-controls = Шаги
replay-slider = Место в партии
# $ply, $plies: of all; $text: what happened.
replay-place = Полуход { $ply } из { $plies }: { $text }
replay-ply = Полуход { $ply } из { $plies }
replay-first = В начало
replay-back = Назад
replay-play = Воспроизвести
replay-pause = Пауза
replay-next = Вперёд
replay-last = В конец
replay-earlier = Более ранние ходы
replay-later = Более поздние ходы
replay-facts = Об этой партии
replay-scope = Чьими глазами
# $scope: red, blue, public or all.
replay-scope-option =
    { $scope ->
        [red] Красные
        [blue] Синие
        [public] Зрители
       *[all] Всё открыто
    }
replay-all-open = Партия закончена: всё открыто.
replay-closed-not-over = Другие виды откроются, когда партия закончится.
replay-closed-aborted = Эта партия отменена, поэтому скрытые ранги остаются скрытыми.
replay-closed-secret = Один из игроков держит расстановку в тайне, поэтому скрытые ранги остаются скрытыми.
replay-not-over = Эта партия ещё идёт. Вот её запись до этого момента.
replay-reload = Загрузить новые ходы
replay-to-game = Смотреть партию
replay-share = Скопировать ссылку
replay-save = Сохранить в файл
replay-open = Открыть файл
replay-open-title = Открыть запись
replay-open-text = Сохранённая запись партии в формате JSON. Она читается на этом устройстве и никуда не отправляется.
replay-again = Повторить
replay-not-shown = Эту запись нельзя показать
replay-no-game = Партии с таким номером нет, она закрытая или старая и уже удалена.
replay-wrong-not-json = Открыть можно только JSON, который даёт кнопка «Сохранить в файл».
# $detail: where the file differs.
replay-wrong-not-a-record = Этот файл – не запись Flagfall (место: { $detail }).
replay-wrong-too-large = Этот файл больше 1 МБ и не открывается.
replay-wrong-broken = Эта запись противоречит себе ({ $detail }).
replay-wrong-no-views = В этой записи нет того, что видела каждая сторона: она со старого сервера или сделана из текста.
# $detail: the ruleset.
replay-wrong-no-rules = Эта страница не знает правил этой записи: { $detail }.
replay-commitments-kept = Обе расстановки совпадают с обязательствами, данными в начале. Это проверил ваш браузер.
replay-commitments-one-kept = Открытая расстановка совпадает с обязательством, данным в начале. Это проверил ваш браузер.
replay-commitments-broken = Расстановка не совпадает с обязательством, данным в начале.
chart-ply = Полуход
chart-side = Сторона
chart-time = Время
chart-times = Время на каждый ход
chart-clocks = Часы
chart-left = Осталось фигур
chart-known = Ранги, известные всем
# $side; $all, $longest: times.
chart-times-summary = { side }: всего { $all }, самый долгий ход { $longest }.
# $title; $red, $blue: at the start; $redEnd, $blueEnd.
chart-summary = { $title }: красные от { $red } до { $redEnd }, синие от { $blue } до { $blueEnd }.
replay-check = Проверить запись
replay-save-text = Сохранить как текст

## A friend's offer, and links to send

copy = Скопировать ссылку
copied = Ссылка скопирована.
copy-by-hand = Скопируйте адрес из адресной строки браузера.
share = Поделиться
# $name.
challenge-from = { $name } предлагает вам партию
challenge-own = Ваше предложение другу
challenge-title = Предложение игры
# $why: incomplete, unknown, taken, withdrawn, expired, declined, trouble or gone.
challenge-closed =
    { $why ->
        [incomplete] Ссылка неполная
        [unknown] Такого открытого предложения нет
        [taken] Это предложение уже принято
        [withdrawn] Это предложение отозвано
        [expired] Срок предложения истёк
        [declined] Ваше предложение отклонено
        [trouble] Это предложение нельзя показать
       *[gone] Это предложение закрыто
    }
challenge-incomplete = Часть ссылки потерялась. Попросите друга отправить её ещё раз.
# $own: yes or no.
challenge-gone =
    { $own ->
        [yes] Предложение отозвано или уже принято.
       *[no] Предложение отозвано или принято кем-то другим.
    }
# $own: yes or no.
challenge-taken =
    { $own ->
        [yes] Предложение принято. Партия – на главной странице.
       *[no] Предложение уже принято. Если его приняли вы, партия – на главной странице.
    }
# $own: yes or no.
challenge-withdrawn =
    { $own ->
        [yes] Вы отозвали это предложение.
       *[no] Автор отозвал это предложение. Попросите новую ссылку или сыграйте с кем-нибудь другим.
    }
# $own: yes or no.
challenge-expired =
    { $own ->
        [yes] Предложение никто не принял вовремя.
       *[no] Попросите у друга новое.
    }
challenge-anew = Создать новую ссылку
challenge-away = Сейчас предложения прочесть нельзя
challenge-away-text = Сервер не может связаться со своим хранилищем. Страница будет спрашивать, пока не получится.
# $time: a date with the time of day.
challenge-until = Открыто до: { $time }.
# $side: the player's own.
challenge-own-side =
    { $side ->
        [red] Вы играете за красных и ходите первыми.
       *[blue] Вы играете за синих.
    }
challenge-needs-account = Партия рейтинговая, поэтому для неё нужна учётная запись. Войдите или зарегистрируйтесь, а потом вернитесь на эту страницу.
challenge-needs-bot = Партия рейтинговая, и её предлагает бот, поэтому принять её может только бот.
challenge-qr = QR-код
challenge-scan = Или покажите другу этот код.
share-failed = Браузер не смог поделиться ссылкой. Скопируйте её.
challenge-decline = Не сейчас
challenge-send = Отправьте эту ссылку другу. Партия начнётся, когда друг примет предложение.
challenge-link = Ссылка
challenge-wait = Эту страницу можно закрыть, а потом вернуться.

## Looking on, and losses over time

replay-losses = Потери по рангам
charts = Графики
chart-table = Таблицей
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
