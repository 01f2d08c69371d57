//! Why a command was refused.

use flagfall_board::Ply;

use crate::setup::SetupRefusal;

/// Why a command was refused. Only the asker learns of it.
///
/// It holds nothing that the asker does not know, and no refusal depends on a rank that is hidden
/// from them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", self.code())]
pub enum Refusal {
    /// The setup is not a deployment.
    Setup(#[from] SetupRefusal),
    /// Deployments are closed.
    NotDeploying,
    /// The asker's deployment broke the rules in a ruleset where that loses (§U7); it cannot be
    /// changed.
    DeploymentFinal,
    /// The game has not started.
    NotPlaying,
    /// The game is over.
    GameOver,
    /// The log says the game is paused; the server is about to stop or has just started.
    Paused,
    /// It is the other side's turn.
    NotYourTurn,
    /// The command was made for another ply than the current one.
    StalePly {
        /// The ply the command named.
        named: Ply,
        /// The game's ply.
        current: Ply,
    },
    /// The time for the command is over.
    OutOfTime,
    /// A square that this board does not have.
    OffBoard,
    /// Nothing stands on the square to move from.
    NoPiece,
    /// The piece is the other side's.
    NotYourPiece,
    /// Flags and Bombs never move (§A5).
    Immovable,
    /// Not along one row or column (§A5).
    NotInLine,
    /// More than one square by a piece other than a Scout (§A5, §C2).
    TooFar,
    /// The target is a lake (§A1).
    Lake,
    /// One's own piece stands on the target (§A5).
    OwnPiece,
    /// A piece or a lake lies in between (§A5, §C2).
    Blocked,
    /// A strike from afar in a ruleset in which Scouts either move or strike (§O1).
    StrikeFromAfar,
    /// The two-squares rule (§C3).
    TwoSquares,
    /// The more-squares rule (§T2).
    MoreSquares,
    /// The named path does not lead there (§S2.7).
    NoPath,
    /// Several squares, although the chips allow no rule to carry the piece so far (§S3.1,
    /// §S3.2).
    NoSupplyLine,
    /// A landing piece has no color for its chip (§S2.3).
    ColorWanted,
    /// A color is named where no chip of choice is laid (§S2.3, §S3.2).
    ColorRefused,
    /// A color (§S2.4) or a choice in a strike (§Q4) comes before the next ply.
    ChoicePending,
    /// The asker owes neither a color nor a choice.
    NoChoice,
    /// The asker has already chosen what its coin is (§Q4).
    ChoiceFinal,
    /// Fewer coins would stay unmoved than Bombs and Flag are left in the pool (§Q6).
    ReserveRule,
    /// The coin would become a Scout, and none is left (§Q3).
    NoScoutLeft,
    /// The pool has no such piece left (§Q4).
    NotInPool,
    /// The ruleset has no reserve (§S1.3).
    NoReserve,
    /// The asker has no such piece in reserve.
    NotInReserve,
    /// The Flag stays on the board (§S1.5).
    FlagStays,
    /// Pieces are placed only on one's own home rows (§S1.5).
    NotHome,
    /// A piece stands where one was to be placed (§S1.5).
    NotEmpty,
    /// The asker's own offer still stands.
    DrawAlreadyOffered,
    /// The asker made an offer a short while ago.
    DrawOfferedRecently {
        /// Plies until another offer is allowed.
        plies_left: Ply,
    },
    /// No offer of the other side stands.
    NoDrawOffer,
    /// The asker has made a ply.
    TooLateToAbort,
    /// The other side is here, or has not been seen to leave.
    OpponentPresent,
    /// The other side is gone, but not for long enough.
    ClaimTooEarly {
        /// Seconds until then.
        seconds_left: u64,
    },
    /// The other side has days for each ply and need not be here.
    NoClaims,
}

impl Refusal {
    /// Whether a side whose turn it is asked for a ply against the rules (§U7).
    ///
    /// A late or repeated command, or one in the other side's turn, is not against the rules.
    /// Neither is a needless color, because no rule of the board forbids the move itself.
    pub const fn is_illegal_move(&self) -> bool {
        match self {
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
            | Refusal::NotEmpty => true,
            Refusal::Setup(_)
            | Refusal::NotDeploying
            | Refusal::DeploymentFinal
            | Refusal::NotPlaying
            | Refusal::GameOver
            | Refusal::Paused
            | Refusal::NotYourTurn
            | Refusal::StalePly { named: _, current: _ }
            | Refusal::OutOfTime
            | Refusal::ChoicePending
            | Refusal::ColorRefused
            | Refusal::NoChoice
            | Refusal::ChoiceFinal
            | Refusal::DrawAlreadyOffered
            | Refusal::DrawOfferedRecently { plies_left: _ }
            | Refusal::NoDrawOffer
            | Refusal::TooLateToAbort
            | Refusal::OpponentPresent
            | Refusal::ClaimTooEarly { seconds_left: _ }
            | Refusal::NoClaims => false,
        }
    }

    /// The refusal's code in messages; stable.
    pub const fn code(&self) -> &'static str {
        match self {
            Refusal::Setup(refusal) => refusal.code(),
            Refusal::NotDeploying => "not_deploying",
            Refusal::DeploymentFinal => "deployment_final",
            Refusal::NotPlaying => "not_playing",
            Refusal::GameOver => "game_over",
            Refusal::Paused => "paused",
            Refusal::NotYourTurn => "not_your_turn",
            Refusal::StalePly { .. } => "stale_ply",
            Refusal::OutOfTime => "out_of_time",
            Refusal::OffBoard => "off_board",
            Refusal::NoPiece => "no_piece",
            Refusal::NotYourPiece => "not_your_piece",
            Refusal::Immovable => "immovable",
            Refusal::NotInLine => "not_in_line",
            Refusal::TooFar => "too_far",
            Refusal::Lake => "lake",
            Refusal::OwnPiece => "own_piece",
            Refusal::Blocked => "blocked",
            Refusal::StrikeFromAfar => "strike_from_afar",
            Refusal::TwoSquares => "two_squares",
            Refusal::MoreSquares => "more_squares",
            Refusal::NoPath => "no_path",
            Refusal::NoSupplyLine => "no_supply_line",
            Refusal::ColorWanted => "color_wanted",
            Refusal::ColorRefused => "color_refused",
            Refusal::ChoicePending => "choice_pending",
            Refusal::NoChoice => "no_choice",
            Refusal::ChoiceFinal => "choice_final",
            Refusal::ReserveRule => "reserve_rule",
            Refusal::NoScoutLeft => "no_scout_left",
            Refusal::NotInPool => "not_in_pool",
            Refusal::NoReserve => "no_reserve",
            Refusal::NotInReserve => "not_in_reserve",
            Refusal::FlagStays => "flag_stays",
            Refusal::NotHome => "not_home",
            Refusal::NotEmpty => "not_empty",
            Refusal::DrawAlreadyOffered => "draw_already_offered",
            Refusal::DrawOfferedRecently { .. } => "draw_offered_recently",
            Refusal::NoDrawOffer => "no_draw_offer",
            Refusal::TooLateToAbort => "too_late_to_abort",
            Refusal::OpponentPresent => "opponent_present",
            Refusal::ClaimTooEarly { .. } => "claim_too_early",
            Refusal::NoClaims => "no_claims",
        }
    }
}
