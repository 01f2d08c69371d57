//! The numbers of objects that are reserved for this process.

use std::collections::VecDeque;
use std::ops::Range;

use super::error::ArchiveError;

/// The numbers that are reserved for this process, for objects that it has not written yet.
#[derive(Debug, Default)]
pub(super) struct Reserved {
    free: VecDeque<u32>,
}

impl Reserved {
    /// Takes a number. `Archive::reserve` must have reserved enough numbers before.
    pub(super) fn number(&mut self) -> Result<u32, ArchiveError> {
        self.free.pop_front().ok_or(ArchiveError::Full)
    }

    pub(super) fn len(&self) -> usize {
        self.free.len()
    }

    pub(super) fn extend(&mut self, numbers: Range<u32>) {
        self.free.extend(numbers);
    }
}
