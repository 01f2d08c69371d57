//! Estimates the current time from the stamps that Redis has given.

use std::time::{Duration, Instant};

use flagfall_board::Stamp;

/// The latest stamp received, and the time since then by this process's own clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heard {
    /// The latest stamp received. No new stamp may be earlier.
    pub(super) latest: Stamp,
    /// A stamp, and the time at which this process received it.
    ///
    /// This is not always the latest stamp. While Redis's clock is behind, Redis gives the floor
    /// that this process sends as the stamp. Such a stamp is already as old as the round trip
    /// when it arrives. If it were used here, every answer would set the estimated time back by
    /// the length of a round trip.
    mark: (Stamp, Instant),
    /// The time for which the estimate advances without an answer from Redis, in milliseconds.
    silence_ms: u64,
}

impl Heard {
    pub(super) fn new(silence: Duration, now: Instant) -> Heard {
        let silence_ms = u64::try_from(silence.as_millis()).unwrap_or(u64::MAX);
        Heard { latest: Stamp(0), mark: (Stamp(0), now), silence_ms }
    }

    /// Returns the current time, extrapolated from the stamp in `mark`.
    pub(super) fn now(&self, now: Instant) -> Stamp {
        let (at, since) = self.mark;
        at.plus_ms(steady_ms(now.saturating_duration_since(since)))
    }

    /// Returns the highest stamp that is accepted without a check. A higher stamp means that no
    /// answer came for too long, or that Redis's clock jumped.
    pub(super) fn silent_at(&self) -> Stamp {
        self.latest.plus_ms(self.silence_ms)
    }

    /// Returns the latest stamp received, if no answer has come for too long since then.
    pub(super) fn silent_since(&self, now: Instant) -> Option<Stamp> {
        (self.latest > Stamp(0) && self.now(now) > self.silent_at()).then_some(self.latest)
    }

    /// Returns the floor: all new stamps must be at least this high.
    ///
    /// The floor advances even if Redis's clock was set back behind earlier stamps. Otherwise a
    /// player's flag could fall by this process's clock, while the stamps in the log show that it
    /// had not fallen yet. Without an answer from Redis, the floor stops after `silence_ms`.
    pub(super) fn running(&self, now: Instant) -> Stamp {
        self.now(now).min(self.silent_at()).max(self.latest)
    }

    /// Takes over this time, as if Redis had given it before it fell silent.
    pub(super) fn note_silence(&mut self, since: Stamp, now: Instant) {
        self.latest = since;
        self.mark = (self.silent_at().plus_ms(1), now);
    }

    /// Records a stamp that Redis has given.
    pub(super) fn note(&mut self, at: Stamp, now: Instant) {
        if at <= self.latest {
            return;
        }
        let carried = self.now(now);
        // If the estimate ran on for too long without an answer, the new stamp counts even if it
        // is earlier.
        let is_beyond = carried > self.silent_at();
        self.latest = at;
        if at >= carried || is_beyond {
            self.mark = (at, now);
        }
    }
}

/// Returns the elapsed milliseconds, reduced by a thousandth. So the estimate is never ahead of
/// Redis's clock, even if the two clocks run slightly differently.
fn steady_ms(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_micros() * 999 / 1_000_000).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SILENCE: Duration = Duration::from_millis(2_500);

    #[test]
    fn a_redis_that_was_never_there_is_silent() {
        let start = Instant::now();
        let mut heard = Heard::new(SILENCE, start);
        heard.note_silence(Stamp(10_000), start);
        assert_eq!(heard.silent_since(start), Some(Stamp(10_000)));
        heard.note(Stamp(10_500), start);
        assert_eq!((heard.silent_since(start), heard.now(start)), (None, Stamp(10_500)));
    }

    fn after(start: Instant, ms: u64) -> Instant {
        start + Duration::from_millis(ms)
    }

    #[test]
    fn time_goes_on_as_fast_however_often_redis_answers() {
        for round_trip_ms in [1, 2, 120, 1_000] {
            let start = Instant::now();
            let mut heard = Heard::new(SILENCE, start);
            heard.note(Stamp(1_000_000), start);
            // Redis's clock was set back, so each of its stamps is the floor that this process
            // sent.
            for sent_ms in (0..10_000).step_by(round_trip_ms) {
                let stamped = heard.running(after(start, sent_ms));
                heard.note(stamped, after(start, sent_ms + round_trip_ms as u64));
            }
            let now = heard.running(after(start, 10_000));
            assert!((1_009_980..=1_010_000).contains(&now.0), "{round_trip_ms} ms: {now:?}");
        }
    }

    #[test]
    fn a_clock_of_redis_that_is_right_is_what_counts() {
        let start = Instant::now();
        let mut heard = Heard::new(SILENCE, start);
        for ms in (0..10_000).step_by(10) {
            // Each round trip takes 4 ms, and the answer gets its stamp in the middle of that
            // time.
            heard.note(Stamp(1_000_000 + ms), after(start, ms + 2));
            assert!(heard.running(after(start, ms + 10)) <= Stamp(1_000_000 + ms + 10), "never ahead of it");
        }
        assert_eq!(heard.now(after(start, 9_992)), Stamp(1_009_990));
    }

    #[test]
    fn after_a_silence_time_is_what_redis_says() {
        let start = Instant::now();
        let mut heard = Heard::new(SILENCE, start);
        assert_eq!(heard.silent_since(after(start, 10_000)), None, "nothing was ever received");
        heard.note(Stamp(1_000_000), start);
        assert_eq!(heard.silent_since(after(start, 2_500)), None);
        assert_eq!(heard.silent_since(after(start, 2_600)), Some(Stamp(1_000_000)));
        let back = after(start, 10_000);
        assert_eq!(heard.running(back), Stamp(1_002_500), "it does not run on forever");
        heard.note(heard.running(back), back);
        assert_eq!(heard.now(back), Stamp(1_002_500), "never ahead of the stamps to come");
        assert_eq!(heard.silent_since(back), None);
    }
}
