### Rules, deployments, profiles, leaderboards, own games and the account.

not-loaded = This could not be loaded
unreachable = The server does not answer. The page asks it again in a moment.
try-again = Try again

## Rules

rules-page-title = Rules
rules-page-lead = Every game here hides its pieces. What they may do differs.
rules-all = All rules
rules-unknown = There are no such rules here
rules-unknown-text = The link may come from another server.
rules-play = Play
rules-deployments = Deployments
# $columns, $rows; $count: pieces of a side.
ruleset-facts = { $columns } × { $rows } squares, { $count } pieces a side
rules-board-title = The board: { $columns } columns, { $rows } rows
# $start: deployments or coins.
rules-board-legend =
    { $start ->
        [coins] Red’s coins are below, Blue’s above. Water is a lake.
       *[deployments] Red’s home rows are below, Blue’s above. Water is a lake.
    }
column-rank = Rank
column-count = Pieces
column-note = What is special
rules-changes = Custom games
rules-changes-some = A casual game can change single rules. Each group has one that counts.
rules-changes-none = No rule of these can be changed.
# $meaning: of a rule; $here: yes if it is the rule of this ruleset.
rules-change =
    { $here ->
        [yes] { $meaning } (here)
       *[no] { $meaning }
    }
diagram-scout-far = Where a Scout may go (dots) and strike (double frame), any distance away.
diagram-scout-near = Where a Scout may go (dots). It can only strike a piece that stands next to it.
diagram-coin-one = A coin goes one square. It has lost the bar of a coin that never moved, and is neither Bomb nor Flag.
diagram-exchange-own = How Blue sees it: a Miner leaves, and on another turn a Major comes.
diagram-label = A Scout strikes and loses. The piece that beat it is labeled, with a raised corner: face up wherever it goes.
diagram-supply-line = A Captain on a red chip may go to any square with a dot, along chips of that color.

## Deployments

deployments-title = Deployments
# $place: account or device.
deployments-lead =
    { $place ->
        [account] Yours are saved with your account. Nobody else sees them.
       *[device] Yours are saved on this device. With an account, the server keeps them.
    }
deployments-all = All deployments
# $count: deployments.
deployments-left =
    { $count ->
        [one] 1 deployment is saved on this device only.
       *[other] { $count } deployments are saved on this device only.
    }
deployments-take = Move to the account
deployments-taken = They are saved with your account now.
deployment-new = New deployment
suggestions-title = Nothing is saved yet
# $ruleset: its title.
suggestions-text = Three deployments to start from ({ $ruleset }), or make one of your own.
# $number: 1 to 3.
suggestion = Suggestion { $number }
files-title = As a file
files-text = All deployments in one file, as the terminal client reads and writes it too. Files of up to 1 MB can be opened.
file-open = Open a file
file-save = Save as a file
file-too-large = This file is larger than 1 MB.
file-wrong = This file has no deployments of Flagfall.
# $ruleset, $name.
file-wrong-one = Nothing was saved: { $name } ({ $ruleset }) is no deployment here.
# $count: deployments.
file-read =
    { $count ->
        [one] 1 deployment is saved.
       *[other] { $count } deployments are saved.
    }
not-copied = The browser does not let this page copy. Select the text and copy it yourself.
deployment-no-ruleset = These rules have no deployments
deployment-no-ruleset-text = The link may come from another server, or the game begins with coins.
# $name.
deployment-missing = Nothing is saved under the name { $name }. Make it here.
deployment-opened = The deployment is on the board.
editor-board = Your home rows
deploy-suggest = Suggest
deployment-name = Name
deployment-bad-name = A name has 1 to 30 letters, digits, - and _, and is not random or suggested.
# $name.
deployment-replace = Replace { $name }?
deployment-replace-yes = Replace
deployment-save = Save
# $place: account or device.
deployment-saved =
    { $place ->
        [account] Saved with your account.
       *[device] Saved on this device.
    }
# $place: account or device.
deployment-place =
    { $place ->
        [account] It is saved with your account. Nobody else sees it.
       *[device] It is saved on this device. With an account, the server keeps it.
    }
deployment-delete = Delete
# $name.
deployment-delete-ask = Delete { $name }?
deployment-deleted = Deleted.
deployment-text = As text
# $count: letters of a row.
deployment-text-hint = A row of { $count } letters for each home row, the one nearest the enemy first, each from your left to your right. A dot is an empty square.
deployment-use-text = Use this text
text-copy = Copy the text
text-copied = The text is copied.
