### The help of commands. The id of a command's text is `help-` and the path of the command. A text
### with `-more` follows the options. Every text may use $request, an example request to the
### referee. The list of commands shows a text in one line, so it has at most 65 characters.

help-heading-usage = Использование:
help-heading-commands = Команды
help-heading-arguments = Аргументы
help-heading-options = Параметры
help-heading-everywhere = Параметры всех команд
help-heading-everywhere-colon = { help-heading-everywhere }:

help-group-play = Игра:
help-group-watch = Просмотр и изучение:
help-group-deployments = Расстановки:
help-group-players = Игроки:
help-group-account = Ваша учётная запись:
help-group-programs = Программы и настройки:

help = Игра в стратего и просмотр партий в терминале.
help-more =
    Примеры:
      flagfall play --bot                      сыграть с игроком сервера
      flagfall play                            принять предложение или сделать своё
      flagfall play --rules barrage --time 5+3
      flagfall play --rated --rating 1400-1600
      flagfall play --challenge                создать партию для друга
      flagfall play --accept CODE              принять партию друга
      flagfall watch                           выбрать партию и следить за ней
      flagfall rules barrage                   объяснить правила
      flagfall bot --exec ./ann --rules pbm    дать сыграть программе
      flagfall settings set server https://play.example.org

    Команды, правила, уровни и темпы можно писать и прописными буквами.
    Справка о команде: flagfall COMMAND --help

    Коды завершения:
      0    успешно
      1    отказ: сервер отвечает отказом или запись неверна
      2    неправильный вызов: ошибка в командной строке или настройках
      3    сеть: ни один сервер не отвечает или соединение потеряно
      4    файлы: не удалось прочитать или записать файл
      130  прервано

help-play = Сыграть: принять подходящее предложение или сделать своё и ждать.
help-seek = Ждать в очереди соперника примерно вашей силы.
help-seek-more =
    Каждые несколько секунд сервер сводит в пары игроков, которые ждут партии по тем же правилам и
    с теми же часами, начиная с самых близких рейтингов. Чем дольше вы ждёте, тем шире поиск. При
    потере соединения место в очереди сохраняется. Чтобы покинуть очередь, выйдите из программы.

    Примеры:
      flagfall seek --rated
      flagfall seek --rules barrage --time 5+3 --rated
help-watch = Следить за идущей партией.
help-games = Показать ваши партии, предложения игры и открытые партии.
help-games-more =
    Сначала идут ваши партии, самые срочные – первыми: чей ход и сколько осталось времени. Партии
    учётной записи видны независимо от того, где они начаты. --json добавляет предложения игры.

    Примеры:
      flagfall games
      flagfall games --json
      flagfall play --game ID
help-next = Открыть самую срочную партию, в которой ваш ход.
help-mail = Вести много партий из одной командной строки, как по переписке.
help-mail-more =
    Строки читаются с терминала или из сценария; help показывает, что можно вводить. Вызовы и
    отложенные ходы остаются после выхода.

    Примеры:
      flagfall mail
      echo 'challenge bob pbm 3days' | flagfall mail
      printf 'next\nmove a4a5\nqueue a5a6 if b7b6\n' | flagfall mail
help-record = Показать запись партии с сервера или из файла.
help-record-more =
    Запись идущей партии содержит то, что вам уже можно знать. Файл может быть в любом формате,
    который читает flagfall convert. Чтобы показать файл, сервер не нужен. В терминале файл
    показывается по шагам, в остальных случаях – текстом.

    Примеры:
      flagfall record 0123456789ab --json --out final.json
      flagfall record 0123456789ab --as public --step
      flagfall record final.json
      flagfall record final.json --text
      flagfall record game.xml --step --plain
help-check = Проверить записи партий.
help-check-more =
    Для каждой записи печатается строка: «верно», «частично» (и что не удалось проверить) или
    «НЕВЕРНО» (полуход, код и причина). Коды объяснены в docs/protocol/RECORDS.md.

    Коды завершения: 0 – неверного нет, 1 – что-то неверно, 4 – что-то не удалось прочитать.

    Примеры:
      flagfall record 0123456789ab --json | flagfall check -
      flagfall check games/ final.json
      curl -s https://play.example.org/api/keys > keys.json
      flagfall check --key keys.json final.json
help-convert = Преобразовать партию в другой формат.
help-convert-more =
    Форматы: json (наши записи), text, strados (XML сервера Gravon) и pbm (текст игры по переписке).
    Партии в других форматах переигрываются ход за ходом. Если ход запрещён, партия отвергается с
    указанием хода и причины. Что теряется в каждом из форматов, сказано в docs/protocol/RECORDS.md.

    Примеры:
      flagfall convert final.json
      flagfall convert --to strados final.json game.xml
      flagfall convert game.xml game.json
      flagfall convert --rules tournament game.xml
help-rules = Объяснить правила или показать список всех правил.
help-umpire = Провести партии между программами по строчному протоколу.
help-umpire-more =
    Каждая программа должна читать стандартный ввод и писать в стандартный вывод без буферизации;
    см. docs/protocol/UMPIRE.md. В --red и --blue укажите файл или команду; кавычки в команде
    действуют, как в оболочке. Для программ, которые не знают правила повторений, берите --rules
    pbm. Если одновременно идёт больше партий, чем есть процессоров, программы могут опаздывать с
    ответом. Ctrl-C завершает все программы; в результатах тогда учтены только законченные партии.

    Примеры:
      flagfall umpire --rules pbm --red ./ann --blue 'python3 bob.py' --games 20 --swap
      flagfall umpire --rules pbm --all class/ --games 4 --parallel 2 --record games/ --log logs/
      flagfall umpire --rules pbm --all class/ --format markdown --out table.md
      flagfall umpire --rules pbm --red ./ann --blue 'flagfall bot --line random --rules pbm'
help-bot = Дать программе сыграть на сервере или запустить игрока сервера.
help-bot-more =
    С --exec программа играет на сервере как гость. Она запускается для каждой партии и использует
    тот же протокол, что и в flagfall umpire (docs/protocol/UMPIRE.md). Потери соединения она не
    замечает. При сбое программы партия считается сданной, и новая не начинается. Ctrl-C сдаёт
    идущую партию и завершает программу. Второй Ctrl-C сразу завершает всё.

    С --line игрок сервера играет одну партию через стандартный ввод и вывод. Ошибки выводятся в
    стандартный поток ошибок.

    Коды завершения --exec, кроме общих для всех команд: 130 – прервано во время партии,
    5 – бессмыслица, 6 – запрещённый ход, 7 – запрещённая расстановка, 8 – опоздание,
    9 – программа завершилась.

    Примеры:
      flagfall bot --exec ./ann --rules pbm --name ann --games 0 --server play.example
      flagfall bot --exec 'python3 -u bob.py' --rules barrage --time 5+3 --bot simple
      flagfall bot --exec ./ann --accept CODE
      flagfall bot --line random --rules pbm
help-deployments = Расстановки: список, сохранение, удаление, экспорт и импорт.
help-deployments-more =
    Расстановки учётной записи хранятся на сервере, расстановки гостя – на этом компьютере. Во время
    расстановки клавиша l загружает сохранённую, а w сохраняет текущую.

    Примеры:
      flagfall deployments
      flagfall deployments save barrage corner '.9..1..... ..2......9 ..S.....8. ........FB'
      flagfall deployments show barrage corner
      flagfall deployments export mine.json
      flagfall play --rules barrage --setup corner

    В тексте – по букве на каждое домашнее поле, первым ближний к противнику ряд, в каждом ряду слева
    направо: 1-9 – от Маршала до Разведчика, S – Шпион, B – Бомба, F – Флаг, . – пустое поле.
help-deployments-list = Показать сохранённые расстановки.
help-deployments-show = Напечатать сохранённую расстановку.
help-deployments-save = Сохранить расстановку.
help-deployments-remove = Удалить сохранённую расстановку.
help-deployments-export = Записать все сохранённые расстановки в JSON: правила, название и текст.
help-deployments-import = Сохранить все расстановки из файла. Расстановки с тем же названием заменяются.
help-signup = Превратить гостя в учётную запись или создать новую.
# For several commands.
-account-more =
    Пароли, коды восстановления и токены при вводе не видны. Без терминала каждый из них читается
    из строки стандартного ввода. --name выбирает одну из нескольких учётных записей и гостей на
    этом компьютере. Без --name берётся та учётная запись, под которой вы вошли последней.
help-signup-more = { -account-more }
help-login = Войти в учётную запись.
help-login-more = { -account-more }
help-logout = Выйти и отозвать токен на этом компьютере.
help-whoami = Показать, кто вы на сервере.
help-leaderboard = Показать лучших игроков по правилам и темпу.
help-leaderboard-more =
    Для каждых правил и каждого темпа есть своя таблица лидеров. Темп зависит от времени,
    которое часы дают на сорок полуходов: bullet – меньше 3 минут, blitz – меньше 8, rapid – меньше
    25, classical – 25 и больше. Партии по переписке – correspondence. Игрок попадает в таблицу,
    когда недавних партий достаточно для надёжного рейтинга (отклонение не больше 75).
help-profile = Показать профиль игрока с рейтингами.
help-profile-more =
    Без --rules и --speed график показывает рейтинг с наибольшим числом партий.

    Примеры:
      flagfall profile ann
      flagfall profile ann --rules barrage --speed blitz
help-history = Показать завершённые партии игрока или двух игроков.
help-history-more =
    Закрытые партии видят в этом списке только их участники. Показать партию: flagfall record ID

    Примеры:
      flagfall history
      flagfall history ann
      flagfall history ann bob
help-email = Получать письмо, когда наступает ваш ход.
help-email-more =
    Письма приходят о партиях по переписке, не чаще раза в десять минут, если администраторы
    сервера настроили почту. Сначала подтвердите адрес: откройте ссылку из письма, которое отправляет
    set. В каждом письме есть ссылка, чтобы отказаться от
    писем.

    Примеры:
      flagfall email set ann@example.org
      flagfall email show
      flagfall email remove
help-email-set = Указать адрес. На него придёт письмо с подтверждением.
help-email-show = Показать адрес и сообщить, подтверждён ли он.
help-email-again = Отправить подтверждение ещё раз.
help-email-remove = Удалить адрес.
help-webhook = Отправлять подписанное уведомление, когда наступает ваш ход.
help-webhook-more =
    Уведомления отправляются для партий по переписке. Уведомление – это JSON с id, партией,
    правилами, полуходом и сроком. Секретов в нём нет. В заголовке Flagfall-Signature стоит sha256=
    и HMAC-SHA256 тела; ключ – это секрет, который set печатает один раз. Если статус ответа не от
    200 до 299, уведомление отправляется снова с тем же id, пять раз за три часа. После пяти потерянных
    уведомлений подряд вебхук отключается, пока вы не зададите его снова.

    Примеры:
      flagfall webhook set https://example.org/turns
      flagfall webhook test
      flagfall webhook show
help-webhook-set = Задать вебхук и один раз напечатать его секрет.
help-webhook-show = Показать вебхук и результат последнего уведомления.
help-webhook-remove = Удалить вебхук.
help-webhook-test = Отправить пробное уведомление сейчас.
help-feed = Создать ленту ваших ходов и завершённых партий.
help-feed-more = За лентой можно следить в программе для чтения лент. С новой лентой старый адрес перестаёт работать.
help-stats = Показать ваши результаты по правилам, сторонам и расстановкам.
help-stats-more = Эту статистику видите только вы.
help-block = Заблокировать игрока: не играть с ним и не переписываться.
help-unblock = Разблокировать игрока.
help-blocks = Показать заблокированных игроков.
help-tokens = Показать, создать и отозвать токены учётной записи.
help-tokens-list = Показать ваши токены.
help-tokens-new = Создать токен для другого компьютера или программы. Печатается один раз.
help-tokens-revoke = Отозвать токен. Клиенты с ним сразу отключаются.
help-recover = Задать новый пароль с помощью кода восстановления.
help-recover-more = { -account-more }
help-account = Экспорт или удаление учётной записи, смена пароля.
help-account-export = Напечатать в JSON всё, что сервер хранит об учётной записи. Без паролей и токенов.
help-account-password = Сменить пароль учётной записи. Все остальные входы завершаются.
help-account-recovery-code = Создать новый код восстановления. Старый перестаёт действовать.
help-account-dump = Показать или выбрать, как вы указаны в ежемесячных выгрузках открытых партий.
help-account-delete = Удалить учётную запись навсегда. Её партии остаются, но без имени.
help-referee = Отвечать на запросы о партиях строками JSON, без сети.
help-referee-more =
    Команда читает из каждой строки стандартного ввода запрос JSON и отвечает по порядку строками
    JSON, пока ввод не закончится. В ответах видны все ранги. Все запросы перечислены в
    docs/protocol/REFEREE.md.

    Пример:
      echo '{ $request }' | flagfall referee
help-settings = Показать или изменить настройки.
help-settings-more =
    Настройки хранятся в settings.toml в папке клиента. Параметр командной строки важнее переменной
    окружения, и оба важнее файла. Файл можно править и вручную: когда его меняет flagfall, ваши
    комментарии остаются.

    Примеры:
      flagfall settings
      flagfall settings set server https://play.example.org
      flagfall settings set alerts bell,desktop
      flagfall settings unset alerts
help-settings-list = Показать каждую настройку и откуда взято её значение.
help-settings-set = Изменить настройку в файле.
help-settings-unset = Убрать настройку из файла.
help-completions = Напечатать автодополнение для вашей оболочки.
help-completions-more =
    Примеры:
      flagfall completions bash > ~/.local/share/bash-completion/completions/flagfall
      flagfall completions zsh > ~/.zfunc/_flagfall
      flagfall completions fish > ~/.config/fish/completions/flagfall.fish
help-man = Записать страницы руководства в папку.
help-man-more =
    Пример:
      flagfall man ~/.local/share/man/man1
