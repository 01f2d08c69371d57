### A ruleset in words. Each text is a paragraph or a title.

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

## The army

# $count: pieces of a side.
rules-army = The army: { $count } pieces a side, the strongest first
rules-note-flag = never moves; a side that loses it has lost
# $bombs: stay, or leave with their attacker.
rules-note-bomb =
    { $bombs ->
        [stay] never moves; beats every attacker but the Miner
       *[leave] never moves; takes every attacker along but the Miner
    }
rules-note-scout = moves any distance
rules-note-phoenix = moves any distance; its strike labels and takes nothing
# $squares: how far.
rules-note-flash = flashes up to { $squares } squares
rules-note-miner = removes Bombs
# $rank: the rank that a Spy beats.
rules-note-spy = beats the { rank } when it strikes first

## The board and the deployment

rules-deploy-all = Each side fills its home rows, unseen by the other.
rules-deploy-some = Each side puts its army on any of its home squares, unseen by the other; the rest stay empty.
rules-deploy-reserve = Each side fills its home rows with any of its pieces, the Flag among them, unseen by the other; the rest is its reserve.
rules-deploy-coins = There is no deployment: the game begins with a coin on every home square, and each side's army waits in its pool, where everyone sees it.
rules-joints = Edges join: the columns a b c g h i j n o p from row 10 to row 1, all rows but 5 and 6 from column p to column a. Squares on both sides of a joint are neighbors, and the lines of Scouts and Phoenixes run through.
rules-drawn-lakes = Two lakes of 2x2 squares lie in rows 5 and 6. Chance draws them for every game; they may touch, and never overlap. Both players see them before they deploy.

## Moving

# $afar: yes if a Scout may strike at the end of a long move; $chips: yes if the ruleset has chips.
rules-moves = Red begins. A turn is one move or strike with one piece: one square along a row or a column, never diagonally, never onto a lake or a piece of its own side. Flag and Bombs never move. { $afar ->
        [yes] A Scout goes any number of empty squares in a line and may strike at the end of it;
       *[no] A Scout goes any number of empty squares in a line, or strikes a neighboring square;
    } { $chips ->
        [yes] what a move proves about a piece is shown to everyone: its rank, or that it is one of a few.
       *[no] a move of more than one square shows everyone that the piece is a Scout.
    }

## Coins, reserve, labels, chips

rules-coins-text = A coin goes one square like a piece, and not even its owner knows what it is. A coin that goes several squares becomes a Scout of the pool at that moment, as long as there is one. When a coin is in a strike, its owner chooses which piece of the pool it is: never a Bomb or the Flag when it strikes or has moved before. If both are coins, both sides choose unseen, and the strike is resolved when both have chosen; both clocks run meanwhile. A choice is final. A coin stays what it has become, known to all. The Flag is captured when a struck coin must be the Flag.
rules-reserve-rule-text = At any time at least as many coins must stand unmoved as there are Bombs and Flag in the pool; a move that would break this is refused. A side without any other move forfeits the game.
rules-reserve-text = Instead of moving, a side may take one of its pieces off the board into its reserve (never the Flag), or bring one of its reserve onto an empty square of its home rows. The other side sees the square, but not the piece: what was known of a piece is lost when it is taken off. Captured pieces never come back.
rules-labels-text = A piece that beats a striking Scout is labeled: face up for the rest of the game, on the board and in reserve. So is a piece that the Phoenix strikes; nothing is taken then, and the Phoenix stays where it is. Any other piece that strikes a Phoenix takes it. When the Phoenix strikes the Flag, its side wins.
rules-chips-text = When a piece lands on a square, its owner lays a red, yellow, blue or green chip there, in place of the one that lay there: with a move, a strike that wins, or a piece brought on. A defender that wins and goes to its attacker's square lands as well; its owner names the color before anything else. Chips stay when pieces leave, and serve both sides.
rules-lines-text = Supply line: a movable piece goes any distance over empty squares that all have chips of the color of its own square. Shadowflash: a General up to 2, a Colonel up to 3, a Major up to 4 empty squares with chips of any color; every square it enters takes the color of the square it came from. Neither strikes at its end. The rule by which a piece moved is not shown.

## Striking

# $disclosure: both, or silent where a defender that wins stays hidden.
rules-disclosure =
    { $disclosure ->
        [both] A move onto an enemy piece is a strike; both ranks are shown to everyone.
       *[silent] A move onto an enemy piece is a strike; it shows the attacker to everyone. A defender that wins stays hidden, unless a Scout struck it; a captured piece is shown.
    }
# $ties: both, attacker or defender; $advances: yes if a defender that wins moves; $bombs: stay or leave.
rules-outcome = { $ties ->
        [both] The stronger piece stays, the weaker leaves; equals both leave.
        [attacker] The stronger piece stays, the weaker leaves; of equals the attacker stays.
       *[defender] The stronger piece stays, the weaker leaves; of equals the defender stays.
    } { $advances ->
        [yes] { $bombs ->
            [stay] The winner goes to the loser's square, attacker or defender; only a Bomb stays where it is.
           *[leave] The winner goes to the loser's square, attacker or defender.
        }
       *[no] A winning attacker goes to the square it struck.
    } { $bombs ->
        [stay] A Bomb beats all attackers but the Miner, which removes it.
       *[leave] A Bomb and its attacker both leave, unless the attacker is a Miner, which removes it and stays.
    }
# $rank: the rank that a Spy beats; $labels: yes if a Phoenix labels what it strikes.
rules-spy = { $labels ->
        [yes] The Spy beats the { rank } when the Spy strikes. Any other piece that strikes a Spy beats it, except the Phoenix, which labels it; two Spies are equals.
       *[no] The Spy beats the { rank } when the Spy strikes. Any other piece that strikes a Spy beats it; two Spies are equals.
    }

## Repetition

# $limit: how many times in a row.
rules-two-squares = Two squares: a piece may go back and forth between the same two squares { $limit } times in a row; then it must do something else, or another piece moves.
rules-no-two-squares = A piece may go back and forth as often as it likes.
rules-more-squares = More squares: a side that keeps chasing a piece may not bring back a position of that chase.

## The end

rules-illegal = A side that makes an illegal move, or submits an illegal deployment, loses at once; deployments are judged together, and two illegal ones are a draw.
# $blocked: yes if the game is a draw when neither side can move; no if a side without a piece to move loses.
rules-win =
    { $blocked ->
        [yes] Capturing the enemy Flag wins. A side that cannot move on its turn loses; if neither side could, the game is a draw. A side may resign, run out of time, or agree on a draw.
       *[no] Capturing the enemy Flag wins. A side with nothing but the Flag on the board, and nothing in reserve, loses. A side may resign, run out of time, or agree on a draw.
    }
# $quiet: moves without a capture; $notice: moves ahead; $plies: moves in all.
rules-quiet = After { $quiet } moves of both sides together without a capture the game is a draw, announced { $notice } moves ahead; in any case after { $plies } moves.
# $plies: moves in all.
rules-limit = After { $plies } moves the game is a draw.

## The rulesets: their titles, and a sentence about each

ruleset-title-classic = Classic
ruleset-title-tournament = Tournament
ruleset-title-barrage = Barrage
ruleset-title-pbm = Play by mail
ruleset-title-pbm-small = Play by mail, small
ruleset-title-original = Original
ruleset-title-silent-defense = Silent defense
ruleset-title-shadowflash-1 = Shadowflash, set 1
ruleset-title-shadowflash-2 = Shadowflash, sets 1 and 2
ruleset-title-shadowflash-3 = Shadowflash
ruleset-title-course = Course
ruleset-title-quantum = Quantum
# $title: of the ruleset that is changed.
ruleset-title-custom = { $title } (custom)

ruleset-summary-classic = The modern box rules: forty pieces a side, Scouts that strike from afar, the two-squares rule.
ruleset-summary-tournament = Classic, and no endless chases: the more-squares rule.
ruleset-summary-barrage = The short game: eight pieces a side anywhere on the home rows, tournament rules.
ruleset-summary-pbm = The play-by-mail server's rules: classic without any repetition rule.
ruleset-summary-pbm-small = Twenty-four pieces a side on 8x8, no Marshal: the Spy hunts the General.
ruleset-summary-original = The box of 1966: a Scout moves or strikes, the winner of a strike takes the loser's square, no two-squares rule.
ruleset-summary-silent-defense = Classic, but only the attacker shows itself: a defender that wins stays hidden, and of equals the attacker wins.
ruleset-summary-shadowflash-1 = Three armies a side on 16x10, half of them in reserve: a turn may also take a piece off the board or bring one on.
ruleset-summary-shadowflash-2 = Set 1, and what is known: labels, a Phoenix a side, a chip on every square a piece lands on, edges that join.
ruleset-summary-shadowflash-3 = Sets 1 and 2, and what chips are for: supply lines of one color, and flashes of General, Colonel and Major.
ruleset-summary-course = The umpire's rules: lakes by chance, Bombs that take their attacker along, and a side that breaks a rule has lost.
ruleset-summary-quantum = Classic without deployments: forty coins a side, each of which becomes a piece of its pool when a strike asks what it is.
# $title: of the ruleset that is changed; $changes: a list of the texts below.
ruleset-summary-custom = { $title }, changed: { $changes }.

## Rules that a custom game can change: option and value

rule-ties-both = equals both leave
rule-ties-attacker = of equals the attacker stays
rule-ties-defender = of equals the defender stays
rule-disclosure-both = a strike shows both ranks
rule-disclosure-silent = a defender that wins stays hidden, unless a Scout struck it
rule-bombs-stay = a Bomb outlasts its attackers
rule-bombs-leave = a Bomb leaves with its attacker
rule-scout-strike-far = a Scout may strike at the end of a long move
rule-scout-strike-near = a Scout strikes neighboring squares only
rule-winner-attacker = a defender that wins stays where it is
rule-winner-any = a defender that wins takes its attacker's square
rule-two-squares-off = no two-squares rule
rule-two-squares-3 = two squares: three times in a row
rule-two-squares-5 = two squares: five times in a row
rule-more-squares-off = no more-squares rule
rule-more-squares-on = the more-squares rule
rule-quiet-off = no draw for want of captures
rule-quiet-100 = a draw after 100 plies without a capture
rule-quiet-200 = a draw after 200 plies without a capture
rule-quiet-400 = a draw after 400 plies without a capture
rule-quiet-600 = a draw after 600 plies without a capture
rule-islands-mirrored = islands on d-f and k-m
rule-islands-printed = islands on c-e and k-m
