//! Why a game cannot be read or opened.

use flagfall_base::jobs::JobError;
use flagfall_protocol::Code;

/// Why there is no table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TableError {
    /// No game has this id, or it is a private game of other players.
    #[error("there is no game of that id, or it is private")]
    NotFound,
    /// The game's log is damaged.
    #[error("this game's log is damaged; an operator must look at it. Other games go on")]
    Quarantined,
    /// The store does not answer.
    #[error("the store cannot be reached now; try again in a moment")]
    Unavailable,
    /// A defect of this server ended the game's table before it answered.
    #[error("the game met a defect of this server; it is opened again, so try again in a moment")]
    Failed,
}

impl From<TableError> for JobError {
    fn from(error: TableError) -> JobError {
        match error {
            TableError::Unavailable => JobError::Away(error.to_string()),
            TableError::Failed => JobError::Later(error.to_string()),
            TableError::NotFound | TableError::Quarantined => JobError::Damaged(error.to_string()),
        }
    }
}

impl From<ReadFailure> for TableError {
    fn from(failure: ReadFailure) -> TableError {
        match failure {
            ReadFailure::Damaged => TableError::Quarantined,
            ReadFailure::Unavailable => TableError::Unavailable,
        }
    }
}

impl From<&TableError> for Code {
    fn from(error: &TableError) -> Code {
        Code::new(match error {
            TableError::NotFound => Code::NO_SUCH_GAME,
            TableError::Quarantined => Code::GAME_QUARANTINED,
            TableError::Unavailable => Code::STORE_UNAVAILABLE,
            TableError::Failed => Code::INTERNAL,
        })
    }
}

/// Why a log could not be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReadFailure {
    Unavailable,
    Damaged,
}
