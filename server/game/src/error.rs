//! Why a game cannot be read, opened or created.

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

/// Why a game was not created.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CreateError {
    /// The store does not answer; the same id may be tried again.
    #[error("the store cannot be reached now; try again in a moment")]
    Unavailable,
    /// A player has too many running games.
    #[error("a player has {0} running games already: finish one first")]
    TooManyGames(usize),
    /// There is no memory for a new game.
    #[error("the server has no memory left for new games; running games go on. Try again in a few minutes")]
    NoMemory,
    /// All players together have too many running games.
    #[error("the server has {0} running games, as many as its operators allow. Try again in a few minutes")]
    ServerFull(usize),
    /// The server stops.
    #[error("the server is stopping: no new games")]
    Stopping,
    /// The ruleset is unknown.
    #[error("there is no ruleset of that id")]
    NoSuchRuleset,
    /// The operating system gave no random bits for the lakes.
    #[error("the server has no chance to draw lakes with; try again in a moment")]
    NoChance,
}

impl From<&CreateError> for Code {
    fn from(error: &CreateError) -> Code {
        Code::new(match error {
            CreateError::Unavailable | CreateError::NoChance => Code::STORE_UNAVAILABLE,
            CreateError::TooManyGames(_) => Code::TOO_MANY,
            CreateError::NoMemory | CreateError::ServerFull(_) => Code::SERVER_FULL,
            CreateError::Stopping => Code::STOPPING,
            CreateError::NoSuchRuleset => Code::NO_SUCH_RULESET,
        })
    }
}

/// Why a log could not be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReadFailure {
    Unavailable,
    Damaged,
}
