### Games, players and clocks, with advice about this client's commands.

leaderboard-empty = No player has enough recent rated games. To play one: flagfall play --rated

# What the server did not do. These begin the sentence not-done-lost.
not-done-deploy = Your deployment was not submitted
# $squares.
not-done-move = Your move { $squares } was not made
# $square.
not-done-remove = Your piece on { $square } was not taken off the board
# $square.
not-done-place = Your piece was not placed on { $square }
not-done-color = Your chip was not laid
not-done-choose = Your choice was not accepted
not-done-offer-draw = Your draw offer was not made
not-done-accept-draw = You have not agreed to a draw
not-done-decline-draw = You have not declined a draw
not-done-resign = You have not resigned
not-done-abort = You have not aborted the game
not-done-claim = Your claim was not made

# $square.
owed-color-own = Name the color of your chip on { $square } first, as in color green.
# $square; $example: a rank; $names: a list of ranks, as they are typed.
choose-coin = Choose a rank for your coin on { $square }, as in choose { $example }. It can be: { $names }.

# $text: what was typed.
not-a-time = "{ $text }" is not a clock; write 10+5 (10 minutes, plus 5 seconds for each move), 90s+2 (90 seconds, plus 2 for each move), 10d5 (10 minutes; the first 5 seconds of each turn are free), 3days (3 days for each move), or none
# $time: the clock; $min and $max: days.
time-bounds-days = the clock { $time } is out of range: the time for a move must be between { $min } and { $max } days
# $time: the clock; $min_s: seconds; $max_min: minutes; $free_min and $free_max: seconds.
time-bounds-delay = the clock { $time } is out of range: the time must be between { $min_s } seconds and { $max_min } minutes, with { $free_min } to { $free_max } free seconds for each turn
# $time: the clock; $min_s: seconds; $max_min: minutes; $increment_min and $increment_max: seconds.
time-bounds-increment = the clock { $time } is out of range: the time must be between { $min_s } seconds and { $max_min } minutes, plus { $increment_min } to { $increment_max } seconds for each move
