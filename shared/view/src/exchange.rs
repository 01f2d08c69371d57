//! Reserves, and turns between board and reserve (§S1.7).

use flagfall_board::{ChipColor, Side, Square};

use crate::identity::Identity;
use crate::rank_counts::RankCounts;

/// A piece that came from a reserve, as a client may see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
pub struct SeenPlacing {
    /// The side that placed the piece.
    pub side: Side,
    /// The square.
    pub square: Square,
    /// The rank. It is hidden from others, unless the piece is labeled.
    pub piece: Identity,
    /// True if the piece is labeled.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "crate::is_default"))]
    pub labeled: bool,
    /// The color of the piece's chip.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub color: Option<ChipColor>,
}

/// A turn between board and reserve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "snake_case"))]
pub enum SeenExchange {
    /// A piece left the board.
    Removed {
        /// The side that removed a piece.
        side: Side,
        /// The square that the piece left.
        square: Square,
    },
    /// A piece came onto the board.
    Placed(SeenPlacing),
}

/// A side's reserve, as a client may see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", schemars(rename = "Reserve"))]
pub struct SeenReserve {
    /// How many pieces the reserve has.
    pub size: u16,
    /// How many pieces of each rank lie face up. Ranks without pieces are left out.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "crate::is_default"))]
    pub labeled: RankCounts,
    /// How many pieces of each rank lie face down. Present if the client may know that side's
    /// ranks.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub unlabeled: Option<RankCounts>,
}

/// A chip whose color a side must name before anything else.
// The rules: §S2.4.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
pub struct OwedColor {
    /// The side that must name the color.
    pub side: Side,
    /// The square of the chip, on which the side's piece stands.
    pub square: Square,
}
