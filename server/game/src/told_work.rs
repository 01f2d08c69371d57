//! Due work of this server that other servers have found.

use std::collections::BTreeSet;
use std::pin::Pin;

use flagfall_store::Key;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// The maximum number of reported records that wait to be handled.
const TOLD_MAX: usize = 4_096;

/// Due work of this server that other servers have found.
#[derive(Default)]
pub(super) struct ToldWork {
    keys: Mutex<BTreeSet<Key>>,
    told: Notify,
}

impl ToldWork {
    pub(super) fn add(&self, key: Key) {
        let mut keys = self.keys.lock();
        // If there is no room, drop the record. A later check finds it again.
        if keys.len() < TOLD_MAX {
            keys.insert(key);
            self.told.notify_one();
        }
    }

    /// Returns the next records. `None` if `turn` completes before there are any.
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
