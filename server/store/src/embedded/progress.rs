//! When to tell how far long work has come, for the person who waits for it.

use std::time::{Duration, Instant};

/// How often it is told.
const EVERY: Duration = Duration::from_secs(1);

/// The times at which progress is told.
pub(super) struct Progress {
    told: Instant,
}

impl Progress {
    /// The work begins now.
    pub(super) fn begin() -> Progress {
        Progress { told: Instant::now() }
    }

    /// True once a second.
    pub(super) fn is_due(&mut self) -> bool {
        let is_due = self.told.elapsed() >= EVERY;
        if is_due {
            self.told = Instant::now();
        }
        is_due
    }
}
