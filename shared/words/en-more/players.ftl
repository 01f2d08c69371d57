### Profiles, ratings, and games that a player left.

# $name, $kind: guest, account, bot or house; $since: a date.
profile =
    { $kind ->
        [guest] { $name }, a guest, here since { $since }.
        [account] { $name }, a player, here since { $since }.
        [bot] { $name }, a bot (played by a program), here since { $since }.
       *[house] { $name }, a house player, here since { $since }.
    }
column-ruleset = ruleset
column-speed = speed
column-games = games
column-last = last
column-name = name

# $ruleset, $speed; $bots: yes or no.
leaderboard =
    { $bots ->
        [yes] { $ruleset }, { $speed }, bots
       *[no] { $ruleset }, { $speed }, players
    }

# A range of ratings. $range: both if it has two limits, otherwise min or max; $min, $max: the limits.
rating-range =
    { $range ->
        [both] { $min } to { $max }
        [min] { $min } or higher
       *[max] { $max } or lower
    }

# $ply; $side: the one whose turn it is.
state-playing = ply { $ply }, { side } to move
state-deploying = deploying

# $game, $red, $blue: names; $terms; $state.
summary = { $game }  { $red } (Red) - { $blue } (Blue)  { $terms }  { $state }

# Games that a player left. $count: games; $left: how long until they can be paired again.
conduct-none = You have not left any game in the last 24 hours.
conduct-left =
    { $count ->
        [one] In the last 24 hours, you left 1 game or did not deploy in it.
       *[other] In the last 24 hours, you left { $count } games or did not deploy in them.
    }
conduct-waiting = { conduct-left } You can be paired again in { $left }.
