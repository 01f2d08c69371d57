### The names of rulesets, and of the rules that a custom game can change.

## The rulesets: a title and a short description of each

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

ruleset-summary-classic = The rules of modern boxes: forty pieces a side, Scouts that strike from afar, and the two-squares rule.
ruleset-summary-tournament = Classic with the more-squares rule, which forbids endless chases.
ruleset-summary-barrage = A short game with the tournament rules and eight pieces a side, anywhere on the home rows.
ruleset-summary-pbm = The rules of the play-by-mail server: Classic without any repetition rule.
ruleset-summary-pbm-small = Play by mail with twenty-four pieces a side on a board of 8×8. There is no Marshal, so the Spy beats the General.
ruleset-summary-original = The rules of the 1966 box: a Scout can move far but only strike near, the winner of a strike takes the loser's square, and there is no two-squares rule.
ruleset-summary-silent-defense = Classic, but a defender that wins stays hidden, and the attacker wins if the ranks are equal.
ruleset-summary-shadowflash-1 = Three armies a side on a board of 16×10, half of the pieces in reserve. A turn may also take a piece off the board or place one on it.
ruleset-summary-shadowflash-2 = Set 1 with labels, a Phoenix for each side, a chip on every square where a piece lands, and joined edges.
ruleset-summary-shadowflash-3 = Combines sets 1 and 2, with long moves over chips: supply lines of one color, and flashes of the General, Colonel and Major.
ruleset-summary-course = The umpire's rules: lakes are placed at random, a Bomb leaves with its attacker, and a side that breaks a rule loses.
ruleset-summary-quantum = Classic without deployments: each side has forty coins, and a coin becomes a piece from the side's pool when it strikes or is struck.
# $title: of the ruleset that is changed; $changes: a list of the texts below.
ruleset-summary-custom = { $title }, changed: { $changes }.

## Rules that a custom game can change. An id is `rule-`, the option and the value.

rule-ties-both = if the ranks are equal, both pieces leave
rule-ties-attacker = if the ranks are equal, the attacker stays
rule-ties-defender = if the ranks are equal, the defender stays
rule-disclosure-both = a strike shows both ranks
rule-disclosure-silent = a defender that wins stays hidden, unless a Scout struck it
rule-bombs-stay = a Bomb stays after it beats an attacker
rule-bombs-leave = a Bomb leaves with its attacker
rule-scout-strike-far = a Scout may strike at the end of a long move
rule-scout-strike-near = a Scout can only strike neighboring squares
rule-winner-attacker = a defender that wins stays where it is
rule-winner-any = a defender that wins takes its attacker's square
rule-two-squares-off = no two-squares rule
rule-two-squares-3 = back and forth at most three times in a row
rule-two-squares-5 = back and forth at most five times in a row
rule-more-squares-off = no more-squares rule
rule-more-squares-on = a chase must not repeat a position
rule-quiet-off = no draw for lack of captures
rule-quiet-100 = a draw after 100 plies without a capture
rule-quiet-200 = a draw after 200 plies without a capture
rule-quiet-400 = a draw after 400 plies without a capture
rule-quiet-600 = a draw after 600 plies without a capture
rule-islands-mirrored = islands on d-f and k-m
rule-islands-printed = islands on c-e and k-m
