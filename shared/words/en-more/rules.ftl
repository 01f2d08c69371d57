### The description of a ruleset. Each text is a title, a paragraph or a note.

rules-moving = Moving
rules-striking = Striking
rules-repetition = Repetition
rules-end = The end
rules-coins = Coins
rules-reserve-rule = The reserve rule
rules-reserve = The reserve
rules-labels = Labels
rules-chips = Chips
rules-lines = Lines of chips
rules-changes = Custom games
rules-changes-none = No rule of this ruleset can be changed.

## The army

# $count: pieces of a side.
rules-army = The army: { $count } pieces a side, the strongest first
rules-note-flag = never moves; a side that loses its Flag loses the game
# $bombs: stay, or leave (with their attacker).
rules-note-bomb =
    { $bombs ->
        [stay] never moves; beats every attacker except the Miner
       *[leave] never moves; leaves with any attacker except the Miner
    }
rules-note-scout = moves any distance
rules-note-phoenix = moves any distance; labels the pieces that it strikes
# $squares: how far.
rules-note-flash = flashes up to { $squares } squares
rules-note-miner = removes Bombs
# $rank: the rank that a Spy beats.
rules-note-spy = beats the { rank } when the Spy strikes first

## The board and the deployment

rules-deploy-all = Each side fills its home rows with its army. The other side does not see the ranks.
rules-deploy-some = Each side places its army on any of its home squares and leaves the others empty. The other side does not see the ranks.
rules-deploy-reserve = Each side fills its home rows with any of its pieces, including the Flag. The other side does not see the ranks. The remaining pieces are the side's reserve.
rules-deploy-coins = There is no deployment. The game begins with a coin on every home square. Each side's army is in its pool, which everyone can see.
rules-joints = Some edges of the board are joined. In the columns a b c g h i j n o p, row 10 is joined to row 1. In all rows except 5 and 6, column p is joined to column a. Squares on both sides of a joint are neighbors, and Scouts and Phoenixes can move through it.
rules-drawn-lakes = Two lakes of 2×2 squares lie in rows 5 and 6. Their places are drawn at random for every game. They may touch but never overlap. Both players see them before they deploy.

## Moving

# $afar: yes if a Scout may strike at the end of a long move; $chips: yes if the ruleset has chips, where a
# move can also prove that a piece has one of several ranks.
rules-moves = Red begins. In each turn, a side moves or strikes with one piece. The piece goes one square along a row or a column, never diagonally, and never onto a lake or another piece of its own side. The Flag and Bombs never move. { $afar ->
        [yes] A Scout may cross any number of empty squares in a line and strike at the end of the line.
       *[no] A Scout may move any number of empty squares in a line, but can only strike a neighboring square.
    } { $chips ->
        [yes] If a move proves that a piece has a certain rank or one of a few ranks, everyone sees this.
       *[no] A move of more than one square shows everyone that the piece is a Scout.
    }

## Coins, reserve, labels, chips

rules-coins-text = A coin is a piece that has no rank yet. It can move one square. A coin that moves several squares becomes a Scout, as long as its pool has one. When a coin strikes or is struck, its owner chooses a piece from the pool for it. A coin that strikes or that has moved before cannot become a Bomb or the Flag. If both pieces are coins, each side chooses without seeing the other side's choice, and both clocks run until both have chosen. Then the strike is resolved. A choice is final: the coin keeps its rank, and everyone sees the rank. If a struck coin can only be the Flag, the Flag is captured.
rules-reserve-rule-text = Each side must always keep at least as many unmoved coins as there are Bombs and Flags in its pool. A move that would break this rule is refused. A side that has no other move loses the game.
rules-reserve-text = Instead of moving, a side may take one of its pieces, except the Flag, off the board into its reserve. It may also place a piece from its reserve on an empty square of its home rows. The other side sees the square but not the rank, even if the rank was known before. Captured pieces never come back.
rules-labels-text = A piece that beats a striking Scout is labeled, so everyone sees its rank for the rest of the game, on the board and in the reserve. A piece that a Phoenix strikes is labeled too. Such a strike captures nothing, and the Phoenix stays where it is. Any other piece that strikes a Phoenix captures it. A side whose Phoenix strikes the enemy Flag wins.
rules-chips-text = When a piece lands on a square, its owner lays a red, yellow, blue or green chip there, which replaces any earlier chip. A piece lands when it moves, wins a strike, or comes from the reserve. A defender that wins and goes to its attacker's square lands there too, and its owner must name the color before the game goes on. Chips stay when pieces leave, and both sides can use them.
rules-lines-text = Supply line: a movable piece can move any distance over empty squares whose chips all have the color of the chip on its own square. Shadowflash: a General can move up to 2, a Colonel up to 3, and a Major up to 4 empty squares with chips of any color. Each square that the piece enters takes the color of the square from which the move began. A piece cannot strike at the end of a supply line or a shadowflash. The players do not see by which rule a piece moved.

## Striking

# $disclosure: both, or silent if a defender that wins stays hidden.
rules-disclosure =
    { $disclosure ->
        [both] A move onto an enemy piece is a strike. Everyone then sees both ranks.
       *[silent] A move onto an enemy piece is a strike. Everyone then sees the rank of the attacker and of any captured piece. A defender that wins stays hidden, unless a Scout struck it.
    }
# $ties: both, attacker or defender; $advances: yes if a defender that wins moves; $bombs: stay or leave.
rules-outcome = { $ties ->
        [both] The stronger piece stays, and the weaker one leaves. If the ranks are equal, both pieces leave.
        [attacker] The stronger piece stays, and the weaker one leaves. If the ranks are equal, the attacker stays.
       *[defender] The stronger piece stays, and the weaker one leaves. If the ranks are equal, the defender stays.
    } { $advances ->
        [yes] { $bombs ->
            [stay] The winner goes to the loser's square, whether it is the attacker or the defender. Only a Bomb stays where it is.
           *[leave] The winner goes to the loser's square, whether it is the attacker or the defender.
        }
       *[no] A winning attacker goes to the square it struck.
    } { $bombs ->
        [stay] A Bomb beats every attacker except the Miner, which removes the Bomb.
       *[leave] A Bomb and its attacker both leave, unless the attacker is a Miner, which removes the Bomb and stays.
    }
# $rank: the rank that a Spy beats; $labels: yes if a Phoenix labels what it strikes.
rules-spy = { $labels ->
        [yes] The Spy beats the { rank } when the Spy strikes. Every piece that strikes a Spy beats it, except the Phoenix, which labels it, and another Spy, which is its equal.
       *[no] The Spy beats the { rank } when the Spy strikes. Every piece that strikes a Spy beats it, except another Spy, which is its equal.
    }

## Repetition

# $limit: how many times in a row.
rules-two-squares = Two-squares rule: a piece may go back and forth between the same two squares { $limit } times in a row. After that, it must go elsewhere, or another piece must move.
rules-no-two-squares = A piece may go back and forth as often as it likes.
rules-more-squares = More-squares rule: a side that keeps chasing a piece must not repeat a position from that chase.

## The end

rules-illegal = A side that makes an illegal move or submits an illegal deployment loses at once. Both deployments are judged together, so the game is a draw if both are illegal.
# $blocked: yes if the game is a draw when neither side can move; no if a side without a piece that can move
# loses in any case.
rules-win =
    { $blocked ->
        [yes] A side wins when it captures the enemy Flag. A side that cannot move on its turn loses, but if neither side can move, the game is a draw. A side also loses when it resigns or runs out of time. Both sides may agree on a draw.
       *[no] A side wins when it captures the enemy Flag. A side that has only its Flag on the board and no reserve loses. A side also loses when it resigns or runs out of time. Both sides may agree on a draw.
    }
# $quiet: moves without a capture; $notice: how many moves before the draw it is announced; $plies: moves in all.
rules-quiet = The game is a draw after { $quiet } moves without a capture, counting the moves of both sides. This is announced { $notice } moves in advance. The game is also a draw after { $plies } moves in all.
# $plies: moves in all.
rules-limit = The game is a draw after { $plies } moves in all.
