### Captions of the pictures that explain a ruleset, as far as they name its signs.
### `shared/words` has the others.

pictures = Pictures
pictures-legend = /5\ is Red's, [5] is Blue's, [#] is hidden
picture-scout-strikes = Where a Scout can go (+) and strike (x), at any distance.
picture-scout-goes = Where a Scout can go (+). It can only strike a piece that stands next to it.
picture-coin-one = A coin goes one square. The mark ' shows that it has moved, so it cannot be a Bomb or the Flag.
picture-label = A Scout strikes and loses. The piece that beats it is labeled (^), so everyone sees its rank wherever it goes. (The winner takes the loser's square.)
picture-joint-between = a2 to a9
picture-joint-strike = can strike a10
picture-supply-line = A Captain on a red chip (r) can go to any square marked =, along red chips.
