### The rulesets, as `flagfall rules` explains them.

rulesets = The rulesets (flagfall rules ID explains one):
# $title; $id: of a ruleset.
rules-title = { $title } ({ $id })
# $columns, $rows; $lakes: yes if the board has lakes, which are drawn as ~.
rules-board =
    { $lakes ->
        [yes] The board: { $columns } columns, { $rows } rows; r and b are the home rows, ~ is lake
       *[no] The board: { $columns } columns, { $rows } rows; r and b are the home rows
    }
rules-illegal-here = This program asks again before it sends an illegal move, and submits no illegal deployment.
rules-custom = Custom games
rules-custom-none = No rule can be changed.
# $example: a ruleset with a change.
rules-custom-some = Casual games can change single rules, each by its name: flagfall play --rules { $example }
rules-custom-mark = * as it is here
