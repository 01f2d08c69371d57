//! The pool: players who wait to be paired, and the waves that pair them.
//!
//! The record `pool/PLAYER` means that a player waits, and contains the terms. One update pairs
//! two players, on the condition that both still wait. It deletes the two records and writes the
//! plan of the game (`paired/GAME`). So any number of servers may run waves over the same pool,
//! and no player is paired twice. One server pairs the players of a class, and the others only
//! replace it when it fails; see [`wave`](super::wave). If a server dies before it creates the
//! game, any other server creates it. A record expires when no server has seen its player online
//! for a grace period. So a player whose connection is briefly interrupted keeps their place, and
//! a player who has left is not paired.

use super::refusal::not_found;
use crate::Refused;
use crate::records::{bytes, put};
use crate::settings::{Times, ms};
use flagfall_base::cluster::OTHERS_WAIT_MS;
use flagfall_base::delivery::Connections;
use flagfall_base::keys::{PAIRED, PAIRED_OF, POOL};
use flagfall_base::scan::Scan;
use flagfall_base::transact::{delete, expect, write_if};
use flagfall_board::{GameId, Side, Stamp};
use flagfall_game::{CreateError, GameHeader, NewGame, TableError, Tables};
use flagfall_protocol::{Code, GameSummary, Phase, Player, PlayerKind, Refusal, Speed, Terms};
use flagfall_store::{Expect, Key, Reached, Record, Store, StoreError, Update, Write};
use futures_util::StreamExt;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The maximum number of players whose data is read at the same time. The same maximum applies to
/// the pairs that are written, and to the games that are created.
pub(super) const AT_ONCE: usize = 32;
/// The time for which only the server that made a pair creates its game.
const OTHERS_WAIT: Duration = Duration::from_millis(OTHERS_WAIT_MS);
/// The number of waves for which a pair's record is kept after the pair's game has been created.
/// During these waves, every server sees the record and informs its players.
const WAVES_KEPT: u32 = 3;
/// The stored record of a waiting player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct PoolRecord {
    pub(super) player: Player,
    pub(super) terms: Terms,
    /// The time at which the player began to wait, in milliseconds since 1970.
    pub(super) since: u64,
    /// The time at which the record expires unless the player is seen online, in milliseconds
    /// since 1970.
    pub(super) expires: u64,
}

/// The pool of players who wait in a store. `Pool::hold_wave` runs one wave.
pub(super) struct Pool {
    pub(super) store: Arc<dyn Store>,
    pub(super) tables: Tables,
    pub(super) connections: Connections,
    pub(super) wave: Duration,
    pub(super) grace_ms: u64,
    /// The players whom this server has told that they are waiting.
    pub(super) told_status: Mutex<HashSet<String>>,
    /// The games whose players this server has informed, with the times at which it did so.
    told: Mutex<HashMap<GameId, Instant>>,
    /// The games of pairs whose records this server has seen, with the times at which it saw them
    /// first.
    seen: Mutex<HashMap<GameId, Instant>>,
}

/// A waiting player, and the bytes of their record in the store.
pub(super) struct Waiter {
    pub(super) record: PoolRecord,
    pub(super) key: Key,
    pub(super) bytes: Vec<u8>,
}

impl Pool {
    pub(super) fn new(
        store: Arc<dyn Store>,
        tables: Tables,
        connections: Connections,
        times: &Times,
    ) -> Pool {
        let (wave, grace_ms) = (times.pool_wave, ms(times.pool_grace()));
        let (told_status, told, seen) = (Mutex::default(), Mutex::default(), Mutex::default());
        Pool { store, tables, connections, wave, grace_ms, told_status, told, seen }
    }

    /// Returns the update that makes a player wait for these terms. A player who already waits
    /// for the same terms keeps their place. If the terms differ, they replace the earlier ones.
    /// Refused while the player has a game from the pool that binds them.
    pub(super) async fn entering(&self, player: &Player, terms: &Terms) -> Result<Update, Refused> {
        let (pool_key, paired_key) = (POOL.key([&player.id])?, PAIRED_OF.key([&player.id])?);
        let paired = self.store.get(paired_key.clone()).await?;
        if let Some(game) = paired.as_deref().and_then(game_of)
            && self.binds(game).await?
        {
            return Err(already_paired(game));
        }
        let before = self.store.get(pool_key.clone()).await?;
        let now = self.store.now();
        let waits_since = before.as_deref().and_then(read).filter(|known| known.terms == *terms);
        let record = PoolRecord {
            player: player.clone(),
            terms: terms.clone(),
            since: waits_since.map_or(now.0, |known| known.since),
            expires: now.plus_ms(self.grace_ms).0,
        };
        Ok(Update {
            conditions: vec![(pool_key.clone(), expect(before)), (paired_key, expect(paired))],
            writes: vec![put(pool_key, &record, Some(Stamp(record.expires)))?],
        })
    }

    pub(super) async fn leaving(&self, player: &Player) -> Result<Update, Refused> {
        let key = POOL.key([&player.id])?;
        if let Some(bytes) = self.store.get(key.clone()).await? {
            let conditions = vec![(key.clone(), Expect::Value(bytes))];
            return Ok(Update { conditions, writes: vec![Write::Delete { key }] });
        }
        let paired = self.store.get(PAIRED_OF.key([&player.id])?).await?;
        match paired.as_deref().and_then(game_of) {
            Some(game) if self.binds(game).await? => Err(already_paired(game)),
            Some(_) | None => Err(Refusal::new(Code::NOT_IN_POOL).because("waiting").into()),
        }
    }

    pub(super) async fn forget(&self, player: &Player) -> Result<(), StoreError> {
        delete(&*self.store, vec![POOL.key([&player.id])?, PAIRED_OF.key([&player.id])?]).await
    }

    /// True if a game from the pool keeps its players out of the pool. This is so until it has
    /// begun, and on a live clock until its end.
    async fn binds(&self, game: GameId) -> Result<bool, Refused> {
        match self.tables.find(game).await {
            Ok(table) => {
                let GameSummary { phase, terms, .. } = table.summary();
                Ok(match phase {
                    Phase::Deploying => true,
                    Phase::Playing => !terms.time.is_slow(),
                    Phase::Over => false,
                })
            }
            // The game has not been created yet, or never will be.
            Err(TableError::NotFound) => Ok(self.store.get(PAIRED.key([&game])?).await?.is_some()),
            Err(TableError::Quarantined) => Ok(false),
            Err(error @ (TableError::TooNew | TableError::Unavailable | TableError::Failed)) => {
                Err(not_found(error))
            }
        }
    }

    /// Reads all waiting players. Extends the records of those who are connected to this server.
    pub(super) async fn waiters(&self) -> Result<Vec<Waiter>, StoreError> {
        let now = self.store.now();
        let mut waiters = Vec::new();
        let mut scan = Scan::new(&*self.store, POOL.all()?).of_reachable();
        while let Some(records) = scan.next().await? {
            for (key, bytes) in records {
                let Some(record) = read(&bytes) else { continue };
                let mut waiter = Waiter { record, key, bytes };
                let left_ms = waiter.record.expires.saturating_sub(now.0);
                if left_ms < self.grace_ms / 2 && self.connections.is_online(&waiter.record.player.id) {
                    self.refresh(&mut waiter, now).await?;
                }
                waiters.push(waiter);
            }
        }
        Ok(waiters)
    }

    async fn refresh(&self, waiter: &mut Waiter, now: Stamp) -> Result<(), StoreError> {
        let record = PoolRecord { expires: now.plus_ms(self.grace_ms).0, ..waiter.record.clone() };
        let write = put(waiter.key.clone(), &record, Some(Stamp(record.expires)))?;
        let before = Some(waiter.bytes.clone());
        // On a conflict, the record has changed, and the next wave sees the change.
        if write_if(&*self.store, waiter.key.clone(), before, vec![write]).await? {
            (waiter.bytes, waiter.record) = (bytes(&record)?, record);
        }
        Ok(())
    }

    /// Creates the games of pairs, and notifies their players. `sealed` are the pairs that this
    /// server has just made. Other pairs are left to the servers that made them until they are
    /// overdue. But if some server does not announce new games, this server creates the games of
    /// all pairs.
    pub(super) async fn make_games(&self, sealed: &HashSet<GameId>) -> Result<(), StoreError> {
        let (paired, is_whole) = self.paired().await?;
        let ids: HashSet<GameId> = paired.iter().map(|(_, plan)| plan.id).collect();
        if is_whole {
            self.told.lock().retain(|told, _| ids.contains(told));
        }
        let told = self.told.lock().clone();
        let (known, mut new): (Vec<_>, Vec<_>) =
            paired.into_iter().partition(|(_, plan)| told.contains_key(&plan.id));
        let makes_all = !self.tables.peers().others_tell_starts();
        {
            let mut seen = self.seen.lock();
            seen.retain(|game, _| ids.contains(game));
            new.retain(|(_, plan)| {
                let seen = seen.entry(plan.id).or_insert_with(Instant::now);
                makes_all || sealed.contains(&plan.id) || seen.elapsed() >= OTHERS_WAIT
            });
        }
        let making = futures_util::stream::iter(new).map(|(key, plan)| self.make_game(key, plan));
        let mut useless: Vec<Key> = making.buffer_unordered(AT_ONCE).filter_map(ready).collect().await;
        let is_old = |game: &GameId| told.get(game).is_some_and(|at| at.elapsed() >= self.wave * WAVES_KEPT);
        useless.extend(known.into_iter().filter(|(_, plan)| is_old(&plan.id)).map(|(key, _)| key));
        delete(&*self.store, useless).await
    }

    /// Reads the records of pairs, including those whose games were created recently. The returned
    /// flag is false if a part of the store is unreachable.
    async fn paired(&self) -> Result<(Vec<(Key, NewGame)>, bool), StoreError> {
        let read = |(key, bytes): Record| Some((key, serde_json::from_slice(&bytes).ok()?));
        let Reached { records, is_whole } = Scan::all_reachable(&*self.store, PAIRED.all()?).await?;
        Ok((records.into_iter().filter_map(read).collect(), is_whole))
    }

    async fn make_game(&self, key: Key, plan: NewGame) -> Option<Key> {
        let id = plan.id;
        match self.tables.create(plan).await {
            Ok(game) => {
                self.told.lock().insert(id, Instant::now());
                self.tables.tell_start(&game).await;
                None
            }
            Err(error @ (CreateError::Unavailable | CreateError::Stopping)) => {
                tracing::debug!(game = %id, %error, "a paired game could not be created yet");
                None
            }
            Err(
                error @ (CreateError::TooManyGames(_)
                | CreateError::NoChance
                | CreateError::NoMemory
                | CreateError::ServerFull(_)),
            ) => {
                tracing::debug!(game = %id, %error, "the players of a pair wait again");
                let games_max = if let CreateError::TooManyGames(max) = error { max } else { usize::MAX };
                if let Err(error) = self.put_back(id, games_max).await {
                    tracing::warn!(game = %id, %error, "the players of a pair are not back in the pool");
                }
                None
            }
            Err(error @ CreateError::NoSuchRuleset) => {
                tracing::warn!(game = %id, %error, "the game of a pair cannot be created");
                Some(key)
            }
        }
    }
}

/// Returns the writes that must be made in the append that begins a game. If the game is on a live
/// clock, its players wait in the pool no longer.
pub(crate) fn ended_waits(header: &GameHeader) -> Vec<Write> {
    let sides = Side::BOTH.into_iter().filter(|_| !header.is_slow());
    let place = |side: Side| POOL.key([&header.players[side].id]).ok();
    sides.filter_map(place).map(|key| Write::Delete { key }).collect()
}

/// Returns the speed of the rating that a game with these terms would use. `None` if the player
/// cannot have such a rating.
pub(super) fn rated_speed(record: &PoolRecord) -> Option<Speed> {
    let has_rating = matches!(record.player.kind, PlayerKind::Account | PlayerKind::Bot);
    Speed::of(record.terms.time).filter(|_| has_rating)
}

fn already_paired(game: GameId) -> Refused {
    Refusal::new(Code::ALREADY_PAIRED).because("game").with("game", game.to_string()).into()
}

pub(super) fn read(bytes: &[u8]) -> Option<PoolRecord> {
    serde_json::from_slice(bytes).ok()
}

fn game_of(bytes: &[u8]) -> Option<GameId> {
    std::str::from_utf8(bytes).ok()?.parse().ok()
}
