//! The pool: players who wait to be paired, and the waves that pair them.
//!
//! The record `pool/PLAYER` means that a player waits, and contains the terms. One update pairs
//! two players, on the condition that both still wait. It deletes the two records and writes the
//! plan of the game (`paired/GAME`). So any number of servers may run waves over the same pool,
//! and no player is paired twice. If a server dies before it creates the game, any other server
//! creates it. A record expires when no server has seen its player online for a grace period. So
//! a player whose connection is briefly interrupted keeps their place, and a player who has left
//! is not paired.

use super::refusal::not_found;
use crate::Refused;
use crate::blocks::blocked_ids;
use crate::ratings::{RatingRecord, rating_of};
use crate::records::{bytes, damaged, put};
use crate::settings::{Times, ms};
use flagfall_base::delivery::Connections;
use flagfall_base::keys::{PAIRED, PAIRED_OF, POOL, POOLED};
use flagfall_base::random::{random_bytes, random_game_id};
use flagfall_base::scan::Scan;
use flagfall_base::telemetry as names;
use flagfall_base::transact::{delete, expect, write_if};
use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_game::{CreateError, NewGame, TableError, Tables};
use flagfall_pairing::{Pair, Settings, Waiting, pair, reach};
use flagfall_protocol::{Code, Phase, Player, PlayerKind, PoolStatus, RatingRange, Refusal, Speed, Terms};
use flagfall_rating::Rating;
use flagfall_store::{Expect, Key, Record, Store, StoreError, Update, UpdateOutcome, Write};
use futures_util::{StreamExt, TryStreamExt};
use metrics::{gauge, histogram};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The time for which the records of two paired players are kept, in milliseconds.
const POOLED_MS: u64 = 24 * 3_600_000;
/// The maximum number of players of one class who are matched together. Twice as many players
/// would take more than twice as long.
const MATCHED_MAX: usize = 4_096;
/// The maximum number of pairs that are written at the same time. The same maximum applies to the
/// games that are created at the same time.
const AT_ONCE: usize = 32;
/// The number of waves for which the record of a pair is kept after its game was created. During
/// these waves, every server sees the record and informs its players.
const WAVES_KEPT: u32 = 3;
/// The time that the record of a pair waits for a server to create its game, in milliseconds.
const PAIRED_MS: u64 = 10 * 60 * 1_000;
/// The time that the store keeps the id of the game into which a player was last paired, in
/// milliseconds.
const PAIRED_OF_MS: u64 = 30 * 24 * 60 * 60 * 1_000;

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

/// The pool of players who wait in a store. [`Pool::hold_wave`] runs one wave.
pub(super) struct Pool {
    pub(super) store: Arc<dyn Store>,
    tables: Tables,
    pub(super) connections: Connections,
    wave: Duration,
    pub(super) grace_ms: u64,
    /// The players to whom this server has sent a pool status that it has not cleared yet.
    pub(super) told_status: Mutex<HashSet<String>>,
    /// The games whose players this server has informed, with the times at which it did so.
    told: Mutex<HashMap<GameId, Instant>>,
}

/// A waiting player, and the bytes of their record in the store.
pub(super) struct Waiter {
    pub(super) record: PoolRecord,
    key: Key,
    bytes: Vec<u8>,
}

impl Pool {
    pub(super) fn new(
        store: Arc<dyn Store>,
        tables: Tables,
        connections: Connections,
        times: &Times,
    ) -> Pool {
        let (wave, grace_ms) = (times.pool_wave, ms(times.pool_grace()));
        let (told_status, told) = (Mutex::default(), Mutex::default());
        Pool { store, tables, connections, wave, grace_ms, told_status, told }
    }

    /// Returns the update that makes a player wait for these terms. A player who already waits
    /// for the same terms keeps their place. If the terms differ, they replace the earlier ones.
    /// Refused while the player has a running game that came from the pool.
    pub(super) async fn entering(&self, player: &Player, terms: &Terms) -> Result<Update, Refused> {
        let (pool_key, paired_key) = (POOL.key([&player.id])?, PAIRED_OF.key([&player.id])?);
        let paired = self.store.get(paired_key.clone()).await?;
        if let Some(game) = paired.as_deref().and_then(game_of)
            && self.is_running(game).await?
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
            Some(game) if self.is_running(game).await? => Err(already_paired(game)),
            Some(_) | None => Err(Refusal::new(Code::NOT_IN_POOL).because("waiting").into()),
        }
    }

    pub(super) async fn forget(&self, player: &Player) -> Result<(), StoreError> {
        delete(&*self.store, vec![POOL.key([&player.id])?, PAIRED_OF.key([&player.id])?]).await
    }

    async fn is_running(&self, game: GameId) -> Result<bool, Refused> {
        match self.tables.find(game).await {
            Ok(table) => Ok(table.summary().phase != Phase::Over),
            // The game has not been created yet, or never will be.
            Err(TableError::NotFound) => Ok(self.store.get(PAIRED.key([&game])?).await?.is_some()),
            Err(TableError::Quarantined) => Ok(false),
            Err(error @ (TableError::TooNew | TableError::Unavailable | TableError::Failed)) => {
                Err(not_found(error))
            }
        }
    }

    pub(super) async fn hold_wave(&self) -> Result<(), StoreError> {
        self.make_games().await?;
        self.take_back().await?;
        let waiters = self.waiters().await?;
        gauge!(names::POOL_WAITING).set(u32::try_from(waiters.len()).unwrap_or(u32::MAX));
        let mut classes: BTreeMap<String, Vec<Waiter>> = BTreeMap::new();
        for waiter in waiters {
            classes.entry(class_of(&waiter.record)?).or_default().push(waiter);
        }
        let mut groups = Vec::new();
        let mut statuses = Vec::new();
        let now = self.store.now();
        for mut waiters in classes.into_values() {
            // First match the players who have waited longest. If a class is too large for one
            // matching, it is matched in several parts during the same wave.
            waiters.sort_by_key(|waiter| waiter.record.since);
            let waiting = waiters.len();
            while !waiters.is_empty() {
                let rest = waiters.split_off(waiters.len().min(MATCHED_MAX));
                let matched = std::mem::replace(&mut waiters, rest);
                let standings = self.standings(&matched, now).await?;
                statuses.extend(self.statuses(&matched, &standings, waiting));
                groups.push((matched, standings));
            }
        }
        // Send the statuses before pairing, because pairing clears the statuses of paired
        // players.
        self.tell_statuses(statuses);
        let mut is_paired = false;
        for (matched, standings) in groups.into_iter().filter(|(matched, _)| matched.len() > 1) {
            is_paired |= self.pair(&matched, standings, now).await?;
        }
        if is_paired { self.make_games().await } else { Ok(()) }
    }

    /// Reads all waiting players. Extends the records of those who are connected to this server.
    async fn waiters(&self) -> Result<Vec<Waiter>, StoreError> {
        let now = self.store.now();
        let mut waiters = Vec::new();
        let mut scan = Scan::new(&*self.store, POOL.all()?);
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

    /// Collects the data on which the pairing depends. It includes blocks, so two players who
    /// must not meet can be paired with others in the same wave.
    async fn standings(&self, waiters: &[Waiter], now: Stamp) -> Result<Vec<Waiting<usize>>, StoreError> {
        let ids: BTreeMap<&str, usize> =
            waiters.iter().enumerate().map(|(at, waiter)| (waiter.record.player.id.as_str(), at)).collect();
        let mut pool = Vec::with_capacity(waiters.len());
        for (at, waiter) in waiters.iter().enumerate() {
            let PoolRecord { player, terms, .. } = &waiter.record;
            let (rating, known) = match rated_speed(&waiter.record) {
                Some(speed) => rating_of(&*self.store, &player.id, &terms.ruleset, speed).await?,
                None => (Rating::START, RatingRecord::newcomer(now)),
            };
            let blocked = blocked_ids(&*self.store, &player.id).await?;
            let waited = Duration::from_millis(now.0.saturating_sub(waiter.record.since));
            let waves = waited.as_millis() / self.wave.as_millis().max(1);
            pool.push(Waiting {
                player: at,
                rating: rating.value,
                deviation: rating.deviation,
                waves_missed: u32::try_from(waves).unwrap_or(u32::MAX),
                first_surplus: known.surplus,
                last_opponent: known.last_opponent.and_then(|id| ids.get(id.as_str()).copied()),
                apart: blocked.iter().filter_map(|id| ids.get(id.as_str()).copied()).collect(),
            });
        }
        Ok(pool)
    }

    /// Pairs players who wait for the same terms. Returns true if at least one pair was made.
    async fn pair(
        &self,
        waiters: &[Waiter],
        pool: Vec<Waiting<usize>>,
        now: Stamp,
    ) -> Result<bool, StoreError> {
        let ratings: Vec<f64> = pool.iter().map(|waiting| waiting.rating).collect();
        let [seed] = random_bytes::<1>().unwrap_or_default();
        let mut coin = seed & 1 == 0;
        let matched = tokio::task::spawn_blocking(move || {
            pair(&pool, &flagfall_pairing::Settings::default(), || {
                coin = !coin;
                coin
            })
        });
        let pairs =
            matched.await.map_err(|_| StoreError::Unavailable { why: "the pairing failed".to_owned() })?;
        let sealing = futures_util::stream::iter(pairs).map(|Pair { first, second }| {
            let gap = (ratings[first] - ratings[second]).abs();
            async move {
                let is_sealed = self.seal(&waiters[first], &waiters[second], now).await?;
                if is_sealed {
                    histogram!(names::PAIRING_GAP).record(gap);
                }
                Ok::<bool, StoreError>(is_sealed)
            }
        });
        // Run the updates concurrently, because the store commits concurrent updates together.
        let sealed = sealing.buffer_unordered(AT_ONCE);
        sealed.try_fold(false, |is_paired, is_sealed| ready(Ok(is_paired || is_sealed))).await
    }

    /// Pairs two players if both still wait. Returns true if they are paired.
    async fn seal(&self, first: &Waiter, second: &Waiter, now: Stamp) -> Result<bool, StoreError> {
        let Ok(id) = random_game_id() else { return Ok(false) };
        let sides = PerSide::new(first, second);
        let plan = NewGame {
            id,
            terms: Terms { secret: false, ..first.record.terms.clone() },
            players: PerSide::from_fn(|side: Side| sides[side].record.player.clone()),
            secret: PerSide::from_fn(|side: Side| sides[side].record.terms.secret),
            previous: None,
        };
        let mut update = Update::default();
        update.writes.push(put(PAIRED.key([&id])?, &plan, Some(now.plus_ms(PAIRED_MS)))?);
        let waited = [&first.record, &second.record];
        update.writes.push(put(POOLED.key([&id])?, &waited, Some(now.plus_ms(POOLED_MS)))?);
        for waiter in [first, second] {
            update.conditions.push((waiter.key.clone(), Expect::Value(waiter.bytes.clone())));
            update.writes.push(Write::Delete { key: waiter.key.clone() });
            let (key, value) = (PAIRED_OF.key([&waiter.record.player.id])?, id.as_str().into());
            update.writes.push(Write::Put { key, value, expires: Some(now.plus_ms(PAIRED_OF_MS)) });
        }
        // A conflict means that one of the players left, or that another server was faster. If
        // the outcome is unknown but the update was written, a later wave finds the game.
        let is_sealed = self.store.update(update).await? == UpdateOutcome::Ok;
        if is_sealed {
            for waiter in [first, second] {
                self.connections.set_pool(&waiter.record.player.id, None);
                let waited = now.0.saturating_sub(waiter.record.since);
                histogram!(names::PAIRING_WAIT_SECONDS).record(waited as f64 / 1_000.0);
            }
        }
        Ok(is_sealed)
    }

    async fn make_games(&self) -> Result<(), StoreError> {
        let paired = self.paired().await?;
        let ids: HashSet<GameId> = paired.iter().map(|(_, plan)| plan.id).collect();
        self.told.lock().retain(|told, _| ids.contains(told));
        let told = self.told.lock().clone();
        let (known, new): (Vec<_>, Vec<_>) =
            paired.into_iter().partition(|(_, plan)| told.contains_key(&plan.id));
        let making = futures_util::stream::iter(new).map(|(key, plan)| self.make_game(key, plan));
        let mut useless: Vec<Key> = making.buffer_unordered(AT_ONCE).filter_map(ready).collect().await;
        let is_old = |game: &GameId| told.get(game).is_some_and(|at| at.elapsed() >= self.wave * WAVES_KEPT);
        useless.extend(known.into_iter().filter(|(_, plan)| is_old(&plan.id)).map(|(key, _)| key));
        delete(&*self.store, useless).await
    }

    /// Reads the pairs whose games are not created yet.
    async fn paired(&self) -> Result<Vec<(Key, NewGame)>, StoreError> {
        let read = |(key, bytes): Record| Some((key, serde_json::from_slice(&bytes).ok()?));
        Ok(Scan::all(&*self.store, PAIRED.all()?).await?.into_iter().filter_map(read).collect())
    }

    async fn make_game(&self, key: Key, plan: NewGame) -> Option<Key> {
        let id = plan.id;
        match self.tables.create(plan).await {
            Ok(game) => {
                self.told.lock().insert(id, Instant::now());
                self.tables.tell_start(&game).await;
                None
            }
            Err(
                error @ (CreateError::Unavailable
                | CreateError::NoChance
                | CreateError::NoMemory
                | CreateError::ServerFull(_)
                | CreateError::Stopping),
            ) => {
                tracing::debug!(game = %id, %error, "a paired game could not be created yet");
                None
            }
            Err(error @ (CreateError::TooManyGames(_) | CreateError::NoSuchRuleset)) => {
                tracing::warn!(game = %id, %error, "the game of a pair cannot be created");
                Some(key)
            }
        }
    }
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

/// Returns the class of a waiting player. Players of the same class wait for the same terms. Bots
/// and people are in separate classes.
fn class_of(record: &PoolRecord) -> Result<String, StoreError> {
    let terms = Terms { secret: false, ..record.terms.clone() };
    let is_bot = record.player.kind == PlayerKind::Bot;
    serde_json::to_string(&(terms, is_bot)).map_err(|_| damaged("a class of the pool cannot be written"))
}

pub(super) fn read(bytes: &[u8]) -> Option<PoolRecord> {
    serde_json::from_slice(bytes).ok()
}

fn game_of(bytes: &[u8]) -> Option<GameId> {
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

impl Pool {
    /// Returns the pool status of each player of one class who is connected to this server.
    pub(super) fn statuses(
        &self,
        waiters: &[Waiter],
        pool: &[Waiting<usize>],
        waiting: usize,
    ) -> Vec<(String, PoolStatus)> {
        let settings = Settings::default();
        let status = |(waiter, place): (&Waiter, &Waiting<usize>)| {
            let range = rated_speed(&waiter.record).map(|_| range(place, &settings));
            let waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
            let status = PoolStatus { since: waiter.record.since, range, waiting };
            (waiter.record.player.id.clone(), status)
        };
        let here =
            |(waiter, _): &(&Waiter, &Waiting<usize>)| self.connections.is_online(&waiter.record.player.id);
        waiters.iter().zip(pool).filter(here).map(status).collect()
    }

    /// Sends players their pool status, and clears it for players who stopped waiting.
    pub(super) fn tell_statuses(&self, statuses: Vec<(String, PoolStatus)>) {
        let mut told = self.told_status.lock();
        let mut gone = std::mem::take(&mut *told);
        for (player, status) in statuses {
            self.connections.set_pool(&player, Some(status));
            gone.remove(&player);
            told.insert(player);
        }
        let gone: HashSet<String> = gone;
        gone.iter().for_each(|player| self.connections.set_pool(player, None));
    }
}

fn range(place: &Waiting<usize>, settings: &Settings) -> RatingRange {
    let reach = reach(place, settings);
    let points = |points: f64| Some(points.round().clamp(0.0, f64::from(RatingRange::POINTS_MAX)) as u32);
    RatingRange { min: points(place.rating - reach), max: points(place.rating + reach) }
}
