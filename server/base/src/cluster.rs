//! The servers that share a store, and what they know about each other.
//!
//! Each server keeps a record of itself in the store, which expires if it is not renewed. It says
//! how many players are connected there, and which of them have an open seek. Losing it does no
//! lasting harm. Servers also send each other short-lived notices, such as who has which game open
//! (`seats`).

mod bus;
mod seats;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::keys::SERVERS;
use flagfall_store::{Key, Store, StoreError, Update, Write};
use serde::{Deserialize, Serialize};

pub use self::bus::{GameNews, Notice};
pub use self::seats::{Elsewhere, SeatNews, Seating, Seats};

/// How long a server counts as alive without renewing its record, in milliseconds.
const ALIVE_MS: u64 = 3_000;
/// Most servers that are read.
const PEERS_MAX: usize = 64;

/// A server's record of itself.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Sign {
    /// Number of players connected there.
    pub online: usize,
    /// Those of them with an open seek.
    pub seekers: BTreeSet<String>,
}

/// The other servers. Cheap to clone; all clones share one state.
#[derive(Clone)]
pub struct Peers {
    inner: Option<Arc<Inner>>,
}

struct Inner {
    store: Arc<dyn Store>,
    id: String,
    others: Mutex<Vec<Sign>>,
}

impl Peers {
    /// The servers on this store, none of them known yet. If only this process can write to the
    /// store, there are none.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, id: String) -> Peers {
        let is_shared = store.announcements().is_some();
        Peers { inner: is_shared.then(|| Arc::new(Inner { store, id, others: Mutex::default() })) }
    }

    /// True if there can be other servers.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.inner.is_some()
    }

    /// Renews this server's record and reads those of the others. Meant to run once a second.
    ///
    /// # Errors
    /// [`StoreError`]; what was known about the others stays.
    pub async fn meet(&self, sign: &Sign) -> Result<(), StoreError> {
        let Some(inner) = &self.inner else { return Ok(()) };
        let value = serde_json::to_vec(sign).unwrap_or_default();
        let expires = Some(inner.store.now().plus_ms(ALIVE_MS));
        inner.write(Write::Put { key: inner.key()?, value, expires }).await?;
        let others = inner.look().await?;
        *inner.others() = others;
        Ok(())
    }

    /// Deletes this server's record. True if no other server is left; false if the store cannot
    /// say.
    pub async fn leave(&self) -> bool {
        let Some(inner) = &self.inner else { return true };
        let left = async {
            inner.write(Write::Delete { key: inner.key()? }).await?;
            inner.look().await
        };
        left.await.is_ok_and(|others| others.is_empty())
    }

    /// Forgets all other servers, as if all had been silent for too long. For tests.
    #[doc(hidden)]
    pub fn forget_others(&self) {
        if let Some(inner) = &self.inner {
            inner.others().clear();
        }
    }

    /// Number of players connected to other servers.
    #[must_use]
    pub fn online(&self) -> usize {
        self.inner.iter().flat_map(|inner| inner.others().clone()).map(|sign| sign.online).sum()
    }

    /// True if a player with an open seek is connected to another server.
    #[must_use]
    pub fn is_seeker_online(&self, player: &str) -> bool {
        self.inner.iter().any(|inner| inner.others().iter().any(|sign| sign.seekers.contains(player)))
    }
}

impl Inner {
    fn others(&self) -> MutexGuard<'_, Vec<Sign>> {
        // The code under this lock does not panic, and the list would be whole even then.
        self.others.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn key(&self) -> Result<Key, StoreError> {
        SERVERS.key([&self.id])
    }

    async fn write(&self, write: Write) -> Result<(), StoreError> {
        // The outcome does not matter: the next write comes within a second.
        self.store.update(Update { conditions: Vec::new(), writes: vec![write] }).await.map(drop)
    }

    async fn look(&self) -> Result<Vec<Sign>, StoreError> {
        let own = self.key()?;
        let found = self.store.scan(SERVERS.all()?, None, PEERS_MAX).await?;
        let others = found.into_iter().filter(|(key, _)| *key != own);
        // A server of another version may write another record; it is there all the same.
        Ok(others.map(|(_, value)| serde_json::from_slice(&value).unwrap_or_default()).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use flagfall_board::Stamp;
    use flagfall_store::{ManualClock, MemoryStore};

    use super::*;

    fn sign(online: usize, seekers: &[&str]) -> Sign {
        Sign { online, seekers: seekers.iter().map(ToString::to_string).collect() }
    }

    #[tokio::test]
    async fn servers_know_of_each_other_until_one_leaves_or_is_silent() {
        let clock = Arc::new(ManualClock::new(Stamp(1_000)));
        let store: Arc<dyn Store> = Arc::new(MemoryStore::announcing(clock.clone()));
        let [one, two, three] = ["1", "2", "3"].map(|id| Peers::new(store.clone(), id.to_owned()));
        one.meet(&sign(5, &["ana"])).await.unwrap();
        two.meet(&sign(7, &[])).await.unwrap();
        three.meet(&sign(1, &[])).await.unwrap();
        assert_eq!((two.online(), three.online()), (5, 12));
        assert!(three.is_seeker_online("ana") && !one.is_seeker_online("ana"));
        assert!(!three.leave().await);
        clock.advance_ms(ALIVE_MS);
        two.meet(&sign(7, &[])).await.unwrap();
        assert_eq!(two.online(), 0, "one was silent for too long");
        assert!(two.leave().await, "nobody else is there");
    }

    #[tokio::test]
    async fn a_server_alone_on_its_store_is_the_last() {
        let peers = Peers::new(Arc::new(MemoryStore::default()), "1".to_owned());
        peers.meet(&sign(5, &["ana"])).await.unwrap();
        assert!(!peers.is_shared() && peers.leave().await);
    }
}
