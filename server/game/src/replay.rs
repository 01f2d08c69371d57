//! Rebuilds a game from its log: applies the same events with the same engine.

use flagfall_board::{GameId, Stamp};
use flagfall_rules::{Event, Game, evolve_compensated};
use flagfall_store::record::{self, CommandStamp, EntryError, LogEntry};
use flagfall_store::{Head, StoredEntry};

use super::error::TableError;
use super::header::GameHeader;

/// Why this server cannot replay a log that is not damaged.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplayError {
    #[error("the log does not begin with the game's header")]
    NoHeader,
    #[error("entry {seq} cannot be read: {error}")]
    Entry { seq: u64, error: EntryError },
    /// The ruleset is unknown, or it does not allow the lakes in the header.
    #[error("this server does not support the game's ruleset")]
    Ruleset,
}

impl From<ReplayError> for TableError {
    fn from(error: ReplayError) -> TableError {
        match error {
            ReplayError::Entry { error: EntryError::NewerForm(_), .. } => TableError::TooNew,
            ReplayError::NoHeader | ReplayError::Entry { .. } | ReplayError::Ruleset => {
                TableError::Quarantined
            }
        }
    }
}

/// An entry of a log, except the first, which is the header.
pub struct ReplayedEntry {
    pub command: Option<CommandStamp<'static>>,
    pub lag_ms: u32,
    pub event: Event,
    pub at: Stamp,
}

/// Returns the header, and the state of the game before its first event.
pub fn open(game: GameId, first: &StoredEntry) -> Result<(GameHeader, Game), ReplayError> {
    let wrong = |error| ReplayError::Entry { seq: first.seq, error };
    let header: GameHeader = record::decode_header(&first.body).map_err(wrong)?;
    let terms = header.game_terms(game, first.at).ok_or(ReplayError::Ruleset)?;
    let game = Game::new(terms)
        .with_lag_quota(header.lag_quota.unwrap_or_default())
        .with_whole_turns(header.whole_turns);
    Ok((header, game))
}

pub fn entry(header: &GameHeader, stored: &StoredEntry) -> Result<ReplayedEntry, ReplayError> {
    let wrong = |error| ReplayError::Entry { seq: stored.seq, error };
    let LogEntry { command, lag_ms, event } = record::decode(&stored.body, header.seats()).map_err(wrong)?;
    Ok(ReplayedEntry { command, lag_ms, event, at: stored.at })
}

/// Applies all entries in order. Calls `each` with the game after every entry.
pub fn replay(
    id: GameId,
    stored: &[StoredEntry],
    mut each: impl FnMut(&Game, &ReplayedEntry),
) -> Result<(GameHeader, Game, Head), ReplayError> {
    let (first, rest) = stored.split_first().ok_or(ReplayError::NoHeader)?;
    let (header, mut game) = open(id, first)?;
    let mut head = Head::START.then(id, &first.body);
    for stored in rest {
        let entry = entry(&header, stored)?;
        evolve_compensated(&mut game, &entry.event, entry.at, entry.lag_ms);
        head = head.then(id, &stored.body);
        each(&game, &entry);
    }
    Ok((header, game, head))
}
