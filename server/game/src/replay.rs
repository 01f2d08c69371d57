//! Rebuilds a game from its log with the same events and the same engine.

use flagfall_board::{GameId, Stamp};
use flagfall_rules::{Event, Game, evolve_compensated};
use flagfall_store::record::{self, CommandStamp, LogBody};
use flagfall_store::{Head, StoredEntry};

use super::header::GameHeader;

/// Why a sound log cannot be replayed by this server.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum ReplayError {
    /// The first entry is missing or is not a header.
    #[error("the log does not begin with what the game was made with")]
    NoHeader,
    /// This version cannot read an entry.
    #[error("entry {seq} is not of a form this server knows; a newer server may have written it")]
    Entry {
        /// The entry's number.
        seq: u64,
    },
    /// The ruleset is unknown, or does not allow the lakes.
    #[error("the game's ruleset is unknown to this server")]
    Ruleset,
}

/// An entry after the first.
pub(super) struct ReplayedEntry {
    pub(super) command: Option<CommandStamp>,
    pub(super) lag_ms: u32,
    pub(super) event: Event,
    pub(super) at: Stamp,
}

/// The header and the state before the first event.
pub(super) fn open(game: GameId, first: &StoredEntry) -> Result<(GameHeader, Game), ReplayError> {
    let entry = record::decode::<GameHeader>(&first.body).map_err(|_| ReplayError::NoHeader)?;
    let LogBody::Opened(header) = entry.body else { return Err(ReplayError::NoHeader) };
    let terms = header.game_terms(game, first.at).ok_or(ReplayError::Ruleset)?;
    let lag_quota = header.lag_quota.unwrap_or_default();
    Ok((header, Game::new(terms).with_lag_quota(lag_quota)))
}

/// Reads an entry after the first.
pub(super) fn entry(stored: &StoredEntry) -> Result<ReplayedEntry, ReplayError> {
    let wrong = |_| ReplayError::Entry { seq: stored.seq };
    let entry = record::decode::<GameHeader>(&stored.body).map_err(wrong)?;
    match entry.body {
        LogBody::Event(event) => {
            Ok(ReplayedEntry { command: entry.command, lag_ms: entry.lag_ms, event, at: stored.at })
        }
        LogBody::Opened(_) => Err(ReplayError::Entry { seq: stored.seq }),
    }
}

/// Carries out every entry in turn; `each` gets the game after each entry.
pub(super) fn replay(
    id: GameId,
    stored: &[StoredEntry],
    mut each: impl FnMut(&Game, &ReplayedEntry),
) -> Result<(GameHeader, Game, Head), ReplayError> {
    let (first, rest) = stored.split_first().ok_or(ReplayError::NoHeader)?;
    let (header, mut game) = open(id, first)?;
    let mut head = Head::START.then(id, &first.body);
    for stored in rest {
        let entry = entry(stored)?;
        evolve_compensated(&mut game, &entry.event, entry.at, entry.lag_ms);
        head = head.then(id, &stored.body);
        each(&game, &entry);
    }
    Ok((header, game, head))
}
