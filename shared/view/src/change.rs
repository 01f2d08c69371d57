use flagfall_board::{PerSide, Ply, Side, Stamp};

use crate::clock::SeenClock;
use crate::exchange::{OwedColor, SeenReserve};
use crate::identity::SeenPiece;
use crate::moves::{Move, PendingStrike};
use crate::rank_counts::RankCounts;

/// The part of a view's change that a client cannot derive from the event itself. Every field
/// holds the new value rather than a difference, so a client can simply store it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
pub struct ViewChange {
    /// Both clocks after the event.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub clock: Option<SeenClock>,
    /// The deadline for deployments, in milliseconds since 1970.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub deploy_deadline: Option<Stamp>,
    /// The side to move after the event.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub turn: Option<Side>,
    /// The number of plies until a limit makes the game a draw. Present only when a limit is
    /// near.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub plies_to_limit: Option<Ply>,
    /// The player's moves that a repetition rule forbids on this turn.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub refused_moves: Vec<Move>,
    /// The moves in `refused_moves` that the more-squares rule forbids. The two-squares rule
    /// forbids the others. Present only if there are refused moves.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub more_squares: Option<Vec<Move>>,
    /// All pieces that each side has lost so far. Present after a strike.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub captured: Option<PerSide<RankCounts>>,
    /// The pieces on the squares that a turn has affected. For a move, these squares are its
    /// starting square and its target square. After the start and the end of the game, the field
    /// contains all pieces on the board.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub pieces: Option<Vec<SeenPiece>>,
    /// Both reserves, if they may have changed.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub reserve: Option<PerSide<SeenReserve>>,
    /// The chip whose color the side to move must name before taking its turn.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub owed_color: Option<OwedColor>,
    /// Both pools, if they may have changed.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub pools: Option<PerSide<RankCounts>>,
    /// The strike in which a side still has to choose the rank of its coin.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub pending_strike: Option<PendingStrike>,
}
