//! Why requests to a store fail.

use flagfall_board::GameId;
use thiserror::Error;

use crate::limits::LimitError;

/// Why a request failed. An append or update that fails has written nothing.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum StoreError {
    #[error("beyond a limit: {0}")]
    Limit(#[from] LimitError),
    /// The store accepts no requests, because it is closed or unreachable or has failed.
    #[error("the store is unavailable: {why}")]
    Unavailable { why: String },
    /// A side record is damaged.
    #[error("damaged: {what}")]
    Damaged {
        /// The damage, described without any content of the record.
        what: String,
    },
}

#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ReadError {
    /// The log differs from what was written. The game is now in quarantine.
    #[error("the log of game {game} is damaged at entry {seq}: {what}")]
    Damaged {
        game: GameId,
        /// The number of the first entry that cannot be trusted.
        seq: u64,
        /// The damage, described without any content of the log.
        what: String,
    },
    /// The store cannot answer any request.
    #[error("the store is unavailable: {why}")]
    Unavailable { why: String },
}

impl From<ReadError> for StoreError {
    fn from(error: ReadError) -> StoreError {
        match error {
            ReadError::Unavailable { why } => StoreError::Unavailable { why },
            damaged @ ReadError::Damaged { .. } => StoreError::Damaged { what: damaged.to_string() },
        }
    }
}
