//! The reasons why a program's games end early, each with an exit code.

use flagfall_protocol::Exit;
use flagfall_umpire::fault::Fault;
use flagfall_umpire::line::LineError;

use crate::text;

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// A fault for which the umpire would also punish the program.
    #[error("{0}")]
    Fault(Fault),
    /// The program's flag fell during its turn.
    #[error("{}", text!("failure-flag-fell"))]
    FlagFell,
    /// A move that a repetition rule forbids on this turn.
    #[error("{}", text!("failure-repetition", answer = .answer.escape_debug().to_string()))]
    Repetition { answer: String },
    /// The server has lost the position that the program has seen.
    #[error("{}", text!("failure-estranged"))]
    Estranged,
    /// The server refused a command that the server's own view allows.
    #[error("{}", text!("failure-refused", message))]
    Refused { message: String },
}

impl Failure {
    /// Returns the exit code: [`Exit::Refused`] if the server caused the failure, otherwise the
    /// code for this kind of fault.
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
