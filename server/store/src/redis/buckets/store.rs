//! Implements [`Store`] for a store of several buckets.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use flagfall_board::{GameId, Stamp};
use futures_util::future::{join_all, try_join_all};
use parking_lot::Mutex;
use tokio::sync::broadcast;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tracing::Instrument as _;

use super::all::Buckets;
use super::appends;
use crate::checks::{check_append, check_update};
use crate::guard::Guard;
use crate::redis::address::RedisAddress;
use crate::redis::durability::Durability;
use crate::redis::layout::Keys;
use crate::redis::options::RedisOptions;
use crate::redis::placement::Placement;
use crate::redis::request::Request;
use crate::redis::request_error::RequestError;
use crate::redis::shared::{Common, Shared};
use crate::redis::slots::{slot_of, tags};
use crate::redis::{RedisOpenError, RedisStore};
use crate::store::{
    Announcement, Append, AppendOutcome, FullRecord, Outage, Reached, ReadResult, Record, RetireOutcome,
    Store, StoreError, StoreFuture, StoreMessage, StoreResult, StoredEntry, Topic, Update, UpdateOutcome,
    Write,
};
use crate::transfer::Transfer;
use crate::value::{Head, Key, StoreMemory};

/// The number of buckets of a store.
pub const BUCKETS: usize = 64;

/// The audit interval of every bucket except the first. It is so long that there are no audits,
/// because the first bucket's audit covers all games.
const NO_AUDIT: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The time for which a heartbeat waits for one bucket to answer.
const BEAT_MAX: Duration = Duration::from_secs(1);

/// The maximum number of buckets that are asked, one after the other, to pass on a notice.
const TELL_TRIES: usize = 4;
/// The distance between the numbers of these buckets. It has no common factor with the number of
/// buckets.
const TELL_STEP: usize = 25;
/// The time for which a notice waits for one bucket. It is short, because a heartbeat that needs a
/// second bucket must still arrive before its server counts as silent.
const TELL_MAX: Duration = Duration::from_millis(500);

/// A store in several buckets. Like a [`RedisStore`], it can be used by several servers.
pub struct BucketStore {
    all: Arc<Buckets>,
    tending: JoinHandle<()>,
}

impl Drop for BucketStore {
    fn drop(&mut self) {
        self.tending.abort();
    }
}

impl BucketStore {
    /// Opens the store with this number of buckets, or creates one. The number can never change,
    /// so it should be [`BUCKETS`] outside tests. Must be called in a tokio runtime, which then
    /// runs the store's tasks. Buckets that are away may be missing
    /// ([`may_lack_buckets`](RedisOptions::may_lack_buckets)).
    ///
    /// # Errors
    /// [`RedisOpenError`], which says how to fix the problem: a master cannot be reached, is not
    /// durable enough, or contains a store of another version.
    pub async fn open(
        address: &RedisAddress,
        options: RedisOptions,
        buckets: usize,
    ) -> Result<BucketStore, RedisOpenError> {
        let buckets = buckets.max(1);
        let common = Common::new(options.held_bytes_max);
        let placement = Placement::new(buckets);
        let may_lack_buckets = options.may_lack_buckets;
        let share = |(number, tag): (usize, String)| {
            let audit = if number == 0 { options.audit } else { NO_AUDIT };
            let options = RedisOptions { audit, ..options.clone() };
            let keys = Keys::of_bucket(&options.prefix, placement, number, &tag);
            let address = address.of_slot(slot_of(&tag));
            let shared = Shared::with(address, options, keys, common.clone());
            // No server of an earlier version can use this layout.
            shared.interest.serve_former(false);
            Arc::new(shared)
        };
        let shared: Vec<Arc<Shared>> = tags(buckets).into_iter().enumerate().map(share).collect();
        let opened = shared.iter().cloned().map(RedisStore::open_with);
        let stores = if may_lack_buckets {
            let opened = join_all(opened).await;
            with_those_away(opened, shared)?
        } else {
            try_join_all(opened).await?
        };
        let all = Arc::new(Buckets {
            buckets: stores,
            placement,
            common,
            transactions: AtomicU64::new(0),
            outages: Mutex::default(),
            beating: (0..buckets).map(|_| AtomicBool::new(false)).collect(),
            #[cfg(feature = "testing")]
            steps_left: AtomicU64::new(u64::MAX),
            #[cfg(feature = "testing")]
            is_stopped: AtomicBool::new(false),
        });
        let unusable = |why: String| RedisOpenError::Unusable { why };
        all.test().await.map_err(|error| unusable(error.to_string()))?;
        let outages = all.common_outages().await;
        outages.map_err(|error| unusable(format!("the list of outages cannot be read: {error}")))?;
        let tending = tokio::spawn(appends::tend(all.clone()));
        Ok(BucketStore { all, tending })
    }

    /// Returns the durability of the first master that is there, at the last check.
    #[must_use]
    pub fn durability(&self) -> Durability {
        let known = self.all.buckets.iter().find_map(|bucket| bucket.shared.durability.lock().clone());
        known.unwrap_or_default()
    }

    /// Returns the number of the bucket of a game. The slots of a cluster are shared out evenly
    /// among the buckets, in the order of their numbers.
    #[must_use]
    pub fn bucket_of(&self, game: GameId) -> usize {
        self.all.placement.of_game(game)
    }

    /// Makes this store act as if its process had ended, but only after this many more steps of
    /// transactions and appends. Requests that need another step never get an answer.
    #[cfg(feature = "testing")]
    pub fn stop_after(&self, steps: u64) {
        self.all.steps_left.store(steps, Ordering::SeqCst);
    }

    /// True if a request waits forever because of [`stop_after`](Self::stop_after).
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.all.is_stopped.load(Ordering::SeqCst)
    }
}

impl BucketStore {
    /// Returns the bucket of a game.
    fn of(&self, game: GameId) -> &RedisStore {
        &self.all.buckets[self.all.placement.of_game(game)]
    }

    fn of_topic(&self, topic: &Topic) -> &RedisStore {
        &self.all.buckets[self.all.placement.of_topic(topic)]
    }

    /// Returns the bucket for data that concerns the whole store, such as the epoch.
    fn first(&self) -> &RedisStore {
        &self.all.buckets[0]
    }
}

impl Buckets {
    /// Sends a heartbeat to a bucket. Does not wait for long, because a slow bucket must not delay
    /// the heartbeats of the others.
    async fn beat(self: Arc<Buckets>, bucket: usize) -> Result<Stamp, StoreError> {
        let late = |what: &str| StoreError::Unavailable { why: format!("bucket {bucket}: {what}") };
        if self.beating[bucket].swap(true, Ordering::SeqCst) {
            return Err(late("the last heartbeat has no answer yet"));
        }
        let beating = tokio::spawn(async move {
            let beat = self.buckets[bucket].heartbeat().await;
            self.beating[bucket].store(false, Ordering::SeqCst);
            beat
        });
        match timeout(BEAT_MAX, beating).await {
            Ok(Ok(beat)) => beat,
            Ok(Err(_)) | Err(_) => Err(late("the heartbeat has no answer yet")),
        }
    }

    /// Sends a notice to all servers. Every server listens to all buckets, so one bucket that
    /// accepts the notice is enough. Tries the first bucket, and then buckets that are far from it,
    /// because adjacent buckets usually have the same master.
    async fn tell(&self, notice: Vec<u8>, silent: Vec<usize>) -> Result<(), StoreError> {
        let count = self.buckets.len();
        let buckets = (0..TELL_TRIES).map(|number| number * TELL_STEP % count);
        let mut refused = None;
        for bucket in buckets.filter(|bucket| !silent.contains(bucket)) {
            match timeout(TELL_MAX, self.buckets[bucket].tell(notice.clone())).await {
                Ok(Err(error @ StoreError::Unavailable { .. })) => refused = Some(error),
                Ok(told) => return told,
                Err(_) => {}
            }
        }
        let why = || "no part of the store takes notices".to_owned();
        Err(refused.unwrap_or_else(|| StoreError::Unavailable { why: why() }))
    }

    /// Makes all buckets forget which side records of a game were applied, because the game's log
    /// was retired or deleted.
    async fn forget_applied(&self, game: GameId) -> Result<(), RequestError> {
        let forget = async |store: &RedisStore| {
            let missing = || RequestError::InDoubt("the store is closed".to_owned());
            let forgotten = store.send(|reply| Request::ForgetApplied { game, reply }).await?;
            forgotten.await.unwrap_or_else(|_| Err(missing()))
        };
        try_join_all(self.buckets.iter().map(forget)).await.map(drop)
    }
}

/// Returns the buckets that were opened, and those that are away, if they are fewer.
fn with_those_away(
    opened: Vec<Result<RedisStore, RedisOpenError>>,
    shared: Vec<Arc<Shared>>,
) -> Result<Vec<RedisStore>, RedisOpenError> {
    let here: Vec<&RedisStore> = opened.iter().flatten().collect();
    let (are_most_here, now) = (2 * here.len() > opened.len(), here.iter().map(|store| store.now()).max());
    let all = opened.into_iter().zip(shared).map(|(opened, shared)| match opened {
        // A master that has answered is not away, but cannot be used.
        Err(error) if are_most_here && shared.durability.lock().is_none() => {
            shared.note_failure(&RequestError::not_done(error));
            Ok(RedisStore::open_away(shared, now.unwrap_or_default()))
        }
        opened => opened,
    });
    all.collect()
}

/// Runs a request in a separate task, so that it is completed even if the caller is dropped.
fn complete<T: Send + 'static>(
    request: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    unknown: T,
) -> StoreFuture<'static, Result<T, StoreError>> {
    let running = tokio::spawn(request.in_current_span());
    Box::pin(async move { running.await.unwrap_or(Ok(unknown)) })
}

impl Store for BucketStore {
    fn append(&self, append: Append) -> StoreResult<'_, AppendOutcome> {
        if append.writes.is_empty() {
            return self.of(append.game).append(append);
        }
        if let Err(error) = check_append(&append) {
            return Box::pin(std::future::ready(Err(error.into())));
        }
        complete(self.all.clone().append(append), AppendOutcome::Unknown)
    }

    fn read(&self, game: GameId, after_seq: u64, limit: usize) -> ReadResult<'_, Vec<StoredEntry>> {
        self.of(game).read(game, after_seq, limit)
    }

    fn head(&self, game: GameId) -> ReadResult<'_, Head> {
        self.of(game).head(game)
    }

    fn get(&self, key: Key) -> StoreResult<'_, Option<Vec<u8>>> {
        Box::pin(async move { self.all.get(&key).await })
    }

    fn scan(&self, prefix: Key, after: Option<Key>, limit: usize) -> StoreResult<'_, Vec<Record>> {
        Box::pin(async move {
            let found = self.all.scan(Some(&prefix), after.as_ref(), limit).await?;
            Ok(found.into_iter().map(|(key, value, _)| (key, value)).collect())
        })
    }

    fn scan_reachable(&self, prefix: Key, after: Option<Key>, limit: usize) -> StoreResult<'_, Reached> {
        Box::pin(
            async move { self.all.scan_reachable(&prefix, after.as_ref(), limit, self.silent_parts()).await },
        )
    }

    fn update(&self, update: Update) -> StoreResult<'_, UpdateOutcome> {
        if let Err(error) = check_update(&update) {
            return Box::pin(std::future::ready(Err(error.into())));
        }
        complete(self.all.clone().update(update), UpdateOutcome::Unknown)
    }

    fn sweep(&self) -> StoreResult<'_, u64> {
        Box::pin(async move {
            // A bucket that does not answer must not prevent the others from being swept.
            let swept = join_all(self.all.buckets.iter().map(Store::sweep)).await;
            Ok(swept.into_iter().collect::<Result<Vec<u64>, StoreError>>()?.iter().sum())
        })
    }

    fn finish_left_behind(&self, look: u64) -> StoreFuture<'_, ()> {
        Box::pin(self.all.tend_share(look))
    }

    fn now(&self) -> Stamp {
        self.all.buckets.iter().map(Store::now).min().unwrap_or_default()
    }

    fn heartbeat(&self) -> StoreResult<'_, Stamp> {
        Box::pin(async move {
            if self.silent_since().is_some() {
                // If this process was suspended, another server may have started in the meantime
                // and changed the record of outages.
                *self.all.outages.lock() = None;
            }
            let beats = (0..self.all.buckets.len()).map(|bucket| self.all.clone().beat(bucket));
            let (mut beaten, mut last) = (Vec::new(), None);
            for beat in join_all(beats).await {
                match beat {
                    Ok(at) => beaten.push(at),
                    Err(error) => last = Some(error),
                }
            }
            // As long as one master answers, its games continue. For other games, `silent_since_of`
            // shows that their clocks stand still.
            match (beaten.into_iter().min(), last) {
                (Some(at), _) => Ok(at),
                (None, Some(error)) => Err(error),
                (None, None) => Ok(Stamp(0)),
            }
        })
    }

    fn last_heartbeat(&self) -> StoreResult<'_, Option<Stamp>> {
        Box::pin(async move {
            let here = self.all.buckets.iter().filter(|bucket| !bucket.was_away);
            let beats = here.map(|bucket| bucket.last_heartbeat);
            // A server that is alive sends heartbeats to all buckets. So if one bucket has had
            // none, no other server is alive.
            Ok(beats.collect::<Option<Vec<Stamp>>>().and_then(|beats| beats.into_iter().max()))
        })
    }

    fn epoch(&self) -> StoreResult<'_, u64> {
        Box::pin(async move { Ok(self.all.common.epoch.load(Ordering::SeqCst)) })
    }

    fn bump_epoch(&self) -> StoreResult<'_, u64> {
        self.first().bump_epoch()
    }

    fn quarantined(&self) -> StoreResult<'_, Vec<(GameId, String)>> {
        Box::pin(async move {
            let mut found = try_join_all(self.all.buckets.iter().map(Store::quarantined)).await?.concat();
            found.sort_unstable();
            Ok(found)
        })
    }

    fn retire(&self, game: GameId, guard: Guard) -> StoreResult<'_, RetireOutcome> {
        Box::pin(async move {
            guard.check()?;
            if self.all.has_pending(game).await? {
                return Ok(RetireOutcome::Later);
            }
            // Another master may have lost its last writes since the game ended. Servers give them
            // back only as long as there is a log.
            if self.all.write_again(game, guard.head.seq).await.is_err() {
                return Ok(RetireOutcome::Later);
            }
            let outcome = self.of(game).retire(game, guard).await?;
            if outcome == RetireOutcome::Ok && self.all.forget_applied(game).await.is_err() {
                return Ok(RetireOutcome::Unknown);
            }
            Ok(outcome)
        })
    }

    fn guard(&self, game: GameId) -> ReadResult<'_, Option<Guard>> {
        self.of(game).guard(game)
    }

    fn delete_log(&self, game: GameId) -> StoreResult<'_, ()> {
        Box::pin(async move {
            self.of(game).delete_log(game).await?;
            Ok(self.all.forget_applied(game).await?)
        })
    }

    fn outage(&self) -> Option<Outage> {
        self.all.buckets.iter().filter_map(Store::outage).max_by_key(|outage| outage.until)
    }

    fn outages_of(&self, game: GameId, after: Stamp) -> Vec<Outage> {
        self.of(game).outages_of(game, after)
    }

    fn outages_record(&self, game: GameId) -> StoreResult<'_, Option<Vec<u8>>> {
        Box::pin(self.all.outages_record(game))
    }

    fn memory(&self) -> Option<StoreMemory> {
        let share =
            |memory: &StoreMemory| u128::from(memory.used_bytes) * 1_000 / u128::from(memory.limit_bytes);
        self.all.buckets.iter().filter_map(Store::memory).max_by_key(share)
    }

    fn weaknesses(&self) -> Vec<String> {
        let all: BTreeSet<String> = self.all.buckets.iter().flat_map(Store::weaknesses).collect();
        all.into_iter().collect()
    }

    fn keep_copies(&self, owner: &str, records: Vec<Write>) {
        let mut parts: Vec<Vec<Write>> = vec![Vec::new(); self.all.buckets.len()];
        for record in records {
            parts[self.all.placement.of_key(record.key().as_bytes())].push(record);
        }
        for (bucket, part) in self.all.buckets.iter().zip(parts) {
            bucket.keep_copies(owner, part);
        }
    }

    fn drop_copies(&self, owner: &str) {
        self.all.buckets.iter().for_each(|bucket| bucket.drop_copies(owner));
    }

    fn owners_of_copies(&self) -> Vec<String> {
        let all: BTreeSet<String> = self.all.buckets.iter().flat_map(Store::owners_of_copies).collect();
        all.into_iter().collect()
    }

    fn silent_since(&self) -> Option<Stamp> {
        let silent: Option<Vec<Stamp>> = self.all.buckets.iter().map(Store::silent_since).collect();
        silent?.into_iter().max()
    }

    fn silent_since_of(&self, game: GameId) -> Option<Stamp> {
        self.of(game).silent_since()
    }

    fn part_of(&self, key: &Key) -> usize {
        self.all.placement.of_key(key.as_bytes())
    }

    fn silent_parts(&self) -> Vec<usize> {
        let all = self.all.buckets.iter().enumerate();
        let silent: Vec<usize> =
            all.filter(|(_, bucket)| bucket.silent_since().is_some()).map(|(number, _)| number).collect();
        if silent.len() < self.all.buckets.len() { silent } else { Vec::new() }
    }

    fn announcements(&self) -> Option<broadcast::Receiver<Announcement>> {
        Some(self.all.common.announcements.subscribe())
    }

    fn tell(&self, notice: Vec<u8>) -> StoreResult<'_, ()> {
        Box::pin(self.all.tell(notice, self.silent_parts()))
    }

    fn follow(&self, topic: Topic) -> StoreFuture<'static, bool> {
        self.of_topic(&topic).follow(topic)
    }

    fn unfollow(&self, topic: &Topic) {
        self.of_topic(topic).unfollow(topic);
    }

    fn tell_followers(&self, topic: Topic, notice: Vec<u8>) -> StoreResult<'_, u64> {
        self.of_topic(&topic).tell_followers(topic, notice)
    }

    fn notices(&self) -> Option<broadcast::Receiver<StoreMessage>> {
        Some(self.all.common.notices.subscribe())
    }
}

impl Transfer for BucketStore {
    fn games(&self) -> StoreResult<'_, Vec<GameId>> {
        Box::pin(async move {
            let mut games = try_join_all(self.all.buckets.iter().map(Transfer::games)).await?.concat();
            games.sort_unstable();
            Ok(games)
        })
    }

    fn records(&self, after: Option<Key>, limit: usize) -> StoreResult<'_, Vec<FullRecord>> {
        Box::pin(async move {
            let mut found = self.all.scan(None, after.as_ref(), limit).await?;
            self.all.add_outages(&mut found, after.as_ref(), limit).await?;
            Ok(found)
        })
    }

    fn take_over(
        &self,
        game: GameId,
        expected: Head,
        entries: Vec<StoredEntry>,
    ) -> StoreResult<'_, AppendOutcome> {
        self.of(game).take_over(game, expected, entries)
    }

    fn put_aside(&self, game: GameId, reason: String) -> StoreResult<'_, ()> {
        self.of(game).put_aside(game, reason)
    }
}
