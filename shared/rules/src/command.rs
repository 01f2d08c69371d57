//! The commands that a side can give.

use std::fmt;
use std::str::FromStr;

use flagfall_board::{ChipColor, Rank, Sign, Square, SquareParseError};
use flagfall_view::{Claim, Move};

use crate::setup::Setup;

/// A command that a side gives in a game. `Debug` shows no rank.
///
/// The command does not contain the side or the time. Callers pass both separately.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Deploy, or replace the deployment while the other side is not ready (§A4).
    Deploy(Setup),
    /// Move one piece, or strike with it (§A5).
    Move(MoveCommand),
    /// Move one of the side's pieces from the board to the reserve (§S1.5).
    Remove(Square),
    /// Place a piece from the reserve on the board (§S1.5).
    Place(Placing),
    /// Name the color of a chip, after one of the side's pieces has moved during the other side's
    /// turn (§S2.4).
    Color(ChipColor),
    /// Choose the rank that the side's coin in a strike takes from the pool (§Q4).
    Choose(Choice),
    /// Offer a draw, or accept the other side's open offer.
    OfferDraw,
    /// Accept the other side's draw offer.
    AcceptDraw,
    /// Decline the other side's draw offer.
    DeclineDraw,
    /// Resign.
    Resign,
    /// Abort the game. Allowed until the side has made its first ply.
    Abort,
    /// Claim a game that the other side has left. Callers use [`crate::decide_claim`], because
    /// `decide` does not know whether the other side is absent.
    Claim(Claim),
}

/// A move that a side requests.
///
/// A move is written as in `a4a5`. A `+` or `-` after the squares names the path, as in `a1a7-`,
/// and a suffix names the color of the chip, as in `a4a5=g`.
///
/// `Debug` shows no color, because after a failed strike the named color stays secret.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MoveCommand {
    /// The starting square and the target square.
    pub squares: Move,
    /// The path to take along a line with a joint. If absent, the piece takes the shorter legal
    /// path (§S2.7).
    pub path: Option<Sign>,
    /// The color of the chip to lay on the square where the piece lands (§S2.3).
    pub color: Option<ChipColor>,
}

impl From<Move> for MoveCommand {
    fn from(squares: Move) -> MoveCommand {
        MoveCommand { squares, path: None, color: None }
    }
}

impl From<Move> for Command {
    fn from(squares: Move) -> Command {
        Command::Move(squares.into())
    }
}

/// The rank chosen for a coin in a strike (§Q4), written as the rank's letter. `Debug` does not
/// show the rank.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Choice(pub Rank);

impl fmt::Debug for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Choice(hidden)")
    }
}

/// A placement of a piece from the reserve (§S1.5). `Debug` shows only the square.
///
/// A placing is written as in `9@a4`, or `9^@a4` for a labeled piece. A suffix such as `=g` names
/// the color of the chip.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Placing {
    /// The target square.
    pub square: Square,
    /// The rank of the piece.
    pub rank: Rank,
    /// True if the piece is labeled. A reserve may hold labeled and unlabeled pieces of the same
    /// rank (§S2.1).
    pub is_labeled: bool,
    /// The color of the chip to lay on the target square (§S2.3).
    pub color: Option<ChipColor>,
}

impl fmt::Display for MoveCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.squares)?;
        self.path.map_or(Ok(()), |path| write!(f, "{}", path.symbol()))?;
        self.color.map_or(Ok(()), |color| write!(f, "={}", color.letter()))
    }
}

impl fmt::Debug for MoveCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", MoveCommand { color: None, ..*self })
    }
}

impl fmt::Debug for Placing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.square)
    }
}

fn split_color(text: &str) -> Result<(&str, Option<ChipColor>), SquareParseError> {
    match text.split_once('=') {
        None => Ok((text, None)),
        Some((text, color)) => Ok((text, Some(ChipColor::from_name(color).ok_or(SquareParseError)?))),
    }
}

impl FromStr for MoveCommand {
    type Err = SquareParseError;

    fn from_str(text: &str) -> Result<MoveCommand, SquareParseError> {
        let (text, color) = split_color(text)?;
        let (text, path) = match (text.strip_suffix('+'), text.strip_suffix('-')) {
            (Some(text), _) => (text, Some(Sign::Plus)),
            (_, Some(text)) => (text, Some(Sign::Minus)),
            (None, None) => (text, None),
        };
        Ok(MoveCommand { squares: text.parse()?, path, color })
    }
}

impl fmt::Display for Placing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}@{}", self.rank.letter(), if self.is_labeled { "^" } else { "" }, self.square)?;
        self.color.map_or(Ok(()), |color| write!(f, "={}", color.letter()))
    }
}

impl FromStr for Placing {
    type Err = SquareParseError;

    fn from_str(text: &str) -> Result<Placing, SquareParseError> {
        let (text, color) = split_color(text)?;
        let (piece, square) = text.split_once('@').ok_or(SquareParseError)?;
        let (piece, is_labeled) = piece.strip_suffix('^').map_or((piece, false), |piece| (piece, true));
        let rank = rank_of(piece).ok_or(SquareParseError)?;
        Ok(Placing { square: square.parse()?, rank, is_labeled, color })
    }
}

/// Returns the rank if the text consists only of a rank's letter.
pub(crate) fn rank_of(text: &str) -> Option<Rank> {
    let mut letters = text.chars();
    letters.next().and_then(Rank::from_letter).filter(|_| letters.next().is_none())
}
