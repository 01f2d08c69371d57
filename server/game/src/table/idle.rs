//! When a table may leave memory.

use flagfall_board::Stamp;

use super::state::{Health, Table};

/// A game is opened this long before its flag may fall, in milliseconds.
pub(crate) const NEAR_MS: u64 = 5_000;

impl Table {
    /// True if the table can go: the game is over or quarantined, and no connection has it open.
    pub(crate) fn is_idle(&self) -> bool {
        let is_done = self.is_over() || self.is_quarantined();
        let is_quiet = self.work.is_empty() && !self.rematch.is_pending() && self.following.is_quiet();
        is_done && is_quiet && self.audiences.is_empty()
    }

    /// True if a running game may leave memory: no connection has it open, nothing is under way, no
    /// flag is near, and no house player is to act.
    pub(crate) fn may_rest(&self, now: Stamp) -> bool {
        !self.is_over()
            && !self.is_quarantined()
            && self.is_at_peace()
            && self.no_flag_before(now).is_none_or(|flag| flag > now.plus_ms(2 * NEAR_MS))
            && !self.awaits_house()
    }

    /// True if no connection has the game open, nothing is under way, and the log needs nothing.
    fn is_at_peace(&self) -> bool {
        self.work.is_empty()
            && self.audiences.is_empty()
            && self.following.is_caught_up(self.head.seq)
            && !self.work.is_retrying()
            && !self.outage.is_unrecorded()
            && !(self.game.is_paused() || self.is_stopping() || self.health == Health::Diverged)
    }
}
