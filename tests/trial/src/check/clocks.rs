//! Computes clocks from the stamps in the log.

use flagfall_second_opinion::Color;
use serde_json::{Value, json};

use super::truth::SIDES;

/// Both sides' time.
#[derive(Clone, Debug)]
pub(super) struct Clocks {
    increment: u64,
    left: [u64; 2],
    /// For each side, the moment at which its clock started. Both clocks may run while both sides
    /// must choose (§Q4).
    since: [Option<u64>; 2],
}

impl Clocks {
    /// Clocks that have not started.
    #[must_use]
    pub(super) fn new((base, increment): (u64, u64)) -> Clocks {
        Clocks { increment, left: [base; 2], since: [None; 2] }
    }

    /// Starts a side's clock if it is not running.
    pub(super) fn start(&mut self, color: Color, at: u64) {
        self.since[color].get_or_insert(at);
    }

    pub(super) fn stop(&mut self, color: Color, at: u64) {
        self.left[color] = self.left_at(color, at);
        self.since[color] = None;
    }

    /// Ends a side's turn. The side gets its increment, and the opponent's clock starts.
    pub(super) fn press(&mut self, color: Color, at: u64) {
        (0..2).for_each(|side| self.stop(side, at));
        self.left[color] += self.increment;
        self.start(1 - color, at);
    }

    /// Gives lag compensation to a side whose clock is running.
    pub(super) fn give_back(&mut self, color: Color, lag: u64) {
        self.since[color] = self.since[color].map(|since| since + lag);
    }

    fn left_at(&self, color: Color, at: u64) -> u64 {
        let gone = self.since[color].map_or(0, |since| at.saturating_sub(since));
        self.left[color].saturating_sub(gone)
    }

    /// If a side's clock is running, returns how long the side has thought and how much time it
    /// had.
    #[must_use]
    pub(super) fn thought(&self, color: Color, at: u64) -> Option<(u64, u64)> {
        Some((at.saturating_sub(self.since[color]?), self.left[color]))
    }

    /// Returns the clocks at a moment, as messages show them. Red's clock comes from the first
    /// argument and Blue's from the second.
    #[must_use]
    pub(super) fn json(of: [&Clocks; 2], at: u64) -> Value {
        let since = [of[0].since[0], of[1].since[1]];
        let at = since.into_iter().flatten().max().map_or(at, |since| at.max(since));
        let mut clock =
            json!({"at": at, "remaining_ms": {"red": of[0].left_at(0, at), "blue": of[1].left_at(1, at)}});
        match since {
            [Some(_), Some(_)] => clock["running"] = json!("both"),
            [Some(_), None] => clock["running"] = json!(SIDES[0]),
            [None, Some(_)] => clock["running"] = json!(SIDES[1]),
            [None, None] => {}
        }
        clock
    }
}
