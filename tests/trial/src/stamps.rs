//! What time it is by the stamps: Redis's clock, while it jumps and servers carry the time on.

use std::time::Duration;

/// Between which two moments stamps lie, whatever Redis's clock has shown. Where it is set back, servers carry the time on as it was, and at the latest when
/// it has caught up it is Redis's again; so what is known is a least and a most, and the two are the same as long as it has never been set back.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stamps {
    /// No stamp is earlier.
    least: u64,
    /// How far ahead of the machine's clock stamps may be though Redis's clock is not, in milliseconds; nothing before it was set back.
    ahead_ms: Option<i64>,
}

impl Stamps {
    /// The earliest moment that something can be stamped with then, Redis's clock being off by so many milliseconds.
    fn least(&self, at: u64, off_ms: i64) -> u64 {
        at.saturating_add_signed(off_ms).max(self.least)
    }

    /// The latest one.
    fn most(&self, at: u64, off_ms: i64) -> u64 {
        at.saturating_add_signed(self.ahead_ms.map_or(off_ms, |ahead_ms| ahead_ms.max(off_ms)))
    }

    /// Redis's clock jumps. The latest stamp before, and the earliest after.
    pub(crate) fn jump(&mut self, at: u64, before_ms: i64, after_ms: i64) -> (u64, u64) {
        let before = self.most(at, before_ms);
        self.least = self.least(at, before_ms);
        self.ahead_ms = Some(self.ahead_ms.map_or(before_ms, |ahead_ms| ahead_ms.max(before_ms)));
        (before, self.least(at, after_ms))
    }

    /// Nothing is stamped between two moments, over which servers carry the time on for so long at most. The latest stamp before, and the earliest after.
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
        // Servers carry on what they had; over an outage no longer than they may be silent.
        let silence = Duration::from_millis(2_500);
        assert_eq!(stamps.stand_still(30_000, 34_800, silence, -2_000), (30_000, 32_800));
        // Redis's clock has caught up: it lies 2 s behind the machine's, and the time carried on 2.3 s.
        assert_eq!(stamps.stand_still(50_000, 54_000, NO_TIME, -2_000), (48_000, 52_000));
    }

    #[test]
    fn what_was_set_back_for_minutes_and_on_again_was_nothing() {
        let mut stamps = Stamps::default();
        stamps.jump(20_000, 0, -19_000);
        assert_eq!(stamps.jump(23_000, -19_000, 0), (23_000, 23_000));
    }
}
