//! A store that stops answering at a chosen call, as if the server had died during that call.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use flagfall_board::GameId;
use flagfall_services::ratings::Ratings;
use flagfall_store::{StoreError, Update, UpdateOutcome};
use flagfall_store_testing::TestStore;

use crate::common::store_between::{Hands, NoAnswer, StoreBetween};

/// Simulates a server that dies. After a number of calls, it gets no more answers. `dies_after`
/// is true if the last of these calls is still carried out.
pub(super) struct Mortal {
    /// The number of calls that are left; `usize::MAX` means no limit.
    pub(super) left: AtomicUsize,
    dies_after: bool,
    pub(super) is_stalled: AtomicBool,
    /// A game that is rated once between a server's reads and its write, to cause a conflict.
    pub(super) interruption: Mutex<Option<(Ratings, GameId)>>,
}

impl Mortal {
    pub(super) fn over(memory: &TestStore, dies_after: bool) -> Arc<StoreBetween<Mortal>> {
        let hands = Mortal {
            left: AtomicUsize::new(usize::MAX),
            dies_after,
            is_stalled: AtomicBool::new(false),
            interruption: Mutex::default(),
        };
        Arc::new(StoreBetween { store: memory.clone(), hands })
    }

    /// Returns two values: whether this call is carried out, and whether the server receives the
    /// answer.
    fn live(&self) -> (bool, bool) {
        let before = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
            Some(if left == usize::MAX { left } else { left.saturating_sub(1) })
        });
        match before.unwrap_or(0) {
            0 => (false, false),
            1 => (self.dies_after, false),
            _ => (true, true),
        }
    }
}

impl Hands for Mortal {
    async fn call<T: Send, E: NoAnswer>(
        &self,
        call: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        let (is_made, is_heard) = self.live();
        let answer = if is_made { call.await } else { return Err(E::of("dead")) };
        if is_heard { answer } else { Err(E::of("dead")) }
    }

    async fn update(
        &self,
        _update: &Update,
        call: impl Future<Output = Result<UpdateOutcome, StoreError>> + Send,
    ) -> Result<UpdateOutcome, StoreError> {
        if self.is_stalled.load(Ordering::SeqCst) {
            return Err(StoreError::of("stalled"));
        }
        let interruption = self.interruption.lock().unwrap().take();
        if let Some((ratings, game)) = interruption {
            ratings.rate_now(game).await.unwrap();
        }
        self.call(call).await
    }
}
