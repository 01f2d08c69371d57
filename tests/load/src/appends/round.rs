//! A round of appends to the store or to the bare medium.

use std::time::Instant;

use flagfall_board::GameId;
use flagfall_store::Head;

/// The number of bytes in an entry's body, which is the most that a plain move with its command
/// may have.
pub(super) const BODY_BYTES: usize = 36;
/// The number of running games, which get appends in turn.
pub(crate) const GAMES: u32 = 1_000;
/// The number of entries after which a game is over, and another one takes its place. A game of
/// `classic` has about as many.
const GAME_ENTRIES: u64 = 200;

/// A running game, and the end of its log.
#[derive(Clone)]
pub(crate) struct Running {
    number: u32,
    pub(super) head: Head,
}

impl Running {
    pub(crate) fn new(number: u32) -> Running {
        Running { number, head: Head::START }
    }

    pub(super) fn id(&self) -> GameId {
        game(self.number)
    }

    /// Begins another game if this one is over. `all` is the number of running games.
    pub(super) fn replace_if_over(&mut self, all: u32) {
        if self.head.seq >= GAME_ENTRIES {
            *self = Running::new(self.number + all);
        }
    }
}

pub(crate) struct Round {
    pub(crate) appends: u64,
    seconds: f64,
    /// The time of each append in microseconds, sorted.
    latencies_us: Vec<u64>,
}

impl Round {
    pub(super) fn new(appends: u64, begun: Instant, mut latencies_us: Vec<u64>) -> Round {
        latencies_us.sort_unstable();
        Round { appends, seconds: begun.elapsed().as_secs_f64(), latencies_us }
    }

    pub(super) fn per_second(&self) -> f64 {
        self.appends as f64 / self.seconds
    }

    pub(super) fn latency_us(&self, percent: usize) -> f64 {
        self.latencies_us.get(self.latencies_us.len() * percent / 100).copied().unwrap_or(0) as f64
    }
}

/// Microseconds since a moment.
pub(super) fn us_since(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX)
}

pub(super) fn game(number: u32) -> GameId {
    // Five bits per letter.
    GameId::from_random(std::array::from_fn(|at| {
        (number.checked_shr(5 * at as u32).unwrap_or_default() & 31) as u8
    }))
}
