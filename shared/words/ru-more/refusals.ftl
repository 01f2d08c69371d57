### Refusals. The id of a message is `refusal-` and the code, with hyphens instead of underscores. For
### example, the code `no_such_seek` has the message `refusal-no-such-seek`. The comment before a
### message names its arguments.
###
### A code with several reasons selects on `$reason`. If the reason is unknown, the variant with the
### star is shown, so that variant must not use an argument that only one reason has.
###
### A refusal says what happened and what to do. It must not name a command or control of a client.

# For a code without a message here. $code.
refusal-unknown = В запросе отказано ({ $code }).

## Messages and connections

# $reason: not_json ($column), not_an_object, too_deep ($max), missing_field, unknown_field and
# duplicate_field ($field), value, body.
refusal-malformed =
    { $reason ->
        [not_json] Сообщение не в формате JSON. Ошибка в столбце { $column }.
        [not_an_object] Это не сообщение протокола: не объект JSON.
        [too_deep] Вложенность сообщения превышает предел: { $max }.
        [missing_field] Это не сообщение протокола: нет поля `{ $field }`.
        [unknown_field] Это не сообщение протокола: неизвестное поле `{ $field }`.
        [duplicate_field] Это не сообщение протокола: поле `{ $field }` повторяется.
        [body] Тело запроса должно быть объектом JSON ровно с теми полями, которые перечислены для этого пути в /api/openapi.json. Добавьте к запросу заголовок Content-Type: application/json.
       *[value] Это не сообщение протокола: недопустимое имя или значение поля.
    }
# $reason: not_first, repeated.
refusal-hello-expected =
    { $reason ->
        [repeated] В этом соединении сообщение hello уже отправлено.
       *[not_first] Первым сообщением должно быть hello.
    }
# $version: the server's version of the protocol.
refusal-protocol-version = Версия протокола этого сервера: { $version }. Нужен клиент с той же версией.
# $reason: missing (a request without a token), unknown_to_http (a request with an unknown token).
refusal-bad-token =
    { $reason ->
        [missing] Для этого запроса нужен токен: его выдаёт POST /api/login. Передайте токен в заголовке Authorization: Bearer TOKEN.
        [unknown_to_http] Такого токена нет. Войдите, чтобы получить новый, или уберите заголовок Authorization: тогда видны только данные, открытые всем.
       *[unknown] Такого токена нет. Он введён с ошибкой, отозван или принадлежал гостю, которого слишком долго не было. Войдите снова или играйте как новый гость.
    }
refusal-watch-only = Этот сервер только показывает партии зрителям. Чтобы играть, подключитесь по общему адресу сервиса.
refusal-sign-in-expected = Сейчас вы только смотрите. Чтобы участвовать, войдите или начните как гость.
refusal-superseded = Эта партия открыта в более новом соединении. Чтобы продолжить здесь, откройте её снова.
refusal-cmd-id-reused = Этот идентификатор команды уже использован для другой команды. Каждой команде нужен новый.
refusal-stale-epoch = Сервер потерял последние ходы этой партии, и ваша команда могла устареть. Посмотрите на партию и повторите.
# $reason: pausing (a running game waits until the server has restarted).
refusal-stopping =
    { $reason ->
        [pausing] Сервер перезапускается, ваша партия сохранена. Повторите через несколько секунд.
       *[no_new_games] Сервер перезапускается и не начинает новых партий. Повторите через несколько секунд.
    }
# $reason: memory, games ($count: running games).
refusal-server-full =
    { $reason ->
        [games] На сервере уже { $count ->
            [one] идёт { $count } партия
            [few] идут { $count } партии
           *[many] идёт { $count } партий
        }. Это предел, который установили администраторы. Повторите через несколько минут.
       *[memory] На сервере нет памяти для новых партий, но начатые продолжаются. Повторите через несколько минут.
    }
# $reason: unknown_outcome (the command may or may not have been carried out), damaged.
refusal-store-unavailable =
    { $reason ->
        [unknown_outcome] Серверу недоступно хранилище, и он не знает, выполнена ли ваша команда. Через несколько секунд отправьте ту же команду ещё раз.
        [damaged] Данные о вас на сервере повреждены. Сообщите администраторам: причину можно найти в журнале сервера.
       *[away] Серверу недоступно хранилище. Повторите через несколько секунд.
    }
# $reason: game (the task that runs a game failed and was restarted).
refusal-internal =
    { $reason ->
        [game] Партию прервала ошибка сервера, но партия уже открыта снова. Повторите через несколько секунд.
       *[other] Запрос не выполнен из-за ошибки сервера. Сообщите администраторам: причину можно найти в журнале сервера.
    }
# A failure of the server, with the request. $text: the refusal; $request: the request's id in the log.
report-request = { $text } Если решите сообщить об этом, укажите номер запроса: { $request }.

## Limits

# $reason: one of the variants below; $count: the limit; $seconds: how long to wait.
# Reasons with $count: tokens, seeks, challenges, games, games_of_one, webhooks, deployments, blocks, reports, open_games.
# Reasons with $seconds: server_connections, connections, handshakes, hellos, guests, offers, games_of_address,
# house_games, house_games_of_address, watched, watched_of_address, stored, requests.
refusal-too-many =
    { $reason ->
        [messages] Слишком много сообщений за короткое время. Подключитесь снова и отправляйте реже.
        [commands] Слишком много команд сразу. Дождитесь ответов на них.
        [chat] Вы пишете в чат слишком часто. Подождите несколько секунд.
        [logins] Слишком много людей входит одновременно. Повторите через несколько секунд.
        [new_guests] Слишком много новых гостей. Повторите через минуту или войдите в учётную запись.
        [tokens] У вас уже { $count ->
            [one] { $count } токен
            [few] { $count } токена
           *[many] { $count } токенов
        }. Сначала отзовите один.
        [seeks] У вас уже { $count ->
            [one] { $count } открытое предложение
            [few] { $count } открытых предложения
           *[many] { $count } открытых предложений
        } игры. Сначала отзовите одно.
        [challenges] У вас уже { $count ->
            [one] { $count } открытый вызов
            [few] { $count } открытых вызова
           *[many] { $count } открытых вызовов
        }. Сначала отзовите один.
        [lobby] Открытых предложений игры слишком много. Примите одно из них или повторите чуть позже.
        [games] Вы уже играете { $count ->
            [one] { $count } партию
            [few] { $count } партии
           *[many] { $count } партий
        }. Сначала закончите одну.
        [games_of_one] Один из двух игроков уже играет { $count ->
            [one] { $count } партию
            [few] { $count } партии
           *[many] { $count } партий
        }. Подождите, пока одна из них закончится.
        [opponent] Другой игрок играет слишком много партий. Повторите позже.
        [deployments] Для этих правил у вас уже { $count ->
            [one] { $count } сохранённая расстановка
            [few] { $count } сохранённые расстановки
           *[many] { $count } сохранённых расстановок
        }. Сначала удалите одну.
        [blocks] У вас уже { $count ->
            [one] { $count } заблокированный игрок
            [few] { $count } заблокированных игрока
           *[many] { $count } заблокированных игроков
        }. Сначала разблокируйте одного.
        [reports] За последние 24 часа от вас уже { $count ->
            [one] { $count } жалоба
            [few] { $count } жалобы
           *[many] { $count } жалоб
        }. Остальные отправьте завтра.
        [webhook_test] Вебхук только что проверяли. Повторите через несколько секунд.
        [mails_of_account] Вы запросили слишком много писем с подтверждением. Повторите завтра.
        [mails_to_address] На этот адрес отправлено слишком много писем с подтверждением. Повторите завтра.
        [webhook_busy] На этот адрес уже отправляются другие уведомления. Повторите через несколько секунд.
        [rematch] Сервер уже создаёт реванш. Дождитесь начала.
        [spectators] У этой партии уже предельное число зрителей. Повторите позже.
        [open_games] В этом соединении уже { $count ->
            [one] открыта { $count } партия
            [few] открыто { $count } партии
           *[many] открыто { $count } партий
        }. Сначала закройте одну.
        [server_connections] На сервере нет свободных мест. Повторите через { duration-seconds }.
        [connections] С вашего адреса открыто слишком много соединений. Повторите через { duration-seconds }.
        [handshakes] Слишком много соединений с вашего адреса за короткое время. Повторите через { duration-seconds }.
        [hellos] Вы подключаетесь слишком часто. Повторите через { duration-seconds }.
        [guests] Слишком много новых гостей с вашего адреса за короткое время. Войдите в учётную запись, продолжите как прежний гость или повторите через { duration-seconds }.
        [offers] С вашего адреса открыто слишком много предложений. Отзовите одно или повторите через { duration-seconds }.
        [games_of_address] С вашего адреса идёт слишком много партий. Закончите одну или повторите через { duration-seconds }.
        [house_games] Вы играете слишком много партий с игроками сервера. Закончите одну или повторите через { duration-seconds }.
        [house_games_of_address] С вашего адреса идёт слишком много партий с игроками сервера. Закончите одну или повторите через { duration-seconds }.
        [watched] Вы смотрите слишком много партий. Закройте одну или повторите через { duration-seconds }.
        [watched_of_address] С вашего адреса смотрят слишком много партий. Закройте одну или повторите через { duration-seconds }.
        [stored] Сервер сохраняет слишком много изменений с вашего адреса. Повторите через { duration-seconds }.
        [requests] Слишком много запросов с вашего адреса за короткое время. Повторите через { duration-seconds }.
       *[other] Слишком много запросов. Повторите позже.
    }
# $seconds: how long to wait.
refusal-too-many-attempts = Слишком много попыток входа с этим именем или из вашей сети. Повторите через { duration-seconds }. Ждать не нужно, если вы уже входили с этого устройства или из этой сети либо вводите код восстановления.

## Accounts

# $reason: length ($min, $max), characters, taken.
refusal-bad-name =
    { $reason ->
        [length] Длина имени: от { $min } до { $max } символов.
        [taken] Это имя занято, как и похожие, которые попробовал сервер. Выберите другое.
       *[characters] Имя может содержать только латинские буквы (a–z), цифры и знаки «-» и «_» и должно начинаться с буквы или цифры.
    }
refusal-name-taken = Это имя занято или зарезервировано. Выберите другое.
# $reason: length ($min, $max), has_name, common.
refusal-bad-password =
    { $reason ->
        [length] Длина пароля: от { $min } до { $max } символов. Хороший пароль – четыре не связанных слова.
        [has_name] Пароль не должен содержать ваше имя. Хороший пароль – четыре не связанных слова.
       *[common] Этот пароль легко угадать: он распространённый, набран подряд по клавиатуре или состоит из повторов. Хороший пароль – четыре не связанных слова.
    }
refusal-wrong-password = Неверное имя или пароль. Проверьте и то, и другое. Заглавные и строчные буквы в имени не различаются. С кодом восстановления можно задать новый пароль.
refusal-wrong-recovery-code = Неверное имя или код восстановления. Проверьте и то, и другое. Каждый код действует только один раз.
refusal-account-closed = Администраторы сервера закрыли эту учётную запись. Напишите им, если считаете это ошибкой.
refusal-already-account = У вас уже есть учётная запись. Чтобы создать другую, сначала выйдите.
# $reason: deployments, webhooks, email.
refusal-account-expected =
    { $reason ->
        [deployments] Хранить расстановки на сервере можно только с учётной записью. Сначала зарегистрируйтесь.
        [preferences] Хранить настройки на сервере можно только с учётной записью. Сначала зарегистрируйтесь.
        [webhooks] Вебхуки и ленты доступны только с учётной записью. Сначала зарегистрируйтесь.
        [email] Получать письма можно только с учётной записью. Сначала зарегистрируйтесь.
       *[other] Это доступно только с учётной записью. Сначала зарегистрируйтесь: ваши партии останутся у вас.
    }
refusal-no-such-token = У вас нет токена с таким номером. Проверьте список токенов.
# $reason: name ($min, $max), bot_scope.
refusal-bad-token-terms =
    { $reason ->
        [name] Длина названия токена: от { $min } до { $max } печатных символов.
       *[bot_scope] Токены с правами «bot» бывают только у учётных записей ботов. Чтобы получить такой, зарегистрируйтесь как бот.
    }
refusal-scope-missing = С этим токеном можно только играть. Для остального войдите с паролем.
refusal-no-such-player = Игрока с таким именем нет. Проверьте имя.
refusal-games-running = У вас есть незаконченные партии. Закончите их или сдайтесь, а потом удалите учётную запись.
# $count: games left lately; $seconds: how long to wait.
refusal-left-games =
    { $count ->
        [one] Недавно вы покинули { $count } партию или не расставили в ней фигуры.
        [few] Недавно вы покинули { $count } партии или не расставили в них фигуры.
       *[many] Недавно вы покинули { $count } партий или не расставили в них фигуры.
    } Играть рейтинговые партии и ждать соперника в очереди снова можно через { duration-seconds }. До тех пор доступны товарищеские партии, в том числе с игроками сервера.

## Lobby

refusal-no-such-game = Партии с таким номером нет, или она закрытая. Проверьте номер.
refusal-record-not-opened = В этой записи есть ранги, которые вам не видны. Запросите запись, которая вам доступна, например открытую для всех.
refusal-game-quarantined = Журнал этой партии повреждён. Партия остановлена, пока её не проверит администратор. Другие партии продолжаются.
refusal-server-too-old = Эту партию продолжал более новый сервер, а этот слишком старый и не может её прочитать. Повторите позже или на другом сервере.
# $reason: taken, withdrawn, other.
refusal-no-such-seek =
    { $reason ->
        [taken] Это предложение уже принято другим игроком.
        [withdrawn] Автор снял это предложение или ушёл.
       *[other] Этого предложения больше нет: оно уже принято другим игроком или снято после ухода автора.
    }
# $reason: taken, withdrawn, declined, other.
refusal-no-such-challenge =
    { $reason ->
        [taken] Этот вызов уже принят другим игроком.
        [withdrawn] Этот вызов отозван автором.
        [declined] Этот вызов отклонён.
       *[other] Такого открытого вызова нет: он принят, отозван или просрочен либо код введён с ошибкой.
    }
# $reason: block (players cannot block themselves).
refusal-own-offer =
    { $reason ->
        [block] Нельзя заблокировать себя.
       *[offer] Это ваше собственное предложение: принять его должен кто-то другой.
    }
# $known: the ids of the rulesets. $reason: known, rated (a leaderboard), suggested (deployments), saved (a deployment for changed rules).
refusal-no-such-ruleset =
    { $reason ->
        [known] Таких правил нет. Возможные правила: { $known }.
        [rated] Рейтингов для таких правил нет. Укажите правила без изменений: для изменённых правил рейтинги не считаются.
        [suggested] Расстановок для таких правил нет. Если правила изменены, укажите исходные.
        [saved] Таких правил нет. Чтобы сохранить расстановку для изменённых правил, укажите исходные.
       *[other] Таких правил нет.
    }
# $base: the ruleset; $option: the rule. $reason: form, no_such_option and fixed ($known: the options),
# no_such_value ($known: the values), twice.
refusal-bad-rule-change =
    { $reason ->
        [no_such_option] В { $base } такого правила нет. Можно изменить: { $known }.
        [fixed] Правило { $option } в { $base } изменить нельзя. Можно изменить: { $known }.
        [no_such_value] У правила { $option } нет такого значения. Возможные значения: { $known }.
        [twice] Правило { $option } изменено дважды. Измените его один раз.
       *[form] Изменения правил записывают иначе: сначала исходные правила, потом каждое правило с новым значением, например classic,ties=attacker,quiet=off.
    }
# In seconds: $base_min, $base_max, $increment_min, $increment_max, $free_min, $free_max.
# In days: $days_min, $days_max.
refusal-bad-time = Основное время может быть от { $base_min } до { $base_max } секунд, добавка – от { $increment_min } до { $increment_max } секунд, задержка часов – от { $free_min } до { $free_max } секунд на ход. В партиях по переписке на ход даётся от { $days_min } до { $days_max } дней.
# $known: the names of the house players.
refusal-no-such-bot = Такого игрока сервера нет. Выберите одного из этих: { $known }.
# $reason: custom_rules, no_clock, house_player, bots_and_people, guest, unchanged (a game without rating changes).
refusal-not-rated =
    { $reason ->
        [custom_rules] Партии с изменёнными правилами не рейтинговые. Выберите правила без изменений или сыграйте товарищескую партию.
        [no_clock] Партии без часов не рейтинговые. Выберите время или сыграйте товарищескую партию.
        [house_player] Партии с игроками сервера не рейтинговые. Сыграйте товарищескую партию.
        [bots_and_people] У людей и ботов рейтинги раздельные. Сыграйте товарищескую партию.
        [guest] Рейтинговые партии доступны только с учётной записью. Сначала зарегистрируйтесь: ваши партии останутся у вас.
       *[unchanged] Эта партия не изменила рейтингов: она товарищеская, не засчитана или ещё не окончена.
    }
# $reason: no_ratings, guest, bounds ($min, $max).
refusal-bad-rating-range =
    { $reason ->
        [guest] У гостей нет рейтинга, поэтому задать диапазон вокруг него нельзя. Укажите два рейтинга, например 1400-1600, или зарегистрируйтесь.
        [bounds] Укажите нижнюю границу рейтинга, верхнюю или обе (сначала нижнюю). Границы могут быть от { $min } до { $max }.
       *[no_ratings] В партиях с изменёнными правилами или без часов рейтингов нет, и выбирать соперника по рейтингу нельзя. Выберите время и правила без изменений.
    }
# $range, $min, $max: the range of the offer. $reason: rating ($rating: the player's own), bots_and_people, guest.
refusal-outside-rating-range =
    { $reason ->
        [rating] Это предложение для игроков с рейтингом { rating-range } в таких партиях. Ваш рейтинг: { $rating }. Примите другое или создайте своё.
        [bots_and_people] Это предложение для игроков с рейтингом { rating-range } в таких партиях. У людей и ботов рейтинги раздельные. Примите другое или создайте своё.
        [guest] Это предложение для игроков с рейтингом { rating-range } в таких партиях, а у гостей рейтинга нет. Зарегистрируйтесь или примите другое.
       *[other] Это предложение для игроков с другим рейтингом. Примите другое или создайте своё.
    }
# $reason: game ($game: its id).
refusal-already-paired =
    { $reason ->
        [game] Соперник уже найден. Сначала сыграйте партию { $game }.
       *[now] Соперник найден, ваша партия вот-вот начнётся.
    }
refusal-no-such-speed = Такого темпа нет. Выберите один из этих: bullet, blitz, rapid, classical, correspondence.
# $reason: offer, chat. Without a reason, the path of a piece is blocked.
refusal-blocked =
    { $reason ->
        [offer] Вы и этот игрок не можете играть друг с другом: один из вас заблокировал другого.
        [chat] Вы и этот игрок не можете писать друг другу: один из вас заблокировал другого.
       *[move] Путь этой фигуры закрыт другой фигурой или озером.
    }
# $reason: chat ($max: characters), report ($max).
refusal-bad-text =
    { $reason ->
        [chat] Длина сообщения: от 1 до { $max } печатных символов в одной строке.
        [report] Опишите, что случилось: от 1 до { $max } печатных символов.
       *[other] Текст пуст, слишком длинный или содержит непечатные символы.
    }
# $reason: chat, report.
refusal-house-player =
    { $reason ->
        [report] На игроков сервера нельзя пожаловаться. Если с таким игроком что-то не так, сообщите администраторам.
       *[chat] Игроки сервера не разговаривают.
    }
refusal-reported-before = Вы уже пожаловались на эту партию. Жалоба у администраторов.

## Deployments, webhooks, e-mail and queues of moves that the server stores

# $reason: name, too_long, setup (with the arguments of setup-problem).
refusal-bad-deployment =
    { $reason ->
        [name] Название может содержать от 1 до 30 символов: латинские буквы, цифры и знаки «-» и «_». Названия «random» и «suggested» зарезервированы.
        [too_long] Не сохранено. Текст слишком длинный для расстановки.
        [setup] Не сохранено. { setup-problem }
       *[other] Эта расстановка не подходит к правилам.
    }
refusal-no-such-deployment = У вас нет расстановки с таким названием для этих правил.
# $count: the most settings; $name_max, $value_max: characters.
refusal-bad-preferences = Не сохранено. В учётной записи может быть не больше { $count } настроек; название — от 1 до { $name_max } символов (a–z, цифры и «_»), значение — не длиннее { $value_max } символов ASCII.
# $reason: form ($max: characters), not_encrypted, private.
refusal-bad-webhook =
    { $reason ->
        [form] Такой адрес не годится для вебхука. Укажите адрес вида https://example.org/turns, не длиннее { $max } символов, без имени пользователя и пароля.
        [not_encrypted] Адрес вебхука должен начинаться с https. Администраторы сервера могут разрешить http для внутренних адресов.
       *[private] Адрес вебхука должен быть общедоступным. Администраторы сервера могут разрешить внутренние адреса.
    }
# $reason: feed.
refusal-no-such-webhook =
    { $reason ->
        [feed] Такой ленты нет: она удалена или заменена, или адрес введён с ошибкой.
       *[webhook] У вас нет вебхука.
    }
refusal-mail-off = Этот сервер не отправляет писем: администраторы не настроили почту.
# $max: characters.
refusal-bad-email = Это не адрес электронной почты. Укажите адрес вида ann@example.org: не больше { $max } символов, только из набора ASCII.
refusal-no-such-email = Вы не указали адрес электронной почты.
# $reason: length ($max: plies).
refusal-bad-queue =
    { $reason ->
        [length] Отложить можно от 1 до { $max } полуходов: ходы, снятие фигуры с доски и ввод фигуры из резерва.
       *[game] Отложить ходы можно только в своих идущих партиях по переписке.
    }
refusal-own-turn = Сейчас ваш ход. Сначала сделайте его, а потом задайте следующие ходы заранее.

## The HTTP API

refusal-no-such-path = По этому пути ничего нет. Пути HTTP API перечислены в /api/openapi.json; играть можно через WebSocket по адресу /ws.
refusal-method-not-allowed = Этот путь не поддерживает такой метод. Допустимые методы названы в заголовке Allow.
# $reason: session (a request with the session of this server's page, or for one), page.
refusal-foreign-origin =
    { $reason ->
        [session] Сеанс может быть только у страницы самого сервера, открытой по адресу, который задали администраторы. Программы и другие страницы должны передавать токен.
       *[page] Веб-страницам с этого адреса нельзя подключаться к серверу. Разрешить этот адрес могут администраторы сервера.
    }
refusal-upgrade-expected = По этому пути работает WebSocket версии 13. Подключитесь клиентом WebSocket.
# $reason: list, page, games, suggested.
refusal-bad-query =
    { $reason ->
        [list] Неверный запрос. Параметр «bots» должен быть true или false.
        [games] Неверный запрос. Параметр «order» должен быть newest или rating, «phase» – over (но не вместе с order=rating), а «limit» – числом.
        [suggested] Неверный запрос. Параметр «seed» должен быть целым числом от 0 до 4294967295.
        [page] Неверный запрос. Параметр «after» должен быть значением «next» с предыдущей страницы, а «limit» – числом.
       *[record] Неверный запрос. Параметр «format» должен быть json или text, а «as» – red, blue, public или all.
    }
# $kib: the limit in KiB.
refusal-body-too-large = Тело запроса слишком длинное. Предел: { $kib } КиБ.
refusal-host-expected = В запросе должен быть ровно один заголовок Host, и в нём имя сервера.
refusal-timed-out = Сервер готовил ответ слишком долго. Повторите через несколько секунд.

## Playing a game

# $reason: waiting (for the pool in the lobby), piece (for the pool of a ruleset with coins).
refusal-not-in-pool =
    { $reason ->
        [waiting] Вы не ждёте соперника: вы вышли из очереди или слишком долго не были на связи.
       *[piece] Такой фигуры в вашем запасе не осталось.
    }
refusal-not-your-game = В этой партии вы не играете.
refusal-not-over = Партия не окончена. Предложить реванш можно после её окончания.
refusal-not-deploying = Партия началась, изменить расстановку больше нельзя.
refusal-deployment-final = Ваша расстановка отправлена, изменить её больше нельзя.
refusal-not-playing = Партия не началась: сначала обе стороны должны расставить фигуры.
refusal-game-over = Партия окончена.
refusal-paused = Партия приостановлена, пока сервер перезапускается. Повторите через несколько секунд.
# $named: the ply that the command names; $current: the game's current ply. $reason: queue, command.
refusal-stale-ply =
    { $reason ->
        [queue] Партия уже на полуходе { $current }. Посмотрите на позицию и задайте ходы заранее ещё раз.
       *[command] Эта команда была для полухода { $named }, а партия на полуходе { $current }. Посмотрите на партию и повторите.
    }
refusal-out-of-time = Ваше время вышло.
refusal-draw-already-offered = Вы уже предлагаете ничью. Дождитесь ответа другой стороны.
# $plies: plies until the player may offer again.
refusal-draw-offered-recently =
    { $plies ->
        [one] Вы недавно предлагали ничью. Предложить снова можно через { $plies } полуход или после предложения другой стороны.
        [few] Вы недавно предлагали ничью. Предложить снова можно через { $plies } полухода или после предложения другой стороны.
       *[many] Вы недавно предлагали ничью. Предложить снова можно через { $plies } полуходов или после предложения другой стороны.
    }
refusal-no-draw-offer = Ничью никто не предлагает.
refusal-too-late-to-abort = Отменить партию можно только до вашего первого хода. Теперь можно только сдаться.
refusal-opponent-present = Ваш соперник на связи. Засчитать победу или ничью можно, только если соперника некоторое время не будет.
# $seconds: how long to wait.
refusal-claim-too-early = Засчитать победу или ничью пока рано. Это можно будет сделать через { duration-seconds }, если соперник не вернётся.
refusal-no-claims = В партии по переписке нельзя засчитать победу или ничью: игроки не обязаны быть на связи. Дождитесь, пока соперник сделает ход или у него выйдет время.

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
       *[other] Эта расстановка не подходит к правилам.
    }
# $have: characters found; $want: characters expected.
refusal-setup-too-short =
    { $have ->
        [one] В расстановке { $have } символ, а нужно { $want }: по одному на каждое домашнее поле, начиная с ряда, ближайшего к противнику.
        [few] В расстановке { $have } символа, а нужно { $want }: по одному на каждое домашнее поле, начиная с ряда, ближайшего к противнику.
       *[many] В расстановке { $have } символов, а нужно { $want }: по одному на каждое домашнее поле, начиная с ряда, ближайшего к противнику.
    }
# $have: characters found; $want: characters expected.
refusal-setup-too-long =
    { $have ->
        [one] В расстановке { $have } символ, а нужно { $want }: по одному на каждое домашнее поле, начиная с ряда, ближайшего к противнику.
        [few] В расстановке { $have } символа, а нужно { $want }: по одному на каждое домашнее поле, начиная с ряда, ближайшего к противнику.
       *[many] В расстановке { $have } символов, а нужно { $want }: по одному на каждое домашнее поле, начиная с ряда, ближайшего к противнику.
    }
# $letter: the character.
refusal-setup-unknown-letter = «{ $letter }» не обозначает фигуру. Допустимы 1-9, S, B и F. В некоторых правилах есть ещё P (Феникс) и точка (пустое поле).
# $square: where the piece stands.
refusal-setup-outside-home = Поле { $square } вне ваших домашних рядов. Ставьте все фигуры на домашние ряды.
# $square: where the pieces stand.
refusal-setup-double-square = На поле { $square } больше одной фигуры. Каждой фигуре нужно своё поле.
# $square: the empty square.
refusal-setup-empty-square = Поле { $square } пустое. На каждом домашнем поле должна стоять фигура.
# $rank; $have: how many were placed; $want: how many the army has.
refusal-setup-wrong-count = Фигура { rank }: поставлено { $have }, а в армии { $want }. Поставьте ровно столько.
# $rank; $have: how many were placed; $most: how many the army has.
refusal-setup-too-many = Фигура { rank }: поставлено { $have }, а в армии только { $most }.

## Moves

refusal-off-board = На этой доске нет такого поля.
refusal-no-piece = На этом поле нет фигуры.
refusal-not-your-piece = Это не ваша фигура.
refusal-immovable = Флаги и Бомбы не ходят.
refusal-not-in-line = Фигуры ходят только по ряду или столбцу, не по диагонали.
refusal-too-far = Больше чем на одно поле ходит только Разведчик.
refusal-lake = На озеро ходить нельзя.
refusal-own-piece = На этом поле стоит ваша фигура.
refusal-strike-from-afar = По этим правилам Разведчик атакует только фигуру на соседнем поле. Сначала подойдите к ней вплотную.
refusal-two-squares = Правило двух полей: эта фигура слишком много раз подряд ходила туда и обратно между этими полями. Пойдите ею в другое место или другой фигурой.
refusal-more-squares = Правило преследования: этот ход повторил бы позицию, пока вы преследуете фигуру. Сделайте другой ход.
refusal-no-path = В этом направлении фигура до того поля не дойдёт. Знак «+» после хода означает направление к большим номерам рядов или дальним буквам столбцов, знак «-» – обратное направление.
refusal-no-supply-line = Так далеко эта фигура пойти не может. По линии снабжения на всём пути должны лежать фишки того же цвета, что и фишка под фигурой. Вспышкой можно пройти по фишкам любого цвета, но не дальше, чем позволяет ранг.
refusal-color-wanted = Укажите цвет фишки: red (красная), yellow (жёлтая), blue (синяя) или green (зелёная).
refusal-color-refused = Для этого хода цвет не выбирают: либо в этих правилах нет фишек, либо это вспышка, а её цвет определяет первое поле.
refusal-choice-pending = Сначала сделайте выбор, которого ждёт партия: назовите цвет фишки там, где победила ваша фигура, или решите, кем станет ваша монета.
refusal-no-choice = Сейчас вам нечего выбирать.
refusal-choice-final = Ваш выбор уже сделан, изменить его нельзя.
refusal-reserve-rule = Правило резерва: у вас должно оставаться не меньше неходивших монет, чем Бомб и Флагов в запасе. Пойдите фигурой или монетой, которая уже ходила. Если выбираете, кем станет монета, выберите Бомбу или Флаг.
refusal-no-scout-left = Монета, которая идёт на несколько полей, становится Разведчиком, но Разведчиков в вашем запасе не осталось. Пойдите на одно поле.
refusal-not-in-reserve = Такой фигуры в вашем резерве нет.
refusal-flag-stays = Флаг должен оставаться на доске. Снимите другую фигуру.
refusal-not-home = Это поле вне ваших домашних рядов. Ставьте фигуры только на домашние ряды.
refusal-not-empty = Это поле занято. Ставьте фигуры только на пустые поля.
