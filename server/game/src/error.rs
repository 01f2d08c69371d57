//! The reasons why a game cannot be read, opened or created.

use flagfall_base::jobs::JobError;
use flagfall_base::refusals;
use flagfall_protocol::{Code, Refusal};
use flagfall_rules::NoSuchRuleset;

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", Refusal::from(self))]
pub enum TableError {
    /// No game has this id, or the game is private and the requester does not play in it.
    NotFound,
    Quarantined,
    /// A newer version of the server wrote the log. The log is sound, but this server is too old
    /// to read it.
    TooNew,
    Unavailable,
    /// A defect of this server ended the game's table before it answered.
    Failed,
}

impl From<TableError> for JobError {
    fn from(error: TableError) -> JobError {
        match error {
            TableError::Unavailable => JobError::Away(error.to_string()),
            // Another server may be able to read the log.
            TableError::Failed | TableError::TooNew => JobError::Later(error.to_string()),
            TableError::NotFound | TableError::Quarantined => JobError::Damaged(error.to_string()),
        }
    }
}

impl From<&TableError> for Refusal {
    fn from(error: &TableError) -> Refusal {
        match error {
            TableError::NotFound => Refusal::new(Code::NO_SUCH_GAME),
            TableError::Quarantined => Refusal::new(Code::GAME_QUARANTINED),
            TableError::TooNew => Refusal::new(Code::SERVER_TOO_OLD),
            TableError::Unavailable => refusals::store_away(),
            TableError::Failed => Refusal::new(Code::INTERNAL).because("game"),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", Refusal::from(self))]
pub enum CreateError {
    /// The store does not answer. The creation may be retried with the same id.
    Unavailable,
    TooManyGames(usize),
    NoMemory,
    /// The server has too many running games, counting those of all players.
    ServerFull(usize),
    Stopping,
    NoSuchRuleset,
    /// The operating system provided no random bits for drawing the lakes.
    NoChance,
}

impl From<&CreateError> for Refusal {
    fn from(error: &CreateError) -> Refusal {
        match error {
            CreateError::Unavailable => refusals::store_away(),
            CreateError::TooManyGames(count) => {
                Refusal::new(Code::TOO_MANY).because("games_of_one").with("count", *count)
            }
            CreateError::NoMemory => Refusal::new(Code::SERVER_FULL).because("memory"),
            CreateError::ServerFull(count) => {
                Refusal::new(Code::SERVER_FULL).because("games").with("count", *count)
            }
            CreateError::Stopping => Refusal::new(Code::STOPPING).because("no_new_games"),
            CreateError::NoSuchRuleset => Refusal::from(&NoSuchRuleset::Unknown),
            CreateError::NoChance => refusals::defect(),
        }
    }
}
