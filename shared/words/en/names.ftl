### Names of sides, ranks, colors and amounts that other texts refer to.

# $side: red or blue.
side =
    { $side ->
        [red] Red
       *[blue] Blue
    }

# $rank: a rank's name in the protocol; coin; hidden; anything else is shown as it is.
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

# As rank, for the piece that strikes. $attacker.
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

# As rank, for the piece that is struck. $defender.
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

# A rank with its figure. $rank, $figure.
rank-figure = { rank } ({ $figure })
# Pieces of one rank in a list. $count, $rank.
rank-count = { $count } { rank }
rank-count-labeled = { $count } { rank } labeled
# One of two; longer lists are built from the left. $first, $last.
list-or = { $first } or { $last }

# $color: of a chip.
color =
    { $color ->
        [red] red
        [yellow] yellow
        [blue] blue
       *[green] green
    }

# $seconds: how long.
duration-seconds =
    { $seconds ->
        [one] 1 second
       *[other] { $seconds } seconds
    }
# $minutes: how long.
duration-minutes =
    { $minutes ->
        [one] 1 minute
       *[other] { $minutes } minutes
    }
# $hours: how long.
duration-hours =
    { $hours ->
        [one] 1 hour
       *[other] { $hours } hours
    }
# $days and $hours: a remaining time of days, short.
duration-days = { $days }d { $hours }h
