//! The decoded games that were read last.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use flagfall_board::GameId;

use crate::game::Log;

/// The memory for an entry of a log, without the entry's body.
const ENTRY_BYTES: usize = 64;

/// Decoded games, up to a total number of bytes. The least recently used games are removed first.
pub(crate) struct Cache {
    bytes_max: usize,
    bytes: usize,
    /// The number of uses so far, which serves as the time.
    clock: u64,
    games: HashMap<GameId, Held>,
    /// The games, ordered by the time of their last use.
    uses: BTreeMap<u64, GameId>,
}

struct Held {
    log: Arc<Log>,
    bytes: usize,
    used: u64,
}

impl Cache {
    pub(crate) fn new(bytes_max: usize) -> Cache {
        Cache { bytes_max, bytes: 0, clock: 0, games: HashMap::new(), uses: BTreeMap::new() }
    }

    pub(crate) fn get(&mut self, game: GameId) -> Option<Arc<Log>> {
        let held = self.games.get_mut(&game)?;
        self.clock += 1;
        self.uses.remove(&held.used);
        held.used = self.clock;
        self.uses.insert(held.used, game);
        Some(held.log.clone())
    }

    pub(crate) fn insert(&mut self, log: Arc<Log>) {
        let game = log.game;
        self.remove(game);
        let bytes = log.entries.iter().map(|entry| entry.body.len() + ENTRY_BYTES).sum();
        self.clock += 1;
        self.bytes += bytes;
        self.uses.insert(self.clock, game);
        self.games.insert(game, Held { log, bytes, used: self.clock });
        while self.bytes > self.bytes_max
            && let Some((_, oldest)) = self.uses.first_key_value()
        {
            self.remove(*oldest);
        }
    }

    pub(crate) fn remove(&mut self, game: GameId) {
        if let Some(Held { bytes, used, .. }) = self.games.remove(&game) {
            self.bytes -= bytes;
            self.uses.remove(&used);
        }
    }
}

#[cfg(test)]
mod tests {
    use flagfall_board::Stamp;
    use flagfall_store::{Head, SecretBytes, StoredEntry};

    use super::*;

    fn log(number: u64) -> Arc<Log> {
        let game = GameId::from_bits(number).unwrap();
        let entries = vec![StoredEntry { seq: 1, at: Stamp(0), body: SecretBytes::new(vec![0; 36]) }];
        Arc::new(Log { game, entries, head: Head::START, signature: None })
    }

    #[test]
    fn the_games_of_the_longest_ago_go_first() {
        let mut cache = Cache::new(300);
        let id = |number| GameId::from_bits(number).unwrap();
        for number in 1..=3 {
            cache.insert(log(number));
        }
        assert!(cache.get(id(1)).is_some());
        cache.insert(log(4));
        cache.insert(log(4));
        let held = (1..=4).map(|number| cache.get(id(number)).is_some()).collect::<Vec<_>>();
        assert_eq!(held, [true, false, true, true]);
        assert_eq!((cache.bytes, cache.uses.len()), (300, 3));
        cache.remove(id(1));
        assert!(cache.get(id(1)).is_none());
        assert_eq!((cache.bytes, cache.uses.len()), (200, 2));
        // A game that is larger than the whole cache is not kept.
        let mut cache = Cache::new(99);
        cache.insert(log(1));
        assert!(cache.get(id(1)).is_none());
    }
}
