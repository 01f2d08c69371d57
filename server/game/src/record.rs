//! Game records: everything that one audience may know of a game, from start to end.

use flagfall_board::GameId;
use flagfall_protocol::{GameRecord, NotOpened, RecordScope, Recorder};
use flagfall_rules::Viewer;
use flagfall_store::StoredEntry;

use super::error::TableError;
use super::header::GameHeader;
use super::replay::{self, ReplayError};

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecordError {
    /// The game cannot be read, or the requester may not see it.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The record would contain information that the requester may not see.
    #[error(transparent)]
    NotOpened(#[from] NotOpened),
}

impl From<ReplayError> for RecordError {
    fn from(error: ReplayError) -> RecordError {
        RecordError::Table(error.into())
    }
}

/// Builds the record of everything that an audience may know of a game now, from its log.
pub(super) fn record(id: GameId, stored: &[StoredEntry], viewer: Viewer) -> Result<GameRecord, ReplayError> {
    let (header, recorder) = recorder(id, stored)?;
    Ok(recorder.record(viewer, header.terms, header.players))
}

/// Builds the record of a game in the given scope, for one audience.
pub(super) fn record_as(
    id: GameId,
    stored: &[StoredEntry],
    scope: RecordScope,
    requester: Viewer,
) -> Result<GameRecord, RecordError> {
    let (header, recorder) = recorder(id, stored)?;
    Ok(recorder.record_as(scope, requester, header.terms, header.players)?)
}

/// Reads a game's log. Returns the header, and a recorder that contains all events.
pub fn recorder(id: GameId, stored: &[StoredEntry]) -> Result<(GameHeader, Recorder), ReplayError> {
    let (first, rest) = stored.split_first().ok_or(ReplayError::NoHeader)?;
    let (header, game) = replay::open(id, first)?;
    let mut recorder = Recorder::new(game).with_lag_quota(header.lag_quota);
    for stored in rest {
        let entry = replay::entry(&header, stored)?;
        recorder.note_compensated(&entry.event, entry.at, entry.lag_ms);
    }
    Ok((header, recorder))
}
