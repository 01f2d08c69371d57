//! The reasons why a command is refused.

use flagfall_board::Ply;

use crate::coded::coded;
use crate::setup::SetupRefusal;

coded! {
    /// Why a command was refused. Only the sender may see it.
    ///
    /// A refusal contains only facts that the sender already knows, and it never depends on a
    /// rank that is hidden from the sender.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
    #[error("{}", self.code())]
    #[expect(missing_docs, reason = "the names of the fields say what they hold")]
    pub enum Refusal {
        /// The setup is not a valid deployment.
        Setup(#[from] SetupRefusal as refusal) = refusal.code(),
        /// The game has started, so deployments are no longer accepted.
        NotDeploying = "not_deploying",
        /// The sender's deployment is illegal, which loses the game in this ruleset (§U7). The
        /// sender can no longer change it.
        DeploymentFinal = "deployment_final",
        /// The game has not started.
        NotPlaying = "not_playing",
        /// The game is over.
        GameOver = "game_over",
        /// The game is paused because the server is about to stop or has just started.
        Paused = "paused",
        /// It is the other side's turn.
        NotYourTurn = "not_your_turn",
        /// The command was issued for a ply that is not the current one.
        StalePly { named: Ply, current: Ply } = "stale_ply",
        /// The command came after the deadline.
        OutOfTime = "out_of_time",
        /// The square is not on the board.
        OffBoard = "off_board",
        /// The starting square is empty.
        NoPiece = "no_piece",
        /// The piece belongs to the other side.
        NotYourPiece = "not_your_piece",
        /// Flags and Bombs never move (§A5).
        Immovable = "immovable",
        /// The move does not follow a row or column (§A5).
        NotInLine = "not_in_line",
        /// The piece cannot move that far, because only Scouts move more than one square (§A5,
        /// §C2).
        TooFar = "too_far",
        /// The target is a lake (§A1).
        Lake = "lake",
        /// The target holds one of the side's own pieces (§A5).
        OwnPiece = "own_piece",
        /// A piece or a lake is in the way (§A5, §C2).
        Blocked = "blocked",
        /// A Scout would strike from more than one square away, in a ruleset in which Scouts
        /// either move or strike (§O1).
        StrikeFromAfar = "strike_from_afar",
        /// The two-squares rule forbids the move (§C3).
        TwoSquares = "two_squares",
        /// The more-squares rule forbids the move (§T2).
        MoreSquares = "more_squares",
        /// The path that the command names does not lead to the target (§S2.7).
        NoPath = "no_path",
        /// The move covers several squares, but no supply line or flash allows the piece to move
        /// that far (§S3.1, §S3.2).
        NoSupplyLine = "no_supply_line",
        /// The command names no color, but the piece lays a chip of a chosen color where it lands
        /// (§S2.3).
        ColorWanted = "color_wanted",
        /// The command names a color, but the move lays no chip of a chosen color (§S2.3, §S3.2).
        ColorRefused = "color_refused",
        /// The sender must first name a color (§S2.4) or choose a rank in a strike (§Q4).
        ChoicePending = "choice_pending",
        /// The sender does not have to name a color or choose a rank now.
        NoChoice = "no_choice",
        /// The sender has already chosen the rank of their coin (§Q4).
        ChoiceFinal = "choice_final",
        /// After the command, there would be fewer unmoved coins than Bombs and Flags in the pool
        /// (§Q6).
        ReserveRule = "reserve_rule",
        /// The coin would have to become a Scout, but the pool has no Scout left (§Q3).
        NoScoutLeft = "no_scout_left",
        /// The pool has no piece of this rank left (§Q4).
        NotInPool = "not_in_pool",
        /// The ruleset has no reserve (§S1.3).
        NoReserve = "no_reserve",
        /// The sender's reserve has no such piece.
        NotInReserve = "not_in_reserve",
        /// The Flag cannot be removed from the board (§S1.5).
        FlagStays = "flag_stays",
        /// The square is not on the side's home rows, on which all placed pieces must start
        /// (§S1.5).
        NotHome = "not_home",
        /// The target square is not empty (§S1.5).
        NotEmpty = "not_empty",
        /// The sender has already offered a draw, and the offer is still open.
        DrawAlreadyOffered = "draw_already_offered",
        /// The sender has offered a draw too recently.
        DrawOfferedRecently { plies_left: Ply } = "draw_offered_recently",
        /// The other side has no open draw offer.
        NoDrawOffer = "no_draw_offer",
        /// The game cannot be aborted, because the sender has already made a ply.
        TooLateToAbort = "too_late_to_abort",
        /// The game cannot be claimed, because the other side is present, as far as the server
        /// can tell.
        OpponentPresent = "opponent_present",
        /// The other side is absent, but not yet long enough for a claim.
        ClaimTooEarly { seconds_left: u64 } = "claim_too_early",
        /// Correspondence games cannot be claimed, because players need not be present.
        NoClaims = "no_claims",
    }
}

impl Refusal {
    /// True if the side to move tried to make a ply that breaks the rules (§U7).
    ///
    /// Commands that are late, repeated or out of turn do not count as breaking the rules. An
    /// unnecessary color does not count either, because the move itself is legal.
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
