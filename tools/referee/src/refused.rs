//! Why a request was refused.

use flagfall_board::{Ply, Stamp};
use flagfall_protocol::Code;
use flagfall_rules::{NoSuchRuleset, PositionTextError, Refusal};
use flagfall_words::refusal_text;

use crate::limits::STEPS_MAX;
use crate::lines::LINE_BYTES_MAX;

/// Why a request was refused. A refused request changes nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// Not JSON, no request, or an unknown field.
    #[error("not a request: {0}")]
    Malformed(String),
    /// The line has too many bytes.
    #[error("a line has at most {LINE_BYTES_MAX} bytes")]
    LineTooLong,
    /// There is no game yet.
    #[error("there is no game yet: begin with new_game or set_position")]
    NoGame,
    /// No ruleset of this id.
    #[error("{}", refusal_text(.0))]
    NoSuchRuleset(#[from] NoSuchRuleset),
    /// The text is not a position.
    #[error("not a position: {0}")]
    BadPosition(PositionTextError),
    /// The time is before the game's latest event.
    #[error("time does not run backward: the latest event was at {}, go_to goes back", .latest.0)]
    TimeWentBack {
        /// The time of the latest event.
        latest: Stamp,
    },
    /// No moment at this ply is kept.
    #[error("ply {ply} is not kept: there are {first} to {last}")]
    NoSuchPly {
        /// The requested ply.
        ply: Ply,
        /// The first ply that is kept.
        first: Ply,
        /// The last ply that is kept.
        last: Ply,
    },
    /// The game has not started, so there is no ply to go to.
    #[error("the game has not started: there is no ply to go to")]
    NotStarted,
    /// The game has more accepted commands than are kept.
    #[error(
        "a game has at most {STEPS_MAX} accepted commands here: go_to an earlier ply, or begin another game"
    )]
    TooMany,
    /// The system gave no random bits.
    #[error("the system gives no random bits: name a seed")]
    NoChance,
    /// A defect of this program.
    #[error("a defect of this program: {0}")]
    Internal(String),
    /// The engine refused the command.
    #[error("{}", refusal_text(.0))]
    Rules(#[from] Refusal),
}

impl Refused {
    /// The stable code of the refusal in answers. It is the network protocol's if there is one.
    pub fn code(&self) -> Code {
        Code::new(match self {
            Refused::Malformed(_) => Code::MALFORMED,
            Refused::LineTooLong => "line_too_long",
            Refused::NoGame => "no_game",
            Refused::NoSuchRuleset(error) => error.code(),
            Refused::BadPosition(_) => "bad_position",
            Refused::TimeWentBack { .. } => "time_went_back",
            Refused::NoSuchPly { .. } => "no_such_ply",
            Refused::NotStarted => Refusal::NotPlaying.code(),
            Refused::TooMany => Code::TOO_MANY,
            Refused::NoChance | Refused::Internal(_) => Code::INTERNAL,
            Refused::Rules(refusal) => refusal.code(),
        })
    }
}
