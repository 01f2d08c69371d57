//! Why a program's games end early, with an exit code for each kind.

use flagfall_protocol::Exit;
use flagfall_umpire::fault::Fault;
use flagfall_umpire::line::LineError;

use crate::text;

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// A fault that the umpire would punish too.
    #[error("{0}")]
    Fault(Fault),
    /// Its flag fell while it was thinking.
    #[error("{}", text!("failure-flag-fell"))]
    FlagFell,
    /// A move that a repetition rule refuses this turn.
    #[error("{}", text!("failure-repetition", answer = .answer.escape_debug().to_string()))]
    Repetition { answer: String },
    /// The game's state no longer matches the program's dialogue.
    #[error("{}", text!("failure-estranged"))]
    Estranged,
    /// The server refused a command that its own views allow.
    #[error("{}", text!("failure-refused", message))]
    Refused { message: String },
}

impl Failure {
    /// The exit code: refused if the server is the reason, otherwise one for each kind of fault.
    pub const fn code(&self) -> u8 {
        match self {
            Failure::Estranged | Failure::Refused { .. } => Exit::Refused.code(),
            Failure::FlagFell | Failure::Fault(Fault::Late { .. }) => 8,
            Failure::Fault(Fault::Gone | Fault::Unread) => 9,
            Failure::Fault(
                Fault::Deployment(_) | Fault::Garbage(LineError::Width { .. } | LineError::Letter { .. }),
            ) => 7,
            Failure::Fault(Fault::Move { .. } | Fault::Garbage(LineError::OffBoard { .. }))
            | Failure::Repetition { .. } => 6,
            Failure::Fault(
                Fault::Garbage(_) | Fault::LineTooLong | Fault::NotUtf8 | Fault::OutOfTurn { .. },
            ) => 5,
        }
    }
}
