### Rules, deployments, profiles, leaderboards, own games and the account.

nav-rules = Rules
nav-deployments = Deployments
nav-games = Your games
nav-leaderboard = Leaderboards
nav-account = Account
nav-more = All pages
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
