//! The clock that gives stamps to log entries.
//!
//! A machine has two clocks: the wall clock, which people and other programs can set, and the
//! steady clock, which never jumps. [`EmbeddedStore`](crate::EmbeddedStore) and
//! [`MemoryStore`](crate::MemoryStore) make their own stamps from both. Stamps advance with the
//! steady clock, are slewed to the wall clock, and never go back. A long gap between heartbeats
//! counts as an outage. `docs/internals/clocks-and-outages.md` gives the reasons for these rules.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use flagfall_board::Stamp;
use parking_lot::Mutex;
use rustix::time::{ClockId, clock_gettime};

use crate::store::Outage;

/// The longest gap between two heartbeats that does not count as an outage.
const SILENCE: Duration = Duration::from_millis(2_500);
/// The shortest time between two readings of the wall clock.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// The inverse of the maximum slew: stamps run at most 1/200 faster or slower than the steady
/// clock.
const SLEW: i128 = 200;
/// A wall clock that is ahead of the stamps by at most this much is trusted immediately.
const DOUBTED_MS: u64 = 30 * 24 * 60 * 60 * 1_000;
/// The time after which a wall clock that is too far ahead is trusted anyway.
const BELIEVED_AFTER: Duration = Duration::from_secs(60 * 60);
/// The stamps and the wall clock may differ by this much before a warning is logged.
const TOLD_MS: u64 = 10_000;

/// The clocks of a machine. Tests can replace them.
pub trait WallClock: Send + Sync + 'static {
    /// The time of day. It may jump forward or backward.
    fn now(&self) -> Stamp;

    /// The time since some moment in the past. It never jumps, and it keeps counting while the
    /// process is frozen or the machine is suspended. The default implementation follows the wall
    /// clock, so it is correct only if the wall clock never jumps.
    fn steady(&self) -> Duration {
        Duration::from_millis(self.now().0)
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

/// The system clock that keeps running while the machine is suspended. On Linux,
/// `CLOCK_MONOTONIC` stops during that time, so `CLOCK_BOOTTIME` is used there.
#[cfg(any(target_os = "linux", target_os = "android"))]
const STEADY: ClockId = ClockId::Boottime;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const STEADY: ClockId = ClockId::Monotonic;

impl WallClock for SystemClock {
    fn now(&self) -> Stamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Stamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    fn steady(&self) -> Duration {
        let time = clock_gettime(STEADY);
        let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
        Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
    }
}

impl<C: WallClock> WallClock for std::sync::Arc<C> {
    fn now(&self) -> Stamp {
        C::now(self)
    }

    fn steady(&self) -> Duration {
        C::steady(self)
    }
}

/// A clock that gives stamps. See the [module](self) for its rules.
pub(crate) struct StampClock {
    clock: Box<dyn WallClock>,
    state: Mutex<State>,
    /// The latest stamp that was given, in milliseconds.
    given: AtomicU64,
}

struct State {
    /// The time, by the steady clock, at which the wall clock was last read.
    looked_at: Duration,
    /// The stamp at `looked_at`, in microseconds.
    us: u64,
    /// The latest stamp that was given. All later stamps are at least as high.
    floor: Stamp,
    /// The time of the last heartbeat, by the steady clock and as a stamp.
    beat: Option<(Duration, Stamp)>,
    /// The time at which the store was opened, by the steady clock and as a stamp. If the first
    /// heartbeat comes long after that, the time in between is an outage.
    made: Option<(Duration, Stamp)>,
    outage: Option<Outage>,
    /// An outage that must still be written to the record of outages.
    unkept: Option<Outage>,
    /// The time, by the steady clock, at which the wall clock was first found too far ahead to be
    /// trusted.
    doubted_since: Option<Duration>,
    /// True if the current difference between stamps and wall clock has been logged.
    is_told: bool,
    /// True while the store is paused. When a pause ends, it counts as an outage if it was long
    /// enough.
    is_paused: bool,
}

impl StampClock {
    /// Creates a clock whose stamps are never earlier than `last`, the last stored time at which
    /// a server was alive.
    pub(crate) fn new(clock: impl WallClock, last: Stamp) -> StampClock {
        let (wall, steady) = (clock.now(), clock.steady());
        let is_doubted = last > Stamp(0) && wall.ms_since(last) > DOUBTED_MS;
        let from = if is_doubted { last } else { wall.max(last) };
        let state = State {
            looked_at: steady,
            us: us(from),
            floor: from,
            beat: None,
            made: None,
            outage: None,
            unkept: None,
            doubted_since: is_doubted.then_some(steady),
            is_told: false,
            is_paused: false,
        };
        let clock =
            StampClock { clock: Box::new(clock), state: Mutex::new(state), given: AtomicU64::new(from.0) };
        clock.state.lock().tell(wall);
        clock
    }

    /// Counts the time between this call and the first heartbeat as an outage if that heartbeat
    /// is late.
    pub(crate) fn watch_start(&self) {
        let mut state = self.state.lock();
        state.made = Some((self.clock.steady(), state.floor));
    }

    /// Forgets the last heartbeat, as if the process had ended.
    #[cfg(feature = "testing")]
    pub(crate) fn forget_beat(&self) {
        self.state.lock().beat = None;
    }

    /// Ensures that all later stamps are at least `floor`.
    pub(crate) fn raise(&self, floor: Stamp) {
        let mut state = self.state.lock();
        if self.read(&mut state) < floor {
            (state.us, state.looked_at) = (us(floor), self.clock.steady());
            state.floor = floor;
            self.given.store(floor.0, Ordering::Relaxed);
        }
    }

    /// Returns `recent`, a stamp that was given a few microseconds ago, or a later stamp if one has
    /// been given since. Much cheaper than [`stamp`](Self::stamp).
    pub(crate) fn recent(&self, recent: Stamp) -> Stamp {
        recent.max(Stamp(self.given.load(Ordering::Relaxed)))
    }

    pub(crate) fn stamp(&self) -> Stamp {
        self.read(&mut self.state.lock())
    }

    /// Records that the process is alive, and returns the time.
    pub(crate) fn beat(&self) -> Stamp {
        let mut state = self.state.lock();
        if state.beat.is_none() {
            state.beat = state.made;
        }
        let now = self.read(&mut state);
        state.beat = Some((self.clock.steady(), now));
        now
    }

    /// Begins a pause of the store, during which there are no heartbeats.
    pub(crate) fn pause(&self) {
        self.state.lock().is_paused = true;
    }

    /// Ends the pause. If the pause was long enough, it becomes an outage.
    pub(crate) fn resume(&self) {
        self.state.lock().is_paused = false;
        self.beat();
    }

    /// Returns the time of the last heartbeat if the store is paused and the last heartbeat is so
    /// old that game clocks stand still.
    pub(crate) fn paused_since(&self) -> Option<Stamp> {
        let state = self.state.lock();
        let (beaten, since) = state.beat.filter(|_| state.is_paused)?;
        (self.clock.steady().saturating_sub(beaten) > SILENCE).then_some(since)
    }

    pub(crate) fn outage(&self) -> Option<Outage> {
        self.state.lock().outage
    }

    /// Takes the outage that must still be written to the record of outages. The caller must
    /// write it there.
    pub(crate) fn take_unkept(&self) -> Option<Outage> {
        self.state.lock().unkept.take()
    }

    /// Puts back an outage that the caller failed to write to the record of outages.
    pub(crate) fn put_back_unkept(&self, outage: Outage) {
        self.state.lock().unkept.get_or_insert(outage);
    }

    /// True if an outage must still be written to the record of outages.
    pub(crate) fn has_unkept(&self) -> bool {
        self.state.lock().unkept.is_some()
    }

    fn read(&self, state: &mut State) -> Stamp {
        let steady = self.clock.steady();
        let elapsed = steady.saturating_sub(state.looked_at);
        let run = state.us.saturating_add(u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX));
        let mut now = Stamp(run / 1_000);
        if elapsed >= LOOK_EVERY {
            now = state.look(run, elapsed, steady, self.clock.now());
        }
        now = now.max(state.floor);
        state.floor = now;
        if let Some((beaten, since)) = state.beat
            && !state.is_paused
            && steady.saturating_sub(beaten) > SILENCE
        {
            state.note_outage(since, now);
            state.beat = Some((steady, now));
        }
        self.given.store(now.0, Ordering::Relaxed);
        now
    }
}

impl State {
    /// Compares the current stamp with the wall clock, and moves the stamps toward the wall
    /// clock.
    fn look(&mut self, run_us: u64, elapsed: Duration, steady: Duration, wall: Stamp) -> Stamp {
        let ahead = i128::from(us(wall)) - i128::from(run_us);
        let most = i128::try_from(elapsed.as_micros()).unwrap_or(i128::MAX) / SLEW;
        self.looked_at = steady;
        self.us = run_us;
        let run = Stamp(run_us / 1_000).max(self.floor);
        if wall.ms_since(run) > DOUBTED_MS {
            let since = *self.doubted_since.get_or_insert(steady);
            if steady.saturating_sub(since) >= BELIEVED_AFTER {
                tracing::warn!(
                    days = wall.ms_since(run) / 86_400_000,
                    "the machine's clock has been this far ahead for an hour: stamps follow it now"
                );
                self.note_outage(run, wall);
                self.us = us(wall);
                (self.doubted_since, self.is_told) = (None, false);
                self.beat = self.beat.map(|_| (steady, wall));
            }
        } else {
            self.doubted_since = None;
            let slewed = i128::from(run_us) + ahead.clamp(-most, most);
            self.us = u64::try_from(slewed).unwrap_or(run_us);
        }
        let now = Stamp(self.us / 1_000);
        self.floor = self.floor.max(now);
        self.tell(wall);
        now
    }

    /// Records an outage, a period in which game clocks stood still. If the previous outage has
    /// only just ended, merges the two, because a game that has not read the previous one yet would
    /// otherwise miss it.
    fn note_outage(&mut self, since: Stamp, until: Stamp) {
        let silence_ms = u64::try_from(SILENCE.as_millis()).unwrap_or(u64::MAX);
        let before = self.outage.filter(|before| since.ms_since(before.until) <= silence_ms);
        let outage = Outage { since: before.map_or(since, |before| before.since), until };
        let ms = until.ms_since(since);
        tracing::warn!(ms, "the server did not run for a while: no game clock ran meanwhile");
        (self.outage, self.unkept) = (Some(outage), Some(outage));
    }

    /// Logs once when the wall clock and the stamps diverge, and once when they agree again.
    fn tell(&mut self, wall: Stamp) {
        let (ahead_ms, behind_ms) = (wall.ms_since(self.floor), self.floor.ms_since(wall));
        let is_apart = ahead_ms.max(behind_ms) > TOLD_MS;
        if is_apart == self.is_told {
            return;
        }
        self.is_told = is_apart;
        match (is_apart, self.doubted_since) {
            (false, _) => tracing::info!("the machine's clock and the stamps agree again"),
            (true, Some(_)) => tracing::warn!(
                days = ahead_ms / 86_400_000,
                "the machine's clock is this far ahead of the last stamp in the store: check its date. Stamps follow it in an hour"
            ),
            (true, None) => tracing::warn!(
                ahead_ms,
                behind_ms,
                "the machine's clock differs from the stamps: it was set, and stamps follow it slowly"
            ),
        }
    }
}

fn us(stamp: Stamp) -> u64 {
    stamp.0.saturating_mul(1_000)
}

/// The source of the manual clock in `flagfall-store-testing`. These tests cannot depend on that
/// crate, because its clock would implement the trait of another copy of this crate.
#[cfg(test)]
#[path = "../../../tests/store/src/manual_clock.rs"]
#[expect(unreachable_pub, reason = "public in the crate that it belongs to")]
pub(crate) mod manual_clock;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::manual_clock::ManualClock;
    use super::*;

    const NOON: Stamp = Stamp(1_700_000_000_000);
    const HOUR_MS: u64 = 3_600_000;
    const DAY_MS: u64 = 24 * HOUR_MS;

    fn clocks(last: Stamp) -> (Arc<ManualClock>, StampClock) {
        let machine = Arc::new(ManualClock::new(NOON));
        let clock = StampClock::new(machine.clone(), last);
        (machine, clock)
    }

    #[test]
    fn a_recent_stamp_is_never_before_one_that_was_given_since() {
        let (machine, clock) = clocks(NOON);
        let recent = clock.stamp();
        machine.advance_ms(5);
        assert_eq!(clock.recent(recent), NOON);
        assert_eq!(clock.stamp(), NOON.plus_ms(5));
        assert_eq!(clock.recent(recent), NOON.plus_ms(5));
        clock.raise(NOON.plus_ms(9));
        assert_eq!(clock.recent(recent), NOON.plus_ms(9));
    }

    /// Advances the machine's clock second by second, with a heartbeat after each second. Returns
    /// the time of the last heartbeat.
    fn live(machine: &ManualClock, clock: &StampClock, seconds: u64) -> Stamp {
        (0..seconds).fold(clock.stamp(), |_, _| {
            machine.advance_ms(1_000);
            clock.beat()
        })
    }

    #[test]
    fn a_wall_clock_that_jumps_an_hour_moves_no_stamp_at_once() {
        for jump in [NOON.plus_ms(HOUR_MS), NOON.minus_ms(HOUR_MS)] {
            let (machine, clock) = clocks(Stamp(0));
            clock.beat();
            machine.set(jump);
            assert_eq!(clock.stamp(), NOON);
            let after_a_minute = live(&machine, &clock, 60).ms_since(NOON);
            assert!((59_700..=60_300).contains(&after_a_minute), "{after_a_minute}");
            assert_eq!(clock.outage(), None);
        }
    }

    #[test]
    fn the_wall_clock_is_slewed_in_at_half_a_percent() {
        for (jump, run_ms) in [(NOON.plus_ms(3_000), 603_000), (NOON.minus_ms(3_000), 597_000)] {
            let (machine, clock) = clocks(Stamp(0));
            machine.set(jump);
            assert_eq!(live(&machine, &clock, 600).ms_since(NOON), run_ms);
            assert_eq!(clock.stamp(), machine.now(), "stamps have reached the real time");
            assert_eq!(live(&machine, &clock, 60), machine.now(), "and stays");
        }
    }

    #[test]
    fn stamps_never_go_back_however_the_wall_clock_jumps() {
        let (machine, clock) = clocks(Stamp(0));
        let mut before = clock.stamp();
        for round in 0..2_000_u64 {
            machine.set(Stamp(NOON.0 + (round * 7_919 % 1_009) * 10_000 - 5_000_000));
            machine.advance_ms(round % 250);
            let now = clock.stamp();
            assert!(before <= now && now <= before.plus_ms(252), "{before:?} {now:?}");
            before = now;
        }
    }

    #[test]
    fn a_freeze_of_twenty_seconds_is_an_outage_that_the_first_look_at_the_time_finds() {
        let (machine, clock) = clocks(Stamp(0));
        let alive = live(&machine, &clock, 3);
        machine.advance_ms(2_500);
        assert_eq!((clock.stamp(), clock.outage()), (alive.plus_ms(2_500), None), "not long enough");
        clock.beat();
        machine.advance_ms(20_000);
        let now = clock.stamp();
        assert_eq!(now, alive.plus_ms(22_500), "the gap counts in the stamps");
        let outage = Outage { since: alive.plus_ms(2_500), until: now };
        assert_eq!((clock.outage(), clock.take_unkept()), (Some(outage), Some(outage)));
        live(&machine, &clock, 10);
        assert_eq!((clock.outage(), clock.take_unkept()), (Some(outage), None));
    }

    #[test]
    fn a_pause_is_one_outage_that_ends_with_it() {
        let (machine, clock) = clocks(Stamp(0));
        let since = clock.beat();
        clock.pause();
        assert_eq!(clock.paused_since(), None);
        for _ in 0..10 {
            machine.advance_ms(1_000);
            clock.stamp();
        }
        assert_eq!((clock.outage(), clock.paused_since()), (None, Some(since)));
        clock.resume();
        assert_eq!(clock.outage(), Some(Outage { since, until: since.plus_ms(10_000) }));
        assert_eq!(clock.paused_since(), None);
        clock.pause();
        machine.advance_ms(2_000);
        clock.resume();
        assert_eq!(clock.outage().unwrap().until, since.plus_ms(10_000), "a short pause is none");
    }

    #[test]
    fn two_freezes_close_together_are_one_outage() {
        let (machine, clock) = clocks(Stamp(0));
        let since = clock.beat();
        machine.advance_ms(20_000);
        clock.beat();
        machine.advance_ms(1_000);
        clock.beat();
        machine.advance_ms(20_000);
        let until = clock.beat();
        assert_eq!(clock.outage(), Some(Outage { since, until }));
    }

    #[test]
    fn without_heartbeats_there_is_no_outage_and_a_late_first_one_ends_the_start() {
        let (machine, clock) = clocks(Stamp(0));
        machine.advance_ms(DAY_MS);
        clock.stamp();
        assert_eq!(clock.outage(), None);
        clock.watch_start();
        let since = clock.stamp();
        machine.advance_ms(60_000);
        let until = clock.beat();
        assert_eq!(clock.outage(), Some(Outage { since, until }));
    }

    #[test]
    fn a_restart_takes_the_wall_clock_over_but_never_goes_back() {
        let (_, clock) = clocks(NOON.minus_ms(10 * DAY_MS));
        assert_eq!(clock.stamp(), NOON);
        let (machine, clock) = clocks(NOON.plus_ms(HOUR_MS));
        assert_eq!(clock.stamp(), NOON.plus_ms(HOUR_MS));
        let run_ms = live(&machine, &clock, 1_000).ms_since(NOON.plus_ms(HOUR_MS));
        assert_eq!(run_ms, 995_000, "it does not stand still, and the difference becomes smaller");
    }

    #[test]
    fn a_start_with_the_clock_400_days_ahead_leaves_stamps_that_the_next_start_can_use() {
        let last = NOON;
        let wrong = Arc::new(ManualClock::new(NOON.plus_ms(400 * DAY_MS)));
        let clock = StampClock::new(wrong.clone(), last);
        assert_eq!(clock.stamp(), last);
        let stored = live(&wrong, &clock, 600);
        assert_eq!(stored, last.plus_ms(600_000), "durations are right");
        // The machine restarts with the correct date.
        let right = Arc::new(ManualClock::new(NOON.plus_ms(700_000)));
        let clock = StampClock::new(right, stored);
        assert_eq!(clock.stamp(), NOON.plus_ms(700_000));
    }

    #[test]
    fn a_clock_that_stays_400_days_ahead_is_believed_after_an_hour_and_no_player_pays() {
        let wrong = Arc::new(ManualClock::new(NOON.plus_ms(400 * DAY_MS)));
        let clock = StampClock::new(wrong.clone(), NOON);
        clock.beat();
        let before = live(&wrong, &clock, 3_599);
        assert_eq!((before, clock.outage()), (NOON.plus_ms(3_599_000), None));
        let after = live(&wrong, &clock, 1);
        assert_eq!(after, wrong.now());
        let outage = clock.outage().unwrap();
        assert_eq!(outage, Outage { since: before.plus_ms(1_000), until: after });
        // The machine restarts with the correct date. The stamps stay ahead of it, but keep
        // running.
        let right = Arc::new(ManualClock::new(NOON.plus_ms(2 * HOUR_MS)));
        let clock = StampClock::new(right.clone(), after);
        assert_eq!(live(&right, &clock, 200).ms_since(after), 199_000);
    }
}
