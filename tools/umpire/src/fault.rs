//! What goes wrong with programs.

use std::fmt;
use std::time::Duration;

use flagfall_rules::{EndReason, Refusal, SetupRefusal};
use flagfall_words::refusal_text;

use crate::line::{LINE_BYTES_MAX, LineError, quoted};

/// Why a program lost without losing on the board.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names of the fields say what they hold")]
pub enum Fault {
    /// It gave no complete answer within the limit.
    Late { limit: Duration },
    /// It ended, or closed its output.
    Gone,
    /// It left too much of its input unread.
    Unread,
    /// It printed a line that is too long.
    LineTooLong,
    /// It printed a line that is not UTF-8.
    NotUtf8,
    /// It printed a line before it was asked.
    OutOfTurn(String),
    /// Its answer is malformed.
    Garbage(LineError),
    /// Its deployment is against the rules.
    Deployment(SetupRefusal),
    /// Its move is against the rules.
    Move { answer: String, refusal: Option<Refusal> },
}

/// Words to add to a late answer: the processor time that the program used meanwhile. Much less
/// than the limit means that it waited, or that the machine was too busy to run it.
pub fn processor_words(processor: Duration) -> String {
    format!(", in which it used {:.2} s of processor time", processor.as_secs_f64())
}

impl Fault {
    /// The fault of a line that was not asked for.
    pub fn out_of_turn(line: &str) -> Fault {
        Fault::OutOfTurn(quoted(line))
    }

    /// The end reason of a game lost by this fault (§A11).
    pub const fn reason(&self) -> EndReason {
        match self {
            Fault::Late { .. } => EndReason::OutOfTime,
            Fault::Gone | Fault::Unread => EndReason::Abandoned,
            _ => EndReason::IllegalAct,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Late { limit } => write!(f, "no answer within {} s", limit.as_secs_f64()),
            Fault::Gone => f.write_str("it ended or closed its output"),
            Fault::Unread => f.write_str("it does not read what it is told"),
            Fault::LineTooLong => write!(f, "a line of more than {LINE_BYTES_MAX} bytes"),
            Fault::NotUtf8 => f.write_str("a line that is not UTF-8"),
            Fault::OutOfTurn(line) => write!(f, "it said {line:?} without being asked"),
            Fault::Garbage(error) => error.fmt(f),
            Fault::Deployment(refusal) => write!(f, "an illegal deployment. {}", refusal_text(refusal)),
            Fault::Move { answer, refusal: Some(refusal) } => {
                write!(f, "the illegal move {answer:?}. {}", refusal_text(refusal))
            }
            Fault::Move { answer, refusal: None } => write!(f, "the illegal move {answer:?}"),
        }
    }
}
