//! Decides when the progress of long work is reported.

use std::time::{Duration, Instant};

/// In unit tests, progress is always reported.
const INTERVAL: Duration = if cfg!(test) { Duration::ZERO } else { Duration::from_secs(1) };

/// Returns true if a second has passed since `told`, and then sets `told` to the current time. At
/// first, `told` must be the time at which the work began.
pub(super) fn is_due(told: &mut Instant) -> bool {
    let is_due = told.elapsed() >= INTERVAL;
    if is_due {
        *told = Instant::now();
    }
    is_due
}
