//! The durable store inside the process: an append-only log, and an index derived from it.
//!
//! `docs/internals/embedded-store.md` explains the files of the store, writing, the index,
//! opening a store, the kinds of damage, and a full disk. In short:
//!
//! - **Crashes.** No acknowledged write is lost when the process is killed. None is lost in a
//!   power cut either, if the disk has really written the data that it has confirmed. An
//!   unacknowledged request is written completely or not at all: the next start cuts off a
//!   partial write at the end of the log.
//! - **A failed write.** If a write fails for another reason than a full disk, its requests are
//!   answered `Unknown`. From then on the store refuses everything, including reads, because the
//!   end of the log may contain the failed write: a read could miss entries that exist after the
//!   restart.
//! - **A full disk.** The store pauses before the disk is full, and when a write finds no space.
//!   During a pause it refuses changes and heartbeats, so game clocks stand still, but it still
//!   answers reads. A group that finds no space is undone, so its requests are refused, not
//!   `Unknown`.
//! - **Damage.** A flipped bit is repaired, and a damaged game goes into quarantine. If
//!   acknowledged changes are lost, a new epoch begins. If the store cannot determine which games
//!   they belong to, it fails to open with [`EmbeddedOpenError::LostTail`] until the operator
//!   accepts the loss.
//!
//! The store cannot detect that the whole folder was replaced by an older copy. Begin a new epoch
//! ([`Store::bump_epoch`]) after such a replacement; [`backup::restore`] does so by itself.

mod access_error;
mod alive;
pub mod backup;
mod change;
mod compact;
mod convert;
mod disk;
mod error;
mod files;
mod folder_lock;
mod index;
mod inspect;
mod known_damage;
mod layer;
mod notes;
mod open;
mod options;
mod place;
mod progress;
mod reader;
mod request;
mod room;
mod shared;
mod sum;
#[cfg(test)]
mod tests;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

use flagfall_board::{GameId, Stamp};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

use self::access_error::AccessError;
use self::change::{Entries, Link};
pub use self::error::EmbeddedOpenError;
pub use self::inspect::Inspection;
use self::open::Opened;
pub use self::options::EmbeddedOptions;
use self::reader::Reader;
use self::request::{Answers, Prepared, Reply, Request, SWEEP_STEP};
use self::shared::Shared;
use self::writer::{Stage, Writer};
use crate::checks::{check_append, check_update};
use crate::clock::WallClock;
use crate::guard::{Guard, guard_key};
use crate::store::{
    Append, AppendOutcome, DiskSpace, FullRecord, Outage, ReadError, ReadResult, Record, RetireOutcome,
    Store, StoreError, StoreResult, StoredEntry, Update, UpdateOutcome, Write,
};
use crate::transfer::Transfer;
use crate::value::{Head, Key, SecretBytes};

/// The durable store. See the [module](self) for its guarantees.
///
/// Dropping the store waits until all queued requests have been written.
pub struct EmbeddedStore {
    /// The reader; `None` once the store is being dropped.
    reader: Option<Reader>,
    shared: Arc<Shared>,
    requests: Option<mpsc::Sender<Request>>,
    writer: Option<JoinHandle<()>>,
}

/// A request that the writer will answer.
struct Begun<T> {
    answer: oneshot::Receiver<Result<T, StoreError>>,
    /// The request, if it was not sent because the queue was full.
    unsent: Option<Box<Request>>,
}

impl EmbeddedStore {
    /// Opens the store in this folder, or creates one. Blocks while it reads the part of the log
    /// that is not in the index yet.
    ///
    /// # Errors
    /// [`EmbeddedOpenError`], which says how to fix the problem.
    pub fn open(
        folder: &Path,
        clock: impl WallClock,
        options: &EmbeddedOptions,
    ) -> Result<EmbeddedStore, EmbeddedOpenError> {
        let Opened { reader, tail, notes, shared } = open::open(folder, clock, options)?;
        let shared = Arc::new(shared);
        let (sender, receiver) = mpsc::channel(options.queue_length.max(1));
        let writer = Writer {
            reader: reader.clone(),
            end: tail.point,
            tail,
            notes,
            shared: shared.clone(),
            answers: Answers::new(),
            checkpoint: None,
            unstored: None,
            unkept: Vec::new(),
            checkpoint_bytes: options.checkpoint_bytes,
            compact_bytes: options.compact_bytes,
            compaction: None,
            stage: Stage::default(),
            group_time: Duration::ZERO,
        };
        let writer = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || writer.run(receiver))
            .map_err(EmbeddedOpenError::io(folder))?;
        Ok(EmbeddedStore { reader: Some(reader), shared, requests: Some(sender), writer: Some(writer) })
    }

    /// Opens a copy of a store, even if data in it was lost.
    ///
    /// # Errors
    /// [`EmbeddedOpenError`], which names the folder of the original.
    pub fn open_copy(
        inspection: &Inspection,
        clock: impl WallClock,
    ) -> Result<EmbeddedStore, EmbeddedOpenError> {
        let options = EmbeddedOptions { accept_lost_tail: true, ..EmbeddedOptions::default() };
        let opened = EmbeddedStore::open(&inspection.copy, clock, &options);
        opened.map_err(|error| error.in_folder(&inspection.folder))
    }

    /// Returns the number of groups written since the store was opened. Each group took one sync.
    #[must_use]
    pub fn groups(&self) -> u64 {
        self.shared.groups.load(Ordering::Relaxed)
    }

    /// Returns why the store refuses changes because its disk is too full. `None` if it accepts
    /// changes.
    #[must_use]
    pub fn paused(&self) -> Option<String> {
        match self.shared.room.check() {
            Err(StoreError::Unavailable { why }) => Some(why),
            Err(_) | Ok(()) => None,
        }
    }

    /// Returns descriptions of the data that was missing or damaged when the store was opened. The
    /// list does not include damage that was [acknowledged](Self::acknowledge_losses) before.
    #[must_use]
    pub fn losses(&self) -> &[String] {
        &self.shared.losses
    }

    /// Records that the operator knows of the losses and that lists of games are complete again, so
    /// that the next start does not report the same damage. If this fails, it is reported again.
    pub fn acknowledge_losses(&self) {
        if !self.losses().is_empty()
            && let Err(error) = self.shared.known_damage.write()
        {
            tracing::warn!(%error, "the damage will be reported again by the next start that finds it");
        }
    }

    /// Returns why the store has failed, or `None` if it has not. Also checks that the store's
    /// folder still exists. After a failure, the process should exit.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        // A failed check also sets `failed`.
        self.shared.check_place().ok();
        self.shared.failed.get().cloned()
    }

    /// Puts a request into the writer's queue, unless the queue is full.
    fn begin<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<Begun<T>, StoreError> {
        self.shared.check_available()?;
        let requests = self.requests.as_ref().ok_or_else(closed)?;
        let (reply, answer) = oneshot::channel();
        match requests.try_send(request(reply)) {
            Ok(()) => Ok(Begun { answer, unsent: None }),
            Err(TrySendError::Closed(_)) => Err(closed()),
            Err(TrySendError::Full(request)) => Ok(Begun { answer, unsent: Some(Box::new(request)) }),
        }
    }

    /// Waits until the writer has answered a request. The answer is missing if the writer is gone.
    /// An error means that the writer did not get the request.
    async fn finish<T>(&self, begun: Begun<T>) -> Result<Option<Result<T, StoreError>>, StoreError> {
        if let Some(request) = begun.unsent {
            let requests = self.requests.as_ref().ok_or_else(closed)?;
            // Boxed, because otherwise this rare case would make every caller's future larger.
            Box::pin(requests.send(*request)).await.map_err(|_| closed())?;
        }
        Ok(begun.answer.await.ok())
    }

    /// Sends a request to the writer and waits for the answer. A missing answer is an error.
    async fn request<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<T, StoreError> {
        let gone = || StoreError::Unavailable { why: "the writer is gone and left no answer".to_owned() };
        self.finish(self.begin(request)?).await?.ok_or_else(gone)?
    }

    /// Runs a read on a blocking thread.
    async fn blocking<T: Send + 'static>(
        &self,
        seq: u64,
        read: impl FnOnce(&Reader) -> Result<T, AccessError> + Send + 'static,
    ) -> Result<T, AccessError> {
        self.shared.check_available()?;
        let reader = self.reader.clone().ok_or_else(closed)?;
        let lock = self.shared.clone();
        let result = tokio::task::spawn_blocking(move || {
            let result = read(&reader);
            drop(reader);
            drop(lock);
            result
        })
        .await;
        match result {
            // If the store failed during the read, the answer is not valid.
            Ok(found) => self.shared.check_available().map_err(AccessError::from).and(found),
            Err(error) if error.is_panic() => Err(AccessError::damaged(seq, "reading it panicked")),
            Err(_) => Err(AccessError::Unavailable { why: "the runtime is shutting down".to_owned() }),
        }
    }

    /// Reads a log. If the log is damaged, puts the game into quarantine.
    async fn read_log<T: Send + 'static>(
        &self,
        game: GameId,
        seq: u64,
        read: impl FnOnce(&Reader) -> Result<T, AccessError> + Send + 'static,
    ) -> Result<T, ReadError> {
        let found = self.blocking(seq, read).await;
        if let Err(AccessError::Damaged { seq, what }) = &found
            && self.shared.quarantine_of(game).is_none()
        {
            let reason = format!("entry {seq}: {what}");
            self.shared.quarantine(game, &reason);
            if let Some(requests) = &self.requests {
                // If the writer is gone, the quarantine is not stored, but the next read finds
                // the damage again.
                requests.send(Request::Quarantine { game, reason }).await.ok();
            }
        }
        found.map_err(|error| error.of_game(game))
    }
}

fn closed() -> StoreError {
    StoreError::Unavailable { why: "the store is closed".to_owned() }
}

/// Moves each value into a block of its own length, because values stay in memory until a
/// checkpoint has written them, and an allocator may leave the unused part of a vector as it is.
/// The caller does this, to save the writer's time.
fn fitted(mut writes: Vec<Write>) -> Vec<Write> {
    for write in &mut writes {
        if let Write::Put { value, .. } = write
            && value.capacity() > value.len()
        {
            *value = value.as_slice().to_vec();
        }
    }
    writes
}

/// Makes numbered and hashed entries from bodies. The first entry follows the head `after`.
fn chained(
    game: GameId,
    after: Head,
    bodies: impl ExactSizeIterator<Item = (Stamp, SecretBytes)>,
) -> Entries {
    let mut head = after;
    let link = |(at, body)| {
        head = head.then(game, &body);
        Link { entry: StoredEntry { seq: head.seq, at, body }, hash: head.hash }
    };
    Entries::new(game, bodies.map(link))
}

impl Drop for EmbeddedStore {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
        {
            tracing::error!("the store's writer panicked");
        }
        // A reader that is still running keeps the index open. In that case the index gets no
        // checksum, so the next start rebuilds it.
        let is_closed = self.reader.take().is_some_and(|reader| Arc::into_inner(reader.index).is_some());
        let is_complete = self.shared.is_complete.load(Ordering::SeqCst);
        if is_closed && is_complete && self.shared.check_place().is_ok() {
            open::seal_index(&self.shared.folder);
        }
    }
}

impl Store for EmbeddedStore {
    fn append(&self, append: Append) -> StoreResult<'_, AppendOutcome> {
        // The request is made and sent before the first await, so that it does not make the
        // future larger.
        let begun = check_append(&append).map_err(StoreError::from).and_then(|()| {
            let Append { game, expected, deadline, not_before, bodies, writes } = append;
            let entries = chained(game, expected, bodies.into_iter().map(|body| (Stamp(0), body)));
            let outage = deadline.and_then(|_| self.shared.clock.outage());
            let (is_stamped, writes) = (false, fitted(writes));
            let append =
                Box::new(Prepared { expected, deadline, not_before, entries, is_stamped, outage, writes });
            self.begin(|reply| Request::Append { append, reply })
        });
        Box::pin(async move { self.finish(begun?).await?.unwrap_or(Ok(AppendOutcome::Unknown)) })
    }

    fn read(&self, game: GameId, after_seq: u64, limit: usize) -> ReadResult<'_, Vec<StoredEntry>> {
        let next = after_seq.saturating_add(1);
        Box::pin(self.read_log(game, next, move |reader| reader.read(game, after_seq, limit)))
    }

    fn head(&self, game: GameId) -> ReadResult<'_, Head> {
        Box::pin(self.read_log(game, 1, move |reader| reader.head(game)))
    }

    fn get(&self, key: Key) -> StoreResult<'_, Option<Vec<u8>>> {
        Box::pin(async move {
            let now = self.shared.clock.stamp();
            Ok(self.blocking(0, move |reader| reader.get(&key, now)).await?)
        })
    }

    fn scan(&self, prefix: Key, after: Option<Key>, limit: usize) -> StoreResult<'_, Vec<Record>> {
        Box::pin(async move {
            let now = self.shared.clock.stamp();
            let found = self
                .blocking(0, move |reader| reader.index.records(Some(&prefix), after.as_ref(), limit, now))
                .await?;
            Ok(found.into_iter().map(|(key, value, _)| (key, value)).collect())
        })
    }

    fn update(&self, mut update: Update) -> StoreResult<'_, UpdateOutcome> {
        Box::pin(async move {
            check_update(&update)?;
            update.writes = fitted(update.writes);
            let begun = self.begin(|reply| Request::Update { update, reply })?;
            self.finish(begun).await?.unwrap_or(Ok(UpdateOutcome::Unknown))
        })
    }

    fn retire(&self, game: GameId, guard: Guard) -> StoreResult<'_, RetireOutcome> {
        Box::pin(async move {
            guard.check()?;
            let begun = self.begin(|reply| Request::Retire { game, guard, reply })?;
            self.finish(begun).await?.unwrap_or(Ok(RetireOutcome::Unknown))
        })
    }

    fn guard(&self, game: GameId) -> ReadResult<'_, Option<Guard>> {
        Box::pin(async move {
            let (Ok(key), now) = (guard_key(game), self.shared.clock.stamp()) else { return Ok(None) };
            let found = self.blocking(0, move |reader| reader.get(&key, now)).await;
            let found = found.map_err(|error| error.of_game(game))?;
            Ok(found.and_then(|record| Guard::parse(&record)))
        })
    }

    fn delete_log(&self, game: GameId) -> StoreResult<'_, ()> {
        Box::pin(self.request(move |reply| Request::DeleteLog { game, reply }))
    }

    fn sweep(&self) -> StoreResult<'_, u64> {
        Box::pin(async move {
            let mut deleted = 0;
            loop {
                let swept = self.request(|reply| Request::Sweep { reply }).await?;
                deleted += swept as u64;
                if swept < SWEEP_STEP {
                    return Ok(deleted);
                }
            }
        })
    }

    fn now(&self) -> Stamp {
        self.shared.clock.stamp()
    }

    fn heartbeat(&self) -> StoreResult<'_, Stamp> {
        Box::pin(async move {
            self.shared.check_place()?;
            self.shared.look_at_room()?;
            if self.shared.room.is_paused() {
                self.request(|reply| Request::LookForRoom { reply }).await?;
                self.shared.room.check()?;
            }
            let at = self.shared.clock.stamp();
            // This is a short write into the page cache, so it needs no blocking thread.
            let noted = self.shared.alive.lock().note_heartbeat(at);
            noted.map_err(|error| StoreError::Unavailable {
                why: match disk::is_no_room(&error) {
                    true => self.shared.pause("the heartbeat cannot be noted", &error),
                    false => format!("the heartbeat failed: {error}"),
                },
            })?;
            let at = self.shared.clock.beat();
            if self.shared.clock.has_unkept() {
                self.request(|reply| Request::KeepOutage { reply }).await?;
            }
            Ok(at)
        })
    }

    fn last_heartbeat(&self) -> StoreResult<'_, Option<Stamp>> {
        Box::pin(async move { Ok(self.shared.last_heartbeat) })
    }

    fn epoch(&self) -> StoreResult<'_, u64> {
        Box::pin(async move {
            self.shared.check_available()?;
            Ok(self.shared.epoch.load(Ordering::SeqCst))
        })
    }

    fn bump_epoch(&self) -> StoreResult<'_, u64> {
        Box::pin(self.request(|reply| Request::BumpEpoch { reply }))
    }

    fn outage(&self) -> Option<Outage> {
        self.shared.clock.outage()
    }

    fn silent_since(&self) -> Option<Stamp> {
        self.shared.clock.paused_since()
    }

    fn disk_space(&self) -> Option<DiskSpace> {
        Some(self.shared.room.space())
    }

    fn quarantined(&self) -> StoreResult<'_, Vec<(GameId, String)>> {
        Box::pin(async move {
            let quarantined = self.shared.quarantined.read();
            Ok(quarantined.iter().map(|(game, reason)| (*game, reason.clone())).collect())
        })
    }
}

impl Transfer for EmbeddedStore {
    fn games(&self) -> StoreResult<'_, Vec<GameId>> {
        Box::pin(async move { Ok(self.blocking(0, |reader| reader.index.games()).await?) })
    }

    fn records(&self, after: Option<Key>, limit: usize) -> StoreResult<'_, Vec<FullRecord>> {
        Box::pin(async move {
            let now = self.shared.clock.stamp();
            Ok(self.blocking(0, move |reader| reader.index.records(None, after.as_ref(), limit, now)).await?)
        })
    }

    fn take_over(
        &self,
        game: GameId,
        expected: Head,
        entries: Vec<StoredEntry>,
    ) -> StoreResult<'_, AppendOutcome> {
        Box::pin(async move {
            let entries =
                chained(game, expected, entries.into_iter().map(|StoredEntry { at, body, .. }| (at, body)));
            let append = Box::new(Prepared {
                expected,
                deadline: None,
                not_before: None,
                entries,
                is_stamped: true,
                outage: None,
                writes: Vec::new(),
            });
            let begun = self.begin(|reply| Request::Append { append, reply })?;
            self.finish(begun).await?.unwrap_or(Ok(AppendOutcome::Unknown))
        })
    }

    fn put_aside(&self, game: GameId, reason: String) -> StoreResult<'_, ()> {
        Box::pin(async move {
            self.shared.quarantine(game, &reason);
            let requests = self.requests.as_ref().ok_or_else(closed)?;
            requests.send(Request::Quarantine { game, reason }).await.map_err(|_| closed())
        })
    }
}
