### Players, terms, and what players say. The texts of ratings are in `en-more`.

# The names of players that are programs. $name.
player-bot = { $name } (bot)
player-house = { $name } (house)

column-rating = rating

# $ruleset, $time; $rated, $private and $secret: yes or no.
terms = { $ruleset }, { $time }{ $rated ->
        [yes] , rated
       *[no] {""}
    }{ $private ->
        [yes] , private
       *[no] {""}
    }{ $secret ->
        [yes] , deployments stay secret
       *[no] {""}
    }
time-unlimited = no clock

presence-present = present
presence-reconnecting = reconnecting
presence-away = away
presence-left = left

# Phrases that players can send without typing them. $phrase: the name of the phrase in the protocol.
phrase =
    { $phrase ->
        [hello] Hello!
        [good_luck] Good luck, have fun!
        [well_played] Well played!
        [thanks] Thank you!
        [sorry] Sorry!
        [away_for_a_moment] I have to be away for a moment.
        [good_game] Good game!
       *[other] { $phrase }
    }
