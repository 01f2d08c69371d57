//! Where stamps come from.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use flagfall_board::Stamp;

/// The wall clock, as an argument. It may jump either way; a store clamps what it reads.
pub trait WallClock: Send + Sync + 'static {
    /// The time this clock shows now.
    fn now(&self) -> Stamp;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl WallClock for SystemClock {
    fn now(&self) -> Stamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Stamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

/// A clock that shows what it was set to, for tests.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicU64);

impl ManualClock {
    /// A clock showing this time.
    #[must_use]
    pub fn new(now: Stamp) -> ManualClock {
        ManualClock(AtomicU64::new(now.0))
    }

    /// Sets the clock, forward or back.
    pub fn set(&self, now: Stamp) {
        self.0.store(now.0, Ordering::SeqCst);
    }

    /// Moves the clock on.
    pub fn advance_ms(&self, ms: u64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }
}

impl WallClock for ManualClock {
    fn now(&self) -> Stamp {
        Stamp(self.0.load(Ordering::SeqCst))
    }
}

impl<C: WallClock> WallClock for std::sync::Arc<C> {
    fn now(&self) -> Stamp {
        C::now(self)
    }
}

/// A wall clock that never goes back: what it once gave out is the least it gives from then on.
pub(crate) struct ClampedClock {
    clock: Box<dyn WallClock>,
    floor: AtomicU64,
}

impl ClampedClock {
    pub(crate) fn new(clock: impl WallClock, floor: Stamp) -> ClampedClock {
        ClampedClock { clock: Box::new(clock), floor: AtomicU64::new(floor.0) }
    }

    /// Never gives less than this from now on.
    pub(crate) fn raise(&self, floor: Stamp) {
        self.floor.fetch_max(floor.0, Ordering::SeqCst);
    }

    /// The time to stamp something with.
    pub(crate) fn stamp(&self) -> Stamp {
        let now = self.clock.now().0;
        Stamp(self.floor.fetch_max(now, Ordering::SeqCst).max(now))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_clock_set_back_stands_still() {
        let wall = Arc::new(ManualClock::new(Stamp(100)));
        let clock = ClampedClock::new(wall.clone(), Stamp(50));
        assert_eq!(clock.stamp(), Stamp(100));
        wall.set(Stamp(10));
        assert_eq!(clock.stamp(), Stamp(100));
        wall.set(Stamp(101));
        assert_eq!(clock.stamp(), Stamp(101));
    }
}
