//! When to tell how far long work has come, for the person who waits for it.

use std::time::{Duration, Instant};

/// True once a second. `told` is when it was true last, or when the work began.
pub(super) fn is_due(told: &mut Instant) -> bool {
    let is_due = told.elapsed() >= Duration::from_secs(1);
    if is_due {
        *told = Instant::now();
    }
    is_due
}
