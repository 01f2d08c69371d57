//! Why something could not be read.

use std::io;

use flagfall_board::GameId;

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
            Trouble::Damaged { what: why, .. } | Trouble::Unavailable { why } => why,
        }
    }

    pub(super) fn of_game(self, game: GameId) -> ReadError {
        match self {
            Trouble::Damaged { seq, what } => ReadError::Damaged { game, seq, what },
            Trouble::Unavailable { why } => ReadError::Unavailable { why },
        }
    }

    pub(super) fn of_record(self) -> StoreError {
        match self {
            Trouble::Damaged { what, .. } => StoreError::Damaged { what },
            Trouble::Unavailable { why } => StoreError::Unavailable { why },
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
        Trouble::Unavailable { why: error.to_string() }
    }
}

impl From<fjall::Error> for Trouble {
    fn from(error: fjall::Error) -> Trouble {
        Trouble::Unavailable { why: format!("the database cannot be used ({error})") }
    }
}
