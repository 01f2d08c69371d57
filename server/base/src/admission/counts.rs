//! The counts of one server, behind two locks.

use super::holdings::Holdings;
use super::limits::AdmissionLimits;
use super::state::State;
use parking_lot::Mutex;

/// What is counted, and what it is counted against.
pub(super) struct Counts {
    pub(super) limits: AdmissionLimits,
    pub(super) capacity: Capacity,
    pub(super) state: Mutex<State>,
    pub(super) holdings: Mutex<Holdings>,
}

impl Counts {
    pub(super) fn new(limits: &AdmissionLimits, connections_max: usize) -> Counts {
        let capacity = Capacity::new(limits, connections_max);
        Counts { limits: limits.clone(), capacity, state: Mutex::default(), holdings: Mutex::default() }
    }
}

/// How a server's connections are divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Capacity {
    pub(super) all: usize,
    /// Those for newcomers; the rest is for players whose token is known.
    pub(super) newcomers: usize,
    /// Connections without a hello that may use the rest until it is known whose they are.
    pub(super) band: usize,
    /// The share of one address.
    pub(super) per_address: usize,
}

impl Capacity {
    fn new(limits: &AdmissionLimits, connections_max: usize) -> Capacity {
        let all = connections_max.max(1);
        let reserved = all * limits.reserved_percent.min(90) as usize / 100;
        let newcomers = all - reserved;
        Capacity {
            all,
            newcomers,
            band: reserved.div_ceil(4).min(256),
            // However few connections there are, one address must not get them all.
            per_address: (limits.connections_per_address as usize).min(newcomers.div_ceil(2)),
        }
    }
}
