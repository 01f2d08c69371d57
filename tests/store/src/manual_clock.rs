//! A clock that a test sets. The store's own unit tests include this file too.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use flagfall_board::Stamp;
use flagfall_store::WallClock;

/// Clocks for tests, which can set them.
#[derive(Debug, Default)]
pub struct ManualClock {
    wall_ms: AtomicU64,
    steady_ms: AtomicU64,
}

impl ManualClock {
    /// Makes clocks whose wall clock shows this time.
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
