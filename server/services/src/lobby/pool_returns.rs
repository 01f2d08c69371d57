//! Returns players to the front of the pool if their opponent ended the game before it counted.
//!
//! The pairing keeps the records of both players (`pooled/GAME`). The append that aborts the game,
//! or ends a rated game before its second ply, writes a note with the players who did not cause
//! this end (`pool_returns/GAME`, kept for a minute). If such a player is connected, their server
//! puts their record back into the pool. It does so in one update, on the condition that both the
//! records and the note still exist. So a player returns only while connected, and at most once,
//! even if several servers try. Players who have begun another game on a live clock do not return.
//!
//! Players also return if the game of their pair cannot be created, except those who have too many
//! games.

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_store::{Expect, Head, Key, StoreError, Update, UpdateOutcome, Write};

use super::pool::{Pool, PoolRecord, read};
use crate::Refused;
use crate::records::put;
use flagfall_base::keys::{LIVE, PAIRED, PAIRED_OF, POOL, POOL_RETURNS, POOLED};
use flagfall_base::scan::Scan;
use flagfall_base::store_errors::note_refusal;
use flagfall_base::transact::expect;
use flagfall_game::GameHeader;

/// The time after the end in which the pool may take a player back, in milliseconds.
const RETURN_MS: u64 = 60_000;

/// Returns a write that must be made in the same append as the end. It stores a note naming the
/// players who did not cause the end, so that they may wait in the pool again. Whether the game
/// came from the pool is checked later. `None` if there are no such players, or if one of the
/// players is a house player.
pub(crate) fn pool_return(
    game: GameId,
    header: &GameHeader,
    spoiled_by: PerSide<bool>,
    now: Stamp,
) -> Option<Write> {
    let innocent = Side::BOTH.into_iter().filter(|side| !spoiled_by[*side] && !header.has_house());
    let innocent: Vec<&str> = innocent.map(|side| header.players[side].id.as_str()).collect();
    if innocent.is_empty() {
        return None;
    }
    put(POOL_RETURNS.key([&game]).ok()?, &innocent, Some(now.plus_ms(RETURN_MS))).ok()
}

impl Pool {
    /// Returns players to the pool whose opponents ended their games, if they are connected to this
    /// server.
    pub(super) async fn take_back(&self) -> Result<(), StoreError> {
        let mut scan = Scan::new(&*self.store, POOL_RETURNS.all()?).of_reachable();
        while let Some(notes) = scan.next().await? {
            for (note, value) in notes {
                let Some(game) = POOL_RETURNS.game(&note) else { continue };
                let innocent: Vec<String> = serde_json::from_slice(&value).unwrap_or_default();
                // Its other records may be in a part of the store that is away.
                if let Err(error) = self.take_back_from(game, (note, value), &innocent).await {
                    note_refusal(&error, "players of an aborted game are not back in the pool");
                }
            }
        }
        Ok(())
    }

    async fn take_back_from(
        &self,
        game: GameId,
        (note, value): (Key, Vec<u8>),
        innocent: &[String],
    ) -> Result<(), StoreError> {
        let pooled = POOLED.key([&game])?;
        let mut conditions = vec![(note.clone(), Expect::Value(value))];
        let mut writes = vec![Write::Delete { key: note }];
        if let Some(bytes) = self.store.get(pooled.clone()).await? {
            let waited: Vec<PoolRecord> = serde_json::from_slice(&bytes).unwrap_or_default();
            let mut returning = waited.into_iter().filter(|record| innocent.contains(&record.player.id));
            let Some(record) = returning.next() else { return Ok(()) };
            if !self.connections.is_online(&record.player.id) {
                return Ok(());
            }
            let player = record.player.id.clone();
            let pool = POOL.key([&player])?;
            let before = self.store.get(pool.clone()).await?;
            let waits_for = before.as_deref().and_then(read);
            let plays_live =
                self.tables.games_of(&player).await.iter().any(|game| !game.terms.time.is_slow());
            // If the player already waits for other terms, do not change them.
            if !plays_live && waits_for.is_none_or(|now| now.terms == record.terms) {
                let expires = self.store.now().plus_ms(self.grace_ms);
                writes.push(put(pool.clone(), &PoolRecord { expires: expires.0, ..record }, Some(expires))?);
            }
            conditions.push((pool, expect(before)));
            conditions.push((pooled.clone(), Expect::Value(bytes)));
            // If the player has been paired again, this condition fails, so they stay in their
            // new game.
            let last = Expect::Value(game.as_str().into());
            conditions.push((PAIRED_OF.key([&player])?, last));
            writes.push(Write::Delete { key: pooled });
        }
        // A conflict means that another server was faster, or that a record has changed. The next
        // wave will see the change.
        let outcome = self.store.update(Update { conditions, writes }).await?;
        if outcome == UpdateOutcome::Ok {
            tracing::debug!(%game, "a player whose opponent ended their game is back in the pool");
        }
        Ok(())
    }

    /// Gives the players of a pair their places in the pool back, because the pair's game cannot be
    /// created. Only players with fewer than `games_max` games get them. Does nothing if another
    /// server has created the game.
    pub(super) async fn put_back(&self, game: GameId, games_max: usize) -> Result<(), Refused> {
        if self.store.head(game).await.map_err(StoreError::from)? != Head::START {
            return Ok(());
        }
        let pooled = POOLED.key([&game])?;
        let before = self.store.get(pooled.clone()).await?;
        let waited = before.as_deref().and_then(|bytes| serde_json::from_slice(bytes).ok());
        let waited: Vec<PoolRecord> = waited.unwrap_or_default();
        // On a conflict, another server has just created the game or put the players back.
        let conditions = vec![(LIVE.key([&game])?, Expect::Absent), (pooled.clone(), expect(before))];
        let mut writes = vec![Write::Delete { key: pooled }, Write::Delete { key: PAIRED.key([&game])? }];
        for record in waited {
            let player = &record.player.id;
            if self.tables.count_games_of(player).await? < games_max {
                writes.push(put(POOL.key([player])?, &record, Some(Stamp(record.expires)))?);
            }
        }
        self.store.update(Update { conditions, writes }).await?;
        Ok(())
    }
}
