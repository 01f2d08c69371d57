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
    running: Option<(Side, Stamp)>,
}

impl Clock {
    /// A clock that nobody has started; none when time is unlimited.
    #[must_use]
    pub fn new(control: TimeControl) -> Option<Clock> {
        match control {
            TimeControl::Unlimited => None,
            TimeControl::Fischer { base_ms, increment_ms } => {
                Some(Clock { increment_ms, remaining_ms: PerSide::new(base_ms, base_ms), running: None })
            }
        }
    }

    /// Starts a side's clock.
    pub(crate) fn start(&mut self, side: Side, at: Stamp) {
        self.running = Some((side, at));
    }

    /// Stops whichever clock runs, having counted the time until now.
    pub(crate) fn stop(&mut self, at: Stamp) {
        if let Some((side, since)) = self.running.take() {
            self.remaining_ms[side] = self.remaining_ms[side].saturating_sub(at.ms_since(since));
        }
    }

    /// The running side made its ply: its time is counted, its increment added, the other clock starts.
    pub(crate) fn press(&mut self, side: Side, at: Stamp) {
        self.stop(at);
        self.remaining_ms[side] = self.remaining_ms[side].saturating_add(self.increment_ms);
        self.start(side.opponent(), at);
    }

    /// A side's remaining time at a moment, in milliseconds.
    #[must_use]
    pub fn remaining_ms(&self, side: Side, now: Stamp) -> u64 {
        match self.running {
            Some((running, since)) if running == side => {
                self.remaining_ms[side].saturating_sub(now.ms_since(since))
            }
            _ => self.remaining_ms[side],
        }
    }

    /// The side whose clock runs.
    #[must_use]
    pub fn running(&self) -> Option<Side> {
        self.running.map(|(side, _)| side)
    }

    /// The stamp from which the running side's time is counted.
    pub(crate) fn running_since(&self) -> Option<Stamp> {
        self.running.map(|(_, since)| since)
    }

    /// The last moment at which the running side may still act.
    #[must_use]
    pub fn deadline(&self) -> Option<Stamp> {
        self.running.map(|(side, since)| since.plus_ms(self.remaining_ms[side]))
    }
}
