//! A round of appends to the store or to the bare medium.

use std::sync::Arc;
use std::time::Instant;

use flagfall_board::GameId;
use flagfall_store::Head;

/// The number of bytes in an entry's body, which is the most that a plain move with its command
/// may have.
pub(super) const BODY_BYTES: usize = 36;
/// The number of running games, which get appends in turn.
pub(super) const GAMES: u32 = 1_000;
/// The number of entries after which a game is over, and another one takes its place. A game of
/// `classic` has about as many.
const GAME_ENTRIES: u64 = 200;

/// Tells which games may be appended to.
pub(crate) type Choice = Arc<dyn Fn(GameId) -> bool + Send + Sync>;

pub(crate) fn every_game() -> Choice {
    Arc::new(|_| true)
}

/// A running game, and the end of its log.
#[derive(Clone)]
pub(crate) struct Running {
    number: u32,
    pub(super) head: Head,
    /// The difference to the number of the next game, so that no two games have the same number.
    step: u32,
    choice: Choice,
}

impl Running {
    pub(super) fn id(&self) -> GameId {
        game(self.number)
    }

    /// Begins another game if this one is over.
    pub(super) fn replace_if_over(&mut self) {
        if self.head.seq >= GAME_ENTRIES {
            self.head = Head::START;
            self.number += self.step;
            while !(self.choice)(self.id()) {
                self.number += self.step;
            }
        }
    }
}

/// Returns a list of games for each task, from those that may be appended to.
pub(crate) fn games(tasks: u32, choice: &Choice) -> Vec<Vec<Running>> {
    let chosen = (0..).filter(|number| choice(game(*number))).take(GAMES.max(tasks) as usize);
    let numbers: Vec<u32> = chosen.collect();
    let step = numbers.last().map_or(1, |last| last + 1);
    let running = |number: &u32| Running { number: *number, head: Head::START, step, choice: choice.clone() };
    let of_task = |task| numbers.iter().skip(task).step_by(tasks as usize).map(running).collect();
    (0..tasks as usize).map(of_task).collect()
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
