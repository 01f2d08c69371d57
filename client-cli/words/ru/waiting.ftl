### Finding a game: offers, challenges and the pool.

game-begins-soon = Партия вот-вот начнётся …
opening-game = Партия открывается …

## The pool

pool-back = Вы снова ждёте в очереди, в её начале.
# $player: a name; $side.
aborted-by =
    Партия отменена игроком { $player } ({ $side ->
        [red] красные
       *[blue] синие
    }).
aborted-own = Вы отменили партию.
# $player: a name; $side.
not-deployed =
    { $player } ({ $side ->
        [red] красные
       *[blue] синие
    }) не успевает расставить армию.
not-deployed-own = Вы не успели расставить армию.
not-deployed-both = Ни одна сторона не успела расставить армию.
aborted-idle = В партии много дней ничего не происходило.

## Challenges

# $player: a name; $terms.
challenged = { $player } вызывает вас: { $terms }.
# $player: a name; $terms; $side: the player's own.
challenged-side =
    { $side ->
        [red] { $player } вызывает вас: { $terms }, вы играете за красных.
       *[blue] { $player } вызывает вас: { $terms }, вы играете за синих.
    }
# $server: an option of the command line; $code.
challenged-program = Чтобы сыграть: flagfall play{ $server } --accept { $code }
# $code.
challenged-type = Введите accept { $code } или reject { $code }.
# $key.
challenged-press = Нажмите { $key }, чтобы ответить.
# $challenge: a sentence; $how: a sentence that says how to answer.
challenged-note = { $challenge } { $how }
# $player: a name.
challenge-gone =
    { $reason ->
        [taken] Вызов от { $player } уже принят другим игроком.
        [withdrawn] { $player } отзывает свой вызов.
        [declined] Вызов от { $player } отклонён другим игроком.
       *[other] Вызов от { $player } больше не открыт.
    }
# $player: a name.
challenge-accepted = { $player } принимает ваш вызов. Партия начинается.
# $player: a name.
challenge-declined = { $player } отклоняет ваш вызов.
# $code.
challenge-code = Код – { $code }. Ваш друг вводит:
# $server: an option of the command line; $code.
challenge-accept-command = flagfall play{ $server } --accept { $code }
challenge-link = Или ваш друг открывает этот адрес в браузере:
# $left: how long.
challenge-stands = Вызов открыт ещё { $left }.
# $terms.
waiting-for-friend = Ждём вашего друга: { $terms }
# $side.
challenge-your-side =
    { $side ->
        [red] Вы будете играть за красных.
       *[blue] Вы будете играть за синих.
    }
challenge-side-drawn = Стороны определит жребий.
# $player: a name.
challenge-secret = Расстановка игрока { $player } останется тайной и после партии.
challenge-terms-ask = Введите «accept», чтобы играть, или «quit».

## Offers

offer-looking = Поиск предложения игры …
# $why: a sentence.
offer-gone = { $why } Поиск другого.
# $terms.
offer-making = Ваше предложение: { $terms } …
# $terms.
offer-waiting = Ждём соперника: { $terms }
offer-listed = Ваше предложение видно всем. Партия начнётся, когда его кто-нибудь примет.
# $server: an option of the command line.
offer-house = Сыграть вместо этого с игроком сервера: flagfall play{ $server } --bot
# $server: an option of the command line.
offer-friend = Пригласить друга: flagfall play{ $server } --challenge
# $seeker: a name; $terms; $side: the side that is left for this player, or any; $rating: the seeker's
# rating, or none; $range: both, min, max or any; $min, $max: the ratings that the offer is for.
offer =
    { $seeker }{ $rating ->
        [none] {""}
       *[some] {" "}(рейтинг { $rating })
    }: { $terms }{ $side ->
        [any] {""}
        [red] , вы играете за красных
       *[blue] , вы играете за синих
    }{ $range ->
        [any] {""}
       *[some] , для рейтинга { rating-range }
    }
# $offer.
offer-accepted = Принято предложение: { $offer }.
# $terms.
pool-waiting = Ожидание в очереди: { $terms }
pool-explained = Сервер подберёт вам соперника примерно вашей силы. Чем дольше вы ждёте, тем шире поиск.
pool-leave = Партия начнётся сама. Чтобы покинуть очередь, выйдите из программы.

## Lists of games

choose-play = Во что сыграть?
choose-game = Какую партию?
choose-number = Что выбрать? Введите номер.
# $number; $entry.
choice = { $number }. { $entry }
# $last: the highest number.
choice-usage = Введите номер от 1 до { $last } или «quit».
# $game: a summary.
choice-open = Продолжить { $game }
# $offer.
choice-take = Принять: { $offer }
# $terms.
choice-offer = Предложить игру: { $terms }
# $game: a summary.
game-running = У вас есть идущая партия: { $game }
# $server: an option of the command line; $game.
game-running-go-on = Продолжить её: flagfall play{ $server } --game { $game }
# $game.
game-begun-open = Началась ваша партия. Чтобы играть, введите: open { $game }
# $server: an option of the command line; $game.
game-begun-elsewhere = Началась ещё одна ваша партия. Сыграть: flagfall play{ $server } --game { $game }
# $key.
game-begun-key = Началась ещё одна ваша партия. Нажмите { $key }, чтобы открыть самую срочную из других партий, которые ждут вашего хода.
public-games-none = Сейчас открытых партий нет.
public-games-wait = Список появится, когда начнётся открытая партия.
# $server: an option of the command line.
public-games = Открытые партии (смотреть: flagfall watch{ $server } ID):
