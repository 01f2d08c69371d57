//! Limits on what one client may use: connections, guests, offers, games, bytes.
//!
//! A client is identified by its [`Network`]. [`Admission`] counts in memory, and each server
//! counts separately, even if several servers share a store. A restart sets all counts to zero.
//! Each count is tied to a value (a [`Seat`], a [`Watch`] or a [`Ticket`]), and is undone when
//! this value is dropped. Rates are token buckets. This module does no IO, and takes the time as
//! an argument.

mod counts;
mod limits;
mod network;
mod proxy;
mod seat;
mod state;
#[cfg(test)]
mod tests;
mod ticket;

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::MutexGuard;
use tokio::time::Instant;

pub use counts::{Held, Holder};
pub use limits::{AdmissionLimits, GUEST_WINDOW, Limit, Scope, TooMany, count_hit};
pub use network::{Client, Network, NetworkRange, NotARange};
pub use proxy::ProxyTrust;
pub use seat::Seat;
pub use ticket::Ticket;

use self::counts::{Capacity, Counts};
use self::limits::LATER;
use self::state::{Place, Standing, State, Usage};

const MINUTE: Duration = Duration::from_secs(60);
/// The divisor for bursts of handshakes: one third of a minute's handshakes may come at once.
const HANDSHAKE_BURSTS: u32 = 3;
/// The wait suggested to a client if connections are likely to close soon.
const SOON: Duration = Duration::from_secs(5);

/// The counts of one server. Cheap to clone; all clones share the counts.
#[derive(Clone)]
pub struct Admission {
    counts: Arc<Counts>,
}

impl Admission {
    pub fn new(limits: &AdmissionLimits, connections_max: usize) -> Admission {
        let (limits, capacity) = (limits.clone(), Capacity::new(limits, connections_max));
        let (state, holdings) = Default::default();
        Admission { counts: Arc::new(Counts { limits, capacity, state, holdings }) }
    }

    pub fn client(&self, address: IpAddr) -> Client {
        Client { network: Network::of(address), is_trusted: self.counts.limits.is_trusted(address) }
    }

    /// Counts a new connection. If the address of the connection has reached its limit, evicts
    /// the oldest silent connection of this address. If the server is full, evicts the oldest one
    /// of the address that has the most silent connections.
    ///
    /// After an error, the caller must close the new connection.
    pub fn accept(&self, client: Client, now: Instant) -> Result<Arc<Seat>, TooMany> {
        let mut state = self.state();
        self.check_address(&mut state, client, now)?;
        self.check_server(&mut state)?;
        Ok(self.seat(&mut state, Place::new(client, true)))
    }

    /// Like [`Admission::accept`], for a connection from a proxy that has not yet named the
    /// client.
    pub fn accept_proxy(&self, proxy: Client) -> Result<Arc<Seat>, TooMany> {
        let mut state = self.state();
        self.check_server(&mut state)?;
        Ok(self.seat(&mut state, Place::new(proxy, false)))
    }

    /// Assigns a proxy's connection to the client that the proxy has named. Does nothing if the
    /// client is already known.
    pub fn name_client(&self, seat: &Seat, client: Client, now: Instant) -> Result<(), TooMany> {
        let mut state = self.state();
        if state.seats.get(&seat.number).is_none_or(|place| place.is_named) {
            return Ok(());
        }
        self.check_address(&mut state, client, now)?;
        state.name(seat.number, client);
        Ok(())
    }

    /// Records that the server is handling a request or hello of the connection, so the
    /// connection cannot be evicted.
    pub fn note_request(&self, seat: &Seat) {
        self.state().set_standing(seat.number, Standing::Speaking);
    }

    /// Records that a request was answered. Until its next request comes, the connection may be
    /// evicted to make room for another one.
    pub fn note_idle(&self, seat: &Seat) {
        self.state().set_standing(seat.number, Standing::Silent);
    }

    /// Admits a new guest on this connection.
    pub fn admit_guest(&self, seat: &Seat, now: Instant) -> Result<(), TooMany> {
        let mut state = self.state();
        self.check_newcomers(&state)?;
        if let Some(client) = state.client_of(seat.number) {
            self.take_guest_of(&mut state, client, now)?;
        }
        state.set_standing(seat.number, Standing::Newcomer);
        Ok(())
    }

    /// Counts a new guest for a client that uses HTTP.
    pub fn take_guest(&self, client: Client, now: Instant) -> Result<(), TooMany> {
        self.take_guest_of(&mut self.state(), client, now)
    }

    /// Admits an anonymous client on this connection.
    pub fn admit_anonymous(&self, seat: &Seat) -> Result<(), TooMany> {
        let mut state = self.state();
        self.check_newcomers(&state)?;
        state.set_standing(seat.number, Standing::Newcomer);
        Ok(())
    }

    /// Returns an error if the server has no room for a connection whose player has no known
    /// token.
    fn check_newcomers(&self, state: &State) -> Result<(), TooMany> {
        if state.newcomers - state.strangers >= self.counts.capacity.newcomers {
            return Err(TooMany::counted(Limit::Connections, Scope::Server, SOON));
        }
        Ok(())
    }

    fn take_guest_of(&self, state: &mut State, client: Client, now: Instant) -> Result<(), TooMany> {
        if client.is_trusted {
            return Ok(());
        }
        let max = self.counts.limits.guests_per_address;
        let usage = state.usage(client.network, now);
        usage.take(Limit::Guests, Scope::Address, max, GUEST_WINDOW, now)
    }

    /// Admits a player with a known token on this connection.
    pub fn admit_player(&self, seat: &Seat, player_id: &str, now: Instant) -> Result<(), TooMany> {
        let mut state = self.state();
        let max = self.counts.limits.hellos_per_player;
        state.player(player_id, now).take(Limit::Hellos, Scope::Player, max, MINUTE, now)?;
        state.set_standing(seat.number, Standing::Known);
        Ok(())
    }

    pub fn take_request(&self, client: Client, now: Instant) -> Result<(), TooMany> {
        if client.is_trusted {
            return Ok(());
        }
        let max = self.counts.limits.requests_per_minute;
        let mut state = self.state();
        state.usage(client.network, now).take(Limit::Requests, Scope::Address, max, MINUTE, now)
    }

    /// Like [`Admission::take_request`], for a file of the page.
    pub fn take_asset(&self, client: Client, now: Instant) -> Result<(), TooMany> {
        if client.is_trusted {
            return Ok(());
        }
        let max = self.counts.limits.assets_per_minute;
        let mut state = self.state();
        state.usage(client.network, now).take(Limit::Assets, Scope::Address, max, MINUTE, now)
    }

    /// Counts this many additional requests for the client, because a request that was just
    /// answered was expensive.
    pub fn charge_request(&self, client: Client, requests: u32, now: Instant) {
        if client.is_trusted || requests == 0 {
            return;
        }
        let max = self.counts.limits.requests_per_minute;
        let mut state = self.state();
        let rate = state.usage(client.network, now).rate(Limit::Requests, max, MINUTE, now);
        rate.charge(now, requests.into());
    }

    /// Counts the bytes that a client's commands have added to the store. Returns the time for
    /// which the server should stop reading from the client.
    pub fn charge_stored(&self, client: Client, player_id: &str, bytes: u32, now: Instant) -> Duration {
        let limits = &self.counts.limits;
        let mut state = self.state();
        let charge = |usage: &mut Usage, scope, max| {
            let rate = usage.rate(Limit::Stored, max, MINUTE, now);
            let wait = rate.charge(now, f64::from(bytes) / 1_024.0);
            if !wait.is_zero() {
                count_hit(Limit::Stored, scope);
            }
            wait
        };
        let wait = charge(state.player(player_id, now), Scope::Player, limits.stored_kib_per_player);
        if client.is_trusted {
            return wait;
        }
        let usage = state.usage(client.network, now);
        wait.max(charge(usage, Scope::Address, limits.stored_kib_per_address))
    }

    /// Counts a game that a player watches. A game that an anonymous client watches counts only
    /// for the address.
    pub fn watch(&self, client: Client, player_id: Option<&str>, now: Instant) -> Result<Watch, TooMany> {
        let limits = &self.counts.limits;
        let mut state = self.state();
        if player_id.is_some_and(|id| state.player(id, now).watched >= limits.watched_per_player) {
            return Err(TooMany::counted(Limit::Watched, Scope::Player, LATER));
        }
        let usage = state.usage(client.network, now);
        if !client.is_trusted && usage.watched >= limits.watched_per_address {
            return Err(TooMany::counted(Limit::Watched, Scope::Address, LATER));
        }
        usage.watched += 1;
        if let Some(id) = player_id {
            state.player(id, now).watched += 1;
        }
        drop(state);
        Ok(Watch { counts: self.counts.clone(), network: client.network, player: player_id.map(Arc::from) })
    }

    /// Makes room for a connection from this address, by evicting a silent connection if
    /// necessary. Returns an error if there is no room.
    fn check_address(&self, state: &mut State, client: Client, now: Instant) -> Result<(), TooMany> {
        if client.is_trusted {
            return Ok(());
        }
        let Counts { limits, capacity, .. } = &*self.counts;
        let usage = state.usage(client.network, now);
        let at_once = limits.handshakes_per_address.div_ceil(HANDSHAKE_BURSTS);
        usage.take(Limit::Handshakes, Scope::Address, at_once, MINUTE / HANDSHAKE_BURSTS, now)?;
        let limit = if usage.connections >= capacity.per_address {
            Limit::Connections
        } else if usage.strangers >= limits.strangers_per_address as usize {
            Limit::Strangers
        } else {
            return Ok(());
        };
        let oldest = usage.silent.first().copied();
        evict(state, oldest, limit, Scope::Address)
    }

    /// Makes room for a connection to this server, by evicting a silent connection if necessary.
    /// Returns an error if there is no room.
    fn check_server(&self, state: &mut State) -> Result<(), TooMany> {
        let capacity = &self.counts.capacity;
        let limit = if state.open >= capacity.all {
            Limit::Connections
        } else if state.newcomers >= capacity.newcomers && state.strangers >= capacity.band {
            Limit::Strangers
        } else {
            return Ok(());
        };
        let oldest = state.oldest_of_the_most_crowded();
        evict(state, oldest, limit, Scope::Server)
    }

    fn seat(&self, state: &mut State, place: Place) -> Arc<Seat> {
        let eviction = place.eviction.clone();
        let number = state.enter(place);
        Arc::new(Seat { counts: self.counts.clone(), number, eviction })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.counts.state.lock()
    }
}

/// Evicts the silent connection to make room for a new one. Returns an error if `silent` is
/// `None`.
fn evict(state: &mut State, silent: Option<u64>, limit: Limit, scope: Scope) -> Result<(), TooMany> {
    count_hit(limit, scope);
    state.evict(silent.ok_or(TooMany { limit, scope, wait: SOON })?);
    Ok(())
}

impl fmt::Debug for Admission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Admission({} connections)", self.state().open)
    }
}

/// A game that a client watches. It is counted until this value is dropped.
pub struct Watch {
    counts: Arc<Counts>,
    network: Network,
    player: Option<Arc<str>>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.counts.state.lock().unwatch(self.network, self.player.as_deref());
    }
}
