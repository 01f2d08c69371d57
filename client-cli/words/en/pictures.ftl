### Captions of the pictures that explain a ruleset.

pictures = Pictures
pictures-legend = /5\ is Red's, [5] is Blue's, [#] is hidden
picture-scout-strikes = Where a Scout may go (+) and strike (x), any distance away.
picture-scout-goes = Where a Scout may go (+). It can only strike a piece that stands next to it.
# $attacker, $defender: ranks; $advances, $hidden: yes or no.
picture-strong =
    { $hidden ->
        [yes] { $advances ->
            [yes] { strike-of }, as Red sees it: the winner takes its square, and stays hidden.
           *[no] { strike-of }, as Red sees it: the winner stays, and stays hidden.
        }
       *[no] { $advances ->
            [yes] { strike-of }: the stronger piece wins and takes its square.
           *[no] { strike-of }: the stronger piece stays, known to all.
        }
    }
# $attacker, $defender: ranks.
strike-of = A { attacker } strikes a { defender }
# $attacker: a rank.
picture-bomb-stays = A { attacker } strikes a Bomb: the Bomb stays.
picture-bomb-leaves = A { attacker } strikes a Bomb: both are lost.
picture-tie-both = A { attacker } strikes a { attacker }: both are lost.
picture-tie-attacker = A { attacker } strikes a { attacker }: the attacker wins.
# $attacker: a rank; $advances, $hidden: yes or no.
picture-tie-defender =
    { $hidden ->
        [yes] { $advances ->
            [yes] A { attacker } strikes a { attacker }: the defender wins. As Red sees it, the winner takes the attacker's square, and stays hidden.
           *[no] A { attacker } strikes a { attacker }: the defender wins. As Red sees it, the winner stays hidden.
        }
       *[no] { $advances ->
            [yes] A { attacker } strikes a { attacker }: the defender wins and takes the attacker's square.
           *[no] A { attacker } strikes a { attacker }: the defender wins.
        }
    }
# $limit: how often.
picture-two-squares = A piece that went back and forth over one border { $limit } times in a row cannot cross it the next time.
picture-coin-one = A coin goes one square: it has moved now ('), and is neither Bomb nor Flag.
picture-coin-far = A coin goes several squares: it becomes a Scout of the pool, known to all.
picture-coin-strike = A coin strikes a coin: both sides choose in secret, then both coins are known.
picture-coin-resolved = The Captain and the Major that they chose fight like any other pieces.
picture-coin-reserve = One Bomb and the Flag are left in the pool: neither of the last two unmoved coins can move.
# $chips: yes or no.
picture-exchange =
    { $chips ->
        [yes] Blue takes a Miner off the board, and on another turn brings a Major on (and lays a chip). Red sees that a piece left and that one came.
       *[no] Blue takes a Miner off the board, and on another turn brings a Major on. Red sees that a piece left and that one came.
    }
picture-label = A Scout strikes and loses: the piece that beat it is labeled (^), face up wherever it goes. (A winner takes the loser's square.)
picture-joint = Column a joins its ends: the pieces on a10 and a1 are neighbors. So do b c g h i j n o p, and all rows but 5 and 6.
picture-joint-between = a2 to a9
picture-joint-strike = may strike a10
picture-supply-line = A Captain on a red chip (r) may go to any square marked =, along chips of that color.
picture-flash = A Major on a red chip flashes four squares over chips of any color: they turn red.
