//! Due work of this server that another server has found.

use std::collections::BTreeSet;
use std::pin::Pin;

use flagfall_store::Key;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// The maximum number of records of which other servers have told, and that wait to be handled.
const TOLD_MAX: usize = 4_096;

/// Due work of this server that another server has found.
#[derive(Default)]
pub(super) struct ToldWork {
    keys: Mutex<BTreeSet<Key>>,
    told: Notify,
}

impl ToldWork {
    pub(super) fn add(&self, key: Key) {
        let mut keys = self.keys.lock();
        // What is left out is found at the next look.
        if keys.len() < TOLD_MAX {
            keys.insert(key);
            self.told.notify_one();
        }
    }

    /// Returns the next records. `None` if the turn comes before there are any.
    pub(super) async fn next_before(&self, mut turn: Pin<&mut impl Future<Output = ()>>) -> Option<Vec<Key>> {
        loop {
            let keys = std::mem::take(&mut *self.keys.lock());
            if !keys.is_empty() {
                return Some(keys.into_iter().collect());
            }
            tokio::select! {
                () = &mut turn => return None,
                () = self.told.notified() => {}
            }
        }
    }
}
