//! The counts of this server: connections, open offers and running games.
//!
//! Offers and games can end in many ways, and on any server, so this module is not notified of
//! every end. Instead, the server checks the counted offers and games from time to time, and
//! whenever a limit is reached (see [`Admission::to_verify`](super::Admission::to_verify)).

use super::limits::AdmissionLimits;
use super::network::{Client, Network};
use super::state::State;
use flagfall_board::GameId;
use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap};
use tokio::time::Instant;

pub(super) struct Counts {
    pub(super) limits: AdmissionLimits,
    pub(super) capacity: Capacity,
    pub(super) state: Mutex<State>,
    pub(super) holdings: Mutex<Holdings>,
}

/// The maximum numbers of connections for different kinds of clients.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Capacity {
    pub(super) all: usize,
    /// The number of connections for newcomers. The remaining connections are for players with a
    /// known token.
    pub(super) newcomers: usize,
    /// The number of reserved connections that are also open to clients that have not sent a hello.
    /// Their players may turn out to have a known token.
    pub(super) band: usize,
    pub(super) per_address: usize,
}

impl Capacity {
    pub(super) fn new(limits: &AdmissionLimits, connections_max: usize) -> Capacity {
        let all = connections_max.max(1);
        let reserved = all * limits.reserved_percent.min(90) as usize / 100;
        let newcomers = all - reserved;
        Capacity {
            all,
            newcomers,
            band: reserved.div_ceil(4).min(256),
            // One address must not use up all connections, even if the server allows only a few.
            per_address: (limits.connections_per_address as usize).min(newcomers.div_ceil(2)),
        }
    }
}

/// An open offer or a running game.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Held {
    Seek(String),
    Challenge(String),
    PoolPlace(String),
    Game { game: GameId, is_house: bool },
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Holder {
    Address(Network),
    /// A player. Only games against house players count for a player.
    Player(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    Offer,
    Game { is_house: bool },
}

pub(crate) type Holdings = HashMap<Holder, Holding>;

#[derive(Default)]
pub(crate) struct Holding {
    pub(super) held: BTreeSet<Held>,
    /// The commands in progress, which may or may not create an offer or a game.
    pub(super) pending: Vec<Wanted>,
    pub(super) looked_at: Option<Instant>,
}

impl Holding {
    pub(super) fn count(&self, is_counted: impl Fn(Wanted) -> bool) -> usize {
        let held = self.held.iter().filter(|held| is_counted(held.kind())).count();
        held + self.pending.iter().filter(|wanted| is_counted(**wanted)).count()
    }
}

impl Held {
    fn kind(&self) -> Wanted {
        match self {
            Held::Seek(_) | Held::Challenge(_) | Held::PoolPlace(_) => Wanted::Offer,
            Held::Game { is_house, .. } => Wanted::Game { is_house: *is_house },
        }
    }
}

/// Returns who holds the client's offers and games: only its address, or no holder if its network
/// is exempt from limits.
pub(super) fn address(client: Client) -> Vec<Holder> {
    if client.is_trusted { Vec::new() } else { vec![Holder::Address(client.network)] }
}

pub(super) fn forget_empty(holdings: &mut Holdings, holder: &Holder) {
    if holdings.get(holder).is_some_and(|holding| holding.held.is_empty() && holding.pending.is_empty()) {
        holdings.remove(holder);
    }
}

impl Holder {
    pub fn of(client: Client, player_id: &str) -> Vec<Holder> {
        let mut holders = address(client);
        holders.push(Holder::Player(player_id.to_owned()));
        holders
    }
}
