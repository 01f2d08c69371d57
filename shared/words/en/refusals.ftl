### Refusals that the page also says itself, before it asks the server. All others are in
### `en-more/refusals.ftl`.

refusal-not-your-turn = It is not your turn.
refusal-no-reserve = This ruleset has no reserve.
