//! Why a command was refused.

use flagfall_board::Ply;

use crate::coded::coded;
use crate::setup::SetupRefusal;

coded! {
    /// Why a command was refused. Only the asker learns of it.
    ///
    /// It holds nothing that the asker does not know, and no refusal depends on a rank that is
    /// hidden from them.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
    #[error("{}", self.code())]
    #[expect(missing_docs, reason = "the names of the fields say what they hold")]
    pub enum Refusal {
        /// The setup is not a deployment.
        Setup(#[from] SetupRefusal as refusal) = refusal.code(),
        /// Deployments are closed.
        NotDeploying = "not_deploying",
        /// The asker's deployment broke the rules in a ruleset where that loses (§U7); it cannot be
        /// changed.
        DeploymentFinal = "deployment_final",
        /// The game has not started.
        NotPlaying = "not_playing",
        /// The game is over.
        GameOver = "game_over",
        /// The log says the game is paused; the server is about to stop or has just started.
        Paused = "paused",
        /// It is the other side's turn.
        NotYourTurn = "not_your_turn",
        /// The command was made for another ply than the current one.
        StalePly { named: Ply, current: Ply } = "stale_ply",
        /// The time for the command is over.
        OutOfTime = "out_of_time",
        /// A square that this board does not have.
        OffBoard = "off_board",
        /// Nothing stands on the square to move from.
        NoPiece = "no_piece",
        /// The piece is the other side's.
        NotYourPiece = "not_your_piece",
        /// Flags and Bombs never move (§A5).
        Immovable = "immovable",
        /// Not along one row or column (§A5).
        NotInLine = "not_in_line",
        /// More than one square by a piece other than a Scout (§A5, §C2).
        TooFar = "too_far",
        /// The target is a lake (§A1).
        Lake = "lake",
        /// One's own piece stands on the target (§A5).
        OwnPiece = "own_piece",
        /// A piece or a lake lies in between (§A5, §C2).
        Blocked = "blocked",
        /// A strike from afar in a ruleset in which Scouts either move or strike (§O1).
        StrikeFromAfar = "strike_from_afar",
        /// The two-squares rule (§C3).
        TwoSquares = "two_squares",
        /// The more-squares rule (§T2).
        MoreSquares = "more_squares",
        /// The named path does not lead there (§S2.7).
        NoPath = "no_path",
        /// Several squares, although the chips allow no rule to carry the piece so far (§S3.1,
        /// §S3.2).
        NoSupplyLine = "no_supply_line",
        /// A landing piece has no color for its chip (§S2.3).
        ColorWanted = "color_wanted",
        /// A color is named where no chip of choice is laid (§S2.3, §S3.2).
        ColorRefused = "color_refused",
        /// A color (§S2.4) or a choice in a strike (§Q4) comes before the next ply.
        ChoicePending = "choice_pending",
        /// The asker owes neither a color nor a choice.
        NoChoice = "no_choice",
        /// The asker has already chosen what its coin is (§Q4).
        ChoiceFinal = "choice_final",
        /// Fewer coins would stay unmoved than Bombs and Flag are left in the pool (§Q6).
        ReserveRule = "reserve_rule",
        /// The coin would become a Scout, and none is left (§Q3).
        NoScoutLeft = "no_scout_left",
        /// The pool has no such piece left (§Q4).
        NotInPool = "not_in_pool",
        /// The ruleset has no reserve (§S1.3).
        NoReserve = "no_reserve",
        /// The asker has no such piece in reserve.
        NotInReserve = "not_in_reserve",
        /// The Flag stays on the board (§S1.5).
        FlagStays = "flag_stays",
        /// Pieces are placed only on one's own home rows (§S1.5).
        NotHome = "not_home",
        /// A piece stands where one was to be placed (§S1.5).
        NotEmpty = "not_empty",
        /// The asker's own offer still stands.
        DrawAlreadyOffered = "draw_already_offered",
        /// The asker made an offer a short while ago.
        DrawOfferedRecently { plies_left: Ply } = "draw_offered_recently",
        /// No offer of the other side stands.
        NoDrawOffer = "no_draw_offer",
        /// The asker has made a ply.
        TooLateToAbort = "too_late_to_abort",
        /// The other side is here, or has not been seen to leave.
        OpponentPresent = "opponent_present",
        /// The other side is gone, but not for long enough.
        ClaimTooEarly { seconds_left: u64 } = "claim_too_early",
        /// The other side has days for each ply and need not be here.
        NoClaims = "no_claims",
    }
}

impl Refusal {
    /// Whether a side whose turn it is asked for a ply against the rules (§U7).
    ///
    /// A late or repeated command, or one in the other side's turn, is not against the rules.
    /// Neither is a needless color, because no rule of the board forbids the move itself.
    pub const fn is_illegal_move(&self) -> bool {
        matches!(
            self,
            Refusal::OffBoard
                | Refusal::NoPiece
                | Refusal::NotYourPiece
                | Refusal::Immovable
                | Refusal::NotInLine
                | Refusal::TooFar
                | Refusal::Lake
                | Refusal::OwnPiece
                | Refusal::Blocked
                | Refusal::StrikeFromAfar
                | Refusal::TwoSquares
                | Refusal::MoreSquares
                | Refusal::NoPath
                | Refusal::NoSupplyLine
                | Refusal::ColorWanted
                | Refusal::ReserveRule
                | Refusal::NoScoutLeft
                | Refusal::NotInPool
                | Refusal::NoReserve
                | Refusal::NotInReserve
                | Refusal::FlagStays
                | Refusal::NotHome
                | Refusal::NotEmpty
        )
    }
}
