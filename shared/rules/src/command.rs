//! What a side may ask.

use std::fmt;
use std::str::FromStr;

use flagfall_board::{Square, SquareParseError};

use crate::setup::Setup;

/// What a side asks of its game. Who asks, and when, comes from elsewhere. `Debug` shows no rank of a setup.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Deploy, or deploy again while the other side is not ready (§A4).
    Deploy(Setup),
    /// Move or strike with one piece (§A5).
    Move(Move),
    /// Offer a draw; accepts the other side's offer where one stands.
    OfferDraw,
    /// Accept the other side's draw offer.
    AcceptDraw,
    /// Decline the other side's draw offer.
    DeclineDraw,
    /// Give the game up.
    Resign,
    /// Call the game off, before one's own first ply.
    Abort,
}

/// From one square to another, written `a4a5`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move {
    /// Where the piece stands.
    pub from: Square,
    /// Where it goes, or strikes.
    pub to: Square,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)
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
