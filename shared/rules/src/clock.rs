//! Clocks as values: they know the moments the log was stamped with, never the time of day.

use flagfall_board::{PerSide, Side, Stamp};

/// How time is limited in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeControl {
    /// No clock (casual).
    Unlimited,
    /// Base time and increment per own ply (Fischer), in milliseconds.
    Fischer {
        /// Time each side starts with.
        base_ms: u64,
        /// Time a side gains with each of its plies.
        increment_ms: u64,
    },
}

/// Both sides' remaining time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    increment_ms: u64,
    remaining_ms: PerSide<u64>,
    /// Since when a side's time runs: both may, while both owe a choice (§Q4).
    since: PerSide<Option<Stamp>>,
}

impl Clock {
    /// A clock that nobody has started; none when time is unlimited.
    #[must_use]
    pub fn new(control: TimeControl) -> Option<Clock> {
        match control {
            TimeControl::Unlimited => None,
            TimeControl::Fischer { base_ms, increment_ms } => Some(Clock {
                increment_ms,
                remaining_ms: PerSide::new(base_ms, base_ms),
                since: PerSide::default(),
            }),
        }
    }

    /// Starts a side's clock, unless it runs.
    pub(crate) fn start(&mut self, side: Side, at: Stamp) {
        self.since[side].get_or_insert(at);
    }

    /// Stops whatever runs, having counted the time until now.
    pub(crate) fn stop(&mut self, at: Stamp) {
        Side::BOTH.into_iter().for_each(|side| self.stop_side(side, at));
    }

    /// Stops a side's clock, having counted its time until now.
    pub(crate) fn stop_side(&mut self, side: Side, at: Stamp) {
        if let Some(since) = self.since[side].take() {
            self.remaining_ms[side] = self.remaining_ms[side].saturating_sub(at.ms_since(since));
        }
    }

    /// The side made its ply: time is counted, its increment added, the other clock starts.
    pub(crate) fn press(&mut self, side: Side, at: Stamp) {
        self.stop(at);
        self.remaining_ms[side] = self.remaining_ms[side].saturating_add(self.increment_ms);
        self.start(side.opponent(), at);
    }

    /// A side's remaining time at a moment, in milliseconds.
    #[must_use]
    pub fn remaining_ms(&self, side: Side, now: Stamp) -> u64 {
        let gone = self.since[side].map_or(0, |since| now.ms_since(since));
        self.remaining_ms[side].saturating_sub(gone)
    }

    /// Whether a side's time runs.
    #[must_use]
    pub fn is_running(&self, side: Side) -> bool {
        self.since[side].is_some()
    }

    /// The stamp from which the running time is counted; the later one where both run.
    pub(crate) fn running_since(&self) -> Option<Stamp> {
        self.since[Side::Red].max(self.since[Side::Blue])
    }

    /// The last moment at which a side may still act, while its time runs.
    #[must_use]
    pub fn deadline_of(&self, side: Side) -> Option<Stamp> {
        self.since[side].map(|since| since.plus_ms(self.remaining_ms[side]))
    }

    /// The last moment at which whoever's time runs out first may still act.
    #[must_use]
    pub fn deadline(&self) -> Option<Stamp> {
        Side::BOTH.into_iter().filter_map(|side| self.deadline_of(side)).min()
    }
}
