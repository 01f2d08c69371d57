//! Reserves, and turns that move a piece between the board and a reserve (§S1.7).

use flagfall_board::{ChipColor, Side, Square};

use crate::identity::Identity;
use crate::rank_counts::RankCounts;

/// A placement of a piece from a reserve, reduced to the facts that a client may see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
pub struct SeenPlacing {
    /// The side that placed the piece.
    pub side: Side,
    /// The square.
    pub square: Square,
    /// The rank of the piece. It is hidden from the other side and from spectators, unless the
    /// piece is labeled.
    pub piece: Identity,
    /// True if the piece is labeled, which means that it is face up.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "crate::is_default"))]
    pub labeled: bool,
    /// The color of the chip under the piece.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub color: Option<ChipColor>,
}

/// A turn that moves a piece between the board and a reserve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "snake_case"))]
pub enum SeenExchange {
    /// A piece was moved from the board to a reserve.
    Removed {
        /// The side that removed the piece.
        side: Side,
        /// The square that the piece left.
        square: Square,
    },
    /// A piece was moved from a reserve to the board.
    Placed(SeenPlacing),
}

/// A side's reserve, reduced to the facts that a client may see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", schemars(rename = "Reserve"))]
pub struct SeenReserve {
    /// The number of pieces in the reserve.
    pub size: u16,
    /// The number of face-up pieces of each rank. Ranks without pieces are left out.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "crate::is_default"))]
    pub labeled: RankCounts,
    /// The number of face-down pieces of each rank. Present only if the client may see the hidden
    /// ranks of this side.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub unlabeled: Option<RankCounts>,
}

/// A chip whose color a side must name before taking its turn.
// The rules: §S2.4.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
pub struct OwedColor {
    /// The side that must name the color.
    pub side: Side,
    /// The square of the chip. One of the side's pieces stands on this square.
    pub square: Square,
}
