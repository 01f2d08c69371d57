### A finished game as text, and steps through it.

# $ruleset.
replay-unknown-ruleset = this client does not know the ruleset { $ruleset }; update the client to see the game
replay-start = This is the position before the first event.
# $event: a sentence.
replay-no-more = { $event } The rest of this record cannot be shown on a board.
# $game.
replay-game = Game { $game }
# $date.
replay-created = Created { $date }
# $side; $player: a name.
replay-player = { side }: { $player }
# $squares.
replay-lakes = Lakes: { $squares }
# $side.
replay-audience = The game as { side } saw it
# $side; $setup: rows of letters.
replay-deployed = { side } deployed: { $setup }
