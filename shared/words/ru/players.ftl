### Players, terms, and what players say. The texts of ratings are in `ru-more`.

# The names of players that are programs. $name.
player-bot = { $name } (бот)
player-house = { $name } (сервер)

column-rating = рейтинг

# $ruleset, $time; $rated, $private and $secret: yes or no.
terms = { $ruleset }, { $time }{ $rated ->
        [yes] , рейтинговая
       *[no] {""}
    }{ $private ->
        [yes] , закрытая
       *[no] {""}
    }{ $secret ->
        [yes] , расстановки остаются в тайне
       *[no] {""}
    }
time-unlimited = без часов

presence-present = на связи
presence-reconnecting = подключается
presence-away = не на связи
presence-left = нет в партии

# Phrases that players can send without typing them. $phrase: the name of the phrase in the protocol.
phrase =
    { $phrase ->
        [hello] Привет!
        [good_luck] Удачи и хорошей игры!
        [well_played] Отлично сыграно!
        [thanks] Спасибо!
        [sorry] Извините!
        [away_for_a_moment] Мне нужно ненадолго отойти.
        [good_game] Хорошая партия!
       *[other] { $phrase }
    }
