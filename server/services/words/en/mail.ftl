### Mails of the server, and the pages to which their links lead.

# $host: the server's address.
mail-confirm-subject = Confirm your address for { $host }
# $name: the account; $host: the server's address.
mail-confirm-text = Someone, hopefully you, has asked { $host } to send a mail to this address whenever it is the turn of { $name } in a game with days per move. To agree, open this link within 24 hours and confirm:
mail-confirm-link = Confirm the address
mail-confirm-other = If this was not you, ignore this message. You will get no more mail from us unless someone makes this request again.

# $opponent: a player; $ruleset: the title of a ruleset.
mail-turn-subject = Your turn against { $opponent }: { $ruleset }
# $count: games.
mail-turns-subject =
    { $count ->
        [one] Your turn in 1 game
       *[other] Your turn in { $count } games
    }
# $name: the account.
mail-turns-hello = { $name }, it is your turn:
# $opponent: a player; $ruleset: the title of a ruleset.
mail-turn = { $ruleset } against { $opponent }: your move.
mail-turn-deploy = { $ruleset } against { $opponent }: deploy your army.
# $days, $hours: the time left; $until: when the time is over, in UTC.
mail-turn-left =
    { $days ->
        [0] Time left: { $hours ->
            [0] less than an hour
            [one] 1 hour
           *[other] { $hours } hours
        }, until { $until }.
        [one] Time left: 1 day { $hours } h, until { $until }.
       *[other] Time left: { $days } days { $hours } h, until { $until }.
    }
mail-turn-link = Open the game
# $name: the account; $host: the server's address.
mail-turns-foot = You get this mail because { $name } on { $host } has confirmed this address.
mail-unsubscribe-link = No more mail to this address

## Pages

mail-page-confirm = Confirm the address
# $name: the account; $address: an address.
mail-page-confirm-text = Should { $address } get a mail whenever it is the turn of { $name } in a game with days per move?
mail-page-confirm-do = Yes, send these mails
mail-page-confirmed = The address is confirmed
# $name: the account; $address: an address.
mail-page-confirmed-text = { $address } gets a mail when it is the turn of { $name }, at most one in ten minutes. Each mail has a link that ends this.
mail-page-unsubscribe = End these mails
# $name: the account; $address: an address.
mail-page-unsubscribe-text = { $address } gets mails about the turns of { $name }. Should they end, and should the address be deleted here?
mail-page-unsubscribe-do = Yes, end them
mail-page-unsubscribed = No more mail comes
mail-page-unsubscribed-text = The address is deleted here. The account can set it again at any time.
mail-page-gone = This link is not valid any more
mail-page-gone-text = It was used already, or it is too old, or the address was changed or removed. If mail still arrives, use the link in the latest mail.
mail-page-home = To the start page
