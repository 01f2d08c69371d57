//! Why a command was refused.

use flagfall_board::Ply;

use crate::coded::coded;
use crate::setup::SetupRefusal;

coded! {
    /// The reason why a command was refused. Only the sender learns of it.
    ///
    /// A refusal contains only what the sender already knows, and it never depends on a rank that
    /// is hidden from them.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
    #[error("{}", self.code())]
    #[expect(missing_docs, reason = "the names of the fields say what they hold")]
    pub enum Refusal {
        /// The setup is not a valid deployment.
        Setup(#[from] SetupRefusal as refusal) = refusal.code(),
        /// Deployments are closed.
        NotDeploying = "not_deploying",
        /// The sender's deployment broke the rules, which loses the game in this ruleset (§U7).
        /// The deployment cannot be changed.
        DeploymentFinal = "deployment_final",
        /// The game has not started.
        NotPlaying = "not_playing",
        /// The game is over.
        GameOver = "game_over",
        /// The game is paused, because the server is about to stop or has just started.
        Paused = "paused",
        /// It is the other side's turn.
        NotYourTurn = "not_your_turn",
        /// The command was made for another ply than the current one.
        StalePly { named: Ply, current: Ply } = "stale_ply",
        /// The time for the command is over.
        OutOfTime = "out_of_time",
        /// The board does not have that square.
        OffBoard = "off_board",
        /// The square to move from is empty.
        NoPiece = "no_piece",
        /// The piece is the other side's.
        NotYourPiece = "not_your_piece",
        /// Flags and Bombs never move (§A5).
        Immovable = "immovable",
        /// The move does not follow one row or column (§A5).
        NotInLine = "not_in_line",
        /// Only Scouts move more than one square (§A5, §C2).
        TooFar = "too_far",
        /// The target is a lake (§A1).
        Lake = "lake",
        /// The target holds one of the side's own pieces (§A5).
        OwnPiece = "own_piece",
        /// A piece or a lake is in the way (§A5, §C2).
        Blocked = "blocked",
        /// The Scout strikes from afar, in a ruleset in which Scouts either move or strike (§O1).
        StrikeFromAfar = "strike_from_afar",
        /// The two-squares rule forbids the move (§C3).
        TwoSquares = "two_squares",
        /// The more-squares rule forbids the move (§T2).
        MoreSquares = "more_squares",
        /// The named path does not lead to the target (§S2.7).
        NoPath = "no_path",
        /// The move covers several squares, but no supply line or flash carries the piece so far
        /// (§S3.1, §S3.2).
        NoSupplyLine = "no_supply_line",
        /// The command must name a color for the chip of the landing piece (§S2.3).
        ColorWanted = "color_wanted",
        /// The command names a color, but the move lays no chip of a chosen color (§S2.3, §S3.2).
        ColorRefused = "color_refused",
        /// A color (§S2.4) or a choice in a strike (§Q4) must come before the next ply.
        ChoicePending = "choice_pending",
        /// The game waits for neither a color nor a choice of the sender.
        NoChoice = "no_choice",
        /// The sender has already chosen the rank of their coin (§Q4).
        ChoiceFinal = "choice_final",
        /// Too few coins would stay unmoved for the Bombs and the Flag that are left in the pool
        /// (§Q6).
        ReserveRule = "reserve_rule",
        /// The coin would become a Scout, but the pool has no Scout left (§Q3).
        NoScoutLeft = "no_scout_left",
        /// The pool has no such piece left (§Q4).
        NotInPool = "not_in_pool",
        /// The ruleset has no reserve (§S1.3).
        NoReserve = "no_reserve",
        /// The sender has no such piece in reserve.
        NotInReserve = "not_in_reserve",
        /// The Flag stays on the board (§S1.5).
        FlagStays = "flag_stays",
        /// A side can place pieces only on its own home rows (§S1.5).
        NotHome = "not_home",
        /// The target square is not empty (§S1.5).
        NotEmpty = "not_empty",
        /// The sender's own draw offer is still open.
        DrawAlreadyOffered = "draw_already_offered",
        /// The sender offered a draw a short while ago.
        DrawOfferedRecently { plies_left: Ply } = "draw_offered_recently",
        /// The other side has no open draw offer.
        NoDrawOffer = "no_draw_offer",
        /// The sender has already made a ply.
        TooLateToAbort = "too_late_to_abort",
        /// The other side is present, as far as the server knows.
        OpponentPresent = "opponent_present",
        /// The other side is gone, but not for long enough.
        ClaimTooEarly { seconds_left: u64 } = "claim_too_early",
        /// Correspondence games cannot be claimed, because players need not be present.
        NoClaims = "no_claims",
    }
}

impl Refusal {
    /// Whether the side to move asked for a ply that breaks the rules (§U7).
    ///
    /// A late or repeated command does not break the rules, and neither does a command in the
    /// other side's turn. A needless color does not either, because no rule of the board forbids
    /// the move itself.
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
