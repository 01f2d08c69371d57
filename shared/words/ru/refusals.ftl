### Refusals that the page also says itself, before it asks the server. All others are in
### `ru-more/refusals.ftl`.

refusal-not-your-turn = Сейчас не ваш ход.
refusal-no-reserve = В этих правилах нет резерва.
