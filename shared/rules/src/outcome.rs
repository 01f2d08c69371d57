//! Outcomes of games, and the reasons why games end.

use flagfall_board::Side;
use flagfall_view::SeenOutcome;

/// The outcome of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The winner. `None` after a draw and for an aborted game.
    pub winner: Option<Side>,
    /// Why the game ended.
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

flagfall_board::named! {
    /// Why a game ended (§A11). The codes of the reasons and their order never change, because
    /// archived games store a reason's place in [`EndReason::ALL`]. New reasons go to the end.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum EndReason, code, from_code {
        /// The Flag was captured.
        FlagCaptured = "flag_captured",
        /// The side to move had no legal move.
        NoLegalMove = "no_legal_move",
        /// Neither side could move.
        BothBlocked = "both_blocked",
        /// A side resigned.
        Resigned = "resigned",
        /// Both sides agreed to a draw.
        DrawAgreed = "draw_agreed",
        /// The number of plies without a capture reached its limit.
        QuietLimit = "quiet_limit",
        /// The game reached its maximum length.
        PlyLimit = "ply_limit",
        /// A side's time ran out.
        OutOfTime = "out_of_time",
        /// A side left.
        Abandoned = "abandoned",
        /// A side broke the rules, in a ruleset in which that loses the game (§U7).
        IllegalAct = "illegal_act",
        /// A side had no ply left that would obey the reserve rule (§Q6).
        ForfeitedReserve = "forfeited_reserve",
        /// The game was aborted, or a side did not deploy in time.
        Aborted = "aborted",
    }
}
