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
use tokio::time::{Instant, sleep, sleep_until};

use super::bus::BusMessage;
use super::duties::Turn;
use super::{Inner, Peers};

/// The maximum length of a cycle of turns, in milliseconds.
const CYCLE_MAX_MS: u64 = 60_000;
/// The time after the beginning of a turn or a beat at which servers wake up, because the time of
/// the store as they know it is never ahead, and up to a thousandth behind.
const MARGIN: Duration = Duration::from_millis(2);
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

    /// Wakes the tasks that wait for their turns if these have changed.
    pub(super) fn note_turn(&self) {
        let turn = self.turn();
        self.turn_changes.send_if_modified(|known| std::mem::replace(known, turn) != turn);
    }

    /// Returns the time until the next multiple of `every` on the clock of the store, at least half
    /// of `every`.
    fn until_beat(&self, every: Duration) -> Duration {
        let since = Duration::from_millis(self.store.now().0 % millis(every));
        every.saturating_sub(since).max(every / 2)
    }
}

fn millis(every: Duration) -> u64 {
    u64::try_from(every.as_millis()).unwrap_or(u64::MAX).max(1)
}

impl Peers {
    /// Returns the next moment for work that is done in every interval `every`. On a shared store,
    /// these are whole multiples of `every` on its clock, so that all tasks of all servers wake up
    /// at the same moments: a process then wakes up once for several tasks, and once for the
    /// notices of several servers. The moment is half to one interval away.
    #[must_use]
    pub fn next_beat(&self, every: Duration) -> Instant {
        let wait = self.inner.as_ref().map_or(every, |inner| inner.until_beat(every) + MARGIN);
        Instant::now() + wait
    }

    /// Waits for this server's next turn to look for one kind of due work. All servers together
    /// look once in every interval `every`.
    pub async fn my_turn(&self, every: Duration) {
        let every = every.max(Duration::from_millis(1));
        let Some(inner) = &self.inner else { return sleep(every).await };
        let mut changes = inner.turn_changes.subscribe();
        let earliest = Instant::now() + inner.until_beat(every);
        loop {
            let (turn, now) = (inner.turn(), Instant::now());
            let pause = earliest.saturating_duration_since(now);
            let begin = inner.store.now().plus_ms(u64::try_from(pause.as_millis()).unwrap_or(u64::MAX));
            let wait = pause + Duration::from_millis(turn.wait_ms(begin.0, millis(every), CYCLE_MAX_MS));
            // The clock of the store may jump, and that of a test may stand still.
            let latest = earliest + Duration::from_millis(millis(every).saturating_mul(turn.servers));
            if wait.is_zero() || now >= latest {
                return;
            }
            tokio::select! {
                () = sleep_until((now + wait + MARGIN).min(latest)) => {}
                // Other servers have come or gone.
                _ = changes.changed() => {}
            }
        }
    }

    /// Forgets all other servers, as if they had been silent for too long. For tests.
    #[doc(hidden)]
    pub fn forget_others(&self) {
        if let Some(inner) = &self.inner {
            inner.others.lock().clear();
            inner.duties.lock().share(Some(inner.id.as_str()), Vec::new());
            inner.note_turn();
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

    #[tokio::test(start_paused = true)]
    async fn a_server_waits_for_its_turn_and_hears_that_it_is_alone() {
        let store = TestStore::announcing(ManualClock::new(Stamp(1_000)));
        let servers = ["a", "b"].map(|id| Peers::new(Arc::new(store.clone()), id.to_owned(), None));
        let info = MemberInfo::of_this_version();
        for peers in servers.iter().chain(&servers[..1]) {
            peers.inner.as_ref().unwrap().watch.lock().note_heard(peers.id().unwrap(), Instant::now());
            peers.meet(&info).await.unwrap();
        }
        let (second, began) = (Duration::from_secs(1), Instant::now());
        let waits_until = async |at: Duration| {
            servers[0].inner.as_ref().unwrap().watch.lock().note_heard("a", Instant::now());
            servers[0].my_turn(second).await;
            assert_eq!(began.elapsed().as_millis(), at.as_millis());
        };
        // The clock of the store stands still in the turn of the other server, so this one waits
        // for a whole cycle.
        waits_until(3 * second).await;
        let gone = async {
            sleep(second * 3 / 2).await;
            servers[0].forget_others();
        };
        tokio::join!(waits_until(second * 9 / 2), gone);
        waits_until(second * 11 / 2 + MARGIN).await;
    }

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
        let info = MemberInfo::of_this_version();
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
