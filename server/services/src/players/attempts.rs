//! Rate limits for password attempts: for each name and network, and for each network in total.

use flagfall_protocol::{Code, Refusal};
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::hash_queue::Share;
use crate::settings::Settings;
use flagfall_base::admission::{AdmissionLimits, Network};
use flagfall_base::rate::TokenBucket;

/// The maximum number of names that are counted at the same time. The same maximum applies to
/// addresses. Above it, buckets that have filled up again are dropped.
const COUNTED_MAX: usize = 50_000;

const STRANGERS_FACTOR: u32 = 10;

/// The time for which a network counts as known after a sign-in to the account from there.
const KNOWN_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The shortest time between two sweeps, so that a full table does not slow down every attempt.
const SWEEP: Duration = Duration::from_secs(1);

/// The attempts that this server has counted. Names that do not exist are counted in the same way
/// as names that do.
///
/// Wrong passwords count for the name and the network together, so that a guesser cannot lock out
/// the owner in another network. In addition, each name has a budget that is shared by all networks
/// without a recent sign-in to the account. This slows down a guesser with many addresses. A device
/// that has, or had, a token of the account has a separate budget.
#[derive(Debug)]
pub(super) struct Attempts {
    pairs: Mutex<Counts<(String, Network)>>,
    strangers: Mutex<Counts<String>>,
    own: Mutex<Counts<String>>,
    addresses: Mutex<Counts<Network>>,
    /// The limits that contain the list of trusted addresses, whose attempts are not counted.
    admission: AdmissionLimits,
    known: Mutex<KnownNetworks>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Guesser {
    Device(String),
    Stranger(IpAddr),
}

impl Guesser {
    pub(super) fn share(&self) -> Share {
        match self {
            Guesser::Device(device) => Share::Device(device.clone()),
            Guesser::Stranger(address) => share_of(*address),
        }
    }
}

pub(super) fn share_of(address: IpAddr) -> Share {
    Share::Network(Network::of(address))
}

#[derive(Debug)]
struct Counts<K> {
    buckets: HashMap<K, TokenBucket>,
    capacity: u32,
    window: Duration,
    swept: Option<Instant>,
}

impl Attempts {
    pub(super) fn new(settings: &Settings) -> Attempts {
        let per_name = settings.limits.attempts_per_name;
        let window = settings.times.attempt_window;
        Attempts {
            pairs: Counts::new(per_name, window),
            strangers: Counts::new(per_name.saturating_mul(STRANGERS_FACTOR), window),
            own: Counts::new(per_name, window),
            addresses: Counts::new(settings.limits.attempts_per_address, window),
            admission: settings.admission.clone(),
            known: Mutex::default(),
        }
    }

    pub(super) fn take(&self, name: &str, guesser: &Guesser, now: Instant) -> Result<(), Refusal> {
        let address = match guesser {
            Guesser::Device(device) => return self.take_own("device", device, now),
            Guesser::Stranger(address) => *address,
        };
        self.take_address(address, now)?;
        let network = Network::of(address);
        self.pairs.lock().take((name.to_owned(), network), now)?;
        if self.known.lock().has(name, network, now) {
            return Ok(());
        }
        self.strangers.lock().take(name.to_owned(), now)
    }

    /// Counts a costly action from an address.
    pub(super) fn take_address(&self, address: IpAddr, now: Instant) -> Result<(), Refusal> {
        if self.admission.is_trusted(address) {
            return Ok(());
        }
        self.addresses.lock().take(Network::of(address), now)
    }

    /// Counts an action of a known player or device. Attempts by others under the same name are
    /// counted separately.
    pub(super) fn take_own(&self, what: &str, player_id: &str, now: Instant) -> Result<(), Refusal> {
        self.own.lock().take(format!("{what}/{player_id}"), now)
    }

    /// Records that a password was right. The attempt then does not count against the name. It
    /// still counts against the address, because it took as much work. From now on, the network
    /// is known for this account.
    pub(super) fn was_right(&self, name: &str, guesser: &Guesser, now: Instant) {
        match guesser {
            Guesser::Device(device) => self.put_back_own("device", device),
            Guesser::Stranger(address) => {
                let network = Network::of(*address);
                self.pairs.lock().put_back(&(name.to_owned(), network));
                if !self.known.lock().has(name, network, now) {
                    self.strangers.lock().put_back(name);
                }
                self.note_sign_in(name, *address, now);
            }
        }
    }

    pub(super) fn note_sign_in(&self, name: &str, address: IpAddr, now: Instant) {
        self.known.lock().note(name, Network::of(address), now);
    }

    /// Undoes one count of [`Attempts::take_own`].
    pub(super) fn put_back_own(&self, what: &str, player_id: &str) {
        self.own.lock().put_back(&format!("{what}/{player_id}"));
    }
}

/// For each account, the networks from which there was a recent sign-in on this server.
#[derive(Default, Debug)]
struct KnownNetworks {
    seen: HashMap<(String, Network), Instant>,
}

impl KnownNetworks {
    fn has(&self, name: &str, network: Network, now: Instant) -> bool {
        let seen = self.seen.get(&(name.to_owned(), network));
        seen.is_some_and(|seen| now.saturating_duration_since(*seen) < KNOWN_FOR)
    }

    fn note(&mut self, name: &str, network: Network, now: Instant) {
        if self.seen.len() >= COUNTED_MAX {
            self.seen.retain(|_, seen| now.saturating_duration_since(*seen) < KNOWN_FOR);
        }
        if self.seen.len() < COUNTED_MAX {
            self.seen.insert((name.to_owned(), network), now);
        }
    }
}

impl<K: Hash + Eq> Counts<K> {
    fn new(capacity: u32, window: Duration) -> Mutex<Counts<K>> {
        Mutex::new(Counts { buckets: HashMap::new(), capacity, window, swept: None })
    }

    fn take(&mut self, key: K, now: Instant) -> Result<(), Refusal> {
        let is_swept = self.swept.is_some_and(|swept| now.saturating_duration_since(swept) < SWEEP);
        if self.buckets.len() >= COUNTED_MAX && !is_swept {
            self.buckets.retain(|_, bucket| !bucket.is_full(now));
            self.swept = Some(now);
        }
        let wait = self.window / self.capacity.max(1);
        let too_often = || Refusal::new(Code::TOO_MANY_ATTEMPTS).with("seconds", wait.as_secs().max(1));
        if self.buckets.len() >= COUNTED_MAX && !self.buckets.contains_key(&key) {
            return Err(too_often());
        }
        let (capacity, window) = (self.capacity, self.window);
        let bucket = self.buckets.entry(key).or_insert_with(|| TokenBucket::new(capacity, window, now));
        if bucket.take(now) { Ok(()) } else { Err(too_often()) }
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

    fn stranger(last: u8) -> Guesser {
        Guesser::Stranger([192, 0, 2, last].into())
    }

    fn from(address: &str) -> Guesser {
        Guesser::Stranger(address.parse().unwrap())
    }

    #[test]
    fn wrong_passwords_from_one_network_do_not_lock_out_others() {
        let (attempts, now) = (attempts(2, 100), Instant::now());
        assert!(attempts.take("ana", &stranger(1), now).is_ok());
        assert!(attempts.take("ana", &stranger(1), now).is_ok());
        assert!(attempts.take("ana", &stranger(1), now).is_err());
        assert!(attempts.take("ana", &stranger(2), now).is_ok());
        assert!(attempts.take("bo", &stranger(1), now).is_ok());
        let later = now + Settings::default().times.attempt_window;
        assert!(attempts.take("ana", &stranger(1), later).is_ok());
    }

    #[test]
    fn many_networks_that_guess_at_one_name_are_slowed_but_not_its_owner() {
        let (attempts, now) = (attempts(2, 100), Instant::now());
        attempts.was_right("ana", &stranger(200), now);
        let guesses = (0..100).filter(|last| attempts.take("ana", &stranger(*last), now).is_ok()).count();
        assert_eq!(guesses, 20, "ten times those of one network");
        assert!(attempts.take("ana", &stranger(150), now).is_err());
        assert!(attempts.take("ana", &stranger(200), now).is_ok(), "the account was signed in from there");
        assert!(attempts.take("ana", &Guesser::Device("d".to_owned()), now).is_ok());
        assert!(attempts.take("bo", &stranger(150), now).is_ok(), "other names are not affected");
        let months_later = now + KNOWN_FOR;
        for last in 0..100 {
            attempts.take("ana", &stranger(last), months_later).ok();
        }
        assert!(attempts.take("ana", &stranger(200), months_later).is_err());
    }

    #[test]
    fn a_device_of_the_account_is_let_through_an_address_that_is_spent() {
        let (attempts, now) = (attempts(2, 2), Instant::now());
        while attempts.take("ana", &stranger(1), now).is_ok() {}
        let device = Guesser::Device("d".to_owned());
        assert!(attempts.take("ana", &device, now).is_ok());
        assert!(attempts.take("ana", &device, now).is_ok());
        assert!(attempts.take("ana", &device, now).is_err(), "a stolen token guesses no more than others");
    }

    #[test]
    fn an_address_tries_a_few_times_whatever_the_name() {
        let (attempts, now) = (attempts(100, 2), Instant::now());
        assert!(attempts.take("ana", &stranger(1), now).is_ok());
        assert!(attempts.take("bo", &stranger(1), now).is_ok());
        assert!(attempts.take("cy", &stranger(1), now).is_err());
        assert!(attempts.take("cy", &stranger(2), now).is_ok());
    }

    #[test]
    fn addresses_of_one_network_are_one() {
        let (attempts, now) = (attempts(100, 1), Instant::now());
        assert!(attempts.take("ana", &from("2001:db8:1:2:3::4"), now).is_ok());
        assert!(attempts.take("ana", &from("2001:db8:1:2:ffff::1"), now).is_err());
        assert!(attempts.take("ana", &from("2001:db8:1:3::1"), now).is_ok());
        assert!(attempts.take("ana", &from("::ffff:192.0.2.1"), now).is_ok());
        assert!(attempts.take("ana", &stranger(1), now).is_err());
    }

    #[test]
    fn right_passwords_count_for_the_address_only() {
        let (attempts, now) = (attempts(1, 5), Instant::now());
        for _ in 0..5 {
            assert!(attempts.take("ana", &stranger(1), now).is_ok());
            attempts.was_right("ana", &stranger(1), now);
        }
        assert!(attempts.take("ana", &stranger(1), now).is_err());
        assert!(attempts.take("ana", &stranger(2), now).is_ok());
    }

    #[test]
    fn guesses_of_others_do_not_count_against_the_owner() {
        let (attempts, now) = (attempts(2, 100), Instant::now());
        while attempts.take("ana", &stranger(1), now).is_ok() {}
        assert!(attempts.take_own("confirm", "id-of-ana", now).is_ok());
        assert!(attempts.take_own("confirm", "id-of-ana", now).is_ok());
        assert!(attempts.take_own("confirm", "id-of-ana", now).is_err());
        assert!(attempts.take_own("tokens", "id-of-ana", now).is_ok());
    }

    #[test]
    fn addresses_of_a_trusted_network_are_not_counted() {
        let mut settings = Settings::default();
        settings.limits.attempts_per_address = 1;
        settings.admission.trusted_networks.push("192.0.2.0/24".parse().unwrap());
        let (attempts, now) = (Attempts::new(&settings), Instant::now());
        assert!((0..500).all(|_| attempts.take_address(HERE.into(), now).is_ok()));
        assert!(attempts.take_address([198, 51, 100, 1].into(), now).is_ok());
        assert!(attempts.take_address([198, 51, 100, 1].into(), now).is_err());
    }

    #[test]
    fn however_many_names_are_tried_the_memory_is_bounded() {
        let (attempts, now) = (attempts(5, 1_000_000), Instant::now());
        let full = (0..COUNTED_MAX + 10)
            .filter(|n| attempts.take(&n.to_string(), &stranger(1), now).is_err())
            .count();
        assert_eq!(full, 10);
        assert!(attempts.pairs.lock().buckets.len() <= COUNTED_MAX);
        let later = now + Duration::from_secs(24 * 3_600);
        assert!(attempts.take("ana", &stranger(1), later).is_ok());
        for number in 0..COUNTED_MAX + 10 {
            attempts.note_sign_in(&number.to_string(), HERE.into(), later);
        }
        assert!(attempts.known.lock().seen.len() <= COUNTED_MAX);
    }
}
