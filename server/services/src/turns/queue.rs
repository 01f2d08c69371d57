//! Queues of moves that a player plans for later turns.
//!
//! The record `queue/GAME/PLAYER` contains all moves of the queue, and the ply of the first one.
//! The n-th move is meant for the player's n-th turn, counted from that ply. So the record does
//! not change when a move is made. If a move cannot be made when its turn comes, the queue ends,
//! because the later moves were planned for a different course of the game. The queue also ends
//! if the log has lost entries that it had when the moves were queued. A queue is secret to its
//! owner, because a planned move hints at the rank of its piece.

use std::time::Duration;

use flagfall_board::{GameId, Ply, Side};
use flagfall_protocol::{
    Code, CommandId, GameCommand, GameView, MoveQueue, NewQueue, Phase, QueuedMove, Refusal, Time,
};
use flagfall_rules::View;
use flagfall_store::{Hash, Head, ReadError, StoreError, Write};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use super::Turns;
use crate::Refused;
use crate::records::{find, put};
use flagfall_base::jobs::JobError;
use flagfall_base::keys::{QUEUE, TURN_DUE};
use flagfall_base::transact::{delete, write};
use flagfall_game::{NewCommand, StaleEpoch, TableError};

const QUEUE_MAX: usize = 20;
/// The time that a table may take for a queued move. After that, the move is tried again later.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The stored form of a queue. It does not implement `Debug`, because the queue is secret to its
/// owner.
#[derive(Serialize, Deserialize)]
struct QueueRecord {
    ply: Ply,
    moves: Vec<QueuedMove>,
    /// The head of the log when the moves were queued. If the log loses this entry, the moves are
    /// not made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    planned_at: Option<LogPlace>,
}

/// An entry of a log. The hash depends on all entries up to this one.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct LogPlace {
    seq: u64,
    hash: [u8; 32],
}

impl Turns {
    pub async fn queued(&self, game: GameId, player: &str) -> Result<MoveQueue, Refused> {
        let (_, view) = self.own_view(game, player).await?;
        let record = self.read(game, player).await?.unwrap_or(QueueRecord {
            ply: view.ply,
            moves: Vec::new(),
            planned_at: None,
        });
        // Skip the moves whose turns have passed.
        let past = usize::from(view.ply.saturating_sub(record.ply)).div_ceil(2);
        let past = past.min(record.moves.len());
        let ply = record.ply.saturating_add(Ply::try_from(past * 2).unwrap_or(Ply::MAX));
        Ok(MoveQueue { game, ply, moves: record.moves.into_iter().skip(past).collect() })
    }

    /// Queues moves for a player's next turns. These moves replace an earlier queue.
    pub async fn queue(&self, game: GameId, player: &str, new: NewQueue) -> Result<MoveQueue, Refused> {
        let NewQueue { ply, epoch, moves } = new;
        let handle = self.tables.find_for(Some(player), game).await?;
        // Read the head before the view, so that the view includes the log up to this head.
        let planned_at = self.place(game).await?;
        let (side, view) = self.own_view(game, player).await?;
        let time = handle.summary().terms.time;
        if !matches!(time, Time::Correspondence { .. }) || view.phase != Phase::Playing {
            return Err(not_queued());
        }
        if epoch.is_some_and(|epoch| epoch < handle.epoch()) {
            return Err(Refusal::from(&StaleEpoch).into());
        }
        if view.ply != ply {
            return Err(Refusal::new("stale_ply").because("queue").with("current", view.ply).into());
        }
        if view.turn == Some(side) {
            return Err(Refusal::new(Code::OWN_TURN).into());
        }
        let is_fit =
            (1..=QUEUE_MAX).contains(&moves.len()) && moves.iter().all(|queued| is_ply(&queued.command));
        if !is_fit {
            return Err(Refusal::new(Code::BAD_QUEUE).because("length").with("max", QUEUE_MAX).into());
        }
        let record = QueueRecord { ply: ply.saturating_add(1), moves, planned_at: Some(planned_at) };
        let mut writes = vec![put(QUEUE.key([&game, &player])?, &record, None)?];
        // Write a new job together with the queue. The other side may have moved since the view
        // was read, and the job of that move may already be done.
        let value = self.jobs.job(self.store.now());
        writes.push(Write::Put { key: TURN_DUE.key([&game])?, value, expires: None });
        write(&*self.store, writes).await?;
        Ok(MoveQueue { game, ply: record.ply, moves: record.moves })
    }

    pub async fn clear_queue(&self, game: GameId, player: &str) -> Result<(), Refused> {
        self.own_view(game, player).await?;
        Ok(delete(&*self.store, vec![QUEUE.key([&game, &player])?]).await?)
    }

    async fn own_view(&self, game: GameId, player: &str) -> Result<(Side, GameView), Refused> {
        let table = self.tables.find_for(Some(player), game).await?;
        let (_, audience, view) = table.look(Some(player)).await?;
        Ok((audience.side().ok_or_else(not_queued)?, view))
    }

    async fn read(&self, game: GameId, player: &str) -> Result<Option<QueueRecord>, StoreError> {
        let found = find(&*self.store, QUEUE.key([&game, &player])?, "a queue of moves").await?;
        Ok(found.map(|(record, _)| record))
    }

    async fn place(&self, game: GameId) -> Result<LogPlace, StoreError> {
        let unread = |error: ReadError| StoreError::Unavailable { why: error.to_string() };
        let Head { seq, hash } = self.store.head(game).await.map_err(unread)?;
        Ok(LogPlace { seq, hash: hash.0 })
    }

    /// True if the log still has all entries that it had when the moves were queued.
    async fn is_planned_in_log(&self, game: GameId, record: &QueueRecord) -> Result<bool, TableError> {
        let Some(LogPlace { seq, hash }) = record.planned_at else { return Ok(true) };
        Ok(self.tables.head_at(game, seq).await? == Some(Head { seq, hash: Hash(hash) }))
    }

    /// Makes the queued move of a side that has to act, if its queue has one for this ply.
    pub(super) async fn play_queued(&self, game: GameId, side: Side) -> Result<(), JobError> {
        let (summary, view) = self.view(game, Some(side)).await?;
        if view.pending_strike.is_some() || view.owed_color.is_some() {
            // The player must first make a pending choice or choose a color.
            return Ok(());
        }
        let player = summary.players[side].clone();
        let Some(record) = self.read(game, &player.id).await? else { return Ok(()) };
        let past = view.ply.checked_sub(record.ply);
        let queued = past.filter(|past| past % 2 == 0).map(|past| record.moves.get(usize::from(past / 2)));
        let is_met = |queued: &QueuedMove| {
            let last = view.last_move.as_ref().filter(|last| last.side != side);
            queued.after.is_none_or(|after| last.is_some_and(|last| last.squares == after))
        };
        let is_made = match queued {
            // No move is queued for this ply, because the queue begins at a later one.
            None if past.is_none() => return Ok(()),
            Some(Some(queued)) if !is_met(queued) || !is_safe(&view, &queued.command) => false,
            Some(Some(queued)) if self.is_planned_in_log(game, &record).await? => {
                let cmd_id: CommandId = format!("queued-{}", view.ply).parse().map_err(|_| no_answer())?;
                let (ply, command) = (view.ply, queued.command.clone());
                let command = NewCommand { player: player.id.clone(), cmd_id, ply, command };
                let answer = timeout(TIMEOUT, self.tables.command(game, command)).await;
                match answer.map_err(|_| no_answer())? {
                    Ok(_) => true,
                    Err(refusal) => answer_of(&refusal.code)?,
                }
            }
            _ => false,
        };
        let is_last = past.is_some_and(|past| usize::from(past / 2) + 1 >= record.moves.len());
        if !is_made || is_last {
            tracing::debug!(%game, is_made, "a queue of moves has ended");
            delete(&*self.store, vec![QUEUE.key([&game, &player.id])?]).await?;
        }
        Ok(())
    }
}

/// Returns the refusal if the game does not have days per move, is not being played, or is not a
/// game of this player.
fn not_queued() -> Refused {
    Refusal::new(Code::BAD_QUEUE).because("game").into()
}

/// Interprets the code of a refused move. Returns false if the move cannot be made, and an error
/// if it could not be tried.
fn answer_of(code: &Code) -> Result<bool, JobError> {
    match code.as_str() {
        Code::STORE_UNAVAILABLE => Err(JobError::Away("the table cannot reach the store".to_owned())),
        Code::TOO_MANY | Code::INTERNAL | Code::SERVER_TOO_OLD | Code::STOPPING => Err(no_answer()),
        // Keep the queue, because an operator may repair the game.
        Code::GAME_QUARANTINED | Code::NO_SUCH_GAME => {
            Err(JobError::Damaged("the game of a queued move cannot be read".to_owned()))
        }
        _ => Ok(false),
    }
}

/// False for an illegal move, if illegal moves lose the game in this ruleset (§U7). The player
/// has planned the move for another position, so the server does not make it.
fn is_safe(view: &GameView, command: &GameCommand) -> bool {
    let GameCommand::Move { squares, .. } = command else { return true };
    // If this server does not know the ruleset, the table refuses the move.
    let Some(view) = View::of(view.clone()) else { return true };
    !view.ruleset.illegal_act_loses || view.legal_moves().is_some_and(|legal| legal.contains(*squares))
}

fn no_answer() -> JobError {
    JobError::Later("the table did not accept a queued move".to_owned())
}

fn is_ply(command: &GameCommand) -> bool {
    matches!(command, GameCommand::Move { .. } | GameCommand::Remove { .. } | GameCommand::Place { .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_that_cannot_be_read_does_not_end_a_queue() {
        for code in [Code::GAME_QUARANTINED, Code::NO_SUCH_GAME] {
            assert!(matches!(answer_of(&Code::new(code)), Err(JobError::Damaged(_))), "{code}");
        }
        assert_eq!(answer_of(&Code::new(Code::NOT_YOUR_GAME)), Ok(false));
    }
}
