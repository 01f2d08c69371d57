//! How games end.

use flagfall_board::Side;
use flagfall_view::SeenOutcome;

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Who won; none for a draw or an aborted game.
    pub winner: Option<Side>,
    /// Why.
    pub reason: EndReason,
}

impl Outcome {
    pub(crate) const fn won(winner: Side, reason: EndReason) -> Outcome {
        Outcome { winner: Some(winner), reason }
    }

    pub(crate) const fn nobody(reason: EndReason) -> Outcome {
        Outcome { winner: None, reason }
    }
}

impl From<Outcome> for SeenOutcome {
    fn from(outcome: Outcome) -> SeenOutcome {
        let Outcome { winner, reason } = outcome;
        SeenOutcome { winner, reason: reason.code().to_owned() }
    }
}

/// Why a game ended (§A11). The codes are frozen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndReason {
    /// The Flag was taken.
    FlagCaptured,
    /// The side to move had no legal move.
    NoLegalMove,
    /// Neither side could move.
    BothBlocked,
    /// A side resigned.
    Resigned,
    /// Both agreed to a draw.
    DrawAgreed,
    /// No piece was captured for too long.
    QuietLimit,
    /// The game grew too long.
    PlyLimit,
    /// A side's time ran out.
    OutOfTime,
    /// A side left.
    Abandoned,
    /// A side broke the rules where that loses the game (§U7).
    IllegalAct,
    /// A side had no act left that keeps the reserve rule (§Q6).
    ForfeitedReserve,
    /// The game was aborted, or a side did not deploy in time.
    Aborted,
}

impl EndReason {
    /// Every reason.
    pub const ALL: [EndReason; 12] = [
        EndReason::FlagCaptured,
        EndReason::NoLegalMove,
        EndReason::BothBlocked,
        EndReason::Resigned,
        EndReason::DrawAgreed,
        EndReason::QuietLimit,
        EndReason::PlyLimit,
        EndReason::OutOfTime,
        EndReason::Abandoned,
        EndReason::IllegalAct,
        EndReason::ForfeitedReserve,
        EndReason::Aborted,
    ];

    /// The reason's code in messages, logs and records.
    pub const fn code(self) -> &'static str {
        match self {
            EndReason::FlagCaptured => "flag_captured",
            EndReason::NoLegalMove => "no_legal_move",
            EndReason::BothBlocked => "both_blocked",
            EndReason::Resigned => "resigned",
            EndReason::DrawAgreed => "draw_agreed",
            EndReason::QuietLimit => "quiet_limit",
            EndReason::PlyLimit => "ply_limit",
            EndReason::OutOfTime => "out_of_time",
            EndReason::Abandoned => "abandoned",
            EndReason::IllegalAct => "illegal_act",
            EndReason::ForfeitedReserve => "forfeited_reserve",
            EndReason::Aborted => "aborted",
        }
    }

    /// The reason with this code.
    pub fn from_code(code: &str) -> Option<EndReason> {
        EndReason::ALL.into_iter().find(|reason| reason.code() == code)
    }
}
