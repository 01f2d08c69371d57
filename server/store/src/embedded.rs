//! The durable store inside the process, on an LSM database (fjall 3).
//!
//! # How it works
//! One writer thread commits requests in groups, one fsync (`fdatasync` of the journal) a group; readers look at
//! snapshots on blocking threads and never wait for the writer. A full queue makes callers wait. A folder belongs
//! to one process at a time.
//!
//! # What a crash does
//! A killed process loses nothing that was answered; neither does a power cut on a disk that keeps its word. A
//! request without an answer is there completely or not at all.
//!
//! When a commit fails (disk full, fsync error) its requests are answered `Unknown`, and from then on the store
//! refuses everything, reads included: the database keeps in memory what it knew before, while the journal may
//! hold the failed commit, so a read now could deny what will be there after the restart. The way on is to start
//! the process again.
//!
//! When the folder is deleted or replaced while the store is open, the store refuses everything as well. That is looked at
//! after every commit, before anybody is answered, and with every heartbeat: nothing is acknowledged that is not in the
//! folder of that name. A commit that meets it is answered `Unknown`.
//!
//! # What damage does
//! Every commit lies on the disk twice: in the database's journal, synced before anybody is answered, and in the
//! *mirror*, a few files beside the database that are written after the answers and not synced. The *witness*, a third file,
//! remembers the number of the last commit. When the store is opened, the journals are read from end to end by
//! ourselves, with every checksum, and only journals without a fault are shown to the database. Whatever else is found,
//! the store opens past it by itself, game by game: what is whole is moved into a new database, the damaged one is
//! kept in a folder `damaged-…` with a report, and [`EmbeddedStore::salvage`] tells what was found.
//!
//! | damage | what becomes of it |
//! |---|---|
//! | an unfinished write at the end of the journal | cut off: nobody was told of it |
//! | journal damaged, cut, or gone | taken from the mirror: nothing is missing |
//! | mirror or witness damaged or gone | written anew |
//! | the same row in journal and mirror | an entry: its game is in quarantine; a head: known from the entries; a small record: counted as lost |
//! | the same commit in both, wholly, or journal and mirror gone | nothing tells whose it was: [`OpenError::LostTail`] until the operator says [`LostTail::Accept`]; then games with a gap are in quarantine, and a new epoch begins |
//! | a block of a table | its games are in quarantine when they are read, all others go on; at the next start the rows of the table are moved, and games whose rows were all readable are free again |
//! | manifests, lists and names of the database | the tables are read block by block; nothing is missing |
//! | a table gone, or too damaged to tell its rows | games that are short by their heads are in quarantine; lost small records are told, not counted; tables of logs and of heads at once: as with a lost commit |
//!
//! After a power cut the mirror may lack the last seconds, after a killed process the last commit; the journal, which is
//! synced, has them. So damage to just these commits is found and told, but not mended.
//!
//! What fjall 3.1 does by itself with such files, read in its source and tried: it cuts its journal at what it takes for
//! the end, and drops **all later batches without a word**; it believes counts, lengths and sequence numbers that no
//! checksum covers; it does not look at its manifests' checksums, deletes keyspaces whose names it cannot find, and ends
//! the process when a wrong length asks for 40 GB. A compaction that comes upon a damaged block stops its background
//! work, and all writes are refused from then on: the next start looks through the tables. A panic of the database while
//! it opens is caught and counts as damage.
//!
//! What stays unnoticed: an older copy of the whole folder, witness and mirror included, which is what restoring a
//! backup looks like. Begin a new epoch ([`Store::bump_epoch`]) after that.
//!
//! On top of that every entry is chained to the one before it, and each append writes the game's head a second
//! time in another place: entries that are gone, exchanged or altered are noticed when their log is read, and the
//! head is checked against its entry before the first append after an open.

mod base;
mod check;
mod heads;
mod journal;
mod layout;
mod mirror;
mod open;
mod place;
mod precheck;
mod reader;
mod salvage;
mod tables;
mod witness;
mod writer;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::thread::JoinHandle;

use flagfall_board::{GameId, Stamp};
use tokio::sync::{mpsc, oneshot};

pub use self::check::Inspection;
pub use self::open::OpenError;
use self::place::Place;
use self::reader::{Spaces, Trouble, UNREADABLE};
pub use self::salvage::Salvage;
use self::witness::Witness;
use self::writer::{Prepared, Reply, Request, SWEEP_STEP, Writer};
use crate::archive::{Archive, FullRecord};
use crate::checks::{check_append, check_update};
use crate::clock::{StampClock, WallClock};
use crate::store::{
    Append, AppendOutcome, Outage, ReadError, Record, Store, StoreError, StoreFuture, StoredEntry, Update,
    UpdateOutcome,
};
use crate::value::{Head, Key};

/// What an operator may set.
#[derive(Clone, Debug)]
pub struct Options {
    /// Requests that may wait for the writer; beyond that callers wait. Default 4,096.
    pub queue_length: usize,
    /// Games whose heads the writer remembers, about 60 bytes each. Default 65,536.
    pub heads_cached: usize,
    /// Bytes of the database's cache of blocks. Default 32 MiB.
    pub cache_bytes: u64,
    /// What to do when acknowledged commits are missing at open.
    pub lost_tail: LostTail,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            queue_length: 4096,
            heads_cached: 65_536,
            cache_bytes: 32 * 1024 * 1024,
            lost_tail: LostTail::Refuse,
        }
    }
}

/// What to do when the witness tells that commits are missing, or cannot be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LostTail {
    /// Don't open, say so.
    #[default]
    Refuse,
    /// Go on with what is there, in a new epoch.
    Accept,
}

/// What the store has done since it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Commits, each with one fsync.
    pub commits: u64,
    /// Appends that were answered `Ok`.
    pub appends: u64,
    /// Entries in them.
    pub entries: u64,
}

#[derive(Default)]
struct Counters {
    commits: AtomicU64,
    appends: AtomicU64,
    entries: AtomicU64,
}

/// What the writer, the readers and the handle have in common.
struct Shared {
    clock: StampClock,
    epoch: AtomicU64,
    last_heartbeat: Option<Stamp>,
    quarantined: RwLock<BTreeMap<GameId, String>>,
    /// Why the store refuses everything, once it does.
    failed: OnceLock<String>,
    witness: Mutex<Witness>,
    counters: Counters,
    /// What was done about damage when the store was opened.
    salvage: Option<Salvage>,
    /// The folder as it was opened.
    place: Place,
    /// The file that asks the next start to look after the tables.
    suspicion: PathBuf,
    /// Held locked as long as anybody uses the folder.
    _lock: File,
}

impl Shared {
    fn check_available(&self) -> Result<(), StoreError> {
        match self.failed.get() {
            Some(why) => Err(StoreError::Unavailable { why: why.clone() }),
            None => Ok(()),
        }
    }

    /// Fails the store if its folder is not there any more.
    fn check_place(&self) -> Result<(), StoreError> {
        self.check_available()?;
        self.place.check().map_err(|why| StoreError::Unavailable { why: self.fail(&why) })
    }

    /// From now on the store refuses everything. Returns the reason given first.
    fn fail(&self, why: &str) -> String {
        tracing::error!(why, "the store has failed");
        self.failed.get_or_init(|| why.to_owned()).clone()
    }

    /// Asks the next start to look after the tables.
    fn suspect(&self, what: &str) {
        // Nothing is written into a folder that has taken the place of this one.
        if self.place.check().is_err() {
            return;
        }
        if let Err(error) = fs::write(&self.suspicion, what) {
            tracing::error!(%error, "the next start will not look after the tables");
        }
    }

    fn quarantine_of(&self, game: GameId) -> Option<String> {
        self.quarantined.read().unwrap_or_else(PoisonError::into_inner).get(&game).cloned()
    }

    fn quarantine(&self, game: GameId, reason: &str) {
        tracing::error!(%game, reason, "the log of a game is damaged: it is in quarantine");
        if reason.contains(UNREADABLE) {
            self.suspect(UNREADABLE);
        }
        self.quarantined.write().unwrap_or_else(PoisonError::into_inner).insert(game, reason.to_owned());
    }

    fn release(&self, game: GameId) {
        self.quarantined.write().unwrap_or_else(PoisonError::into_inner).remove(&game);
    }
}

/// The durable store. See the [module](self) for what it promises.
///
/// Dropping it waits until what is queued has been written.
pub struct EmbeddedStore {
    // Dropped before `shared`, which holds the lock of the folder.
    spaces: Spaces,
    shared: Arc<Shared>,
    requests: Option<mpsc::Sender<Request>>,
    writer: Option<JoinHandle<()>>,
}

impl EmbeddedStore {
    /// Opens the store in this folder, or makes one. Blocks: seconds after a crash with a long journal.
    ///
    /// # Errors
    /// [`OpenError`], which says what to do.
    pub fn open(folder: &Path, clock: impl WallClock, options: &Options) -> Result<EmbeddedStore, OpenError> {
        let opened = open::open(folder, clock, options)?;
        let shared = Arc::new(opened.shared);
        let (sender, receiver) = mpsc::channel(options.queue_length.max(1));
        let writer = Writer::new(
            opened.spaces.clone(),
            shared.clone(),
            opened.mirror,
            options.heads_cached,
            opened.commit,
        );
        let writer = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || writer.run(receiver))
            .map_err(|source| OpenError::Io { folder: folder.to_owned(), source })?;
        Ok(EmbeddedStore { shared, spaces: opened.spaces, requests: Some(sender), writer: Some(writer) })
    }

    /// What the store has done since it was opened.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let counters = &self.shared.counters;
        Stats {
            commits: counters.commits.load(Ordering::Relaxed),
            appends: counters.appends.load(Ordering::Relaxed),
            entries: counters.entries.load(Ordering::Relaxed),
        }
    }

    /// What was found and done when the store was opened, if it was damaged beyond single games.
    #[must_use]
    pub fn salvage(&self) -> Option<&Salvage> {
        self.shared.salvage.as_ref()
    }

    /// Why the store refuses everything, if it does: also when its folder is found to be gone just now. The process should end
    /// then.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        // A failure stands in `failed`.
        self.shared.check_place().ok();
        self.shared.failed.get().cloned()
    }

    /// Reads a game's log from its first entry and, if all of it holds, lifts its quarantine.
    ///
    /// # Errors
    /// [`ReadError::Damaged`] when it does not hold; the quarantine stays.
    pub async fn recheck(&self, game: GameId) -> Result<Head, ReadError> {
        let head = self.read_log(game, 0, move |spaces| spaces.verify(game)).await?;
        let unavailable = |error: StoreError| ReadError::Unavailable { why: error.to_string() };
        self.ask(|reply| Request::Release { game, reply }).await.map_err(unavailable)?;
        Ok(head)
    }

    /// Hands a request to the writer. An error means that it was not taken. Waits while the queue is full.
    async fn send<T>(
        &self,
        request: impl FnOnce(Reply<T>) -> Request,
    ) -> Result<oneshot::Receiver<Result<T, StoreError>>, StoreError> {
        self.shared.check_available()?;
        let closed = || StoreError::Unavailable { why: "the store is closed".to_owned() };
        let requests = self.requests.as_ref().ok_or_else(closed)?;
        let (reply, answer) = oneshot::channel();
        requests.send(request(reply)).await.map_err(|_| closed())?;
        Ok(answer)
    }

    /// Asks the writer; no answer from it is an error.
    async fn ask<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<T, StoreError> {
        let gone = |_| StoreError::Unavailable { why: "the writer is gone and left no answer".to_owned() };
        self.send(request).await?.await.map_err(gone)?
    }

    /// Runs a read on a blocking thread.
    async fn blocking<T: Send + 'static>(
        &self,
        seq: u64,
        read: impl FnOnce(&Spaces) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, Trouble> {
        if let Err(StoreError::Unavailable { why }) = self.shared.check_available() {
            return Err(Trouble::Unavailable { why });
        }
        let spaces = self.spaces.clone();
        let lock = self.shared.clone();
        let result = tokio::task::spawn_blocking(move || {
            let result = read(&spaces);
            drop(spaces);
            drop(lock);
            result
        })
        .await;
        match result {
            // The answer may come from before a failure that happened meanwhile.
            Ok(found) => match self.shared.check_available() {
                Err(StoreError::Unavailable { why }) => Err(Trouble::Unavailable { why }),
                Err(_) | Ok(()) => found,
            },
            Err(error) if error.is_panic() => {
                Err(Trouble::Damaged { seq, what: "the database gave up reading it".to_owned() })
            }
            Err(_) => Err(Trouble::Unavailable { why: "the runtime is shutting down".to_owned() }),
        }
    }

    /// Runs a read of a log; damage puts the game into quarantine.
    async fn read_log<T: Send + 'static>(
        &self,
        game: GameId,
        seq: u64,
        read: impl FnOnce(&Spaces) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, ReadError> {
        let found = self.blocking(seq, read).await;
        if let Err(Trouble::Damaged { seq, what }) = &found
            && self.shared.quarantine_of(game).is_none()
        {
            let reason = format!("entry {seq}: {what}");
            self.shared.quarantine(game, &reason);
            if let Some(requests) = &self.requests {
                // A writer that is gone keeps nothing; the next read finds the damage again.
                requests.send(Request::Quarantine { game, reason }).await.ok();
            }
        }
        found.map_err(|trouble| trouble.of_game(game))
    }
}

impl Drop for EmbeddedStore {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
        {
            tracing::error!("the store's writer panicked");
        }
    }
}

impl Store for EmbeddedStore {
    fn append(&self, append: Append) -> StoreFuture<'_, Result<AppendOutcome, StoreError>> {
        Box::pin(async move {
            check_append(&append)?;
            let Append { game, expected, deadline, not_before, bodies, writes } = append;
            let mut head = expected;
            let values = bodies
                .iter()
                .map(|body| {
                    head = head.then(game, body);
                    layout::entry_value(head.hash, body)
                })
                .collect();
            let outage = self.shared.clock.outage();
            let append = Prepared {
                game,
                expected,
                deadline,
                not_before,
                values,
                stamped: None,
                outage,
                head,
                writes,
            };
            let answer = self.send(|reply| Request::Append { append, reply }).await?;
            answer.await.unwrap_or(Ok(AppendOutcome::Unknown))
        })
    }

    fn read(
        &self,
        game: GameId,
        after_seq: u64,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<StoredEntry>, ReadError>> {
        Box::pin(async move {
            let next = after_seq.saturating_add(1);
            self.read_log(game, next, move |spaces| spaces.read(game, after_seq, limit)).await
        })
    }

    fn head(&self, game: GameId) -> StoreFuture<'_, Result<Head, ReadError>> {
        Box::pin(async move { self.read_log(game, 1, move |spaces| spaces.head(game)).await })
    }

    fn get(&self, key: Key) -> StoreFuture<'_, Result<Option<Vec<u8>>, StoreError>> {
        Box::pin(async move {
            let now = self.shared.clock.stamp();
            self.blocking(0, move |spaces| spaces.get(&key, now)).await.map_err(Trouble::of_record)
        })
    }

    fn scan(
        &self,
        prefix: Key,
        after: Option<Key>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<Record>, StoreError>> {
        Box::pin(async move {
            let now = self.shared.clock.stamp();
            let found = self
                .blocking(0, move |spaces| spaces.records(Some(&prefix), after.as_ref(), limit, now))
                .await
                .map_err(Trouble::of_record)?;
            Ok(found.into_iter().map(|(key, value, _)| (key, value)).collect())
        })
    }

    fn update(&self, update: Update) -> StoreFuture<'_, Result<UpdateOutcome, StoreError>> {
        Box::pin(async move {
            check_update(&update)?;
            let answer = self.send(|reply| Request::Update { update, reply }).await?;
            answer.await.unwrap_or(Ok(UpdateOutcome::Unknown))
        })
    }

    fn delete_log(&self, game: GameId) -> StoreFuture<'_, Result<(), StoreError>> {
        Box::pin(self.ask(move |reply| Request::DeleteLog { game, reply }))
    }

    fn sweep(&self) -> StoreFuture<'_, Result<u64, StoreError>> {
        Box::pin(async move {
            let mut deleted = 0;
            loop {
                let swept = self.ask(|reply| Request::Sweep { reply }).await?;
                deleted += swept.deleted;
                if swept.found < SWEEP_STEP {
                    return Ok(deleted);
                }
            }
        })
    }

    fn now(&self) -> Stamp {
        self.shared.clock.stamp()
    }

    fn heartbeat(&self) -> StoreFuture<'_, Result<Stamp, StoreError>> {
        Box::pin(async move {
            self.shared.check_place()?;
            let at = self.shared.clock.beat();
            // A write of 40 bytes into the page cache: not worth a blocking thread.
            let noted = {
                let mut witness = self.shared.witness.lock().unwrap_or_else(PoisonError::into_inner);
                witness.note_heartbeat(at)
            };
            noted
                .map_err(|error| StoreError::Unavailable { why: format!("the heartbeat failed: {error}") })?;
            if self.shared.clock.has_unkept() {
                self.ask(|reply| Request::KeepOutage { reply }).await?;
            }
            Ok(at)
        })
    }

    fn last_heartbeat(&self) -> StoreFuture<'_, Result<Option<Stamp>, StoreError>> {
        Box::pin(async move { Ok(self.shared.last_heartbeat) })
    }

    fn epoch(&self) -> StoreFuture<'_, Result<u64, StoreError>> {
        Box::pin(async move {
            self.shared.check_available()?;
            Ok(self.shared.epoch.load(Ordering::SeqCst))
        })
    }

    fn bump_epoch(&self) -> StoreFuture<'_, Result<u64, StoreError>> {
        Box::pin(async move { self.ask(|reply| Request::BumpEpoch { reply }).await })
    }

    fn outage(&self) -> Option<Outage> {
        self.shared.clock.outage()
    }

    fn quarantined(&self) -> StoreFuture<'_, Result<Vec<(GameId, String)>, StoreError>> {
        Box::pin(async move {
            let quarantined = self.shared.quarantined.read().unwrap_or_else(PoisonError::into_inner);
            Ok(quarantined.iter().map(|(game, reason)| (*game, reason.clone())).collect())
        })
    }
}

impl Archive for EmbeddedStore {
    fn games(&self) -> StoreFuture<'_, Result<Vec<GameId>, StoreError>> {
        Box::pin(async move { self.blocking(0, Spaces::games).await.map_err(Trouble::of_record) })
    }

    fn records(
        &self,
        after: Option<Key>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<FullRecord>, StoreError>> {
        Box::pin(async move {
            let now = self.shared.clock.stamp();
            self.blocking(0, move |spaces| spaces.records(None, after.as_ref(), limit, now))
                .await
                .map_err(Trouble::of_record)
        })
    }

    fn take_over(
        &self,
        game: GameId,
        expected: Head,
        entries: Vec<StoredEntry>,
    ) -> StoreFuture<'_, Result<AppendOutcome, StoreError>> {
        Box::pin(async move {
            let mut head = expected;
            let value = |StoredEntry { seq: _, at, body }: &StoredEntry| {
                head = head.then(game, body);
                let mut value = layout::entry_value(head.hash, body);
                layout::stamp_entry(&mut value, *at);
                value
            };
            let values = entries.iter().map(value).collect();
            let stamped = entries.iter().map(|entry| entry.at).max();
            let append = Prepared {
                game,
                expected,
                deadline: None,
                not_before: None,
                values,
                stamped,
                outage: None,
                head,
                writes: Vec::new(),
            };
            let answer = self.send(|reply| Request::Append { append, reply }).await?;
            answer.await.unwrap_or(Ok(AppendOutcome::Unknown))
        })
    }

    fn put_aside(&self, game: GameId, reason: String) -> StoreFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.shared.quarantine(game, &reason);
            let requests = self.requests.as_ref();
            let closed = || StoreError::Unavailable { why: "the store is closed".to_owned() };
            let requests = requests.ok_or_else(closed)?;
            requests.send(Request::Quarantine { game, reason }).await.map_err(|_| closed())
        })
    }
}
