//! The faults of programs.

use std::time::Duration;

use flagfall_rules::{EndReason, Refusal, SetupRefusal};
use flagfall_words::refusal_text;

use crate::line::{LINE_BYTES_MAX, LineError, quoted};

/// A violation for which a program loses the game. A loss on the board is not a fault.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what each fault is")]
pub enum Fault {
    #[error("no answer within {} s", .limit.as_secs_f64())]
    Late { limit: Duration },
    #[error("it ended or closed its output")]
    Gone,
    #[error("it does not read its input")]
    Unread,
    #[error("a line of more than {LINE_BYTES_MAX} bytes")]
    LineTooLong,
    #[error("a line that is not UTF-8")]
    NotUtf8,
    #[error("it wrote {0:?} without being asked")]
    OutOfTurn(String),
    #[error(transparent)]
    Garbage(LineError),
    #[error("an illegal deployment. {}", refusal_text(.0))]
    Deployment(SetupRefusal),
    #[error("the illegal move {answer:?}{}", reason(.refusal.as_ref()))]
    Move { answer: String, refusal: Option<Refusal> },
}

fn reason(refusal: Option<&Refusal>) -> String {
    refusal.map_or_else(String::new, |refusal| format!(". {}", refusal_text(refusal)))
}

impl Fault {
    /// Returns the fault for a program that prints a line outside its turn.
    pub fn out_of_turn(line: &str) -> Fault {
        Fault::OutOfTurn(quoted(line))
    }

    /// Returns the end reason of a game that is lost because of this fault (§A11).
    pub const fn reason(&self) -> EndReason {
        match self {
            Fault::Late { .. } => EndReason::OutOfTime,
            Fault::Gone | Fault::Unread => EndReason::Abandoned,
            _ => EndReason::IllegalAct,
        }
    }
}
