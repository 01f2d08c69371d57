//! A wave of the pool: it pairs the players who wait, one class after the other.
//!
//! The guardian of a class (the server responsible for it) pairs its players, and writes the
//! record `pool_waves/CLASS` in each wave. If this record expires, the other servers pair the
//! players too. Every server reads the pool itself, because it tells its own players their
//! status.

use super::pool::{AT_ONCE, Pool, PoolRecord, Waiter, rated_speed};
use crate::blocks::blocked_ids;
use crate::ratings::{RatingRecord, rating_of};
use crate::records::{damaged, put};
use flagfall_base::cluster::OTHERS_WAIT_MS;
use flagfall_base::keys::{PAIRED, PAIRED_OF, POOL_WAVES, POOLED};
use flagfall_base::places::game_id_in_reach;
use flagfall_base::random::random_bytes;
use flagfall_base::store_errors::note_refusal;
use flagfall_base::telemetry as names;
use flagfall_base::transact::write;
use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_game::NewGame;
use flagfall_pairing::{Pair, Settings, Waiting, pair, reach};
use flagfall_protocol::{HexBytes, PlayerKind, PoolStatus, RatingRange, Terms};
use flagfall_rating::Rating;
use flagfall_store::{Expect, StoreError, Update, UpdateOutcome, Write};
use futures_util::{StreamExt, TryStreamExt};
use metrics::{gauge, histogram};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

/// The time for which the records of two paired players are kept, in milliseconds. Players whose
/// game is aborted later do not return to the pool.
const POOLED_MS: u64 = 3_600_000;
/// The time that the record of a pair waits for a server to create its game, in milliseconds.
const PAIRED_MS: u64 = 10 * 60 * 1_000;
/// The time that the store keeps the id of the game into which a player was last paired, in
/// milliseconds.
const PAIRED_OF_MS: u64 = 30 * 24 * 60 * 60 * 1_000;

/// The data on which a player's pairing depends, in addition to their record.
struct Standing {
    rating: Rating,
    known: RatingRecord,
    /// The ids of the players whom they have blocked. These players are not paired with them, but
    /// may be paired with others in the same wave.
    blocked: Vec<String>,
}

impl Pool {
    pub(super) async fn hold_wave(&self) -> Result<(), StoreError> {
        self.make_games(&HashSet::new()).await?;
        self.take_back().await?;
        let waiters = self.waiters().await?;
        gauge!(names::POOL_WAITING).set(u32::try_from(waiters.len()).unwrap_or(u32::MAX));
        let mut classes: BTreeMap<String, Vec<Waiter>> = BTreeMap::new();
        for waiter in waiters {
            classes.entry(class_of(&waiter.record)?).or_default().push(waiter);
        }
        let now = self.store.now();
        let (mut groups, mut statuses) = (Vec::new(), Vec::new());
        for (class, mut waiters) in classes {
            let waiting = waiters.len();
            // A server without room for games leaves the class to others, or to a later wave.
            let has_room = waiting > 1 && self.tables.check_capacity().is_ok();
            let does_pair = has_room && self.pairs(&class, now).await;
            if !does_pair {
                waiters.retain(|waiter| self.connections.is_online(&waiter.record.player.id));
            }
            // A part of the store that is away must not keep the other classes from being paired.
            let pool = match self.standings(&waiters, now).await {
                Ok(pool) => pool,
                Err(error) => {
                    note_refusal(&error, "a class of the pool is left out of a wave");
                    continue;
                }
            };
            statuses.extend(self.statuses(&waiters, &pool, waiting));
            if does_pair {
                groups.push((waiters, pool));
            }
        }
        // Send the statuses before pairing, because pairing clears the statuses of paired
        // players.
        self.tell_statuses(statuses);
        let mut sealed = HashSet::new();
        for (waiters, pool) in groups {
            sealed.extend(self.pair(&waiters, pool, now).await);
        }
        if sealed.is_empty() { Ok(()) } else { self.make_games(&sealed).await }
    }

    /// True if this server pairs the players of a class in this wave: it is the guardian of the
    /// class, or the guardian has held no wave for the class recently. If that is unknown, because
    /// the part of the store with the record is away, only the guardian pairs them.
    async fn pairs(&self, class: &str, now: Stamp) -> bool {
        let peers = self.tables.peers();
        let guards = peers.guards(class);
        if !peers.is_shared() {
            return true;
        }
        let noted = async {
            let key = POOL_WAVES.key([&HexBytes(Sha256::digest(class).into())])?;
            if !guards {
                return Ok(self.store.get(key).await?.is_none());
            }
            let expires = now.plus_ms(crate::settings::ms(self.wave) + OTHERS_WAIT_MS);
            write(&*self.store, vec![Write::Put { key, value: Vec::new(), expires: Some(expires) }]).await?;
            Ok(true)
        };
        noted.await.unwrap_or_else(|error: StoreError| {
            note_refusal(&error, "the record of a class's waves is out of reach");
            guards
        })
    }

    /// Collects the data on which the pairing of these players depends.
    async fn standings(&self, waiters: &[Waiter], now: Stamp) -> Result<Vec<Waiting<usize>>, StoreError> {
        let ids: HashMap<&str, usize> =
            waiters.iter().enumerate().map(|(at, waiter)| (waiter.record.player.id.as_str(), at)).collect();
        let reading: Vec<_> = waiters.iter().map(|waiter| self.standing(&waiter.record, now)).collect();
        let reading = futures_util::stream::iter(reading).buffered(AT_ONCE);
        let standings: Vec<Standing> = reading.try_collect().await?;
        let waiting = |(at, Standing { rating, known, blocked }): (usize, Standing)| {
            let waited = Duration::from_millis(now.0.saturating_sub(waiters[at].record.since));
            let waves = waited.as_millis() / self.wave.as_millis().max(1);
            Waiting {
                player: at,
                rating: rating.value,
                deviation: rating.deviation,
                waves_missed: u32::try_from(waves).unwrap_or(u32::MAX),
                first_surplus: known.surplus,
                last_opponent: known.last_opponent.and_then(|id| ids.get(id.as_str()).copied()),
                apart: blocked.iter().filter_map(|id| ids.get(id.as_str()).copied()).collect(),
            }
        };
        Ok(standings.into_iter().enumerate().map(waiting).collect())
    }

    async fn standing(&self, record: &PoolRecord, now: Stamp) -> Result<Standing, StoreError> {
        let PoolRecord { player, terms, .. } = record;
        let (rating, known) = match rated_speed(record) {
            Some(speed) => rating_of(&*self.store, &player.id, &terms.ruleset, speed).await?,
            None => (Rating::START, RatingRecord::newcomer(now)),
        };
        Ok(Standing { rating, known, blocked: blocked_ids(&*self.store, &player.id).await? })
    }

    /// Pairs players who wait for the same terms. Returns the games of the pairs. The next wave
    /// pairs those who could not be paired.
    async fn pair(&self, waiters: &[Waiter], pool: Vec<Waiting<usize>>, now: Stamp) -> Vec<GameId> {
        let ratings: Vec<f64> = pool.iter().map(|waiting| waiting.rating).collect();
        let [seed] = random_bytes::<1>().unwrap_or_default();
        let mut coin = seed & 1 == 0;
        let matched = tokio::task::spawn_blocking(move || {
            pair(&pool, &Settings::default(), || {
                coin = !coin;
                coin
            })
        });
        let Ok(pairs) = matched.await else {
            tracing::error!("the pairing of a class panicked: this is a defect of the server");
            return Vec::new();
        };
        let sealing = futures_util::stream::iter(pairs).map(|Pair { first, second }| {
            let gap = (ratings[first] - ratings[second]).abs();
            async move {
                let sealed = self.seal(&waiters[first], &waiters[second], now).await?;
                if sealed.is_some() {
                    histogram!(names::PAIRING_GAP).record(gap);
                }
                Ok::<_, StoreError>(sealed)
            }
        });
        // Run the updates concurrently, because the store commits concurrent updates together.
        let sealed: Vec<Result<Option<GameId>, StoreError>> =
            sealing.buffer_unordered(AT_ONCE).collect().await;
        let sealed = sealed.into_iter().filter_map(|sealed| {
            sealed.unwrap_or_else(|error| {
                note_refusal(&error, "two players of the pool could not be paired");
                None
            })
        });
        sealed.collect()
    }

    /// Pairs two players if both still wait. Returns their game if they are paired.
    pub(super) async fn seal(
        &self,
        first: &Waiter,
        second: &Waiter,
        now: Stamp,
    ) -> Result<Option<GameId>, StoreError> {
        let Ok(id) = game_id_in_reach(&*self.store) else { return Ok(None) };
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
        if self.store.update(update).await? != UpdateOutcome::Ok {
            return Ok(None);
        }
        for waiter in [first, second] {
            self.connections.set_pool(&waiter.record.player.id, None);
            let waited = now.0.saturating_sub(waiter.record.since);
            histogram!(names::PAIRING_WAIT_SECONDS).record(waited as f64 / 1_000.0);
        }
        Ok(Some(id))
    }

    /// Returns the pool status of each of these players who is connected to this server.
    /// `waiting` is the number of players in their class.
    fn statuses(
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
    fn tell_statuses(&self, statuses: Vec<(String, PoolStatus)>) {
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

/// Returns the class of a waiting player. Players of the same class wait for the same terms. Bots
/// and people are in separate classes.
pub(super) fn class_of(record: &PoolRecord) -> Result<String, StoreError> {
    let terms = Terms { secret: false, ..record.terms.clone() };
    let is_bot = record.player.kind == PlayerKind::Bot;
    serde_json::to_string(&(terms, is_bot)).map_err(|_| damaged("a class of the pool cannot be written"))
}

fn range(place: &Waiting<usize>, settings: &Settings) -> RatingRange {
    let reach = reach(place, settings);
    let points = |points: f64| Some(points.round().clamp(0.0, f64::from(RatingRange::POINTS_MAX)) as u32);
    RatingRange { min: points(place.rating - reach), max: points(place.rating + reach) }
}
