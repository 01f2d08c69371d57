//! A cache of decoded games.

use std::sync::Arc;

use flagfall_board::GameId;
use quick_cache::Weighter;

use crate::game::Log;

/// The memory for an entry of a log, without the entry's body.
const ENTRY_BYTES: usize = 64;
/// The memory for the log of a usual game.
const USUAL_BYTES: usize = 16 * 1024;

pub(super) type Cache = quick_cache::unsync::Cache<GameId, Arc<Log>, LogBytes>;

/// Creates a cache for games up to a total number of bytes.
pub(super) fn cache(bytes_max: usize) -> Cache {
    Cache::with_weighter(bytes_max / USUAL_BYTES, bytes_max as u64, LogBytes)
}

pub(super) struct LogBytes;

impl Weighter<GameId, Arc<Log>> for LogBytes {
    fn weight(&self, _: &GameId, log: &Arc<Log>) -> u64 {
        let bodies: usize = log.entries.iter().map(|entry| entry.body.len()).sum();
        // A game without entries counts, too, because the cache never evicts what weighs nothing.
        (bodies + (log.entries.len() + 1) * ENTRY_BYTES) as u64
    }
}
