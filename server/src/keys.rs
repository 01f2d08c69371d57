//! Keys of records, and the ids in them.

use flagfall_board::GameId;
use flagfall_store::Key;

/// The part of a key after a prefix; `None` if the key does not begin with it.
pub(crate) fn last_part(key: &Key, prefix: &Key) -> Option<String> {
    std::str::from_utf8(key.as_bytes().strip_prefix(prefix.as_bytes())?).ok().map(str::to_owned)
}

/// The game whose id follows a prefix.
pub(crate) fn game_after(key: &Key, prefix: &Key) -> Option<GameId> {
    last_part(key, prefix)?.parse().ok()
}

/// The key of the plan of a game that is about to be created.
pub(crate) fn plan_key(game: GameId) -> Option<Key> {
    Key::new(format!("plans/{game}")).ok()
}

/// The key of the note that returns players of an aborted game to the pool.
pub(crate) fn pool_return_key(game: GameId) -> Option<Key> {
    Key::new(format!("pool_returns/{game}")).ok()
}
