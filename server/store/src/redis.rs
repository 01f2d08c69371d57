//! The store in Redis, for several servers at once.
//!
//! `docs/internals/redis-store.md` explains its keys and scripts, its connections, side records
//! of appends, what servers give back after a loss, and where stamps come from.
//!
//! # Durability
//! The store promises as much durability as Redis itself. It reads Redis's settings
//! ([`Durability`]) whenever it connects, and every 15 s, because settings can change while Redis
//! runs. The store refuses a Redis that promises less than a game needs, unless
//! [`Demand::Anything`] is set, and accepts no requests until the settings are right again. It
//! always refuses a node of a Redis Cluster, for which there is a [store of several
//! buckets](buckets). A table in the same document shows which failures an acknowledged move
//! survives with which settings.
//!
//! An acknowledged move survives a power cut only if the disk has really written the data that it
//! has confirmed. Redis may lose data, so each server keeps what it can give back: the logs of
//! its games, up to [`RedisOptions::held_bytes_max`], and copies of some side records
//! ([`Store::keep_copies`]).
//!
//! # Outcomes of requests
//! `Ok`, `Conflict`, `Late` and `Early` are Redis's own answers, confirmed by the replicas if the
//! store waits for them. If the answer is missing, or too few replicas confirm, an append is
//! `Unknown`. Reads then wait or fail until the connection has been replaced, so a read after an
//! `Unknown` shows the final result. `Unavailable` means that Redis refused the request (memory
//! full, replica, loading) or never got it.

mod address;
mod answers;
pub mod buckets;
mod durability;
mod exchange;
mod heard;
mod held;
mod interest;
mod kept;
mod layout;
mod link;
mod listener;
mod masters;
mod mending;
mod options;
mod packing;
mod placement;
mod reader;
mod request;
mod request_error;
mod shared;
mod slots;
mod writer;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use flagfall_board::{GameId, Stamp};
use thiserror::Error;
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tracing::Span;

pub use self::address::{AddressError, Prefix, RedisAddress, RedisTls};
pub use self::durability::{Durability, Weakness};
use self::exchange::SWEEP_STEP;
use self::held::HeldEntry;
use self::layout::write_arguments;
pub use self::options::{Demand, RedisOptions};
use self::reader::{Found, Reader};
use self::request::{Prepared, Reply, Request};
use self::request_error::RequestError;
pub use self::shared::RedisStats;
use self::shared::Shared;
use self::writer::Writer;
use crate::checks::{check_append, check_notice, check_update};
use crate::encoding::{entry_value, stamp_entry};
use crate::guard::Guard;
use crate::store::{
    Announcement, Append, AppendOutcome, FullRecord, Outage, ReadError, ReadResult, Record, RetireOutcome,
    Store, StoreError, StoreFuture, StoreMessage, StoreResult, StoredEntry, Topic, Update, UpdateOutcome,
    Write,
};
use crate::transfer::Transfer;
use crate::value::{Head, Key, SecretBytes, StoreMemory};

/// Why the store could not be opened.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RedisOpenError {
    /// Redis is less durable than demanded.
    #[error("{address} promises less than a game needs: {}", durability::list(weaknesses))]
    Weak {
        /// The address of Redis.
        address: String,
        /// All weaknesses of Redis.
        weaknesses: Vec<Weakness>,
    },
    /// Redis cannot be reached, is not a primary, or contains a store of another version.
    #[error("{why}")]
    Unusable {
        /// The problem, and how to fix it.
        why: String,
    },
}

/// The store in Redis. See the [module](self) for its durability.
pub struct RedisStore {
    shared: Arc<Shared>,
    reader: Reader,
    requests: mpsc::Sender<Request>,
    last_heartbeat: Option<Stamp>,
    /// True if Redis was away when this process began to use it.
    was_away: bool,
    listener: JoinHandle<()>,
}

impl Drop for RedisStore {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

impl RedisStore {
    /// Opens the store in this Redis, or creates one. Must be called in a tokio runtime, which
    /// then runs the store's tasks.
    ///
    /// # Errors
    /// [`RedisOpenError`], which says how to fix the problem: Redis cannot be reached, is not
    /// durable enough, or contains a store of another version.
    pub async fn open(address: RedisAddress, options: RedisOptions) -> Result<RedisStore, RedisOpenError> {
        RedisStore::open_with(Arc::new(Shared::new(address, options))).await
    }

    async fn open_with(shared: Arc<Shared>) -> Result<RedisStore, RedisOpenError> {
        let (writer, last_heartbeat) = Writer::open(shared.clone()).await.map_err(|error| {
            let weaknesses = shared.durability.lock().as_ref().map(Durability::weaknesses);
            match weaknesses.filter(|found| shared.options.demand == Demand::Full && !found.is_empty()) {
                Some(weaknesses) => RedisOpenError::Weak { address: shared.address.to_string(), weaknesses },
                None => RedisOpenError::Unusable { why: error.to_string() },
            }
        })?;
        Ok(RedisStore::run(shared, writer, last_heartbeat))
    }

    /// Opens the store although Redis is away. It is used as soon as it is there. `at` is the
    /// current time.
    fn open_away(shared: Arc<Shared>, at: Stamp) -> RedisStore {
        shared.note_silence(at);
        let writer = Writer::new(shared.clone(), Some(at));
        let mut store = RedisStore::run(shared, writer, None);
        store.was_away = true;
        store
    }

    fn run(shared: Arc<Shared>, writer: Writer, last_heartbeat: Option<Stamp>) -> RedisStore {
        let (requests, receiver) = mpsc::channel(shared.options.queue_length.max(1));
        tokio::spawn(writer.run(receiver));
        let listener = tokio::spawn(listener::run(shared.clone()));
        let (reader, was_away) = (Reader::new(shared.clone()), false);
        RedisStore { reader, shared, requests, last_heartbeat, was_away, listener }
    }

    /// Returns Redis's durability at the last check.
    #[must_use]
    pub fn durability(&self) -> Durability {
        self.shared.durability.lock().clone().unwrap_or_default()
    }

    /// Returns the store's statistics since it was opened.
    #[must_use]
    pub fn stats(&self) -> RedisStats {
        *self.shared.stats.lock()
    }

    /// Sends a request to the writer. Waits while the queue is full. An error means that the
    /// writer did not get the request.
    async fn send<T>(
        &self,
        request: impl FnOnce(Reply<T>) -> Request,
    ) -> Result<oneshot::Receiver<Result<T, RequestError>>, RequestError> {
        let (reply, answer) = oneshot::channel();
        let sent = self.requests.send(request(reply)).await;
        sent.map_err(|_| RequestError::not_done("the store is closed"))?;
        Ok(answer)
    }

    /// Sends a request to the writer and waits for the outcome. Returns `unknown` if the outcome
    /// is in doubt.
    async fn try_to<T>(
        &self,
        request: impl FnOnce(Reply<T>) -> Request,
        unknown: T,
    ) -> Result<T, StoreError> {
        match self.send(request).await?.await {
            Ok(Ok(outcome)) => Ok(outcome),
            Ok(Err(error)) if !error.is_in_doubt() => Err(error.into()),
            Ok(Err(_)) | Err(_) => Ok(unknown),
        }
    }

    /// Sends a request to the writer and waits for the answer. A missing answer is an error.
    async fn call<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<T, RequestError> {
        let answer = self.send(request).await?.await;
        answer.unwrap_or_else(|_| Err(RequestError::not_done("the writer is gone and left no answer")))
    }

    async fn request<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<T, StoreError> {
        Ok(self.call(request).await?)
    }

    /// Resolves all doubts before a read: the outcome of earlier writes and, after a silence,
    /// whether game clocks stood still.
    async fn settle(&self) -> Result<(), RequestError> {
        if self.shared.silent_since().is_some() {
            self.shared.is_in_doubt.store(true, Ordering::SeqCst);
        }
        if self.shared.is_in_doubt.load(Ordering::SeqCst) {
            self.call(|reply| Request::Settle { reply }).await?;
        }
        Ok(())
    }

    /// Resolves all doubts, then reads. Reads once more if the first read failed and raised a new
    /// doubt.
    async fn read_settled<T, F: Future<Output = Result<T, RequestError>>>(
        &self,
        read: impl Fn() -> F,
    ) -> Result<T, RequestError> {
        self.settle().await?;
        let found = read().await;
        let is_damage = matches!(found, Err(RequestError::Damaged { .. }));
        let is_again = found.is_err() && !is_damage && self.shared.is_in_doubt.load(Ordering::SeqCst);
        // The read may have taken so long that a silence began.
        self.settle().await?;
        if is_again { read().await } else { found }
    }

    /// Reads a side record. If it is missing although this process keeps a copy, Redis may have
    /// been emptied. In that case, copies are given back first.
    async fn find(&self, key: &Key) -> Result<Found, RequestError> {
        let found = self.read_settled(|| self.reader.get(key)).await?;
        if found.value.is_some() || !self.shared.kept.lock().has(key) {
            return Ok(found);
        }
        self.shared.is_in_doubt.store(true, Ordering::SeqCst);
        let found = self.read_settled(|| self.reader.get(key)).await?;
        if found.value.is_none() {
            self.shared.kept.lock().forget(key);
        }
        Ok(found)
    }

    /// Puts the game into quarantine if the read found damage.
    async fn keep_damage<T>(&self, game: GameId, found: Result<T, RequestError>) -> Result<T, ReadError> {
        let is_quarantined = self.shared.quarantined.lock().contains_key(&game);
        if let (Err(RequestError::Damaged { seq, what }), false) = (&found, is_quarantined) {
            let reason = format!("entry {seq}: {what}");
            self.shared.quarantine(game, &reason);
            self.shared.held.lock().forget(game);
            // If storing the quarantine fails, the next read finds the damage again.
            self.request(|reply| Request::Quarantine { game, reason, reply }).await.ok();
        }
        found.map_err(|error| error.of_game(game))
    }

    /// A planted fault: acknowledges the append before sending it.
    #[cfg(feature = "planted-faults")]
    async fn acknowledge_first(&self, mut append: Prepared) -> Result<AppendOutcome, StoreError> {
        let (at, mut head) = (self.shared.now(), append.expected);
        for entry in &mut append.entries {
            stamp_entry(&mut entry.value, at);
            head = entry.head;
        }
        append.is_stamped = true;
        drop(self.send(|reply| Request::Append { append, reply }).await?);
        Ok(AppendOutcome::Ok { at, head })
    }

    /// Reads a log. If the answer is empty although this process holds entries of the log, Redis
    /// may have been emptied. In that case, the connection is checked, which gives the held
    /// entries back, and the log is read again.
    async fn read_log<T, F: Future<Output = Result<T, RequestError>>>(
        &self,
        game: GameId,
        read: impl Fn() -> F,
        is_nothing: impl Fn(&T, Head) -> bool,
    ) -> Result<T, ReadError> {
        // The held head is taken before the read, because entries appended during the read are
        // not lost entries.
        let held = self.shared.held.lock().head(game);
        let mut found = self.read_settled(&read).await;
        if let (Ok(shown), Some(held)) = (&found, held)
            && is_nothing(shown, held)
        {
            if matches!(self.reader.guard(game).await, Ok(Some(_))) {
                self.shared.held.lock().forget(game);
                return found.map_err(|error| error.of_game(game));
            }
            self.shared.is_in_doubt.store(true, Ordering::SeqCst);
            found = self.read_settled(&read).await;
        }
        self.keep_damage(game, found).await
    }
}

/// Makes entries from stamped bodies. The first entry follows the head `after`.
fn chained<'a>(
    game: GameId,
    after: Head,
    bodies: impl Iterator<Item = (Stamp, &'a SecretBytes)>,
) -> Vec<HeldEntry> {
    let mut head = after;
    let entry = |(at, body)| {
        head = head.then(game, body);
        let mut value = entry_value(head.hash, body);
        stamp_entry(&mut value, at);
        HeldEntry { head, value, writes: Vec::new() }
    };
    bodies.map(entry).collect()
}

impl Store for RedisStore {
    fn append(&self, append: Append) -> StoreResult<'_, AppendOutcome> {
        Box::pin(async move {
            check_append(&append)?;
            let Append { game, expected, deadline, not_before, bodies, writes } = append;
            // These stamps are placeholders: Redis gives the stamps.
            let entries = chained(game, expected, bodies.iter().map(|body| (Stamp(0), body)));
            let append = Prepared {
                deadline,
                not_before,
                is_stamped: false,
                outage: self.shared.outage(),
                span: Span::current(),
                ..Prepared::stamped(game, expected, entries, write_arguments(&writes))
            };
            #[cfg(feature = "planted-faults")]
            if crate::planted::is_planted(crate::planted::ACKNOWLEDGE_FIRST) {
                return self.acknowledge_first(append).await;
            }
            self.try_to(|reply| Request::Append { append, reply }, AppendOutcome::Unknown).await
        })
    }

    fn read(&self, game: GameId, after_seq: u64, limit: usize) -> ReadResult<'_, Vec<StoredEntry>> {
        let is_nothing = move |entries: &Vec<StoredEntry>, held: Head| {
            limit > 0 && entries.is_empty() && after_seq < held.seq
        };
        Box::pin(self.read_log(game, move || self.reader.read(game, after_seq, limit), is_nothing))
    }

    fn head(&self, game: GameId) -> ReadResult<'_, Head> {
        let is_nothing = |head: &Head, _: Head| *head == Head::START;
        Box::pin(self.read_log(game, move || self.reader.head(game), is_nothing))
    }

    fn get(&self, key: Key) -> StoreResult<'_, Option<Vec<u8>>> {
        Box::pin(async move { Ok(self.find(&key).await?.value) })
    }

    fn scan(&self, prefix: Key, after: Option<Key>, limit: usize) -> StoreResult<'_, Vec<Record>> {
        Box::pin(async move {
            let found = self.read_settled(|| self.reader.scan(Some(&prefix), after.as_ref(), limit)).await;
            Ok(found?.into_iter().map(|(key, value, _)| (key, value)).collect())
        })
    }

    fn update(&self, update: Update) -> StoreResult<'_, UpdateOutcome> {
        Box::pin(async move {
            check_update(&update)?;
            let copied = self.shared.kept.lock().copied(&update.writes);
            let outcome =
                self.try_to(|reply| Request::Update { update, reply }, UpdateOutcome::Unknown).await;
            match &outcome {
                Ok(UpdateOutcome::Ok) => self.shared.kept.lock().note(copied),
                Ok(UpdateOutcome::Unknown) => self.shared.kept.lock().forget_all(&copied),
                Ok(UpdateOutcome::Conflict) | Err(_) => {}
            }
            outcome
        })
    }

    fn sweep(&self) -> StoreResult<'_, u64> {
        Box::pin(async move {
            let mut all = 0;
            loop {
                let (found, deleted) = self.request(|reply| Request::Sweep { reply }).await?;
                all += deleted;
                if found < SWEEP_STEP {
                    return Ok(all);
                }
            }
        })
    }

    fn now(&self) -> Stamp {
        self.shared.now()
    }

    fn heartbeat(&self) -> StoreResult<'_, Stamp> {
        Box::pin(self.request(|reply| Request::Heartbeat { reply }))
    }

    fn last_heartbeat(&self) -> StoreResult<'_, Option<Stamp>> {
        Box::pin(async move { Ok(self.last_heartbeat) })
    }

    fn epoch(&self) -> StoreResult<'_, u64> {
        Box::pin(async move { Ok(self.shared.epoch.load(Ordering::SeqCst)) })
    }

    fn bump_epoch(&self) -> StoreResult<'_, u64> {
        Box::pin(self.request(|reply| Request::BumpEpoch { reply }))
    }

    fn quarantined(&self) -> StoreResult<'_, Vec<(GameId, String)>> {
        Box::pin(async move {
            let quarantined = self.shared.quarantined.lock();
            Ok(quarantined.iter().map(|(game, reason)| (*game, reason.clone())).collect())
        })
    }

    fn retire(&self, game: GameId, guard: Guard) -> StoreResult<'_, RetireOutcome> {
        Box::pin(async move {
            guard.check()?;
            let applied = Box::pin(self.read_log(game, || self.reader.is_applied(game), |_, _| false));
            if !applied.await? {
                return Ok(RetireOutcome::Later);
            }
            let outcome =
                self.try_to(|reply| Request::Retire { game, guard, reply }, RetireOutcome::Unknown).await?;
            if outcome == RetireOutcome::Ok {
                // Delete this separately, because the key has another hash tag, so the script
                // cannot change it. If this fails, the caller retires the log again.
                let forgotten = self.call(|reply| Request::ForgetApplied { game, reply }).await;
                return Ok(if forgotten.is_ok() { RetireOutcome::Ok } else { RetireOutcome::Unknown });
            }
            Ok(outcome)
        })
    }

    fn guard(&self, game: GameId) -> ReadResult<'_, Option<Guard>> {
        Box::pin(self.read_log(game, move || self.reader.guard(game), |_, _| false))
    }

    fn delete_log(&self, game: GameId) -> StoreResult<'_, ()> {
        Box::pin(async move {
            // Forget the held entries. Otherwise they would be given back when Redis loses data.
            self.shared.held.lock().forget(game);
            self.request(|reply| Request::DeleteLog { game, reply }).await?;
            // If this came first, servers could apply the side records of the log again.
            self.request(|reply| Request::ForgetApplied { game, reply }).await
        })
    }

    fn outage(&self) -> Option<Outage> {
        self.shared.outage()
    }

    fn outages_of(&self, game: GameId, after: Stamp) -> Vec<Outage> {
        let _all_are_concerned = game;
        self.shared.outages_after(after)
    }

    fn memory(&self) -> Option<StoreMemory> {
        Some(self.durability().memory).filter(|memory| memory.limit_bytes > 0)
    }

    fn weaknesses(&self) -> Vec<String> {
        let durability = self.shared.durability.lock();
        durability.iter().flat_map(Durability::weaknesses).map(|weakness| weakness.to_string()).collect()
    }

    fn keep_copies(&self, owner: &str, records: Vec<Write>) {
        self.shared.kept.lock().keep(owner, records);
    }

    fn drop_copies(&self, owner: &str) {
        self.shared.kept.lock().drop_owner(owner);
    }

    fn owners_of_copies(&self) -> Vec<String> {
        self.shared.kept.lock().owners()
    }

    fn silent_since(&self) -> Option<Stamp> {
        self.shared.silent_since()
    }

    fn announcements(&self) -> Option<broadcast::Receiver<Announcement>> {
        Some(self.shared.announcements.subscribe())
    }

    fn tell(&self, notice: Vec<u8>) -> StoreResult<'_, ()> {
        Box::pin(async move {
            check_notice(&notice)?;
            self.request(|reply| Request::Tell { notice, reply }).await
        })
    }

    fn follow(&self, topic: Topic) -> StoreFuture<'static, bool> {
        let followed = self.shared.interest.follow(topic);
        let limit = self.shared.options.answer_timeout;
        Box::pin(async move { matches!(timeout(limit, followed).await, Ok(Ok(()))) })
    }

    fn unfollow(&self, topic: &Topic) {
        self.shared.interest.unfollow(topic);
    }

    fn tell_followers(&self, topic: Topic, notice: Vec<u8>) -> StoreResult<'_, u64> {
        Box::pin(async move {
            check_notice(&notice)?;
            self.request(|reply| Request::TellFollowers { topic, notice, reply }).await
        })
    }

    fn serve_former(&self, are_there: bool) {
        self.shared.interest.serve_former(are_there);
    }

    fn notices(&self) -> Option<broadcast::Receiver<StoreMessage>> {
        Some(self.shared.notices.subscribe())
    }
}

impl Transfer for RedisStore {
    fn games(&self) -> StoreResult<'_, Vec<GameId>> {
        Box::pin(async move { Ok(self.read_settled(|| self.reader.games()).await?) })
    }

    fn records(&self, after: Option<Key>, limit: usize) -> StoreResult<'_, Vec<FullRecord>> {
        Box::pin(
            async move { Ok(self.read_settled(|| self.reader.scan(None, after.as_ref(), limit)).await?) },
        )
    }

    fn take_over(
        &self,
        game: GameId,
        expected: Head,
        entries: Vec<StoredEntry>,
    ) -> StoreResult<'_, AppendOutcome> {
        Box::pin(async move {
            let entries = chained(game, expected, entries.iter().map(|entry| (entry.at, &entry.body)));
            let append = Prepared::stamped(game, expected, entries, Vec::new());
            self.try_to(|reply| Request::Append { append, reply }, AppendOutcome::Unknown).await
        })
    }

    fn put_aside(&self, game: GameId, reason: String) -> StoreResult<'_, ()> {
        self.shared.quarantine(game, &reason);
        Box::pin(self.request(move |reply| Request::Quarantine { game, reason, reply }))
    }
}
