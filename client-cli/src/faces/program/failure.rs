//! Why a program's games end early, with an exit code for each kind.

use std::fmt;

use flagfall_protocol::Exit;
use flagfall_umpire::fault::Fault;
use flagfall_umpire::line::LineError;

use crate::text;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// A fault that the umpire would punish too.
    Fault(Fault),
    /// Its flag fell while it was thinking.
    FlagFell,
    /// A move that a repetition rule refuses this turn.
    Repetition { answer: String },
    /// The game's state no longer matches the program's dialogue.
    Estranged,
    /// The server refused a command that its own views allow.
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

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Fault(fault) => fault.fmt(f),
            Failure::FlagFell => f.write_str(&text!("failure-flag-fell")),
            Failure::Repetition { answer } => {
                f.write_str(&text!("failure-repetition", answer = answer.escape_debug().to_string()))
            }
            Failure::Estranged => f.write_str(&text!("failure-estranged")),
            Failure::Refused { message } => f.write_str(&text!("failure-refused", message)),
        }
    }
}
