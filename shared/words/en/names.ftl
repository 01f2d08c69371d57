### Sides, ranks, colors and durations, which other texts refer to.

# $side: red or blue.
side =
    { $side ->
        [red] Red
       *[blue] Blue
    }

# $rank: the name of a rank in the protocol, coin, or hidden. Any other value is shown unchanged.
rank =
    { $rank ->
        [flag] Flag
        [bomb] Bomb
        [spy] Spy
        [scout] Scout
        [miner] Miner
        [sergeant] Sergeant
        [lieutenant] Lieutenant
        [captain] Captain
        [major] Major
        [colonel] Colonel
        [general] General
        [marshal] Marshal
        [phoenix] Phoenix
        [coin] coin
        [hidden] hidden piece
       *[other] { $rank }
    }

# The same for the piece that strikes. $attacker: as $rank.
attacker =
    { $attacker ->
        [flag] Flag
        [bomb] Bomb
        [spy] Spy
        [scout] Scout
        [miner] Miner
        [sergeant] Sergeant
        [lieutenant] Lieutenant
        [captain] Captain
        [major] Major
        [colonel] Colonel
        [general] General
        [marshal] Marshal
        [phoenix] Phoenix
        [coin] coin
        [hidden] hidden piece
       *[other] { $attacker }
    }

# The same for the piece that is struck. $defender: as $rank.
defender =
    { $defender ->
        [flag] Flag
        [bomb] Bomb
        [spy] Spy
        [scout] Scout
        [miner] Miner
        [sergeant] Sergeant
        [lieutenant] Lieutenant
        [captain] Captain
        [major] Major
        [colonel] Colonel
        [general] General
        [marshal] Marshal
        [phoenix] Phoenix
        [coin] coin
        [hidden] hidden piece
       *[other] { $defender }
    }

# A rank with the figure on its pieces. $rank, $figure.
rank-figure = { rank } ({ $figure })
# Pieces of one rank in a list. $count, $rank.
rank-count = { $count } { rank }
rank-count-labeled = { $count } labeled { rank }
# Alternatives. $first: the first one, or the list so far; $last: one more.
list-or = { $first } or { $last }

# $color: of a chip.
color =
    { $color ->
        [red] red
        [yellow] yellow
        [blue] blue
       *[green] green
    }

# $seconds: a number.
duration-seconds =
    { $seconds ->
        [one] 1 second
       *[other] { $seconds } seconds
    }
# $minutes: a number.
duration-minutes =
    { $minutes ->
        [one] 1 minute
       *[other] { $minutes } minutes
    }
# $hours: a number.
duration-hours =
    { $hours ->
        [one] 1 hour
       *[other] { $hours } hours
    }
# A long remaining time in short form. $days, $hours.
duration-days = { $days }d { $hours }h
