//! A clock that a test sets. The unit tests of the store include this file as well.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use flagfall_board::Stamp;
use flagfall_store::WallClock;

/// A wall clock and a steady clock that a test sets.
#[derive(Debug, Default)]
pub struct ManualClock {
    wall_ms: AtomicU64,
    steady_ms: AtomicU64,
}

impl ManualClock {
    /// Creates clocks. The wall clock shows this time.
    #[must_use]
    pub fn new(now: Stamp) -> ManualClock {
        ManualClock { wall_ms: AtomicU64::new(now.0), steady_ms: AtomicU64::new(0) }
    }

    /// Sets the wall clock, forward or back, as an administrator does. The steady clock does not
    /// change.
    pub fn set(&self, now: Stamp) {
        self.wall_ms.store(now.0, Ordering::SeqCst);
    }

    /// Lets time pass on both clocks.
    pub fn advance_ms(&self, ms: u64) {
        self.wall_ms.fetch_add(ms, Ordering::SeqCst);
        self.steady_ms.fetch_add(ms, Ordering::SeqCst);
    }
}

impl WallClock for ManualClock {
    fn now(&self) -> Stamp {
        Stamp(self.wall_ms.load(Ordering::SeqCst))
    }

    fn steady(&self) -> Duration {
        Duration::from_millis(self.steady_ms.load(Ordering::SeqCst))
    }
}
