//! Records of games: what one audience may know, start to end.

use flagfall_board::GameId;
use flagfall_protocol::{GameRecord, Recorder};
use flagfall_rules::Viewer;
use flagfall_store::StoredEntry;

use super::replay::{self, ReplayError};

/// A game's record for one audience, from its log.
pub(super) fn record(id: GameId, stored: &[StoredEntry], viewer: Viewer) -> Result<GameRecord, ReplayError> {
    let mut recorder = Recorder::new(viewer);
    let (header, game, _head) = replay::replay(id, stored, |game, entry| {
        recorder.note_compensated(&entry.event, game, entry.at, entry.lag_ms);
    })?;
    Ok(recorder.with_lag_quota(header.lag_quota).record(&game, header.terms, header.players))
}
