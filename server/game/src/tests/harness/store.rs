//! A store that fails on request.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use flagfall_board::{GameId, Stamp};
use flagfall_store::{
    Announcement, Append, AppendOutcome, Head, Key, Outage, ReadError, Record, Store, StoreError,
    StoreFuture, StoreMessage, StoreResult, StoredEntry, Topic, Update, UpdateOutcome,
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
    flagfall_store::forward! { store:
        fn get(key: Key) -> StoreResult<'_, Option<Vec<u8>>>;
        fn scan(prefix: Key, after: Option<Key>, limit: usize) -> StoreResult<'_, Vec<Record>>;
        fn sweep() -> StoreResult<'_, u64>;
        fn now() -> Stamp;
        fn heartbeat() -> StoreResult<'_, Stamp>;
        fn last_heartbeat() -> StoreResult<'_, Option<Stamp>>;
        fn epoch() -> StoreResult<'_, u64>;
        fn bump_epoch() -> StoreResult<'_, u64>;
        fn quarantined() -> StoreResult<'_, Vec<(GameId, String)>>;
        fn announcements() -> Option<Receiver<Announcement>>;
        fn tell(notice: Vec<u8>) -> StoreResult<'_, ()>;
        fn follow(topic: Topic) -> StoreFuture<'static, bool>;
        fn unfollow(topic: &Topic);
        fn tell_followers(topic: Topic, notice: Vec<u8>) -> StoreResult<'_, u64>;
        fn serve_former(are_there: bool);
        fn notices() -> Option<Receiver<StoreMessage>>;
    }

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

    fn update(&self, update: Update) -> StoreFuture<'_, Result<UpdateOutcome, StoreError>> {
        Box::pin(async move {
            self.check_alive()?;
            self.store.update(update).await
        })
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
}
