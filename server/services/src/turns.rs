//! The jobs of turns in games with days per move. They make queued moves, and write notices to
//! players who have to act.
//!
//! Every append to such a game also writes the job `turn_due/GAME`, so the job exists even after a
//! crash. A server claims the job, does its work, and deletes the job if nothing was appended in
//! the meantime. Doing a job twice does no harm: the command id of a queued move contains its ply,
//! so each ply is made only once.

mod queue;

use std::sync::Arc;

use flagfall_board::{GameId, Side};
use flagfall_protocol::{GameView, OwnGame, Phase, Time};
use flagfall_store::{Key, Store, Write};

use crate::notices::Notices;
use flagfall_base::jobs::{Claimed, JobError, JobWriter};
use flagfall_base::keys::{QUEUE, TOLD, TURN_DUE};
use flagfall_game::{GameHeader, TableError, Tables};

/// Runs the jobs of turns in games with days per move. Cheap to clone.
#[derive(Clone)]
pub struct Turns {
    store: Arc<dyn Store>,
    tables: Tables,
    notices: Notices,
    jobs: JobWriter,
}

/// Returns the key of the job for a game's turn. `None` if the game does not have days per move.
pub(crate) fn turn_job(game: GameId, header: &GameHeader) -> Option<Key> {
    let is_slow = matches!(header.terms.time, Time::Correspondence { .. });
    // Most games have no such job, and every move asks, so the key is made only if it is needed.
    is_slow.then(|| TURN_DUE.key([&game]).ok()).flatten()
}

impl Turns {
    pub fn new(store: Arc<dyn Store>, tables: Tables, notices: Notices, jobs: JobWriter) -> Turns {
        Turns { store, tables, notices, jobs }
    }

    pub(crate) async fn do_job(&self, job: &Claimed) -> Result<(), JobError> {
        let game = job.subject()?;
        let table = self.tables.find(game).await?;
        if self.store.head(game).await.map_err(TableError::from)?.seq > table.entries() {
            // Another server has appended a move, and this server's table reads it a little later.
            return Err(JobError::Later("the table has not read the whole log yet".to_owned()));
        }
        let (_, view) = self.view(game, None).await?;
        let is_played = view.phase == Phase::Playing;
        for side in Side::BOTH.into_iter().filter(|side| is_played && view.is_to_act(*side)) {
            self.play_queued(game, side).await?;
        }
        // Notify both sides, even if notifying one of them fails.
        let mut noted = Ok(());
        for side in Side::BOTH {
            noted = noted.and(self.note_turn(game, side).await);
        }
        noted?;
        let mut update = job.finish();
        update.writes.extend(self.useless_records(game).await?);
        // On a conflict, the game has gone on, and there is a newer job.
        self.store.update(update).await?;
        Ok(())
    }

    /// Returns the writes that delete the queues of a finished game, and the markers of its latest
    /// notices. If a queue is written at the same moment, a new job is written together with it,
    /// and that job deletes the queue.
    async fn useless_records(&self, game: GameId) -> Result<Vec<Write>, JobError> {
        let (summary, view) = self.view(game, None).await?;
        if view.phase != Phase::Over {
            return Ok(Vec::new());
        }
        let mut writes = Vec::new();
        for side in Side::BOTH {
            let player = &summary.players[side].id;
            let keys = [QUEUE.key([&game, player])?, TOLD.key([player, &game])?];
            writes.extend(keys.map(|key| Write::Delete { key }));
        }
        Ok(writes)
    }

    /// Queues a notice for a player who has to act, if they have a webhook, a subscribed browser or
    /// an e-mail address.
    async fn note_turn(&self, game: GameId, side: Side) -> Result<(), JobError> {
        let (summary, view) = self.view(game, Some(side)).await?;
        let player = summary.players[side].id.clone();
        Ok(self.notices.note_turn(&player, &OwnGame::new(summary, side, &view)).await?)
    }

    /// Returns the summary of a game, and the view of one side. The views of both sides show
    /// whose turn it is.
    async fn view(
        &self,
        game: GameId,
        side: Option<Side>,
    ) -> Result<(flagfall_protocol::GameSummary, GameView), TableError> {
        let handle = self.tables.find(game).await?;
        let player = handle.summary().players[side.unwrap_or(Side::Red)].id.clone();
        let (summary, _, view) = handle.look(Some(&player)).await?;
        Ok((summary, view))
    }
}
