### The rulesets, as `flagfall rules` explains them.

rulesets = The rulesets (flagfall rules ID explains one):
# $title; $id: of a ruleset.
rules-title = { $title } ({ $id })
# $columns, $rows; $lakes: yes if the board has lakes, which are drawn as ~.
rules-board =
    { $lakes ->
        [yes] The board: { $columns } columns, { $rows } rows; r and b are home rows, ~ is a lake
       *[no] The board: { $columns } columns, { $rows } rows; r and b are home rows
    }
rules-illegal-here = This program asks you before it sends an illegal move, and it does not submit an illegal deployment.
# $example: a ruleset with a change.
rules-custom-some = In casual games you can change individual rules by name: flagfall play --rules { $example }
rules-custom-mark = * the value in this ruleset
