//! How often somebody may try: for each name, and from each address.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::rate::TokenBucket;
use crate::settings::Settings;

/// Names and addresses that are counted at a time. When there are more, those that could try as often as ever are forgotten.
const COUNTED_MAX: usize = 50_000;

/// The least time between two looks for those to forget: a full memory must not make every attempt slow.
const SWEEP: Duration = Duration::from_secs(1);

/// The attempts of names and addresses on this server. Names count alike whether somebody has them or not.
#[derive(Debug)]
pub struct Attempts {
    names: Mutex<Counts<String>>,
    addresses: Mutex<Counts<IpAddr>>,
    requests: Mutex<Counts<IpAddr>>,
}

/// Too often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooOften {
    /// How long until the next attempt.
    pub wait: Duration,
}

#[derive(Debug)]
struct Counts<K> {
    buckets: HashMap<K, TokenBucket>,
    capacity: u32,
    window: Duration,
    swept: Option<Instant>,
}

impl Attempts {
    /// Nobody has tried yet.
    #[must_use]
    pub fn new(settings: &Settings) -> Attempts {
        let counts = |capacity| (capacity, settings.times.attempt_window);
        Attempts {
            names: Mutex::new(Counts::new(counts(settings.limits.attempts_per_name))),
            addresses: Mutex::new(Counts::new(counts(settings.limits.attempts_per_address))),
            requests: Mutex::new(Counts::new((settings.limits.requests_per_minute, Duration::from_secs(60)))),
        }
    }

    /// Counts an attempt on a name from an address.
    ///
    /// # Errors
    /// [`TooOften`]: it must not be made.
    pub fn take(&self, name: &str, address: IpAddr, now: Instant) -> Result<(), TooOften> {
        self.take_address(address, now)?;
        lock(&self.names).take(name.to_owned(), now)
    }

    /// Counts something costly from an address.
    ///
    /// # Errors
    /// [`TooOften`]: it must not be done.
    pub fn take_address(&self, address: IpAddr, now: Instant) -> Result<(), TooOften> {
        lock(&self.addresses).take(network_of(address), now)
    }

    /// Counts what somebody does who is known already, apart from what others try under his name.
    ///
    /// # Errors
    /// [`TooOften`]: it must not be done.
    pub fn take_own(&self, what: &str, player_id: &str, now: Instant) -> Result<(), TooOften> {
        // No name has such a character.
        lock(&self.names).take(format!("{what}/{player_id}"), now)
    }

    /// Counts a request from an address, whatever it is for.
    ///
    /// # Errors
    /// [`TooOften`]: it must not be answered.
    pub fn take_request(&self, address: IpAddr, now: Instant) -> Result<(), TooOften> {
        lock(&self.requests).take(network_of(address), now)
    }

    /// The attempt was right: it does not count against the name. Against the address it does: it was as much work.
    pub fn put_back(&self, name: &str) {
        lock(&self.names).put_back(name);
    }
}

fn lock<K>(counts: &Mutex<Counts<K>>) -> std::sync::MutexGuard<'_, Counts<K>> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whoever has one address of version 6 has the 64 bits of them behind it.
fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(six) => match six.to_ipv4_mapped() {
            Some(four) => IpAddr::V4(four),
            None => {
                let [a, b, c, d, ..] = six.segments();
                IpAddr::from([a, b, c, d, 0, 0, 0, 0])
            }
        },
    }
}

impl<K: Hash + Eq> Counts<K> {
    fn new((capacity, window): (u32, Duration)) -> Counts<K> {
        Counts { buckets: HashMap::new(), capacity, window, swept: None }
    }

    fn take(&mut self, key: K, now: Instant) -> Result<(), TooOften> {
        let is_swept = self.swept.is_some_and(|swept| now.saturating_duration_since(swept) < SWEEP);
        if self.buckets.len() >= COUNTED_MAX && !is_swept {
            self.buckets.retain(|_, bucket| !bucket.is_full(now));
            self.swept = Some(now);
        }
        let wait = self.window / self.capacity.max(1);
        if self.buckets.len() >= COUNTED_MAX && !self.buckets.contains_key(&key) {
            return Err(TooOften { wait });
        }
        let (capacity, window) = (self.capacity, self.window);
        let bucket = self.buckets.entry(key).or_insert_with(|| TokenBucket::new(capacity, window, now));
        if bucket.take(now) { Ok(()) } else { Err(TooOften { wait }) }
    }

    fn put_back<Q: Hash + Eq + ?Sized>(&mut self, key: &Q)
    where
        K: std::borrow::Borrow<Q>,
    {
        if let Some(bucket) = self.buckets.get_mut(key) {
            bucket.put_back(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: [u8; 4] = [192, 0, 2, 1];

    fn attempts(name: u32, address: u32) -> Attempts {
        let mut settings = Settings::default();
        (settings.limits.attempts_per_name, settings.limits.attempts_per_address) = (name, address);
        Attempts::new(&settings)
    }

    #[test]
    fn a_name_is_tried_a_few_times_from_wherever() {
        let (attempts, now) = (attempts(2, 100), Instant::now());
        assert!(attempts.take("ana", HERE.into(), now).is_ok());
        assert!(attempts.take("ana", [192, 0, 2, 2].into(), now).is_ok());
        assert!(attempts.take("ana", [192, 0, 2, 3].into(), now).is_err());
        assert!(attempts.take("bo", HERE.into(), now).is_ok());
        let later = now + Settings::default().times.attempt_window;
        assert!(attempts.take("ana", HERE.into(), later).is_ok());
    }

    #[test]
    fn an_address_tries_a_few_times_whatever_the_name() {
        let (attempts, now) = (attempts(100, 2), Instant::now());
        assert!(attempts.take("ana", HERE.into(), now).is_ok());
        assert!(attempts.take("bo", HERE.into(), now).is_ok());
        assert!(attempts.take("cy", HERE.into(), now).is_err());
        assert!(attempts.take("cy", [192, 0, 2, 2].into(), now).is_ok());
    }

    #[test]
    fn addresses_of_one_network_are_one() {
        let (attempts, now) = (attempts(100, 1), Instant::now());
        assert!(attempts.take("ana", "2001:db8:1:2:3::4".parse().unwrap(), now).is_ok());
        assert!(attempts.take("ana", "2001:db8:1:2:ffff::1".parse().unwrap(), now).is_err());
        assert!(attempts.take("ana", "2001:db8:1:3::1".parse().unwrap(), now).is_ok());
        assert!(attempts.take("ana", "::ffff:192.0.2.1".parse().unwrap(), now).is_ok());
        assert!(attempts.take("ana", HERE.into(), now).is_err());
    }

    #[test]
    fn what_was_right_does_not_count_against_the_name_but_it_was_work() {
        let (attempts, now) = (attempts(1, 5), Instant::now());
        for _ in 0..5 {
            assert!(attempts.take("ana", HERE.into(), now).is_ok());
            attempts.put_back("ana");
        }
        assert!(attempts.take("ana", HERE.into(), now).is_err());
        assert!(attempts.take("ana", [192, 0, 2, 2].into(), now).is_ok());
    }

    #[test]
    fn what_others_try_under_a_name_is_not_its_owners() {
        let (attempts, now) = (attempts(2, 100), Instant::now());
        while attempts.take("ana", HERE.into(), now).is_ok() {}
        assert!(attempts.take_own("confirm", "id-of-ana", now).is_ok());
        assert!(attempts.take_own("confirm", "id-of-ana", now).is_ok());
        assert!(attempts.take_own("confirm", "id-of-ana", now).is_err());
        assert!(attempts.take_own("tokens", "id-of-ana", now).is_ok());
    }

    #[test]
    fn requests_of_an_address_are_limited_and_come_back() {
        let mut settings = Settings::default();
        settings.limits.requests_per_minute = 3;
        let (attempts, now) = (Attempts::new(&settings), Instant::now());
        let taken = (0..5).filter(|_| attempts.take_request(HERE.into(), now).is_ok()).count();
        assert_eq!(taken, 3);
        assert!(attempts.take_request([192, 0, 2, 2].into(), now).is_ok());
        assert!(attempts.take_request(HERE.into(), now + Duration::from_secs(20)).is_ok());
    }

    #[test]
    fn however_many_names_are_tried_the_memory_is_bounded() {
        let (attempts, now) = (attempts(5, 1_000_000), Instant::now());
        let full = (0..COUNTED_MAX + 10)
            .filter(|n| attempts.take(&n.to_string(), HERE.into(), now).is_err())
            .count();
        assert_eq!(full, 10);
        assert!(lock(&attempts.names).buckets.len() <= COUNTED_MAX);
        let later = now + Duration::from_secs(24 * 3_600);
        assert!(attempts.take("ana", HERE.into(), later).is_ok());
    }
}
