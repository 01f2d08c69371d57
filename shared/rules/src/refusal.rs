//! Why a command was refused.

use flagfall_board::Ply;

use crate::setup::SetupRefusal;

/// Why a command was refused. Only the asker learns of it.
///
/// It holds nothing that the asker does not know, and no refusal depends on a rank that is hidden
/// from them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The setup is not a deployment.
    #[error("{0}")]
    Setup(#[from] SetupRefusal),
    /// Deployments are closed.
    #[error("the game has started: deployments can no longer change")]
    NotDeploying,
    /// The asker's deployment broke the rules in a ruleset where that loses (§U7); it cannot be
    /// changed.
    #[error("your deployment is handed in and final")]
    DeploymentFinal,
    /// The game has not started.
    #[error("the game has not started: both sides must deploy first")]
    NotPlaying,
    /// The game is over.
    #[error("the game is over")]
    GameOver,
    /// The log says the game is paused; the server is about to stop or has just started.
    #[error("the game is paused while the server restarts; try again in a moment")]
    Paused,
    /// It is the other side's turn.
    #[error("it is not your turn")]
    NotYourTurn,
    /// The command was made for another ply than the current one.
    #[error("that was for ply {named}, the game is at ply {current}")]
    StalePly {
        /// The ply the command named.
        named: Ply,
        /// The game's ply.
        current: Ply,
    },
    /// The time for the command is over.
    #[error("out of time")]
    OutOfTime,
    /// A square that this board does not have.
    #[error("that square is not on this board")]
    OffBoard,
    /// Nothing stands on the square to move from.
    #[error("no piece stands there")]
    NoPiece,
    /// The piece is the other side's.
    #[error("that piece is not yours")]
    NotYourPiece,
    /// Flags and Bombs never move (§A5).
    #[error("Flags and Bombs never move")]
    Immovable,
    /// Not along one row or column (§A5).
    #[error("pieces move along a row or a column")]
    NotInLine,
    /// More than one square by a piece other than a Scout (§A5, §C2).
    #[error("only a Scout moves more than one square")]
    TooFar,
    /// The target is a lake (§A1).
    #[error("nothing enters a lake")]
    Lake,
    /// One's own piece stands on the target (§A5).
    #[error("your own piece stands there")]
    OwnPiece,
    /// A piece or a lake lies in between (§A5, §C2).
    #[error("the way is blocked")]
    Blocked,
    /// A strike from afar in a ruleset in which Scouts either move or strike (§O1).
    #[error("here a Scout strikes only a neighboring square: move next to the piece first")]
    StrikeFromAfar,
    /// The two-squares rule (§C3).
    #[error(
        "two-squares rule: this piece has gone back and forth there three times in a row; move another piece or another way"
    )]
    TwoSquares,
    /// The more-squares rule (§T2).
    #[error("more-squares rule: a chase may not bring back a position; move another way")]
    MoreSquares,
    /// The named path does not lead there (§S2.7).
    #[error("that path does not lead there: + goes over rows or columns counting up, - counting down")]
    NoPath,
    /// Several squares, although the chips allow no rule to carry the piece so far (§S3.1,
    /// §S3.2).
    #[error(
        "no rule carries that piece so far: the way must all bear the color of its square, or be a flash within its range over chips"
    )]
    NoSupplyLine,
    /// A landing piece has no color for its chip (§S2.3).
    #[error("name the color of the chip to lay: red, yellow, blue or green")]
    ColorWanted,
    /// A color is named where no chip of choice is laid (§S2.3, §S3.2).
    #[error(
        "no color can be named there: a flash takes that of its first square, and other rulesets have no chips"
    )]
    ColorRefused,
    /// A color (§S2.4) or a choice in a strike (§Q4) comes before the next ply.
    #[error(
        "a choice comes first: the color of the chip your piece lays where it won, or what a struck coin is"
    )]
    ChoicePending,
    /// The asker owes neither a color nor a choice.
    #[error("you have nothing to choose now")]
    NoChoice,
    /// The asker has already chosen what its coin is (§Q4).
    #[error("your choice is made and final")]
    ChoiceFinal,
    /// Fewer coins would stay unmoved than Bombs and Flag are left in the pool (§Q6).
    #[error(
        "reserve rule: as many coins must stay unmoved as Bombs and Flag are left in your pool; act with a coin that has moved or with a piece, or name a Bomb or the Flag"
    )]
    ReserveRule,
    /// The coin would become a Scout, and none is left (§Q3).
    #[error("a coin that moves several squares becomes a Scout, and none is left in your pool")]
    NoScoutLeft,
    /// The pool has no such piece left (§Q4).
    #[error("no such piece is left in your pool")]
    NotInPool,
    /// The ruleset has no reserve (§S1.3).
    #[error("this ruleset has no reserve")]
    NoReserve,
    /// The asker has no such piece in reserve.
    #[error("you have no such piece in reserve")]
    NotInReserve,
    /// The Flag stays on the board (§S1.5).
    #[error("the Flag stays on the board")]
    FlagStays,
    /// Pieces are placed only on one's own home rows (§S1.5).
    #[error("pieces are placed on your own home rows")]
    NotHome,
    /// A piece stands where one was to be placed (§S1.5).
    #[error("a piece stands there: pieces are placed on empty squares")]
    NotEmpty,
    /// The asker's own offer still stands.
    #[error("your draw offer stands already")]
    DrawAlreadyOffered,
    /// The asker made an offer a short while ago.
    #[error(
        "you have offered a draw already: offer again after {plies_left} more plies, or when the other side has offered"
    )]
    DrawOfferedRecently {
        /// Plies until another offer is allowed.
        plies_left: Ply,
    },
    /// No offer of the other side stands.
    #[error("there is no draw offer to answer")]
    NoDrawOffer,
    /// The asker has made a ply.
    #[error("a game can be called off only before your first move; resign instead")]
    TooLateToAbort,
    /// The other side is here, or has not been seen to leave.
    #[error("the other side is here: a game can be claimed when it has been gone for a while")]
    OpponentPresent,
    /// The other side is gone, but not for long enough.
    #[error(
        "too early: the game can be claimed in {seconds_left} seconds, if the other side is not back by then"
    )]
    ClaimTooEarly {
        /// Seconds until then.
        seconds_left: u64,
    },
    /// The other side has days for each ply and need not be here.
    #[error("a game with days for each move cannot be claimed: nobody has to be here, and the clock decides")]
    NoClaims,
}

impl Refusal {
    /// Whether a side whose turn it is asked for a ply against the rules (§U7).
    ///
    /// A late or repeated command, or one in the other side's turn, is not against the rules.
    /// Neither is a needless color, because no rule of the board forbids the move itself.
    #[must_use]
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
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Refusal::Setup(SetupRefusal::TooShort { .. }) => "setup_too_short",
            Refusal::Setup(SetupRefusal::TooLong { .. }) => "setup_too_long",
            Refusal::Setup(SetupRefusal::UnknownLetter { .. }) => "setup_unknown_letter",
            Refusal::Setup(SetupRefusal::Outside { .. }) => "setup_outside_home",
            Refusal::Setup(SetupRefusal::Double { .. }) => "setup_double_square",
            Refusal::Setup(SetupRefusal::Empty { .. }) => "setup_empty_square",
            Refusal::Setup(SetupRefusal::WrongCount { .. }) => "setup_wrong_count",
            Refusal::Setup(SetupRefusal::TooMany { .. }) => "setup_too_many",
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
