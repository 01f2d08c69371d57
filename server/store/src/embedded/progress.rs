//! Decides when to report the progress of long work.

use std::time::{Duration, Instant};

/// Returns true once a second. `told` is the time of the last report, or of the beginning of the
/// work.
pub(super) fn is_due(told: &mut Instant) -> bool {
    let is_due = told.elapsed() >= Duration::from_secs(1);
    if is_due {
        *told = Instant::now();
    }
    is_due
}
