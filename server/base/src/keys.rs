//! What the keys of records say.

use flagfall_board::GameId;
use flagfall_store::Key;

/// What stands after a prefix; none when the key does not begin with it.
pub(crate) fn last_part(key: &Key, prefix: &Key) -> Option<String> {
    std::str::from_utf8(key.as_bytes().strip_prefix(prefix.as_bytes())?).ok().map(str::to_owned)
}

/// The game whose id stands after a prefix.
pub(crate) fn game_after(key: &Key, prefix: &Key) -> Option<GameId> {
    last_part(key, prefix)?.parse().ok()
}

/// The plan of a game that is about to be made.
pub(crate) fn plan_key(game: GameId) -> Option<Key> {
    Key::new(format!("plans/{game}")).ok()
}

/// The note to the pool that players of an aborted game wait again.
pub(crate) fn pool_return_key(game: GameId) -> Option<Key> {
    Key::new(format!("pool_returns/{game}")).ok()
}
