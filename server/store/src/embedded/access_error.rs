//! The errors of reads and writes.

use std::error::Error;
use std::io;

use flagfall_board::GameId;

use super::disk::{is_damaged_sector, is_no_room};
use crate::store::{ReadError, StoreError};

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum AccessError {
    /// The data differs from what was written. `seq` is the number of the damaged entry, or 0 if
    /// the damage is not in an entry.
    #[error("{what}")]
    Damaged { seq: u64, what: String },
    /// The disk or the database cannot be used.
    #[error("{why}")]
    Unavailable { why: String },
    /// Something could not be written because the disk is full.
    #[error("{why}")]
    NoRoom { why: String },
}

impl AccessError {
    pub(super) fn damaged(seq: u64, what: &str) -> AccessError {
        AccessError::Damaged { seq, what: what.to_owned() }
    }

    pub(super) fn of_game(self, game: GameId) -> ReadError {
        match self {
            AccessError::Damaged { seq, what } => ReadError::Damaged { game, seq, what },
            AccessError::Unavailable { why } | AccessError::NoRoom { why } => ReadError::Unavailable { why },
        }
    }

    /// Converts an I/O error that occurred while reading an entry.
    pub(super) fn of_io(error: &io::Error, seq: u64) -> AccessError {
        use io::ErrorKind::{InvalidData, NotFound, UnexpectedEof};
        // These errors mean that the disk works, but that the data is missing.
        let is_nothing = matches!(error.kind(), NotFound | UnexpectedEof | InvalidData);
        let text = error.to_string();
        match is_nothing || is_damaged_sector(error) {
            true => AccessError::Damaged { seq, what: text },
            false => AccessError::Unavailable { why: text },
        }
    }
}

impl From<AccessError> for StoreError {
    fn from(error: AccessError) -> StoreError {
        match error {
            AccessError::Damaged { what, .. } => StoreError::Damaged { what },
            AccessError::Unavailable { why } | AccessError::NoRoom { why } => StoreError::Unavailable { why },
        }
    }
}

impl From<StoreError> for AccessError {
    fn from(error: StoreError) -> AccessError {
        match error {
            StoreError::Unavailable { why } => AccessError::Unavailable { why },
            other => AccessError::Unavailable { why: other.to_string() },
        }
    }
}

impl From<io::Error> for AccessError {
    fn from(error: io::Error) -> AccessError {
        let why = error.to_string();
        if is_no_room(&error) { AccessError::NoRoom { why } } else { AccessError::Unavailable { why } }
    }
}

impl From<fjall::Error> for AccessError {
    fn from(error: fjall::Error) -> AccessError {
        let why = format!("the database cannot be used ({error})");
        // A database refuses further use ("poisoned") after an error in one of its threads, most
        // likely because of a full disk. Reopening the database shows whether the disk was the
        // cause.
        let is_full = matches!(error, fjall::Error::Poisoned) || io_error(&error).is_some_and(is_no_room);
        if is_full { AccessError::NoRoom { why } } else { AccessError::Unavailable { why } }
    }
}

/// Returns the I/O error that caused a database error, if there was one.
fn io_error(error: &fjall::Error) -> Option<&io::Error> {
    let mut source: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = source {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        source = error.source();
    }
    None
}
