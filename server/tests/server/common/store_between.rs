//! A store whose calls a test can intercept.

use flagfall_board::{GameId, Stamp};
use flagfall_store::{
    Announcement, Append, AppendOutcome, Head, Key, ReadError, Record, Store, StoreError, StoreFuture,
    StoreMessage, StoreResult, StoredEntry, Topic, Update, UpdateOutcome,
};
use flagfall_store_testing::TestStore;
use tokio::sync::broadcast;

/// The error for a call that the store does not answer.
pub(crate) trait NoAnswer: Send {
    fn of(why: &str) -> Self;
}

impl NoAnswer for StoreError {
    fn of(why: &str) -> StoreError {
        StoreError::Unavailable { why: why.to_owned() }
    }
}

impl NoAnswer for ReadError {
    fn of(why: &str) -> ReadError {
        ReadError::Unavailable { why: why.to_owned() }
    }
}

/// Intercepts a server's calls to its store.
pub(crate) trait Hands: Send + Sync + 'static {
    /// Makes the call and returns its answer, or returns an error instead.
    fn call<T: Send, E: NoAnswer>(
        &self,
        call: impl Future<Output = Result<T, E>> + Send,
    ) -> impl Future<Output = Result<T, E>> + Send;

    /// Like [`Hands::call`], but for the server's maintenance, which does not belong to a game or
    /// an account.
    fn upkeep<T: Send, E: NoAnswer>(
        &self,
        call: impl Future<Output = Result<T, E>> + Send,
    ) -> impl Future<Output = Result<T, E>> + Send {
        call
    }

    /// Like [`Hands::call`], but for an update of records that are not part of a log.
    fn update(
        &self,
        _update: &Update,
        call: impl Future<Output = Result<UpdateOutcome, StoreError>> + Send,
    ) -> impl Future<Output = Result<UpdateOutcome, StoreError>> + Send {
        self.call(call)
    }
}

/// A memory store whose calls from a server are intercepted by the test's code.
pub(crate) struct StoreBetween<H> {
    pub(crate) store: TestStore,
    pub(crate) hands: H,
}

impl<H: Hands> Store for StoreBetween<H> {
    flagfall_store::forward! { store:
        fn now() -> Stamp;
        fn last_heartbeat() -> StoreResult<'_, Option<Stamp>>;
        fn announcements() -> Option<broadcast::Receiver<Announcement>>;
        fn follow(topic: Topic) -> StoreFuture<'static, bool>;
        fn unfollow(topic: &Topic);
        fn serve_former(are_there: bool);
        fn notices() -> Option<broadcast::Receiver<StoreMessage>>;
    }

    fn append(&self, append: Append) -> StoreFuture<'_, Result<AppendOutcome, StoreError>> {
        Box::pin(self.hands.call(self.store.append(append)))
    }
    fn read(
        &self,
        game: GameId,
        after: u64,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<StoredEntry>, ReadError>> {
        Box::pin(self.hands.call(self.store.read(game, after, limit)))
    }
    fn head(&self, game: GameId) -> StoreFuture<'_, Result<Head, ReadError>> {
        Box::pin(self.hands.call(self.store.head(game)))
    }
    fn get(&self, key: Key) -> StoreFuture<'_, Result<Option<Vec<u8>>, StoreError>> {
        Box::pin(self.hands.call(self.store.get(key)))
    }
    fn scan(
        &self,
        prefix: Key,
        after: Option<Key>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<Record>, StoreError>> {
        Box::pin(self.hands.call(self.store.scan(prefix, after, limit)))
    }
    fn update(&self, update: Update) -> StoreFuture<'_, Result<UpdateOutcome, StoreError>> {
        let call = self.store.update(update.clone());
        Box::pin(async move { self.hands.update(&update, call).await })
    }
    fn sweep(&self) -> StoreFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.hands.upkeep(self.store.sweep()))
    }
    fn heartbeat(&self) -> StoreFuture<'_, Result<Stamp, StoreError>> {
        Box::pin(self.hands.upkeep(self.store.heartbeat()))
    }
    fn epoch(&self) -> StoreFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.hands.upkeep(self.store.epoch()))
    }
    fn bump_epoch(&self) -> StoreFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.hands.upkeep(self.store.bump_epoch()))
    }
    fn quarantined(&self) -> StoreFuture<'_, Result<Vec<(GameId, String)>, StoreError>> {
        Box::pin(self.hands.upkeep(self.store.quarantined()))
    }
    fn tell_followers(&self, topic: Topic, notice: Vec<u8>) -> StoreFuture<'_, Result<u64, StoreError>> {
        Box::pin(self.hands.upkeep(self.store.tell_followers(topic, notice)))
    }
    fn tell(&self, notice: Vec<u8>) -> StoreFuture<'_, Result<(), StoreError>> {
        Box::pin(self.hands.upkeep(self.store.tell(notice)))
    }
}
