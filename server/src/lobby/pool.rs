//! The pool: who waits to be paired, and the waves that pair him.
//!
//! `pool/PLAYER` says that somebody waits, and for what. A pair is one update: both records go, and the game that comes of them is written down
//! (`paired/GAME`), on the condition that both still wait. So any number of servers may hold waves over one pool, and nobody is paired twice; a
//! server that dies in between leaves a game that any other makes. A record lasts for a while after the last server saw its player online: a
//! line that drops costs no place, a player who is gone is not paired.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::future::ready;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_pairing::{Pair, Waiting, pair};
use flagfall_protocol::{Phase, Player, PlayerKind, ServerToClient, Speed, Terms};
use flagfall_rating::Rating;
use flagfall_store::{Expect, Key, Record, Store, StoreError, Update, UpdateOutcome, Write};
use futures_util::{StreamExt, TryStreamExt};
use metrics::{gauge, histogram};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::memory::GamePlan;
use super::pool_returns::keeping;
use super::refusal::LobbyRefusal;
use crate::blocks::blocked_ids;
use crate::ratings::{FirstMove, Ratings, Standing};
use crate::table::{CreateError, TableError, Tables};
use flagfall_base::delivery::{Connections, Payload};
use flagfall_base::keys::{PAIRED, PAIRED_OF, POOL};
use flagfall_base::random::{random_bytes, random_game_id};
use flagfall_base::scan::Scan;
use flagfall_base::telemetry as names;

/// Records of the pool read at a time.
const POOL_MAX: usize = 4_096;
/// People of one class who are matched with each other at most: a matching takes more than twice as long for twice as many.
const MATCHED_MAX: usize = 4_096;
/// Pairs that are written down, and games that are made, at once.
const AT_ONCE: usize = 32;
/// The record of a pair whose game is made stays for so many waves: every server looks at it meanwhile and tells its players.
const WAVES_KEPT: u32 = 3;
/// How long a pair waits for its game being made by whichever server.
const PAIRED_MS: u64 = 10 * 60 * 1_000;
/// How long it is known which game somebody was paired into last.
const PAIRED_OF_MS: u64 = 30 * 24 * 60 * 60 * 1_000;

/// Somebody who waits, as the store keeps it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct PoolRecord {
    pub(super) player: Player,
    pub(super) terms: Terms,
    /// When he began to wait, in milliseconds since 1970.
    pub(super) since: u64,
    /// When he does not any more, unless he is seen online.
    pub(super) expires: u64,
}

/// What must hold for somebody to wait, and what says that he does.
pub(super) struct Entering {
    pub(super) conditions: Vec<(Key, Expect)>,
    pub(super) write: Write,
}

/// The pool of a store. Waves are held by [`Pool::hold_wave`].
pub(super) struct Pool {
    pub(super) store: Arc<dyn Store>,
    tables: Tables,
    pub(super) connections: Connections,
    ratings: Ratings,
    wave: Duration,
    pub(super) grace_ms: u64,
    /// The players who were last told here how they wait.
    pub(super) told_status: Mutex<HashSet<String>>,
    /// The games whose players were told by this server, and when.
    told: Mutex<HashMap<GameId, Instant>>,
}

/// Somebody who waits, and his record as it lies in the store.
pub(super) struct Waiter {
    pub(super) record: PoolRecord,
    key: Key,
    bytes: Vec<u8>,
}

impl Pool {
    /// The pool of this store.
    pub(super) fn new(
        store: Arc<dyn Store>,
        tables: Tables,
        connections: Connections,
        wave: Duration,
        grace_ms: u64,
    ) -> Pool {
        // It pairs by ratings and rates nothing.
        let ratings = Ratings::new(store.clone(), tables.clone(), connections.clone(), FirstMove::default());
        Pool {
            store,
            tables,
            connections,
            ratings,
            wave,
            grace_ms,
            told_status: Mutex::default(),
            told: Mutex::default(),
        }
    }

    /// The ratings it pairs by.
    pub(super) fn ratings(&self) -> &Ratings {
        &self.ratings
    }

    /// What lets a player wait for a game of these terms. Whoever waits already goes on, or waits for something else from now on.
    ///
    /// # Errors
    /// [`LobbyRefusal::AlreadyPaired`] while the game he was paired into runs.
    pub(super) async fn entering(&self, player: &Player, terms: &Terms) -> Result<Entering, LobbyRefusal> {
        let (pool_key, paired_key) = (pool_key(&player.id)?, paired_of_key(&player.id)?);
        let paired = self.store.get(paired_key.clone()).await?;
        if let Some(game) = paired.as_deref().and_then(game_of)
            && self.is_running(game).await?
        {
            return Err(LobbyRefusal::AlreadyPaired(game));
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
        let expect = |value: Option<Vec<u8>>| value.map_or(Expect::Absent, Expect::Value);
        Ok(Entering {
            conditions: vec![(pool_key.clone(), expect(before)), (paired_key, expect(paired))],
            write: put(pool_key, &record, record.expires)?,
        })
    }

    /// What ends a player's waiting: his record, and its removal.
    ///
    /// # Errors
    /// [`LobbyRefusal::NotInPool`], or [`LobbyRefusal::AlreadyPaired`] when the game he was paired into runs or is about to.
    pub(super) async fn leaving(&self, player: &Player) -> Result<(Key, Vec<u8>), LobbyRefusal> {
        let key = pool_key(&player.id)?;
        if let Some(bytes) = self.store.get(key.clone()).await? {
            return Ok((key, bytes));
        }
        let paired = self.store.get(paired_of_key(&player.id)?).await?;
        match paired.as_deref().and_then(game_of) {
            Some(game) if self.is_running(game).await? => Err(LobbyRefusal::AlreadyPaired(game)),
            Some(_) | None => Err(LobbyRefusal::NotInPool),
        }
    }

    /// True if a player waits.
    ///
    /// # Errors
    /// [`StoreError`].
    pub(super) async fn is_waiting(&self, player_id: &str) -> Result<bool, StoreError> {
        let Ok(key) = pool_key(player_id) else { return Ok(false) };
        Ok(self.store.get(key).await?.is_some())
    }

    /// Whoever is no more does not wait.
    ///
    /// # Errors
    /// [`LobbyRefusal::Store`].
    pub(super) async fn forget(&self, player: &Player) -> Result<(), LobbyRefusal> {
        let writes = vec![
            Write::Delete { key: pool_key(&player.id)? },
            Write::Delete { key: paired_of_key(&player.id)? },
        ];
        self.store.update(Update { conditions: Vec::new(), writes }).await?;
        Ok(())
    }

    async fn is_running(&self, game: GameId) -> Result<bool, LobbyRefusal> {
        match self.tables.find(game).await {
            Ok(table) => Ok(table.summary().phase != Phase::Over),
            // Not made yet, or never to be.
            Err(TableError::NotFound) => Ok(self.store.get(paired_key(game)?).await?.is_some()),
            Err(TableError::Quarantined) => Ok(false),
            Err(error @ TableError::Unavailable) => Err(error.into()),
        }
    }

    /// Makes the games of those who are paired, keeps the places of those who are here, and pairs whoever waits.
    ///
    /// # Errors
    /// [`StoreError`]: what is left comes with the next wave.
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
            // Who has waited longest is matched first; who is left out of one matching is in the next one of the same wave.
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
        // Before anyone is paired: they are told then that they do not wait any more.
        self.tell_statuses(statuses);
        let mut is_paired = false;
        for (matched, standings) in groups.into_iter().filter(|(matched, _)| matched.len() > 1) {
            is_paired |= self.pair(&matched, standings, now).await?;
        }
        if is_paired { self.make_games().await } else { Ok(()) }
    }

    /// Everybody who waits. Those who are connected here go on to be.
    async fn waiters(&self) -> Result<Vec<Waiter>, StoreError> {
        let now = self.store.now();
        let mut waiters = Vec::new();
        let mut scan = Scan::new(&*self.store, POOL.all()?, POOL_MAX);
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
        let write = put(waiter.key.clone(), &record, record.expires)?;
        let Write::Put { value, .. } = &write else { return Ok(()) };
        let bytes = value.clone();
        let conditions = vec![(waiter.key.clone(), Expect::Value(waiter.bytes.clone()))];
        // When it has changed meanwhile, the next wave sees how.
        if self.store.update(Update { conditions, writes: vec![write] }).await? == UpdateOutcome::Ok {
            (waiter.record, waiter.bytes) = (record, bytes);
        }
        Ok(())
    }

    /// What the pairing goes by. Who has blocked whom is part of the matching: both find another opponent in the same wave, if there is one.
    async fn standings(&self, waiters: &[Waiter], now: Stamp) -> Result<Vec<Waiting<usize>>, StoreError> {
        let ids: BTreeMap<&str, usize> =
            waiters.iter().enumerate().map(|(at, waiter)| (waiter.record.player.id.as_str(), at)).collect();
        let mut pool = Vec::with_capacity(waiters.len());
        for (at, waiter) in waiters.iter().enumerate() {
            let Standing { rating, deviation, first_surplus, last_opponent } =
                self.standing(&waiter.record).await?;
            let blocked = blocked_ids(&*self.store, &waiter.record.player.id).await?;
            let waited = Duration::from_millis(now.0.saturating_sub(waiter.record.since));
            let waves = waited.as_millis() / self.wave.as_millis().max(1);
            pool.push(Waiting {
                player: at,
                rating,
                deviation,
                waves_missed: u32::try_from(waves).unwrap_or(u32::MAX),
                first_surplus,
                last_opponent: last_opponent.and_then(|id| ids.get(id.as_str()).copied()),
                apart: blocked.iter().filter_map(|id| ids.get(id.as_str()).copied()).collect(),
            });
        }
        Ok(pool)
    }

    /// Pairs people who wait for the same; true if there was a pair.
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
        // The store writes together what comes together.
        let sealed = sealing.buffer_unordered(AT_ONCE);
        sealed.try_fold(false, |is_paired, is_sealed| ready(Ok(is_paired || is_sealed))).await
    }

    async fn standing(&self, record: &PoolRecord) -> Result<Standing, StoreError> {
        let Rating { value: rating, deviation, .. } = Rating::START;
        let unrated = Standing { rating, deviation, first_surplus: 0, last_opponent: None };
        match rated_speed(record) {
            Some(speed) => self.ratings.standing(&record.player.id, &record.terms.ruleset, speed).await,
            None => Ok(unrated),
        }
    }

    /// Two play each other, if both still wait; whether they do.
    async fn seal(&self, first: &Waiter, second: &Waiter, now: Stamp) -> Result<bool, StoreError> {
        let Ok(id) = random_game_id() else { return Ok(false) };
        let sides = PerSide::new(first, second);
        let plan = GamePlan {
            id,
            terms: Terms { secret: false, ..first.record.terms.clone() },
            players: PerSide::from_fn(|side: Side| sides[side].record.player.clone()),
            secret: PerSide::from_fn(|side: Side| sides[side].record.terms.secret),
        };
        let mut update = Update::default();
        update.writes.push(put(paired_key(id)?, &plan, now.plus_ms(PAIRED_MS).0)?);
        update.writes.push(keeping(id, [&first.record, &second.record], now)?);
        for waiter in [first, second] {
            update.conditions.push((waiter.key.clone(), Expect::Value(waiter.bytes.clone())));
            update.writes.push(Write::Delete { key: waiter.key.clone() });
            let (key, value) = (paired_of_key(&waiter.record.player.id)?, id.as_str().into());
            update.writes.push(Write::Put { key, value, expires: Some(now.plus_ms(PAIRED_OF_MS)) });
        }
        // Conflict: somebody left, or another server was first. Unknown: if it was written, the game will be found.
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

    /// Makes the games of those who are paired, by whichever server, and tells their players who are here.
    async fn make_games(&self) -> Result<(), StoreError> {
        let paired = self.paired().await?;
        let ids: HashSet<GameId> = paired.iter().map(|(_, plan)| plan.id).collect();
        self.told().retain(|told, _| ids.contains(told));
        let told = self.told().clone();
        let (known, new): (Vec<_>, Vec<_>) =
            paired.into_iter().partition(|(_, plan)| told.contains_key(&plan.id));
        let making = futures_util::stream::iter(new).map(|(key, plan)| self.make_game(key, plan));
        let mut useless: Vec<Key> = making.buffer_unordered(AT_ONCE).filter_map(ready).collect().await;
        let is_old = |game: &GameId| told.get(game).is_some_and(|at| at.elapsed() >= self.wave * WAVES_KEPT);
        useless.extend(known.into_iter().filter(|(_, plan)| is_old(&plan.id)).map(|(key, _)| key));
        for keys in useless.chunks(AT_ONCE) {
            let writes = keys.iter().map(|key| Write::Delete { key: key.clone() }).collect();
            self.store.update(Update { conditions: Vec::new(), writes }).await?;
        }
        Ok(())
    }

    /// The pairs that are written down.
    async fn paired(&self) -> Result<Vec<(Key, GamePlan)>, StoreError> {
        let mut paired = Vec::new();
        let mut after = None;
        loop {
            let records = self.store.scan(PAIRED.all()?, after, POOL_MAX).await?;
            let is_last = records.len() < POOL_MAX;
            after = records.last().map(|(key, _)| key.clone());
            let read = |(key, bytes): Record| Some((key, serde_json::from_slice(&bytes).ok()?));
            paired.extend(records.into_iter().filter_map(read));
            if is_last {
                return Ok(paired);
            }
        }
    }

    /// Makes a pair's game and tells its players who are here. The key of a pair that comes to nothing.
    async fn make_game(&self, key: Key, plan: GamePlan) -> Option<Key> {
        let id = plan.id;
        match self.tables.create(plan.into()).await {
            Ok(game) => {
                self.told().insert(id, Instant::now());
                for side in Side::BOTH.into_iter().filter(|_| game.phase != Phase::Over) {
                    let started = ServerToClient::GameStarted { game: game.clone(), side };
                    self.connections.notify(&game.players[side].id, &Payload::new(&started));
                }
                None
            }
            Err(
                error @ (CreateError::Unavailable
                | CreateError::NoChance
                | CreateError::NoMemory
                | CreateError::ServerFull(_)
                | CreateError::Stopping),
            ) => {
                tracing::debug!(game = %id, %error, "a paired game is made later");
                None
            }
            Err(error @ (CreateError::TooManyGames(_) | CreateError::NoSuchRuleset)) => {
                tracing::warn!(game = %id, %error, "a pair came to nothing");
                Some(key)
            }
        }
    }

    fn told(&self) -> std::sync::MutexGuard<'_, HashMap<GameId, Instant>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a player can have a rating for such games.
pub(super) fn rated_speed(record: &PoolRecord) -> Option<Speed> {
    let has_rating = matches!(record.player.kind, PlayerKind::Account | PlayerKind::Bot);
    Speed::of(record.terms.time).filter(|_| has_rating)
}

/// Who waits for the same: programs and people apart.
fn class_of(record: &PoolRecord) -> Result<String, StoreError> {
    let terms = Terms { secret: false, ..record.terms.clone() };
    let is_bot = record.player.kind == PlayerKind::Bot;
    serde_json::to_string(&(terms, is_bot)).map_err(|_| unwritable())
}

pub(super) fn read(bytes: &[u8]) -> Option<PoolRecord> {
    serde_json::from_slice(bytes).ok()
}

pub(super) fn put(key: Key, value: &impl Serialize, expires: u64) -> Result<Write, StoreError> {
    let value = serde_json::to_vec(value).map_err(|_| unwritable())?;
    Ok(Write::Put { key, value, expires: Some(Stamp(expires)) })
}

fn unwritable() -> StoreError {
    StoreError::Damaged { what: "a record of the pool cannot be written".to_owned() }
}

fn game_of(bytes: &[u8]) -> Option<GameId> {
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

pub(super) fn pool_key(player: &str) -> Result<Key, StoreError> {
    POOL.key([&player])
}

fn paired_key(game: GameId) -> Result<Key, StoreError> {
    PAIRED.key([&game])
}

pub(super) fn paired_of_key(player: &str) -> Result<Key, StoreError> {
    PAIRED_OF.key([&player])
}
