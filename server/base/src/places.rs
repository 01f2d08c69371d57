//! Ids whose records are in certain parts of the store.
//!
//! A store may have several parts ([`Store::part_of`]). The place of a record follows from its key,
//! so the place of what is new can be chosen with its id.

use flagfall_board::GameId;
use flagfall_store::{Key, Store, StoreError};

use crate::keys::LIVE;
use crate::random::{ChanceError, random_code, random_game_id};

/// The maximum number of ids to draw for one purpose. In a store of 64 parts, one of so many is in
/// a given part with a probability of 0.9997.
const DRAWS_MAX: usize = 512;

/// Draws until the drawn value is `suitable`. Returns an unsuitable one if there seems to be no
/// other, so what is done with it must not depend on that.
pub fn draw<T, E>(mut draw: impl FnMut() -> Result<T, E>, is_suitable: impl Fn(&T) -> bool) -> Result<T, E> {
    let mut drawn = draw()?;
    for _ in 1..DRAWS_MAX {
        if is_suitable(&drawn) {
            break;
        }
        drawn = draw()?;
    }
    Ok(drawn)
}

/// The parts of the store that answered lately.
pub struct Reach<'store> {
    store: &'store dyn Store,
    silent: Vec<usize>,
}

impl<'store> Reach<'store> {
    pub fn of(store: &'store dyn Store) -> Reach<'store> {
        Reach { store, silent: store.silent_parts() }
    }

    /// True if the part with this record answered lately. Also true if the key is too long, because
    /// its use is refused then.
    pub fn has(&self, key: &Result<Key, StoreError>) -> bool {
        self.silent.is_empty()
            || key.as_ref().map_or(true, |key| !self.silent.contains(&self.store.part_of(key)))
    }
}

/// Draws the id of a new game. It can be created although a part of the store is away.
pub fn game_id_in_reach(store: &dyn Store) -> Result<GameId, ChanceError> {
    let reach = Reach::of(store);
    draw(random_game_id, |id| reach.has(&LIVE.key([id])))
}

/// Draws the code of something new, whose record has this key. It can be created although a part of
/// the store is away.
pub fn code_in_reach(
    store: &dyn Store,
    key: impl Fn(&str) -> Result<Key, StoreError>,
) -> Result<String, ChanceError> {
    let reach = Reach::of(store);
    draw(random_code, |code| reach.has(&key(code)))
}

/// Draws a code whose record is in the same part of the store as the record `beside`, so that an
/// update of both needs one part.
pub fn code_beside(
    store: &dyn Store,
    beside: &Key,
    key: impl Fn(&str) -> Result<Key, StoreError>,
) -> Result<String, ChanceError> {
    let part = store.part_of(beside);
    draw(random_code, |code| key(code).is_ok_and(|key| store.part_of(&key) == part))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use flagfall_board::Stamp;
    use flagfall_store_testing::{ManualClock, TestStore};

    use super::*;
    use crate::keys::SEEKS;

    #[test]
    fn ids_are_drawn_where_the_store_answers() {
        let store = TestStore::new(Arc::new(ManualClock::new(Stamp(1_000))));
        // Half of the games, of which any part may be away.
        let halves = ["live/0", "live/1", "live/2", "live/3", "live/4", "live/5", "live/6", "live/7"];
        store.take_away(&halves);
        for _ in 0..50 {
            let id = game_id_in_reach(&store).unwrap();
            assert!(!halves.contains(&&*format!("live/{}", &id.as_str()[..1])), "{id}");
        }
        store.take_away(&["live/", "seeks/z"]);
        assert!(game_id_in_reach(&store).is_ok(), "no id is suitable");
        let (away, here) = (LIVE.key([&"0"]).unwrap(), SEEKS.key([&"0"]).unwrap());
        let beside = |key: &Key| code_beside(&store, key, |code| SEEKS.key([&code])).unwrap();
        assert!(beside(&away).starts_with('z') && !beside(&here).starts_with('z'));
    }
}
