//! The counts of connections and rates, protected by a lock that is held only briefly.

use super::limits::{Limit, Scope, TooMany};
use super::network::{Client, Network};
use crate::rate::TokenBucket;
use futures_util::task::AtomicWaker;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// The maximum number of addresses for which counts are kept. The same maximum applies to
/// players. If there are more, unused entries are removed.
pub(crate) const COUNTED_MAX: usize = 50_000;
/// The shortest time between two sweeps, so that a full table does not slow down every request.
const SWEEP: Duration = Duration::from_secs(1);
/// The time between two sweeps while the table is not full.
const SWEEP_AT_EASE: Duration = Duration::from_secs(60);

#[derive(Default)]
pub(crate) struct State {
    pub(crate) seats: HashMap<u64, Place>,
    networks: HashMap<Network, Usage>,
    players: HashMap<Arc<str>, Usage>,
    /// The networks that have silent connections, ordered by the number of silent connections.
    crowds: BTreeSet<(usize, Network)>,
    /// The number of connections, except evicted ones.
    pub(crate) open: usize,
    /// The number of connections whose player has no known token (newcomers).
    pub(crate) newcomers: usize,
    /// The number of newcomers' connections that have not sent a hello.
    pub(crate) strangers: usize,
    next: u64,
    swept: Option<Instant>,
}

pub(crate) struct Place {
    client: Client,
    /// True if `client` is the actual client, and not the proxy in front of the client.
    pub(crate) is_named: bool,
    standing: Standing,
    pub(crate) eviction: Arc<Eviction>,
}

/// The resources that a network or a player uses.
#[derive(Default)]
pub(crate) struct Usage {
    pub(crate) connections: usize,
    pub(crate) strangers: usize,
    /// The ids of the silent connections. Older connections have lower ids.
    pub(crate) silent: BTreeSet<u64>,
    pub(crate) watched: u32,
    /// The rate of each limit. A limit without a rate has not been used yet.
    rates: Vec<(Limit, TokenBucket)>,
}

impl Place {
    pub(crate) fn new(client: Client, is_named: bool) -> Place {
        Place { client, is_named, standing: Standing::Silent, eviction: Arc::default() }
    }
}

impl Usage {
    /// Returns the rate for a limit. The rate allows `max` uses in each window.
    pub(crate) fn rate(
        &mut self,
        limit: Limit,
        max: u32,
        window: Duration,
        now: Instant,
    ) -> &mut TokenBucket {
        let known = self.rates.iter().position(|(of, _)| *of == limit);
        let at = known.unwrap_or_else(|| {
            // Reserve space for only one more rate, because most players have only one.
            self.rates.reserve_exact(1);
            self.rates.push((limit, TokenBucket::new(max, window, now)));
            self.rates.len() - 1
        });
        &mut self.rates[at].1
    }

    /// Counts one use of a rate. Returns an error if the limit is reached.
    pub(crate) fn take(
        &mut self,
        limit: Limit,
        scope: Scope,
        max: u32,
        window: Duration,
        now: Instant,
    ) -> Result<(), TooMany> {
        let rate = self.rate(limit, max, window, now);
        if rate.take(now) { Ok(()) } else { Err(TooMany::counted(limit, scope, rate.wait())) }
    }

    fn holds_nothing(&self) -> bool {
        self.connections == 0 && self.watched == 0
    }

    fn is_idle(&self, now: Instant) -> bool {
        self.holds_nothing() && self.rates.iter().all(|(_, rate)| rate.is_full(now))
    }
}

impl State {
    pub(crate) fn usage(&mut self, network: Network, now: Instant) -> &mut Usage {
        self.forget_idle(now, SWEEP_AT_EASE);
        if self.networks.len() >= COUNTED_MAX && !self.networks.contains_key(&network) {
            self.forget_idle(now, SWEEP);
            if self.networks.len() >= COUNTED_MAX {
                // Forget the rates of clients that have no connections. Otherwise new clients
                // would have to be refused.
                self.networks.retain(|_, usage| !usage.holds_nothing());
            }
        }
        self.networks.entry(network).or_default()
    }

    pub(crate) fn player(&mut self, player_id: &str, now: Instant) -> &mut Usage {
        if self.players.len() >= COUNTED_MAX && !self.players.contains_key(player_id) {
            self.forget_idle(now, SWEEP);
            if self.players.len() >= COUNTED_MAX {
                self.players.retain(|_, usage| !usage.holds_nothing());
            }
        }
        self.players.entry(player_id.into()).or_default()
    }

    /// Removes unused entries, at most once per `every`.
    fn forget_idle(&mut self, now: Instant, every: Duration) {
        let swept = *self.swept.get_or_insert(now);
        if now.saturating_duration_since(swept) < every {
            return;
        }
        self.swept = Some(now);
        self.networks.retain(|_, usage| !usage.is_idle(now));
        self.players.retain(|_, usage| !usage.is_idle(now));
    }

    pub(crate) fn enter(&mut self, place: Place) -> u64 {
        self.next += 1;
        let (number, client, standing) = (self.next, place.client, place.standing);
        self.seats.insert(number, place);
        self.count(number, client, standing, true);
        number
    }

    pub(crate) fn leave(&mut self, number: u64, now: Instant) {
        let Some(place) = self.seats.remove(&number) else { return };
        let network = place.client.network;
        self.count(number, place.client, place.standing, false);
        if self.networks.get(&network).is_some_and(|usage| usage.is_idle(now)) {
            self.networks.remove(&network);
        }
    }

    pub(crate) fn client_of(&self, number: u64) -> Option<Client> {
        self.seats.get(&number).filter(|place| place.is_named).map(|place| place.client)
    }

    pub(crate) fn name(&mut self, number: u64, client: Client) {
        let Some(place) = self.seats.get_mut(&number) else { return };
        let (proxy, standing) = (place.client, place.standing);
        (place.client, place.is_named) = (client, true);
        self.count(number, proxy, standing, false);
        self.count(number, client, standing, true);
    }

    pub(crate) fn set_standing(&mut self, number: u64, standing: Standing) {
        let Some(place) = self.seats.get_mut(&number) else { return };
        // An evicted connection stays evicted.
        if place.standing == Standing::Evicted {
            return;
        }
        let (client, before) = (place.client, std::mem::replace(&mut place.standing, standing));
        if matches!(standing, Standing::Newcomer | Standing::Known) {
            place.eviction.may_come.store(false, Ordering::Relaxed);
        }
        self.count(number, client, before, false);
        self.count(number, client, standing, true);
    }

    pub(crate) fn evict(&mut self, number: u64) {
        self.set_standing(number, Standing::Evicted);
        if let Some(place) = self.seats.get(&number) {
            place.eviction.evict();
        }
    }

    /// Returns the oldest silent connection of the network that has the most silent connections.
    pub(crate) fn oldest_of_the_most_crowded(&self) -> Option<u64> {
        let (_, network) = self.crowds.last()?;
        self.networks.get(network)?.silent.first().copied()
    }

    pub(crate) fn unwatch(&mut self, network: Network, player_id: Option<&str>) {
        let player = player_id.and_then(|id| self.players.get_mut(id));
        let watchers = [self.networks.get_mut(&network), player];
        for usage in watchers.into_iter().flatten() {
            usage.watched = usage.watched.saturating_sub(1);
        }
    }

    fn count(&mut self, number: u64, client: Client, standing: Standing, is_added: bool) {
        let (is_stranger, is_newcomer) = match standing {
            Standing::Silent | Standing::Speaking => (true, true),
            Standing::Newcomer => (false, true),
            Standing::Known => (false, false),
            Standing::Evicted => return,
        };
        let change = |count: &mut usize, is_concerned: bool| match (is_concerned, is_added) {
            (false, _) => {}
            (true, true) => *count += 1,
            (true, false) => *count = count.saturating_sub(1),
        };
        change(&mut self.open, true);
        change(&mut self.newcomers, is_newcomer);
        change(&mut self.strangers, is_stranger);
        let usage = self.networks.entry(client.network).or_default();
        change(&mut usage.connections, true);
        change(&mut usage.strangers, is_stranger);
        if standing == Standing::Silent {
            let before = usage.silent.len();
            if is_added {
                usage.silent.insert(number);
            } else {
                usage.silent.remove(&number);
            }
            let after = usage.silent.len();
            self.crowds.remove(&(before, client.network));
            if after > 0 {
                self.crowds.insert((after, client.network));
            }
        }
    }

    /// Returns how many networks, players and crowds are in memory.
    #[cfg(test)]
    pub(crate) fn remembered(&self) -> (usize, usize, usize) {
        (self.networks.len(), self.players.len(), self.crowds.len())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Standing {
    /// The connection has sent no request and no hello. It may be evicted.
    Silent,
    /// An HTTP request or a hello is being handled.
    Speaking,
    Newcomer,
    Known,
    Evicted,
}

/// The eviction of a silent connection, and the task to wake when it happens.
pub(crate) struct Eviction {
    /// False once the player has sent a hello, because the connection cannot be evicted after
    /// that.
    pub(crate) may_come: AtomicBool,
    pub(super) is_out: AtomicBool,
    pub(super) waker: AtomicWaker,
}

impl Default for Eviction {
    fn default() -> Eviction {
        Eviction { may_come: true.into(), is_out: false.into(), waker: AtomicWaker::new() }
    }
}

impl Eviction {
    pub(crate) fn evict(&self) {
        self.is_out.store(true, Ordering::SeqCst);
        self.waker.wake();
    }
}
