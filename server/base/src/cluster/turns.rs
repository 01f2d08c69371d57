//! Servers take turns to look for due work.
//!
//! Due work is listed in records that any server can read. If each server always read all of them,
//! every additional server would add to the load of the store. So each server reads a list once in
//! a cycle, and all servers together read it as often as a single server would.
//!
//! A server that finds work of another guardian notifies that guardian. If the work is not done,
//! another server does it on its turn, once the work is overdue. If a server is lost, its turns are
//! skipped once its record has expired.

use std::collections::BTreeMap;
use std::time::Duration;

use flagfall_store::{Key, Topic};
use tokio::time::{Instant, sleep};

use super::bus::BusMessage;
use super::duties::Turn;
use super::{Inner, Peers};

/// The maximum length of a cycle of turns, in milliseconds.
const CYCLE_MAX_MS: u64 = 60_000;
/// The maximum number of records in one notice.
const KEYS_MAX: usize = 512;

impl Inner {
    /// Returns this server's turn. A server that may receive no notices takes all turns itself,
    /// because others cannot notify it of its work.
    fn turn(&self) -> Turn {
        if self.watch.lock().is_deaf(&self.id, Instant::now()) {
            return Turn::ALONE;
        }
        self.duties.lock().turn()
    }
}

impl Peers {
    /// Waits for this server's next turn to look for one kind of due work. All servers together
    /// look once in every interval `every`.
    pub async fn my_turn(&self, every: Duration) {
        let every = every.max(Duration::from_millis(1));
        sleep(every).await;
        let Some(inner) = &self.inner else { return };
        let every_ms = u64::try_from(every.as_millis()).unwrap_or(u64::MAX).max(1);
        let began = Instant::now();
        loop {
            let turn = inner.turn();
            let wait_ms = turn.wait_ms(inner.store.now().0, every_ms, CYCLE_MAX_MS);
            // Never wait longer than a cycle, because the store's clock may jump, and a test's
            // clock may stand still.
            let cycle = Duration::from_millis(every_ms.saturating_mul(turn.servers));
            if wait_ms == 0 || began.elapsed() >= cycle {
                return;
            }
            // Check the turns again in between, because servers may come and go.
            sleep(Duration::from_millis(wait_ms).min(every)).await;
        }
    }

    /// Notifies other servers of due work for which they are the guardians. Each item consists of
    /// the subject that determines the guardian, and the key of a record. If a notice is lost, the
    /// guardian finds the work on its own turn, or other servers do it when it is overdue.
    pub async fn hand_over(&self, due: impl IntoIterator<Item = (String, Key)>) {
        let Some(inner) = &self.inner else { return };
        let mut of_server: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (subject, key) in due {
            let guardian = inner.duties.lock().reachable_guardian(&subject).map(str::to_owned);
            let text = std::str::from_utf8(key.as_bytes()).ok().map(str::to_owned);
            if let (Some(guardian), Some(text)) = (guardian, text) {
                of_server.entry(guardian).or_default().push(text);
            }
        }
        for (server, keys) in of_server {
            for keys in keys.chunks(KEYS_MAX) {
                let notice = BusMessage::Due { keys: keys.to_vec() };
                if let Err(error) = self.tell_followers(Topic::Server(server.as_str().into()), &notice).await
                {
                    tracing::debug!(%error, "could not tell another server about due work");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use flagfall_board::Stamp;
    use flagfall_store::{Store, StoreMessage};
    use flagfall_store_testing::{ManualClock, TestStore};

    use super::super::MemberInfo;
    use super::*;
    use crate::keys::HOUSE;

    #[tokio::test]
    async fn due_work_is_told_to_the_guardian_alone() {
        let store = TestStore::announcing(ManualClock::new(Stamp(1_000)));
        let servers = ["a", "b"].map(|id| {
            let store: Arc<dyn Store> = Arc::new(store.clone());
            (id, Peers::new(store.clone(), id.to_owned(), None), store)
        });
        let mut heard = Vec::new();
        for (id, _, store) in &servers {
            assert!(store.follow(Topic::Server((*id).into())).await);
            heard.push(store.notices().unwrap());
        }
        let info = MemberInfo { takes_turns: true, ..MemberInfo::default() };
        for (_, peers, _) in servers.iter().chain(&servers[..1]) {
            peers.meet(&info).await.unwrap();
        }
        let guarded = |(_, peers, _): &(&str, Peers, Arc<dyn Store>)| {
            (0..).map(|number| format!("g{number}")).find(|id| peers.guards(id)).unwrap()
        };
        let [own, other] = servers.each_ref().map(guarded);
        let due = [&own, &other].map(|id| (id.clone(), HOUSE.key([id]).unwrap()));
        servers[0].1.hand_over(due).await;
        let Ok(StoreMessage::Told(notice)) = heard[1].try_recv() else { panic!("nothing was told") };
        let expected = BusMessage::Due { keys: vec![format!("house/{other}")] };
        assert_eq!(serde_json::from_slice::<BusMessage>(&notice).unwrap(), expected);
        assert!(heard.iter_mut().all(|heard| heard.try_recv().is_err()));
    }
}
