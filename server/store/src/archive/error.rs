//! Why an export or import failed.

use std::io;

use flagfall_board::GameId;
use thiserror::Error;

use crate::store::StoreError;

/// Why an export or import failed.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// The file could not be read or written.
    #[error("the file cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// The file is not an export, or not complete.
    #[error("line {line}: {what}")]
    Form {
        /// Which line, from 1.
        line: u64,
        /// What is wrong, without any content of the file.
        what: &'static str,
    },
    /// The store already has this game with other entries.
    #[error("the store has another game {game} already: import into an empty one")]
    Other {
        /// The game.
        game: GameId,
    },
    /// A write may have happened or not.
    #[error("the store did not say what became of a write: import again, which goes on where it stopped")]
    Unknown,
}
