### Sides, ranks, colors and durations, which other texts refer to.

# $side: red or blue. A plural, as in «Красные ходят».
side =
    { $side ->
        [red] Красные
       *[blue] Синие
    }

# $rank: the name of a rank in the protocol, coin, or hidden. Any other value is shown unchanged.
rank =
    { $rank ->
        [flag] Флаг
        [bomb] Бомба
        [spy] Шпион
        [scout] Разведчик
        [miner] Сапёр
        [sergeant] Сержант
        [lieutenant] Лейтенант
        [captain] Капитан
        [major] Майор
        [colonel] Полковник
        [general] Генерал
        [marshal] Маршал
        [phoenix] Феникс
        [coin] монета
        [hidden] скрытая фигура
       *[other] { $rank }
    }

# The piece that strikes, in the nominative and at the start of a sentence. $attacker: as $rank.
attacker =
    { $attacker ->
        [flag] Флаг
        [bomb] Бомба
        [spy] Шпион
        [scout] Разведчик
        [miner] Сапёр
        [sergeant] Сержант
        [lieutenant] Лейтенант
        [captain] Капитан
        [major] Майор
        [colonel] Полковник
        [general] Генерал
        [marshal] Маршал
        [phoenix] Феникс
        [coin] Монета
        [hidden] Скрытая фигура
       *[other] { $attacker }
    }

# The piece that is struck, in the accusative. $defender: as $rank.
defender =
    { $defender ->
        [flag] Флаг
        [bomb] Бомбу
        [spy] Шпиона
        [scout] Разведчика
        [miner] Сапёра
        [sergeant] Сержанта
        [lieutenant] Лейтенанта
        [captain] Капитана
        [major] Майора
        [colonel] Полковника
        [general] Генерала
        [marshal] Маршала
        [phoenix] Феникса
        [coin] монету
        [hidden] скрытую фигуру
       *[other] { $defender }
    }

# A rank with the figure on its pieces. $rank, $figure.
rank-figure = { rank } ({ $figure })
# Pieces of one rank in a list. $count, $rank.
rank-count = { rank } × { $count }
rank-count-labeled = { rank } с меткой × { $count }
# Alternatives. $first: the first one, or the list so far; $last: one more.
list-or = { $first } или { $last }

# $color: of a chip (фишка), in the nominative.
color =
    { $color ->
        [red] красная
        [yellow] жёлтая
        [blue] синяя
       *[green] зелёная
    }

# Durations are in the accusative, as in «через 1 секунду».
# $seconds: a number.
duration-seconds =
    { $seconds ->
        [one] { $seconds } секунду
        [few] { $seconds } секунды
       *[many] { $seconds } секунд
    }
# $minutes: a number.
duration-minutes =
    { $minutes ->
        [one] { $minutes } минуту
        [few] { $minutes } минуты
       *[many] { $minutes } минут
    }
# $hours: a number.
duration-hours =
    { $hours ->
        [one] { $hours } час
        [few] { $hours } часа
       *[many] { $hours } часов
    }
# A long remaining time in short form. $days, $hours.
duration-days = { $days } д { $hours } ч
