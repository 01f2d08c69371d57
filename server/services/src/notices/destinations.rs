//! Limits the parallel deliveries to each host and to all hosts together. Pauses deliveries to
//! hosts that fail.
//!
//! A host that does not answer occupies only a few places. After a few failures in a row, the
//! host is paused, longer each time. After each pause, it is tried with a single delivery. All
//! hosts whose last delivery failed share a few places.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Instant;

const AT_ONCE: usize = 64;
/// The highest number of parallel deliveries to all hosts whose last delivery failed.
const FAILING_AT_ONCE: usize = 16;
const HOST_AT_ONCE: usize = 2;
/// The maximum number of deliveries that wait for a place at one host. Others wait in the store.
const WAITING_MAX: usize = 256;
/// The number of failures in a row after which a host is paused.
const FAILURES_MAX: u32 = 3;
const PAUSE: Duration = Duration::from_secs(10);
/// The longest time for which a host is paused.
const PAUSE_MAX: Duration = Duration::from_secs(10 * 60);
/// The maximum number of hosts whose failures are remembered.
const HOSTS_MAX: usize = 4_096;

#[derive(Clone)]
pub(super) struct Destinations {
    places: Arc<Semaphore>,
    hosts: Arc<Mutex<HashMap<String, Host>>>,
}

struct Host {
    running: usize,
    waiting: usize,
    /// The number of times that a place at this host has become free.
    freed: watch::Sender<u64>,
    failures: u32,
    paused_until: Option<Instant>,
    used: Instant,
}

pub(super) struct Place {
    destinations: Destinations,
    host: String,
    _place: OwnedSemaphorePermit,
}

enum Offer {
    Taken(Place),
    /// All places are taken. The caller asks again when this value changes.
    Wait(watch::Receiver<u64>),
    /// Nothing may be sent to this host at the moment.
    Refused,
}

/// Counts a delivery as waiting for a place, until this guard is dropped.
struct Waiting<'a> {
    destinations: &'a Destinations,
    host: &'a str,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(known) = self.destinations.hosts.lock().get_mut(self.host) {
            known.waiting = known.waiting.saturating_sub(1);
        }
    }
}

impl Default for Destinations {
    fn default() -> Destinations {
        Destinations { places: Arc::new(Semaphore::new(AT_ONCE)), hosts: Arc::default() }
    }
}

impl Destinations {
    /// Takes a place at a host without waiting. `None` if all places are taken. Ignores pauses,
    /// so that the webhook's owner can test whether the host works again.
    pub(super) fn take(&self, host: &str) -> Option<Place> {
        let mut hosts = self.hosts.lock();
        if hosts.get(host).is_some_and(|known| known.running >= HOST_AT_ONCE) {
            return None;
        }
        self.place(&mut hosts, host)
    }

    /// Gives no more places, because the server is stopping. Those who wait for one get none.
    pub(super) fn close(&self) {
        self.places.close();
        self.hosts.lock().values().for_each(|host| host.freed.send_modify(|freed| *freed += 1));
    }

    /// Waits for a place at a host. `None` if nothing may be sent to the host at the moment.
    pub(super) async fn wait(&self, host: &str) -> Option<Place> {
        loop {
            let mut freed = match self.offer(host) {
                Offer::Taken(place) => return Some(place),
                Offer::Refused => return None,
                Offer::Wait(freed) => freed,
            };
            let _waiting = Waiting { destinations: self, host };
            // An error means that the host was forgotten, so ask again.
            freed.changed().await.ok();
            if self.hosts.lock().get(host).is_some_and(|known| known.failures > 0) {
                // Stop waiting. The notice is still in the store and will be found there.
                return None;
            }
        }
    }

    fn offer(&self, host: &str) -> Offer {
        let now = Instant::now();
        let mut hosts = self.hosts.lock();
        let failing = |hosts: &HashMap<String, Host>| -> usize {
            hosts.values().filter(|host| host.failures > 0).map(|host| host.running).sum()
        };
        if hosts.get(host).is_some_and(|known| known.failures > 0) && failing(&hosts) >= FAILING_AT_ONCE {
            return Offer::Refused;
        }
        if self.places.is_closed() {
            return Offer::Refused;
        }
        if let Some(known) = hosts.get_mut(host) {
            if known.paused_until.is_some_and(|until| now < until) {
                return Offer::Refused;
            }
            let max = if known.failures >= FAILURES_MAX { 1 } else { HOST_AT_ONCE };
            if known.running >= max {
                if known.failures > 0 || known.waiting >= WAITING_MAX {
                    return Offer::Refused;
                }
                known.waiting += 1;
                return Offer::Wait(known.freed.subscribe());
            }
        }
        self.place(&mut hosts, host).map_or(Offer::Refused, Offer::Taken)
    }

    fn place(&self, hosts: &mut HashMap<String, Host>, host: &str) -> Option<Place> {
        let place = self.places.clone().try_acquire_owned().ok()?;
        let now = Instant::now();
        let known = hosts.entry(host.to_owned()).or_insert_with(|| Host {
            running: 0,
            waiting: 0,
            freed: watch::Sender::new(0),
            failures: 0,
            paused_until: None,
            used: now,
        });
        (known.running, known.used) = (known.running + 1, now);
        Some(Place { destinations: self.clone(), host: host.to_owned(), _place: place })
    }
}

impl Place {
    pub(super) fn note(&self, is_well: bool) {
        let mut hosts = self.destinations.hosts.lock();
        let Some(known) = hosts.get_mut(&self.host) else { return };
        known.used = Instant::now();
        if is_well {
            (known.failures, known.paused_until) = (0, None);
            return;
        }
        known.failures = known.failures.saturating_add(1);
        if let Some(pauses) = known.failures.checked_sub(FAILURES_MAX) {
            let pause = PAUSE.saturating_mul(1 << pauses.min(10)).min(PAUSE_MAX);
            known.paused_until = Some(known.used + pause);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut hosts = self.destinations.hosts.lock();
        if let Some(known) = hosts.get_mut(&self.host) {
            known.running -= 1;
            known.freed.send_modify(|places| *places += 1);
        }
        hosts.retain(|_, host| host.running > 0 || host.waiting > 0 || host.failures > 0);
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
    use tokio::time::{advance, timeout};

    use super::*;

    /// Returns a place if one is free at this moment.
    async fn now(destinations: &Destinations, host: &str) -> Option<Place> {
        timeout(Duration::ZERO, destinations.wait(host)).await.ok().flatten()
    }

    fn fail(place: Place) {
        place.note(false);
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_has_two_places_and_others_wait_for_them() {
        let destinations = Destinations::default();
        let first = now(&destinations, "a").await.unwrap();
        let second = now(&destinations, "a").await.unwrap();
        assert!(destinations.take("a").is_none());
        assert!(now(&destinations, "b").await.is_some(), "another host has places of its own");
        let (mut third, mut fourth) = (Box::pin(destinations.wait("a")), Box::pin(destinations.wait("a")));
        assert!(timeout(Duration::ZERO, async { tokio::join!(&mut third, &mut fourth) }).await.is_err());
        first.note(true);
        drop(first);
        let third = third.await.unwrap();
        assert!(timeout(Duration::ZERO, &mut fourth).await.is_err());
        // After the failure, a waiting delivery gives up. Its notice will be found in the store.
        fail(second);
        assert!(fourth.await.is_none());
        drop(third);
        assert!(destinations.take("a").is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_is_stopping_begins_no_more_deliveries() {
        let destinations = Destinations::default();
        let sending = [now(&destinations, "a").await, now(&destinations, "a").await].map(Option::unwrap);
        let mut waiting = Box::pin(destinations.wait("a"));
        assert!(timeout(Duration::ZERO, &mut waiting).await.is_err());
        destinations.close();
        assert!(waiting.await.is_none());
        sending.iter().for_each(|place| place.note(true));
        drop(sending);
        assert!(now(&destinations, "a").await.is_none() && now(&destinations, "b").await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_fails_is_left_alone_for_longer_and_longer_and_tried_once_then() {
        let destinations = Destinations::default();
        for _ in 0..3 {
            fail(now(&destinations, "a").await.unwrap());
        }
        for pause in [10, 20, 40, 80, 160, 320, 600, 600] {
            assert!(now(&destinations, "a").await.is_none());
            assert!(destinations.take("a").is_some(), "its owner may test it");
            advance(Duration::from_secs(pause) - Duration::from_millis(1)).await;
            assert!(now(&destinations, "a").await.is_none(), "within {pause} s");
            advance(Duration::from_millis(1)).await;
            let probe = now(&destinations, "a").await.unwrap();
            assert!(now(&destinations, "a").await.is_none(), "one at a time");
            fail(probe);
        }
        destinations.take("a").unwrap().note(true);
        assert!(now(&destinations, "a").await.is_some(), "it is back");
    }

    #[tokio::test(start_paused = true)]
    async fn hosts_that_failed_last_share_a_few_places_and_are_forgotten_at_last() {
        let destinations = Destinations::default();
        for host in 0..HOSTS_MAX + 10 {
            fail(now(&destinations, &host.to_string()).await.unwrap());
        }
        assert_eq!(destinations.hosts.lock().len(), HOSTS_MAX);
        let mut taken = Vec::new();
        // All hosts failed at the same moment, so it is random which of them were forgotten.
        let known: Vec<String> =
            destinations.hosts.lock().keys().take(FAILING_AT_ONCE + 1).cloned().collect();
        for host in known {
            taken.extend(now(&destinations, &host).await);
        }
        assert_eq!(taken.len(), FAILING_AT_ONCE);
        assert!(now(&destinations, "well").await.is_some());
    }
}
