### The rulesets, as `flagfall rules` explains them.

rulesets = Варианты правил (подробно об одном из них: flagfall rules ID):
# $title; $id: of a ruleset.
rules-title = { $title } ({ $id })
# $columns, $rows; $lakes: yes if the board has lakes, which are drawn as ~.
rules-board =
    { $lakes ->
        [yes] Доска: столбцов { $columns }, рядов { $rows }; r и b – домашние ряды, ~ – озеро
       *[no] Доска: столбцов { $columns }, рядов { $rows }; r и b – домашние ряды
    }
rules-illegal-here = Эта программа переспрашивает, прежде чем сделать запрещённый ход, и не отправляет запрещённую расстановку.
# $example: a ruleset with a change.
rules-custom-some = В товарищеских партиях можно менять отдельные правила по названиям: flagfall play --rules { $example }
rules-custom-mark = * значение в этих правилах
