//! A store that also returns finished games from the archive.

mod transfer;

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use flagfall_board::{GameId, Stamp};
use flagfall_store::{
    Announcement, Append, AppendOutcome, DiskSpace, Guard, Head, Key, Outage, Reached, ReadError, ReadResult,
    Record, RetireOutcome, Store, StoreError, StoreFuture, StoreMemory, StoreMessage, StoreResult,
    StoredEntry, Topic, Update, UpdateOutcome, Write, limits::READ_MAX,
};
use parking_lot::Mutex;
use tokio::sync::broadcast;
use tokio::time::timeout;

use crate::archive::records::is_archivable;
use crate::archive::{Archive, ArchiveError, Found, Location};
use crate::frame::signature_bytes;
use crate::game::Log;
use crate::known::KnownArchive;

/// The maximum number of games in [`Lately`].
const READ_LATELY_MAX: usize = 4_096;
/// If a read finds nothing after this many entries or more, the store is also asked for the head of
/// the log.
const PAGE: u64 = 512;
/// The longest time that the creation of a game waits for the archive, if the game's id is
/// already in the archive.
const CREATION_WAIT: Duration = Duration::from_secs(1);

/// A store whose finished games may be in an archive.
///
/// If a game is not in the inner store, it is read from the archive. Its entries are the decoded
/// ones, but its head is that of the original log. So the head cannot be computed from the entries.
/// Instead, the archive's checksums protect the entries.
///
/// Running games are read from and appended to the inner store alone. An append to an archived game
/// is always a conflict. If the archive cannot be reached, reads of archived games return
/// [`ReadError::Unavailable`], and everything else works.
pub struct ArchivedStore<S: ?Sized = dyn Store> {
    inner: Arc<S>,
    archive: Archive,
    read_lately: Mutex<Lately>,
    /// The longest time that a read waits for the archive.
    patience: Option<Duration>,
}

/// The games that were recently read from the archive.
#[derive(Default)]
struct Lately {
    games: HashSet<GameId>,
    order: VecDeque<GameId>,
}

impl Lately {
    fn note(&mut self, game: GameId) {
        if !self.games.insert(game) {
            return;
        }
        self.order.push_back(game);
        if self.order.len() > READ_LATELY_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.games.remove(&oldest);
        }
    }
}

impl<S: Store + ?Sized> ArchivedStore<S> {
    /// Returns a store that reads from this store and this archive.
    #[must_use]
    pub fn new(inner: Arc<S>, archive: Archive) -> ArchivedStore<S> {
        ArchivedStore { inner, archive, read_lately: Mutex::default(), patience: None }
    }

    /// Limits the time of each read from the archive, so that a client's other messages do not wait
    /// behind a read while the archive is out of reach. A read that takes longer fails with
    /// [`ReadError::Unavailable`].
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> ArchivedStore<S> {
        ArchivedStore { patience: Some(patience), ..self }
    }

    async fn wait<T>(&self, read: impl Future<Output = Result<T, ArchiveError>>) -> Result<T, ArchiveError> {
        match self.patience {
            Some(patience) => timeout(patience, read).await.unwrap_or(Err(ArchiveError::Silent)),
            None => read.await,
        }
    }

    /// Makes sure that the store remembers this archive, before something leaves the store. Returns
    /// the archive that the store remembers, if it is another one.
    ///
    /// # Errors
    /// [`StoreError`] if the store's record cannot be read or written.
    pub async fn claim(&self) -> Result<Option<KnownArchive>, StoreError> {
        let known = self.archive.as_remembered().claim(&*self.inner).await?;
        Ok(Some(known).filter(|known| known.id != self.archive.id()))
    }

    /// Returns the log of an archived game, and the guard that the inner store may still keep for
    /// it. `None` if the game is not in the archive. Call this only if the inner store has no log
    /// of the game.
    async fn find(&self, game: GameId) -> Result<Option<(Arc<Log>, Option<Guard>)>, ReadError> {
        let guard = self.inner.guard(game).await?;
        let place = guard.as_ref().and_then(|guard| guard.place.as_slice().try_into().ok());
        let at = async {
            match place.map(Location::from_bytes) {
                Some(location) => match self.archive.read_at(game, &location).await {
                    Err(ArchiveError::Removed(_)) => Ok(None),
                    // The place may be out of date, so look up the game in the archive's index.
                    Err(error) if error.is_damage() => self.archive.read(game).await,
                    read => read.map(Some),
                },
                None => self.archive.read(game).await,
            }
        };
        let found = self.wait(at).await;
        let log = found.map_err(|error| read_error(game, &error))?;
        let Some(log) = log else { return Ok(None) };
        if guard.as_ref().is_some_and(|guard| guard.head != log.head) {
            let what = "the archive has another game under this id".to_owned();
            return Err(ReadError::Damaged { game, seq: 1, what });
        }
        self.read_lately.lock().note(game);
        Ok(Some((log, guard)))
    }

    /// True if a read that found nothing in the inner store must also look into the archive.
    async fn may_be_archived(&self, game: GameId, after_seq: u64) -> Result<bool, ReadError> {
        // Readers begin with the first entry. So if this read continues an archived game, the
        // game is in `read_lately`, unless thousands of other games were read in between.
        let is_known = after_seq == 0 || self.read_lately.lock().games.contains(&game);
        Ok(is_known || after_seq >= PAGE && self.inner.head(game).await? == Head::START)
    }

    async fn read_log(
        &self,
        game: GameId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<StoredEntry>, ReadError> {
        let entries = self.inner.read(game, after_seq, limit).await?;
        if !entries.is_empty() || limit == 0 || !self.may_be_archived(game, after_seq).await? {
            return Ok(entries);
        }
        let Some((log, _)) = self.find(game).await? else { return Ok(entries) };
        let after = log.entries.iter().filter(|entry| entry.seq > after_seq);
        Ok(after.take(limit.min(READ_MAX)).cloned().collect())
    }

    async fn log_head(&self, game: GameId) -> Result<Head, ReadError> {
        match self.inner.head(game).await? {
            Head::START => Ok(self.find(game).await?.map_or(Head::START, |(log, _)| log.head)),
            head => Ok(head),
        }
    }

    /// Appends the first entry of a game. It is a conflict if the id is that of an archived game.
    /// For the first hour, the inner store detects this by the game's guard. Later, it is
    /// detected only if the index in memory contains the game. That is enough, because ids are
    /// random numbers of 60 bits, so an id repeats only if a creation is tried again.
    async fn begin(&self, append: Append) -> Result<AppendOutcome, StoreError> {
        let game = append.game;
        match self.archive.find_in_memory(game) {
            Some(found) => Ok(AppendOutcome::Conflict { head: self.head_of(game, found).await }),
            None => self.inner.append(append).await,
        }
    }

    /// Returns the head of an archived game. If the head cannot be read, returns a different
    /// head.
    async fn head_of(&self, game: GameId, found: Found) -> Head {
        let unknown = Head { seq: 1, ..Head::START };
        let Found::At(location) = found else { return unknown };
        match timeout(CREATION_WAIT, self.archive.read_at(game, &location)).await {
            Ok(Ok(log)) => log.head,
            Ok(Err(_)) | Err(_) => unknown,
        }
    }
}

fn store_error(error: &ArchiveError) -> StoreError {
    match error.is_damage() {
        true => StoreError::Damaged { what: error.to_string() },
        false => StoreError::Unavailable { why: error.to_string() },
    }
}

fn read_error(game: GameId, error: &ArchiveError) -> ReadError {
    if error.is_damage() {
        ReadError::Damaged { game, seq: 1, what: error.to_string() }
    } else {
        ReadError::Unavailable { why: error.to_string() }
    }
}

impl<S: Store + ?Sized> Store for ArchivedStore<S> {
    flagfall_store::forward! { inner:
        fn retire(game: GameId, guard: Guard) -> StoreResult<'_, RetireOutcome>;
        fn scan(prefix: Key, after: Option<Key>, limit: usize) -> StoreResult<'_, Vec<Record>>;
        fn update(update: Update) -> StoreResult<'_, UpdateOutcome>;
        fn sweep() -> StoreResult<'_, u64>;
        fn now() -> Stamp;
        fn heartbeat() -> StoreResult<'_, Stamp>;
        fn last_heartbeat() -> StoreResult<'_, Option<Stamp>>;
        fn epoch() -> StoreResult<'_, u64>;
        fn bump_epoch() -> StoreResult<'_, u64>;
        fn quarantined() -> StoreResult<'_, Vec<(GameId, String)>>;
        fn outage() -> Option<Outage>;
        fn outages_of(game: GameId, after: Stamp) -> Vec<Outage>;
        fn outages_record(game: GameId) -> StoreResult<'_, Option<Vec<u8>>>;
        fn disk_space() -> Option<DiskSpace>;
        fn memory() -> Option<StoreMemory>;
        fn weaknesses() -> Vec<String>;
        fn keep_copies(owner: &str, records: Vec<Write>);
        fn drop_copies(owner: &str);
        fn owners_of_copies() -> Vec<String>;
        fn silent_since() -> Option<Stamp>;
        fn silent_since_of(game: GameId) -> Option<Stamp>;
        fn scan_reachable(prefix: Key, after: Option<Key>, limit: usize) -> StoreResult<'_, Reached>;
        fn finish_left_behind(look: u64) -> StoreFuture<'_, ()>;
        fn part_of(key: &Key) -> usize;
        fn silent_parts() -> Vec<usize>;
        fn announcements() -> Option<broadcast::Receiver<Announcement>>;
        fn tell(notice: Vec<u8>) -> StoreResult<'_, ()>;
        fn follow(topic: Topic) -> StoreFuture<'static, bool>;
        fn unfollow(topic: &Topic);
        fn tell_followers(topic: Topic, notice: Vec<u8>) -> StoreResult<'_, u64>;
        fn serve_former(are_there: bool);
        fn notices() -> Option<broadcast::Receiver<StoreMessage>>;
    }

    fn append(&self, append: Append) -> StoreResult<'_, AppendOutcome> {
        if append.expected == Head::START {
            return Box::pin(self.begin(append));
        }
        self.inner.append(append)
    }

    fn read(&self, game: GameId, after_seq: u64, limit: usize) -> ReadResult<'_, Vec<StoredEntry>> {
        Box::pin(self.read_log(game, after_seq, limit))
    }

    fn head(&self, game: GameId) -> ReadResult<'_, Head> {
        Box::pin(self.log_head(game))
    }

    fn guard(&self, game: GameId) -> ReadResult<'_, Option<Guard>> {
        Box::pin(async move {
            if self.inner.head(game).await? != Head::START {
                return Ok(None);
            }
            let found = self.find(game).await?;
            Ok(found.map(|(log, guard)| {
                let (place, commands) = (Vec::new(), Vec::new());
                guard.unwrap_or(Guard { head: log.head, place, commands })
            }))
        })
    }

    fn delete_log(&self, game: GameId) -> StoreResult<'_, ()> {
        self.delete_logs(vec![game])
    }

    fn delete_logs(&self, games: Vec<GameId>) -> StoreResult<'_, ()> {
        Box::pin(async move {
            // Remove the games from the archive first. If the removal is interrupted, a second
            // attempt still finds the logs.
            self.archive.remove_all(&games, "deleted").await.map_err(|error| store_error(&error))?;
            self.inner.delete_logs(games).await
        })
    }

    fn get(&self, key: Key) -> StoreResult<'_, Option<Vec<u8>>> {
        if !is_archivable(&key) {
            return self.inner.get(key);
        }
        Box::pin(async move {
            match self.inner.get(key.clone()).await? {
                Some(value) => Ok(Some(value)),
                None => self.wait(self.archive.record(&key)).await.map_err(|error| store_error(&error)),
            }
        })
    }

    fn archives_records(&self) -> bool {
        true
    }

    fn archive_record(&self, key: Key) -> StoreResult<'_, bool> {
        Box::pin(async move {
            let Some(value) = self.inner.get(key.clone()).await? else { return Ok(true) };
            if let Some(other) = self.claim().await? {
                let why = format!("the records of this store are in another archive: {other}");
                return Err(StoreError::Unavailable { why });
            }
            match self.archive.add_record(&key, &value).await {
                Ok(true) => {}
                Ok(false) => return Ok(true),
                Err(ArchiveError::Taken(_)) => return Ok(false),
                Err(error) => return Err(store_error(&error)),
            }
            let update = Update { conditions: Vec::new(), writes: vec![Write::Delete { key }] };
            self.inner.update(update).await.map(|_| true)
        })
    }

    fn delete_archived(&self, key: Key) -> StoreResult<'_, ()> {
        Box::pin(async move {
            self.inner.delete_archived(key.clone()).await?;
            self.archive.delete_record(&key).await.map_err(|error| store_error(&error))
        })
    }

    fn archived_records(&self, prefix: Key) -> StoreResult<'_, Vec<Key>> {
        Box::pin(async move { self.archive.records(&prefix).await.map_err(|error| store_error(&error)) })
    }

    fn archived_signature(&self, game: GameId) -> ReadResult<'_, Option<Vec<u8>>> {
        Box::pin(async move {
            // The archive may be out of reach, so do not ask it about a game in the store.
            if self.inner.head(game).await? != Head::START {
                return Ok(None);
            }
            let found = self.find(game).await?;
            Ok(found.and_then(|(log, _)| signature_bytes(log.signature.as_ref()?)))
        })
    }
}
