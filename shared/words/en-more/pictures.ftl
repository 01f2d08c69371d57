### Captions of the pictures that explain a ruleset.

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
picture-joint = Column a joins its ends: the pieces on a10 and a1 are neighbors. So do b c g h i j n o p, and all rows but 5 and 6.
picture-flash = A Major on a red chip flashes four squares over chips of any color: they turn red.
