//! Counts tables that are in memory only for what is due in their games.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many tables are in memory only for what is due in them, of one kind.
#[derive(Clone, Default)]
pub(super) struct InCare(Arc<AtomicUsize>);

/// Counts a table in [`InCare`] as long as it exists.
pub(super) struct Care(Arc<AtomicUsize>);

impl InCare {
    pub(super) fn enter(&self) -> Care {
        self.0.fetch_add(1, Ordering::Relaxed);
        Care(self.0.clone())
    }

    pub(super) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Care {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
