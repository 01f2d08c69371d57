### Mails of the server, and the pages to which their links lead.

# $host: the server's address.
mail-confirm-subject = Подтвердите адрес для { $host }
# $name: the account; $host: the server's address.
mail-confirm-text = Кто-то (надеемся, вы) попросил { $host } присылать на этот адрес письмо, когда в партии по переписке наступает ход игрока { $name }. Если вы согласны, в течение 24 часов откройте ссылку и подтвердите адрес:
mail-confirm-link = Подтвердить адрес
mail-confirm-other = Если это были не вы, ничего не делайте: писем больше не будет, пока кто-нибудь не попросит снова.

# $opponent: a player; $ruleset: the title of a ruleset.
mail-turn-subject = Ваш ход против { $opponent }: { $ruleset }
# $count: games.
mail-turns-subject =
    { $count ->
        [one] Ваш ход в { $count } партии
        [few] Ваш ход в { $count } партиях
       *[many] Ваш ход в { $count } партиях
    }
# $name: the account.
mail-turns-hello = { $name }, ваш ход:
# $opponent: a player; $ruleset: the title of a ruleset.
mail-turn = { $ruleset }, соперник { $opponent }: ваш ход.
mail-turn-deploy = { $ruleset }, соперник { $opponent }: расставьте армию.
# $days, $hours: the time left; $until: when the time is over, in UTC.
mail-turn-left =
    { $days ->
        [0] Осталось: { $hours ->
            [0] меньше часа
            [one] { $hours } час
            [few] { $hours } часа
           *[many] { $hours } часов
        }, до { $until }.
        [one] Осталось: { $days } день { $hours } ч, до { $until }.
        [few] Осталось: { $days } дня { $hours } ч, до { $until }.
       *[many] Осталось: { $days } дней { $hours } ч, до { $until }.
    }
mail-turn-link = Открыть партию
# $name: the account; $host: the server's address.
mail-turns-foot = Вы получили это письмо, потому что этот адрес подтверждён для игрока { $name } на { $host }.
mail-unsubscribe-link = Больше не присылать писем на этот адрес

## Pages

mail-page-confirm = Подтверждение адреса
# $name: the account; $address: an address.
mail-page-confirm-text = Присылать на { $address } письмо, когда в партии по переписке наступает ход игрока { $name }?
mail-page-confirm-do = Да, присылать
mail-page-confirmed = Адрес подтверждён
# $name: the account; $address: an address.
mail-page-confirmed-text = На { $address } придёт письмо, когда наступит ход игрока { $name }, не чаще раза в десять минут. В каждом письме есть ссылка, чтобы отказаться.
mail-page-unsubscribe = Отказ от писем
# $name: the account; $address: an address.
mail-page-unsubscribe-text = На { $address } приходят письма о ходах игрока { $name }. Больше не присылать их и удалить адрес с сервера?
mail-page-unsubscribe-do = Да, не присылать
mail-page-unsubscribed = Писем больше не будет
mail-page-unsubscribed-text = Адрес удалён с сервера. В учётной записи его можно указать снова в любое время.
mail-page-gone = Ссылка больше не действует
mail-page-gone-text = Ею уже воспользовались, она устарела, или адрес изменён либо удалён. Если письма всё ещё приходят, воспользуйтесь ссылкой из последнего письма.
mail-page-home = На главную страницу
