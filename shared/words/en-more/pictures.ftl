### Captions of the pictures that explain a ruleset.

# $attacker, $defender: ranks; $advances, $hidden: yes or no.
picture-strong =
    { $hidden ->
        [yes] { $advances ->
            [yes] { strike-of }, as Red sees it: the winner takes the loser's square and stays hidden.
           *[no] { strike-of }, as Red sees it: the winner stays on its square and remains hidden.
        }
       *[no] { $advances ->
            [yes] { strike-of }: the stronger piece wins and takes the loser's square.
           *[no] { strike-of }: the stronger piece stays, and everyone knows its rank.
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
            [yes] A { attacker } strikes a { attacker }: the defender wins. As Red sees it, the winner takes the attacker's square and stays hidden.
           *[no] A { attacker } strikes a { attacker }: the defender wins. As Red sees it, the winner stays hidden.
        }
       *[no] { $advances ->
            [yes] A { attacker } strikes a { attacker }: the defender wins and takes the attacker's square.
           *[no] A { attacker } strikes a { attacker }: the defender wins.
        }
    }
# $limit: how often.
picture-two-squares = A piece that crossed the border between two squares { $limit } times in a row must not cross it again on the next turn.
picture-coin-far = A coin moves several squares, so it becomes a Scout from the pool, and everyone sees this.
picture-coin-strike = A coin strikes a coin. Both sides choose in secret, and then everyone sees both ranks.
picture-coin-resolved = The sides chose a Captain and a Major. The strike is then resolved like any other strike.
picture-coin-reserve = One Bomb and the Flag are left in the pool, so the last two unmoved coins must not move.
# $chips: yes or no.
picture-exchange =
    { $chips ->
        [yes] Blue takes a Miner off the board, and on a later turn places a Major (and lays a chip). Red sees that a piece left and that a piece came, but not which ones.
       *[no] Blue takes a Miner off the board, and on a later turn places a Major. Red sees that a piece left and that a piece came, but not which ones.
    }
picture-joint = The ends of column a are joined, so the pieces on a10 and a1 are neighbors. The ends of the columns b c g h i j n o p and of all rows except 5 and 6 are joined too.
picture-flash = A Major on a red chip flashes four squares over chips of any color. These chips turn red.
