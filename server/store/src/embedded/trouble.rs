//! Why something could not be read.

use std::error::Error;
use std::io;

use flagfall_board::GameId;

use super::disk::is_no_room;
use crate::store::{ReadError, StoreError};

/// Why something could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Trouble {
    /// What is there is not what was written.
    Damaged {
        /// The entry that cannot be trusted; 0 if it is not an entry.
        seq: u64,
        /// What is wrong with it.
        what: String,
    },
    /// The disk or the database does not answer.
    Unavailable {
        /// What it says.
        why: String,
    },
    /// Something could not be written because the disk is full.
    NoRoom {
        /// What the disk or the database says.
        why: String,
    },
}

impl Trouble {
    pub(super) fn damaged(seq: u64, what: &str) -> Trouble {
        Trouble::Damaged { seq, what: what.to_owned() }
    }

    /// What a request that failed says.
    pub(super) fn of_store(error: StoreError) -> Trouble {
        Trouble::Unavailable { why: error.to_string() }
    }

    /// What is wrong, in words.
    pub(super) fn why(self) -> String {
        match self {
            Trouble::Damaged { what: why, .. } | Trouble::Unavailable { why } | Trouble::NoRoom { why } => {
                why
            }
        }
    }

    pub(super) fn of_game(self, game: GameId) -> ReadError {
        match self {
            Trouble::Damaged { seq, what } => ReadError::Damaged { game, seq, what },
            Trouble::Unavailable { why } | Trouble::NoRoom { why } => ReadError::Unavailable { why },
        }
    }

    pub(super) fn of_record(self) -> StoreError {
        match self {
            Trouble::Damaged { what, .. } => StoreError::Damaged { what },
            Trouble::Unavailable { why } | Trouble::NoRoom { why } => StoreError::Unavailable { why },
        }
    }

    /// What a failed read of an entry means.
    pub(super) fn of_io(error: &io::Error, seq: u64) -> Trouble {
        match error.kind() {
            // The disk answers, and has nothing to give.
            io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => {
                Trouble::Damaged { seq, what: error.to_string() }
            }
            // A damaged sector.
            _ if error.raw_os_error() == Some(5) => Trouble::Damaged { seq, what: error.to_string() },
            _ => Trouble::Unavailable { why: error.to_string() },
        }
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        let why = error.to_string();
        if is_no_room(&error) { Trouble::NoRoom { why } } else { Trouble::Unavailable { why } }
    }
}

impl From<fjall::Error> for Trouble {
    fn from(error: fjall::Error) -> Trouble {
        let why = format!("the database cannot be used ({error})");
        // A poisoned database has met an error in its own threads: most likely a full disk. Opening
        // it again tells.
        let is_full = matches!(error, fjall::Error::Poisoned) || io_error(&error).is_some_and(is_no_room);
        if is_full { Trouble::NoRoom { why } } else { Trouble::Unavailable { why } }
    }
}

/// The error of the system that an error of the database rests on.
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
