//! A store that fails on request.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use flagfall_board::{GameId, Stamp};
use flagfall_store::{
    Announcement, Append, AppendOutcome, Head, Key, Outage, ReadError, Record, Store, StoreError,
    StoreFuture, StoreMessage, StoredEntry, Topic, Update, UpdateOutcome,
};
use flagfall_store_testing::TestStore;
use tokio::sync::broadcast::Receiver;

/// A memory store that fails on request.
pub(super) struct FaultyStore {
    pub(super) store: TestStore,
    pub(super) faults: Arc<Faults>,
}

/// The faults that a test can ask for.
#[derive(Default)]
pub(crate) struct Faults {
    /// True if the next append panics, as if this server had a defect.
    pub(crate) breaks: AtomicBool,
    /// True if the server that uses this store is dead: its tasks continue, but cannot reach the
    /// store.
    pub(crate) is_dead: AtomicBool,
    /// The outage that the store reports.
    pub(crate) outage: Mutex<Option<Outage>>,
    /// The start of the silence that the store reports.
    pub(crate) silent_since: Mutex<Option<Stamp>>,
    /// The game whose part of the store gives no answers.
    pub(crate) away: Mutex<Option<GameId>>,
    /// True if the store has found that this part is silent.
    pub(crate) is_silence_known: AtomicBool,
    /// If set, the silence ends after the table has asked about the silence or the outage once
    /// more. After that, the store reports this outage.
    pub(crate) heard: Mutex<Option<Outage>>,
}

impl FaultyStore {
    /// Returns this part of the state. Afterwards, ends the silence if the test has asked for it.
    fn answer<T: Copy>(&self, state: &Mutex<T>) -> T {
        let answer = *state.lock().unwrap();
        if let Some(outage) = self.faults.heard.lock().unwrap().take() {
            *self.faults.outage.lock().unwrap() = Some(outage);
            *self.faults.silent_since.lock().unwrap() = None;
        }
        answer
    }

    fn is_away(&self, game: GameId) -> bool {
        *self.faults.away.lock().unwrap() == Some(game)
    }

    fn check_alive(&self) -> Result<(), StoreError> {
        let why = || StoreError::Unavailable { why: "the server is dead".to_owned() };
        if self.faults.is_dead.load(Ordering::SeqCst) { Err(why()) } else { Ok(()) }
    }
}

impl Store for FaultyStore {
    fn append(&self, append: Append) -> StoreFuture<'_, Result<AppendOutcome, StoreError>> {
        Box::pin(async move {
            assert!(!self.faults.breaks.swap(false, Ordering::SeqCst), "told to break");
            self.check_alive()?;
            self.store.append(append).await
        })
    }

    fn read(
        &self,
        game: GameId,
        after_seq: u64,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<StoredEntry>, ReadError>> {
        if self.is_away(game) {
            return Box::pin(std::future::pending());
        }
        self.store.read(game, after_seq, limit)
    }

    fn head(&self, game: GameId) -> StoreFuture<'_, Result<Head, ReadError>> {
        if self.is_away(game) {
            return Box::pin(std::future::pending());
        }
        self.store.head(game)
    }

    fn get(&self, key: Key) -> StoreFuture<'_, Result<Option<Vec<u8>>, StoreError>> {
        self.store.get(key)
    }

    fn scan(
        &self,
        prefix: Key,
        after: Option<Key>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<Record>, StoreError>> {
        self.store.scan(prefix, after, limit)
    }

    fn update(&self, update: Update) -> StoreFuture<'_, Result<UpdateOutcome, StoreError>> {
        Box::pin(async move {
            self.check_alive()?;
            self.store.update(update).await
        })
    }

    fn sweep(&self) -> StoreFuture<'_, Result<u64, StoreError>> {
        self.store.sweep()
    }

    fn now(&self) -> Stamp {
        self.store.now()
    }

    fn heartbeat(&self) -> StoreFuture<'_, Result<Stamp, StoreError>> {
        self.store.heartbeat()
    }

    fn last_heartbeat(&self) -> StoreFuture<'_, Result<Option<Stamp>, StoreError>> {
        self.store.last_heartbeat()
    }

    fn epoch(&self) -> StoreFuture<'_, Result<u64, StoreError>> {
        self.store.epoch()
    }

    fn bump_epoch(&self) -> StoreFuture<'_, Result<u64, StoreError>> {
        self.store.bump_epoch()
    }

    fn quarantined(&self) -> StoreFuture<'_, Result<Vec<(GameId, String)>, StoreError>> {
        self.store.quarantined()
    }

    fn outage(&self) -> Option<Outage> {
        self.answer(&self.faults.outage)
    }

    fn silent_since(&self) -> Option<Stamp> {
        self.answer(&self.faults.silent_since)
    }

    fn silent_since_of(&self, game: GameId) -> Option<Stamp> {
        let is_known = self.faults.is_silence_known.load(Ordering::SeqCst);
        if is_known && self.is_away(game) { Some(self.now()) } else { self.silent_since() }
    }

    fn silent_parts(&self) -> Vec<usize> {
        if self.faults.is_silence_known.load(Ordering::SeqCst) { vec![1] } else { Vec::new() }
    }

    fn announcements(&self) -> Option<Receiver<Announcement>> {
        self.store.announcements()
    }

    fn tell(&self, notice: Vec<u8>) -> StoreFuture<'_, Result<(), StoreError>> {
        self.store.tell(notice)
    }

    fn follow(&self, topic: Topic) -> StoreFuture<'static, bool> {
        self.store.follow(topic)
    }

    fn unfollow(&self, topic: &Topic) {
        self.store.unfollow(topic);
    }

    fn tell_followers(&self, topic: Topic, notice: Vec<u8>) -> StoreFuture<'_, Result<u64, StoreError>> {
        self.store.tell_followers(topic, notice)
    }

    fn serve_former(&self, are_there: bool) {
        self.store.serve_former(are_there);
    }

    fn notices(&self) -> Option<Receiver<StoreMessage>> {
        self.store.notices()
    }
}
