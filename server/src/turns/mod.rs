//! Jobs of turns in games with days per move, which run without the player: queued moves and
//! webhook notices.
//!
//! Every append to such a game writes the job `turn_due/GAME` in the same update, so a crash cannot
//! separate them. The server that claims it carries out what follows, and deletes the job if
//! nothing was appended meanwhile. Doing it twice is harmless: a queued move's command id is made
//! from its ply, so each ply is made once.

mod queue;

use std::sync::Arc;

use flagfall_board::{GameId, Side};
use flagfall_protocol::{GameView, OwnGame, Phase, Time};
use flagfall_store::{Key, Store, StoreError, Write};

pub use self::queue::QueueError;
use crate::notices::Notices;
use flagfall_base::jobs::{Claimed, JobError, JobWriter};
use flagfall_base::keys::TURN_DUE;
use flagfall_game::{GameHeader, TableError, Tables};

/// Runs the jobs of turns in games with days per move. Cheap to clone.
#[derive(Clone)]
pub struct Turns {
    store: Arc<dyn Store>,
    tables: Tables,
    notices: Notices,
    jobs: JobWriter,
}

/// The key of the job of a game's turn; `None` if nothing follows from its turns.
pub(crate) fn due_turn(game: GameId, header: &GameHeader) -> Option<Key> {
    let is_slow = matches!(header.terms.time, Time::Correspondence { .. });
    due_key(game).filter(|_| is_slow)
}

fn due_key(game: GameId) -> Option<Key> {
    TURN_DUE.key([&game]).ok()
}

impl Turns {
    /// The turns of the games in this store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, tables: Tables, notices: Notices, jobs: JobWriter) -> Turns {
        Turns { store, tables, notices, jobs }
    }

    /// Does the job of a turn: queued moves and notices.
    ///
    /// # Errors
    /// [`JobError`].
    pub(crate) async fn settle_job(&self, job: &Claimed) -> Result<(), JobError> {
        let game = job.subject()?;
        for side in self.sides_to_act(game).await? {
            self.play_queued(game, side).await?;
        }
        self.note_turns(game).await?;
        let mut update = job.finish();
        update.writes.extend(self.useless_queues(game).await?);
        // A conflict means that the log has gone on and there is a newer job.
        self.store.update(update).await?;
        Ok(())
    }

    /// The writes that delete the queues of a finished game. A queue written at the same moment has
    /// a job of its own.
    async fn useless_queues(&self, game: GameId) -> Result<Vec<Write>, StoreError> {
        match self.view(game, None).await {
            Ok((summary, view)) if view.phase == Phase::Over => {
                let queue = |side: Side| queue::key(game, &summary.players[side].id);
                Side::BOTH.into_iter().map(|side| Ok(Write::Delete { key: queue(side)? })).collect()
            }
            Ok(_) | Err(TableError::NotFound | TableError::Quarantined) => Ok(Vec::new()),
            Err(error @ TableError::Unavailable) => Err(StoreError::Unavailable { why: error.to_string() }),
        }
    }

    /// Queues a notice for each player who is to act and has a webhook.
    async fn note_turns(&self, game: GameId) -> Result<(), StoreError> {
        let mut noted = Ok(());
        for side in Side::BOTH {
            match self.view(game, Some(side)).await {
                Ok((summary, view)) => {
                    let player = summary.players[side].id.clone();
                    // Damaged records of one player do not keep the other's notice back.
                    noted =
                        noted.and(self.notices.note_turn(&player, &OwnGame::new(summary, side, &view)).await);
                }
                Err(TableError::NotFound | TableError::Quarantined) => {}
                Err(error @ TableError::Unavailable) => {
                    return Err(StoreError::Unavailable { why: error.to_string() });
                }
            }
        }
        noted
    }

    /// The sides that are to act. None if the game cannot be read, which is a case for an operator.
    async fn sides_to_act(&self, game: GameId) -> Result<Vec<Side>, StoreError> {
        match self.view(game, None).await {
            Ok((_, view)) if view.phase == Phase::Playing => {
                Ok(Side::BOTH.into_iter().filter(|side| view.is_to_act(*side)).collect())
            }
            Ok(_) | Err(TableError::NotFound | TableError::Quarantined) => Ok(Vec::new()),
            Err(error @ TableError::Unavailable) => Err(StoreError::Unavailable { why: error.to_string() }),
        }
    }

    /// A game as one of its sides sees it, and its summary. Both sides see alike whose turn it is.
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
