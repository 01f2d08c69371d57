### Profiles, ratings, and games that a player left.

# $name, $kind: guest, account, bot or house; $since: a date.
profile =
    { $kind ->
        [guest] { $name }, гость, на сервере с { $since }.
        [account] { $name }, игрок, на сервере с { $since }.
        [bot] { $name }, бот (играет программа), на сервере с { $since }.
       *[house] { $name }, игрок сервера, на сервере с { $since }.
    }
column-ruleset = правила
column-speed = темп
column-games = партии
column-last = последняя
column-name = имя

# $ruleset, $speed; $bots: yes or no.
leaderboard =
    { $bots ->
        [yes] { $ruleset }, { $speed }, боты
       *[no] { $ruleset }, { $speed }, люди
    }

# A range of ratings. $range: both if it has two limits, otherwise min or max; $min, $max: the limits.
rating-range =
    { $range ->
        [both] от { $min } до { $max }
        [min] от { $min }
       *[max] до { $max }
    }

# $ply; $side: the one whose turn it is.
state-playing =
    { $side ->
        [red] полуход { $ply }, ход красных
       *[blue] полуход { $ply }, ход синих
    }
state-deploying = расстановка

# $game, $red, $blue: names; $terms; $state.
summary = { $game }  { $red } (красные) – { $blue } (синие)  { $terms }  { $state }

# Games that a player left. $count: games; $left: how long until they can be paired again.
conduct-none = За последние 24 часа вы не покинули ни одной партии.
conduct-left =
    { $count ->
        [one] За последние 24 часа вы покинули { $count } партию или не расставили в ней фигуры.
        [few] За последние 24 часа вы покинули { $count } партии или не расставили в них фигуры.
       *[many] За последние 24 часа вы покинули { $count } партий или не расставили в них фигуры.
    }
conduct-waiting = { conduct-left } Снова искать соперника можно через { $left }.
