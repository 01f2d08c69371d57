//! Moves and strikes.

use std::fmt;
use std::str::FromStr;

use flagfall_board::{PerSide, Rank, Side, Square, SquareParseError};

use crate::identity::Identity;
use crate::laid::Laid;

/// A move from one square to another, written as in `a4a5`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(schemars::JsonSchema), schemars(with = "String", rename = "MoveText"))]
pub struct Move {
    /// The source square.
    pub from: Square,
    /// The target square: the square that the piece enters, or the square of the piece that it
    /// strikes.
    pub to: Square,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.from, f)?;
        fmt::Display::fmt(&self.to, f)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Move {
    type Err = SquareParseError;

    fn from_str(text: &str) -> Result<Move, SquareParseError> {
        let second = text.char_indices().skip(1).find(|(_, letter)| letter.is_ascii_alphabetic());
        let (from, to) = second.and_then(|(at, _)| text.split_at_checked(at)).ok_or(SquareParseError)?;
        Ok(Move { from: from.parse()?, to: to.parse()? })
    }
}

#[cfg(feature = "serde")]
flagfall_board::text_serde!(Move, |_error| "not a move: two squares are wanted, as in a4a5");

/// A move, reduced to the facts that a client may see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
pub struct SeenMove {
    /// The side that moved.
    pub side: Side,
    /// The starting square and the target square, as in `a4a5`.
    #[cfg_attr(feature = "serde", serde(rename = "move"))]
    pub squares: Move,
    /// The client's knowledge of the piece's rank after the move.
    pub piece: Identity,
    /// The strike, if the piece struck another piece.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub strike: Option<SeenStrike>,
    /// The squares whose chips changed and their new color, as in `a7a8=g`.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub laid: Option<Laid>,
}

/// A strike, reduced to the facts that a client may see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
pub struct SeenStrike {
    /// The piece that struck.
    pub attacker: Identity,
    /// The place of the attacker after the strike.
    pub attacker_fate: Fate,
    /// The piece that was struck.
    pub defender: Identity,
    /// The place of the defender after the strike.
    pub defender_fate: Fate,
}

flagfall_board::named! {
    /// The place of a piece after a strike.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
    #[cfg_attr(feature = "serde", serde(rename_all = "snake_case"), schemars(rename = "StrikeFate"))]
    pub enum Fate, name {
        /// The piece stays on its own square.
        Stays = "stays",
        /// The piece is on the other piece's square.
        Advances = "advances",
        /// The piece is off the board.
        Leaves = "leaves",
    }
}

/// A strike in which one or both sides still have to choose the rank of their coin.
// The rules: §Q4.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
pub struct PendingStrike {
    /// The side that struck.
    pub side: Side,
    /// The starting square and the target square, as in `a4a5`.
    #[cfg_attr(feature = "serde", serde(rename = "move"))]
    pub squares: Move,
    /// For each side, true if it has a coin in the strike. If both sides have one, these values
    /// do not change when the first side has chosen.
    pub owes: PerSide<bool>,
    /// The rank that this client has already chosen.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub own_choice: Option<Rank>,
}
