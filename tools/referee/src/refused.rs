//! The reasons why a request is refused.

use flagfall_board::{Ply, Stamp};
use flagfall_protocol::Code;
use flagfall_rules::{NoSuchRuleset, PositionTextError, Refusal};
use flagfall_words::refusal_text;

use crate::lines::LINE_BYTES_MAX;

/// Maximum number of accepted commands that are kept for one game: four times the number of plies
/// in the longest game.
pub const STEPS_MAX: usize = 20_000;

/// Why a request was refused. A refused request changes nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what each error is")]
pub enum Refused {
    #[error("not a request: {0}")]
    Malformed(String),
    #[error("a line has at most {LINE_BYTES_MAX} bytes")]
    LineTooLong,
    #[error("there is no game yet: begin with new_game or set_position")]
    NoGame,
    #[error("{}", refusal_text(.0))]
    NoSuchRuleset(#[from] NoSuchRuleset),
    #[error("not a position: {0}")]
    BadPosition(PositionTextError),
    #[error("this time is before the latest event, which was at {}; use go_to to go back", .latest.0)]
    TimeWentBack { latest: Stamp },
    #[error("the referee does not have ply {ply}; it has plies {first} to {last}")]
    NoSuchPly { ply: Ply, first: Ply, last: Ply },
    #[error("the game has not started, so there is no ply to go to")]
    NotStarted,
    #[error(
        "a game can have at most {STEPS_MAX} accepted commands; go_to an earlier ply, or begin another game"
    )]
    TooMany,
    #[error("the operating system provides no random bits; name a seed")]
    NoChance,
    #[error("a defect of this program: {0}")]
    Internal(String),
    #[error("{}", refusal_text(.0))]
    Rules(#[from] Refusal),
}

impl Refused {
    /// Returns the stable code of the refusal. It is the code of the network protocol if the
    /// protocol has one.
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
