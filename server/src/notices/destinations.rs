//! Limits deliveries in parallel, to one host and to all, and pauses hosts that fail.
//!
//! A host that does not answer occupies only its own places. After a few failures in a row it is
//! paused, longer each time, and then tried with a single delivery. All hosts that failed last
//! share a few places.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Deliveries in parallel to all hosts, to hosts that failed last, and to one host.
const AT_ONCE: u32 = 64;
const FAILING_AT_ONCE: usize = 16;
const HOST_AT_ONCE: usize = 2;
/// Deliveries that wait in memory for a place at one host. Others wait in the store only.
const QUEUE_MAX: usize = 256;
/// Failures in a row after which a host is paused.
const FAILURES_MAX: u32 = 3;
/// The first pause, and the longest.
const PAUSE: Duration = Duration::from_secs(10);
const PAUSE_MAX: Duration = Duration::from_secs(10 * 60);
/// Most hosts whose failures are remembered.
const HOSTS_MAX: usize = 4_096;

/// Something to deliver, identified by its name.
pub(super) trait Named {
    /// Its name.
    fn name(&self) -> &[u8];
}

/// All destinations. Cheap to clone; all clones share one state.
pub(super) struct Destinations<T> {
    places: Arc<Semaphore>,
    hosts: Arc<Mutex<HashMap<String, Host<T>>>>,
}

struct Host<T> {
    running: usize,
    queue: VecDeque<T>,
    failures: u32,
    /// The end of its pause.
    paused_until: Option<Instant>,
    used: Instant,
}

/// A place at a host, freed on drop.
pub(super) struct Place<T> {
    destinations: Destinations<T>,
    host: String,
    _place: OwnedSemaphorePermit,
}

impl<T> Clone for Destinations<T> {
    fn clone(&self) -> Destinations<T> {
        Destinations { places: self.places.clone(), hosts: self.hosts.clone() }
    }
}

impl<T> Default for Destinations<T> {
    fn default() -> Destinations<T> {
        Destinations { places: Arc::new(Semaphore::new(AT_ONCE as usize)), hosts: Arc::default() }
    }
}

impl<T> Destinations<T> {
    fn hosts(&self) -> MutexGuard<'_, HashMap<String, Host<T>>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place at a host without waiting. None if all are taken. Ignores pauses, so that an
    /// owner can find out that the host is back.
    pub(super) fn take(&self, host: &str) -> Option<Place<T>> {
        let mut hosts = self.hosts();
        if hosts.get(host).is_some_and(|known| known.running >= HOST_AT_ONCE) {
            return None;
        }
        self.place(&mut hosts, host)
    }

    /// Waits until all deliveries that have begun are finished.
    pub(super) async fn finished(&self) {
        drop(self.places.acquire_many(AT_ONCE).await);
    }

    fn place(&self, hosts: &mut HashMap<String, Host<T>>, host: &str) -> Option<Place<T>> {
        let place = self.places.clone().try_acquire_owned().ok()?;
        let now = Instant::now();
        let known = hosts.entry(host.to_owned()).or_insert_with(|| Host {
            running: 0,
            queue: VecDeque::new(),
            failures: 0,
            paused_until: None,
            used: now,
        });
        (known.running, known.used) = (known.running + 1, now);
        Some(Place { destinations: self.clone(), host: host.to_owned(), _place: place })
    }
}

impl<T: Named> Destinations<T> {
    /// Offers a delivery to a host. Returns it with a place if it can be delivered now. Otherwise
    /// it waits in memory for the next place at this host, or is dropped and must be offered again.
    pub(super) fn offer(&self, host: &str, what: T) -> Option<(Place<T>, T)> {
        let now = Instant::now();
        let mut hosts = self.hosts();
        let failing: usize = hosts.values().filter(|host| host.failures > 0).map(|host| host.running).sum();
        if let Some(known) = hosts.get_mut(host) {
            if known.paused_until.is_some_and(|until| now < until) {
                return None;
            }
            let max = if known.failures >= FAILURES_MAX { 1 } else { HOST_AT_ONCE };
            if known.running >= max {
                let is_new = known.queue.iter().all(|queued| queued.name() != what.name());
                if known.failures == 0 && is_new && known.queue.len() < QUEUE_MAX {
                    known.queue.push_back(what);
                }
                return None;
            }
            if known.failures > 0 && failing >= FAILING_AT_ONCE {
                return None;
            }
        }
        self.place(&mut hosts, host).map(|place| (place, what))
    }
}

impl<T> Place<T> {
    /// Records how a delivery went. Returns the next delivery for this place.
    pub(super) fn next(&self, is_well: bool) -> Option<T> {
        let mut hosts = self.destinations.hosts();
        let known = hosts.get_mut(&self.host)?;
        known.used = Instant::now();
        if is_well {
            (known.failures, known.paused_until) = (0, None);
            return known.queue.pop_front();
        }
        known.failures = known.failures.saturating_add(1);
        // The queued deliveries are found in the store again.
        known.queue = VecDeque::new();
        if let Some(pauses) = known.failures.checked_sub(FAILURES_MAX) {
            let pause = PAUSE.saturating_mul(1 << pauses.min(10)).min(PAUSE_MAX);
            known.paused_until = Some(known.used + pause);
        }
        None
    }
}

impl<T> Place<T> {
    /// The next delivery for this place after nothing was sent.
    pub(super) fn following(&self) -> Option<T> {
        self.destinations.hosts().get_mut(&self.host)?.queue.pop_front()
    }
}

impl<T> Drop for Place<T> {
    fn drop(&mut self) {
        let mut hosts = self.destinations.hosts();
        if let Some(known) = hosts.get_mut(&self.host) {
            known.running -= 1;
        }
        hosts.retain(|_, host| host.running > 0 || host.failures > 0);
        if hosts.len() > HOSTS_MAX {
            let idle = hosts.iter().filter(|(_, host)| host.running == 0);
            let oldest = idle.min_by_key(|(_, host)| host.used).map(|(name, _)| name.clone());
            if let Some(oldest) = oldest {
                hosts.remove(&oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[derive(Debug, PartialEq)]
    struct Item(String);

    impl Named for Item {
        fn name(&self) -> &[u8] {
            self.0.as_bytes()
        }
    }

    fn item(name: impl ToString) -> Item {
        Item(name.to_string())
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_has_two_places_and_a_queue() {
        let destinations = Destinations::default();
        let (first, _) = destinations.offer("a", item(1)).unwrap();
        let (_second, _) = destinations.offer("a", item(2)).unwrap();
        for number in [3, 4, 3] {
            assert!(destinations.offer("a", item(number)).is_none());
        }
        assert!(destinations.take("a").is_none());
        assert!(destinations.offer("b", item(5)).is_some(), "another host has places of its own");
        assert_eq!(first.next(true), Some(item(3)));
        assert_eq!(first.next(true), Some(item(4)));
        assert_eq!(first.next(true), None, "nothing is queued twice");
        drop(first);
        assert!(destinations.take("a").is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_fails_is_left_alone_for_longer_and_longer_and_tried_once_then() {
        let destinations = Destinations::default();
        for _ in 0..3 {
            let (place, _) = destinations.offer("a", item(1)).unwrap();
            assert_eq!(place.next(false), None);
        }
        for pause in [10, 20, 40, 80, 160, 320, 600, 600] {
            assert!(destinations.offer("a", item(1)).is_none());
            assert!(destinations.take("a").is_some(), "its owner may test it");
            advance(Duration::from_secs(pause) - Duration::from_millis(1)).await;
            assert!(destinations.offer("a", item(1)).is_none(), "within {pause} s");
            advance(Duration::from_millis(1)).await;
            let (probe, _) = destinations.offer("a", item(1)).unwrap();
            assert!(destinations.offer("a", item(2)).is_none(), "one at a time");
            probe.next(false);
        }
        let place = destinations.take("a").unwrap();
        place.next(true);
        assert!(destinations.offer("a", item(1)).is_some(), "it is back");
    }

    #[tokio::test(start_paused = true)]
    async fn hosts_that_failed_last_share_a_few_places_and_are_forgotten_at_last() {
        let destinations = Destinations::default();
        for host in 0..HOSTS_MAX + 10 {
            let (place, _) = destinations.offer(&host.to_string(), item(1)).unwrap();
            place.next(false);
        }
        assert_eq!(destinations.hosts().len(), HOSTS_MAX);
        let hosts = 1_000..1_000 + FAILING_AT_ONCE + 1;
        let taken: Vec<_> = hosts.filter_map(|host| destinations.offer(&host.to_string(), item(2))).collect();
        assert_eq!(taken.len(), FAILING_AT_ONCE);
        assert!(destinations.offer("well", item(3)).is_some());
    }
}
