//! Clocks as plain values. Times are passed as arguments and come from the log, never from the
//! system clock.

use flagfall_board::{PerSide, Side, Stamp};
use flagfall_view::LagQuota;

/// The way in which a game's time is limited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names of the fields say what they hold")]
pub enum TimeControl {
    /// No clock (casual).
    Unlimited,
    /// A base time, plus an increment for each ply of the side (Fischer), in milliseconds.
    Fischer { base_ms: u64, increment_ms: u64 },
    /// A base time, with a free time at the start of each turn, in milliseconds. Unused free time
    /// is lost.
    Delay { base_ms: u64, free_ms: u64 },
    /// A fixed time for each ply of the side (correspondence), in milliseconds. Unused time is
    /// lost.
    PerPly { ply_ms: u64 },
}

impl TimeControl {
    /// Returns the time in milliseconds for which a side must be absent before the opponent may
    /// claim the game.
    ///
    /// The result is `least_ms` for each quarter of an hour that a side has for forty plies. It
    /// is at least `least_ms` and at most five times `least_ms`. Without a clock, the result is
    /// this maximum. In correspondence games, the result is `None`, because players need not be
    /// present.
    pub fn claim_wait_ms(self, least_ms: u64) -> Option<u64> {
        const QUARTER_MS: u64 = 15 * 60_000;
        const MOST: u64 = 5;
        let most_ms = least_ms.saturating_mul(MOST);
        let (base_ms, ply_ms) = match self {
            TimeControl::Unlimited => return Some(most_ms),
            TimeControl::PerPly { ply_ms: _ } => return None,
            TimeControl::Fischer { base_ms, increment_ms } => (base_ms, increment_ms),
            TimeControl::Delay { base_ms, free_ms } => (base_ms, free_ms),
        };
        let length_ms = base_ms.saturating_add(ply_ms.saturating_mul(40));
        let wait_ms = length_ms.saturating_mul(least_ms) / QUARTER_MS;
        Some(wait_ms.clamp(least_ms, most_ms))
    }

    /// True if a game with this time control can be claimed when a side is absent.
    pub const fn has_claims(self) -> bool {
        !matches!(self, TimeControl::PerPly { ply_ms: _ })
    }
}

/// The remaining time of both sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    control: TimeControl,
    remaining_ms: PerSide<u64>,
    /// The free time that each side has left in its current turn.
    free_ms: PerSide<u64>,
    /// For each side, the time at which its clock started to run. Both clocks run at the same
    /// time while both sides have to choose in a strike (§Q4).
    since: PerSide<Option<Stamp>>,
    /// True if a side's turn begins with its whole free time or time for a ply, even if the side
    /// has used some of it to choose in the other side's strike (§Q4).
    has_whole_turns: bool,
    quota: LagQuota,
    /// The lag compensation that each side can still receive.
    lag_stock_ms: PerSide<u32>,
}

impl Clock {
    /// Creates a stopped clock. Returns `None` if time is unlimited.
    pub fn new(control: TimeControl) -> Option<Clock> {
        let (base_ms, free_ms) = match control {
            TimeControl::Unlimited => return None,
            TimeControl::Fischer { base_ms, increment_ms: _ } => (base_ms, 0),
            TimeControl::Delay { base_ms, free_ms } => (base_ms, free_ms),
            TimeControl::PerPly { ply_ms } => (ply_ms, 0),
        };
        let both = |ms| PerSide::new(ms, ms);
        Some(Clock {
            control,
            remaining_ms: both(base_ms),
            free_ms: both(free_ms),
            since: PerSide::default(),
            has_whole_turns: false,
            quota: LagQuota::default(),
            lag_stock_ms: PerSide::default(),
        })
    }

    /// Enables lag compensation.
    pub(crate) fn set_lag_quota(&mut self, quota: LagQuota) {
        self.quota = quota;
        self.lag_stock_ms = PerSide::new(quota.stock_ms, quota.stock_ms);
    }

    /// Lets each turn begin with its whole time.
    pub(crate) fn set_whole_turns(&mut self) {
        self.has_whole_turns = true;
    }

    /// True if each turn begins with its whole time.
    pub(crate) fn has_whole_turns(&self) -> bool {
        self.has_whole_turns
    }

    /// Returns the lag compensation in milliseconds for a side that acts now: the round trip of
    /// the side's connection. The compensation cannot exceed the side's remaining stock, or the
    /// time for which the side's clock has been running.
    pub(crate) fn lag_credit_ms(&self, side: Side, round_trip_ms: u32, now: Stamp) -> u32 {
        let gone_ms = u32::try_from(self.gone_ms(side, now)).unwrap_or(u32::MAX);
        round_trip_ms.min(self.lag_stock_ms[side]).min(gone_ms)
    }

    /// Gives a side time back from its stock of lag compensation. The side's clock must be running.
    pub(crate) fn give_back(&mut self, side: Side, lag_ms: u32) {
        self.lag_stock_ms[side] = self.lag_stock_ms[side].saturating_sub(lag_ms);
        self.since[side] = self.since[side].map(|since| since.plus_ms(lag_ms.into()));
    }

    /// Starts a side's clock, unless the clock is already running.
    pub(crate) fn start(&mut self, side: Side, at: Stamp) {
        self.since[side].get_or_insert(at);
    }

    /// Stops both clocks at the time `at`.
    pub(crate) fn stop(&mut self, at: Stamp) {
        Side::BOTH.into_iter().for_each(|side| self.stop_side(side, at));
    }

    pub(crate) fn stop_side(&mut self, side: Side, at: Stamp) {
        self.remaining_ms[side] = self.remaining_ms(side, at);
        self.free_ms[side] = self.free_ms(side, at);
        self.since[side] = None;
    }

    /// Ends a side's ply. The side's clock stops and gains the increment, and the other side's
    /// clock starts.
    pub(crate) fn press(&mut self, side: Side, at: Stamp) {
        self.stop(at);
        if let TimeControl::Fischer { base_ms: _, increment_ms } = self.control {
            self.remaining_ms[side] = self.remaining_ms[side].saturating_add(increment_ms);
        }
        self.renew(side);
        if self.has_whole_turns {
            self.renew(side.opponent());
        }
        let stock_ms = self.lag_stock_ms[side].saturating_add(self.quota.per_ply_ms);
        self.lag_stock_ms[side] = stock_ms.min(self.quota.stock_ms);
        self.start(side.opponent(), at);
    }

    /// Gives a side the time that it has in each turn: its free time, or the time for a ply.
    fn renew(&mut self, side: Side) {
        match self.control {
            TimeControl::Unlimited | TimeControl::Fischer { .. } => {}
            TimeControl::Delay { base_ms: _, free_ms } => self.free_ms[side] = free_ms,
            TimeControl::PerPly { ply_ms } => self.remaining_ms[side] = ply_ms,
        }
    }

    /// A side's remaining time at the time `now`, in milliseconds.
    pub fn remaining_ms(&self, side: Side, now: Stamp) -> u64 {
        self.remaining_ms[side].saturating_sub(self.gone_ms(side, now).saturating_sub(self.free_ms[side]))
    }

    /// A side's remaining free time at the time `now`, in milliseconds.
    ///
    /// Free time is used up before the main time.
    pub fn free_ms(&self, side: Side, now: Stamp) -> u64 {
        self.free_ms[side].saturating_sub(self.gone_ms(side, now))
    }

    fn gone_ms(&self, side: Side, now: Stamp) -> u64 {
        self.since[side].map_or(0, |since| now.ms_since(since))
    }

    /// True if this side's clock is running.
    pub fn is_running(&self, side: Side) -> bool {
        self.since[side].is_some()
    }

    /// The time at which the running clock was started. If both clocks are running, this is the
    /// later of the two times.
    pub(crate) fn running_since(&self) -> Option<Stamp> {
        self.since[Side::Red].max(self.since[Side::Blue])
    }

    /// The latest time at which this side may act. `None` if the side's clock is not running.
    pub fn deadline_of(&self, side: Side) -> Option<Stamp> {
        let left_ms = self.remaining_ms[side].saturating_add(self.free_ms[side]);
        self.since[side].map(|since| since.plus_ms(left_ms))
    }

    /// The earliest deadline of the running clocks.
    pub fn deadline(&self) -> Option<Stamp> {
        Side::BOTH.into_iter().filter_map(|side| self.deadline_of(side)).min()
    }

    /// A time before which neither side can run out of time, no matter which side acts in the
    /// meantime.
    pub(crate) fn no_deadline_before(&self, now: Stamp) -> Stamp {
        let if_it_ran = |side| now.plus_ms(self.remaining_ms[side].saturating_add(self.free_ms[side]));
        let [red, blue] = Side::BOTH.map(|side| self.deadline_of(side).unwrap_or_else(|| if_it_ran(side)));
        red.min(blue)
    }

    /// The earliest time after which a side loses on time. It is the side's deadline, plus the
    /// time that the server waits for a late ply because of lag compensation.
    pub(crate) fn flag_fall(&self) -> Option<Stamp> {
        let wait_ms = |side| self.lag_stock_ms[side].min(self.quota.per_ply_ms).into();
        let of = |side| Some(self.deadline_of(side)?.plus_ms(wait_ms(side)));
        Side::BOTH.into_iter().filter_map(of).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Side = Side::Red;
    const BLUE: Side = Side::Blue;

    fn started(control: TimeControl) -> Clock {
        let mut clock = Clock::new(control).unwrap();
        clock.start(RED, Stamp(1_000));
        clock
    }

    fn left(clock: &Clock, side: Side, now: u64) -> (u64, u64) {
        (clock.remaining_ms(side, Stamp(now)), clock.free_ms(side, Stamp(now)))
    }

    #[test]
    fn an_increment_is_added_with_the_ply() {
        let mut clock = started(TimeControl::Fischer { base_ms: 10_000, increment_ms: 500 });
        assert_eq!(clock.deadline(), Some(Stamp(11_000)));
        clock.press(RED, Stamp(4_000));
        assert_eq!((left(&clock, RED, 5_000), left(&clock, BLUE, 5_000)), ((7_500, 0), (9_000, 0)));
    }

    #[test]
    fn with_a_delay_the_first_time_of_a_turn_is_free_and_never_kept() {
        let mut clock = started(TimeControl::Delay { base_ms: 10_000, free_ms: 3_000 });
        assert_eq!(clock.deadline(), Some(Stamp(14_000)));
        assert_eq!(left(&clock, RED, 2_000), (10_000, 2_000));
        assert_eq!(left(&clock, RED, 4_000), (10_000, 0));
        assert_eq!(left(&clock, RED, 6_000), (8_000, 0));
        clock.press(RED, Stamp(6_000));
        assert_eq!((left(&clock, RED, 6_000), left(&clock, BLUE, 6_000)), ((8_000, 3_000), (10_000, 3_000)));
        // A ply within the free time takes nothing from the remaining time.
        clock.press(BLUE, Stamp(7_000));
        assert_eq!((left(&clock, RED, 7_000), left(&clock, BLUE, 7_000)), ((8_000, 3_000), (10_000, 3_000)));
        assert_eq!(clock.deadline(), Some(Stamp(18_000)));
    }

    #[test]
    fn a_pause_takes_nothing_and_gives_nothing_of_a_delay() {
        let mut clock = started(TimeControl::Delay { base_ms: 10_000, free_ms: 3_000 });
        clock.stop(Stamp(2_000));
        assert_eq!(left(&clock, RED, 900_000), (10_000, 2_000));
        clock.start(RED, Stamp(900_000));
        assert_eq!(left(&clock, RED, 903_000), (9_000, 0));
        clock.stop(Stamp(903_000));
        clock.start(RED, Stamp(1_000_000));
        assert_eq!(left(&clock, RED, 1_001_000), (8_000, 0));
        assert_eq!(clock.deadline(), Some(Stamp(1_009_000)));
    }

    #[test]
    fn by_correspondence_every_ply_has_its_whole_time() {
        let day = 86_400_000;
        let mut clock = started(TimeControl::PerPly { ply_ms: day });
        clock.press(RED, Stamp(1_000 + day / 2));
        assert_eq!(left(&clock, RED, day), (day, 0));
        assert_eq!(clock.deadline(), Some(Stamp(1_000 + day / 2 + day)));
        clock.press(BLUE, Stamp(day));
        assert_eq!(clock.deadline(), Some(Stamp(2 * day)));
    }
}
