//! What follows of a turn in games with days per move, though its player is not there: queued moves are made, webhooks are told.
//!
//! Every append to such a game leaves a due, in the same append, so no crash parts them: `turn_due/GAME` with the number of the log's last
//! entry. Whichever server finds it looks at the game and carries out what follows; the due goes if nothing was appended meanwhile. Doing it twice does no
//! harm: a queued move has an id made of its ply, and a ply is made once.

mod queue;

use std::sync::Arc;
use std::time::Duration;

use flagfall_board::{GameId, Side};
use flagfall_protocol::{GameView, OwnGame, Phase, Time};
use flagfall_store::{Expect, Key, Store, StoreError, Update, Write};
use tokio::time::sleep;

pub use self::queue::QueueError;
use crate::notices::Notices;
use crate::table::{GameHeader, TableError, Tables};
use flagfall_base::keys::TURN_DUE;
use flagfall_base::scan::Scan;

/// Dues read at a time.
const DUES_CHUNK: usize = 256;

/// Turns in games with days per move. Cheap to clone.
#[derive(Clone)]
pub struct Turns {
    store: Arc<dyn Store>,
    tables: Tables,
    notices: Notices,
}

/// The due of a game's turn, after its log has got to this entry; none where nothing follows of a turn.
pub(crate) fn due_turn(game: GameId, header: &GameHeader, seq: u64) -> Option<Write> {
    let is_slow = matches!(header.terms.time, Time::Correspondence { .. });
    let key = due_key(game).filter(|_| is_slow)?;
    Some(Write::Put { key, value: seq.to_string().into_bytes(), expires: None })
}

fn due_key(game: GameId) -> Option<Key> {
    TURN_DUE.key([&game]).ok()
}

impl Turns {
    /// The turns of the games in this store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, tables: Tables, notices: Notices) -> Turns {
        Turns { store, tables, notices }
    }

    /// Carries out what is due, with so much time between two looks, until the future is dropped.
    pub async fn run(&self, every: Duration) {
        loop {
            sleep(every).await;
            if let Err(error) = self.settle_all().await {
                flagfall_base::store_errors::note_refusal(
                    &error,
                    "due turns could not be looked for; they will be",
                );
            }
        }
    }

    /// Carries out everything that is due now, what comes of it included.
    ///
    /// # Errors
    /// [`StoreError`]: what is left will be found again.
    pub async fn settle_all(&self) -> Result<(), StoreError> {
        let prefix = TURN_DUE.all()?;
        let mut scan = Scan::new(self.store.as_ref(), prefix.clone(), DUES_CHUNK);
        while let Some(due) = scan.next().await? {
            for (key, value) in &due {
                let Some(game) = TURN_DUE.game(key) else { continue };
                if let Err(error) = self.settle(game, key, value.clone()).await {
                    tracing::warn!(%game, %error, "what follows of a turn could not be done now; it will be");
                }
            }
        }
        Ok(())
    }

    async fn settle(&self, game: GameId, key: &Key, value: Vec<u8>) -> Result<(), StoreError> {
        for side in self.sides_to_act(game).await? {
            self.play_queued(game, side).await?;
        }
        self.note_turns(game).await?;
        // A conflict means that the log has gone on: that due is another one.
        let conditions = vec![(key.clone(), Expect::Value(value))];
        let mut writes = vec![Write::Delete { key: key.clone() }];
        writes.extend(self.useless_queues(game).await?);
        self.store.update(Update { conditions, writes }).await?;
        Ok(())
    }

    /// What takes away that was queued in a game that is over. A queue that comes at that moment brings a due of its own.
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

    /// Whoever is to act hears of it, where he wants that.
    async fn note_turns(&self, game: GameId) -> Result<(), StoreError> {
        for side in Side::BOTH {
            match self.view(game, Some(side)).await {
                Ok((summary, view)) => {
                    let player = summary.players[side].id.clone();
                    self.notices.note_turn(&player, &OwnGame::new(summary, side, &view)).await?;
                }
                Err(TableError::NotFound | TableError::Quarantined) => {}
                Err(error @ TableError::Unavailable) => {
                    return Err(StoreError::Unavailable { why: error.to_string() });
                }
            }
        }
        Ok(())
    }

    /// The sides that are to act. A game that cannot be read has none: an operator must look at it first.
    async fn sides_to_act(&self, game: GameId) -> Result<Vec<Side>, StoreError> {
        match self.view(game, None).await {
            Ok((_, view)) if view.phase == Phase::Playing => {
                Ok(Side::BOTH.into_iter().filter(|side| view.is_to_act(*side)).collect())
            }
            Ok(_) | Err(TableError::NotFound | TableError::Quarantined) => Ok(Vec::new()),
            Err(error @ TableError::Unavailable) => Err(StoreError::Unavailable { why: error.to_string() }),
        }
    }

    /// A game as one of its sides sees it, and its players. Whose turn it is both sides see alike.
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
