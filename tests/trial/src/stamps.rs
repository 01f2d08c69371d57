//! The time in stamps. It comes from Redis's clock, or is continued by servers when that clock
//! jumps.

use std::time::Duration;

/// The earliest and the latest stamp that is possible at a moment, even if Redis's clock has
/// jumped.
///
/// If Redis's clock is set back, servers continue the old time, at most until Redis's clock has
/// caught up. So the stamps are known only within these limits. The limits are equal as long as
/// the clock has never been set back.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stamps {
    least: u64,
    /// How many milliseconds stamps can be ahead of the machine's clock, because Redis's clock
    /// was ahead before it was set back. `None` before it was first set back.
    ahead_ms: Option<i64>,
}

impl Stamps {
    /// Returns the earliest possible stamp at a moment when Redis's clock is off by this many
    /// milliseconds.
    fn least(&self, at: u64, off_ms: i64) -> u64 {
        at.saturating_add_signed(off_ms).max(self.least)
    }

    /// Returns the latest possible stamp at that moment.
    fn most(&self, at: u64, off_ms: i64) -> u64 {
        at.saturating_add_signed(self.ahead_ms.map_or(off_ms, |ahead_ms| ahead_ms.max(off_ms)))
    }

    /// Records a jump of Redis's clock. Returns the latest stamp before the jump and the earliest
    /// after it.
    pub(crate) fn jump(&mut self, at: u64, before_ms: i64, after_ms: i64) -> (u64, u64) {
        let before = self.most(at, before_ms);
        self.least = self.least(at, before_ms);
        self.ahead_ms = Some(self.ahead_ms.map_or(before_ms, |ahead_ms| ahead_ms.max(before_ms)));
        (before, self.least(at, after_ms))
    }

    /// Records that no stamps are given between two moments. Returns the latest possible stamp
    /// before this period and the earliest after it. Without Redis, servers continue the time for
    /// at most `carried`.
    pub(crate) fn stand_still(
        &mut self,
        from: u64,
        until: u64,
        carried: Duration,
        off_ms: i64,
    ) -> (u64, u64) {
        let before = self.most(from, off_ms);
        let carried_ms = i64::try_from(carried.as_millis()).unwrap_or(i64::MAX);
        let stood_ms = i64::try_from(until.saturating_sub(from)).unwrap_or(i64::MAX);
        self.ahead_ms = self.ahead_ms.map(|ahead_ms| ahead_ms - (stood_ms - carried_ms).max(0));
        (before, self.least(until, off_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_TIME: Duration = Duration::ZERO;

    #[test]
    fn a_clock_that_is_right_or_ahead_is_what_stamps_say() {
        let mut stamps = Stamps::default();
        assert_eq!(stamps.stand_still(10_000, 15_000, NO_TIME, 0), (10_000, 15_000));
        assert_eq!(stamps.jump(20_000, 0, 60_000), (20_000, 80_000));
        assert_eq!(stamps.stand_still(30_000, 34_000, NO_TIME, 60_000), (90_000, 94_000));
    }

    #[test]
    fn a_clock_that_was_set_back_is_followed_when_it_has_caught_up() {
        let mut stamps = Stamps::default();
        assert_eq!(stamps.jump(20_000, 0, -2_000), (20_000, 20_000));
        // Over an outage, servers continue their time, but only for as long as they may be
        // without an answer from Redis.
        let silence = Duration::from_millis(2_500);
        assert_eq!(stamps.stand_still(30_000, 34_800, silence, -2_000), (30_000, 32_800));
        // Redis's clock has caught up. It is 2 s behind the machine's clock, and servers
        // continued the time for 2.3 s.
        assert_eq!(stamps.stand_still(50_000, 54_000, NO_TIME, -2_000), (48_000, 52_000));
    }

    #[test]
    fn a_clock_set_back_and_forward_again_changes_no_stamps() {
        let mut stamps = Stamps::default();
        stamps.jump(20_000, 0, -19_000);
        assert_eq!(stamps.jump(23_000, -19_000, 0), (23_000, 23_000));
    }
}
