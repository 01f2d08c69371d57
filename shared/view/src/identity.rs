//! Pieces, reduced to the facts that a viewer may see.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use flagfall_board::{Rank, RankSet, Side, Square};

use crate::text::TextError;

/// The viewer's knowledge of a piece's rank. Its text form is the rank's letter, `?` for an
/// unknown rank, a list such as `[9P]` if one of several ranks is possible, or `o` for a coin,
/// which has no rank yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", schemars(with = "String", rename = "IdentityText"))]
pub enum Identity {
    /// The rank is known.
    Known(Rank),
    /// The rank is one of these. Occurs only in Shadowflash (§S3.4).
    OneOf(RankSet),
    /// The piece is a coin, which has no rank yet (§Q1).
    Coin,
    /// The rank is unknown.
    Hidden,
}

impl Identity {
    /// The rank, if it is known.
    pub const fn rank(self) -> Option<Rank> {
        if let Identity::Known(rank) = self { Some(rank) } else { None }
    }

    /// The ranks that the piece can have. For a coin, these are all ranks, because the side's
    /// pool is not taken into account.
    pub const fn ranks(self) -> RankSet {
        match self {
            Identity::Known(rank) => RankSet::only(rank),
            Identity::OneOf(ranks) => ranks,
            Identity::Coin | Identity::Hidden => RankSet::ALL,
        }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Identity::Known(rank) => f.write_char(rank.letter()),
            Identity::OneOf(ranks) => {
                f.write_str("[")?;
                ranks.iter().try_for_each(|rank| f.write_char(rank.letter()))?;
                f.write_str("]")
            }
            Identity::Coin => f.write_str("o"),
            Identity::Hidden => f.write_str("?"),
        }
    }
}

impl FromStr for Identity {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Identity, TextError> {
        const ERROR: TextError = TextError(
            "not a rank: a letter of 1-9, S, B, F, P, a list of them in brackets, o for a coin, or ?",
        );
        let mut letters = text.chars();
        Ok(match (letters.next(), letters.as_str()) {
            (Some('?'), "") => Identity::Hidden,
            (Some('o'), "") => Identity::Coin,
            (Some('['), rest) => {
                let inside = rest.strip_suffix(']').filter(|inside| !inside.is_empty()).ok_or(ERROR)?;
                let ranks = inside.chars().map(Rank::from_letter).collect::<Option<Vec<Rank>>>();
                Identity::OneOf(ranks.ok_or(ERROR)?.into_iter().collect())
            }
            (Some(letter), "") => Identity::Known(Rank::from_letter(letter).ok_or(ERROR)?),
            _ => return Err(ERROR),
        })
    }
}

#[cfg(feature = "serde")]
flagfall_board::text_serde!(Identity);

/// A piece on the board. As text, it is the square, the side (`r` or `b`) and the rank, then `'`
/// if the piece has moved, `*` if its rank is public, and `^` if it is labeled. For example,
/// `a4r9'*` is Red's Scout on a4, which has moved and whose rank is public. `j7b?` is a blue
/// piece that has not moved and whose rank is unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(schemars::JsonSchema), schemars(with = "String", rename = "PieceText"))]
pub struct SeenPiece {
    /// The piece's square.
    pub square: Square,
    /// The piece's side.
    pub side: Side,
    /// The viewer's knowledge of the piece's rank.
    pub identity: Identity,
    /// True if the piece has moved (§A9).
    pub is_moved: bool,
    /// True if the rank is public. For one of the viewer's own pieces, true if the opponent can
    /// see its rank.
    pub is_revealed: bool,
    /// True if the piece is face up for the rest of the game (§S2.1).
    pub is_labeled: bool,
}

impl fmt::Display for SeenPiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SeenPiece { square, side, identity, is_moved, is_revealed, is_labeled } = self;
        fmt::Display::fmt(square, f)?;
        f.write_char(side.letter())?;
        fmt::Display::fmt(identity, f)?;
        f.write_str(if *is_moved { "'" } else { "" })?;
        f.write_str(if *is_revealed { "*" } else { "" })?;
        f.write_str(if *is_labeled { "^" } else { "" })
    }
}

impl FromStr for SeenPiece {
    type Err = TextError;

    fn from_str(text: &str) -> Result<SeenPiece, TextError> {
        const ERROR: TextError =
            TextError("not a piece: square, r or b, rank, marks are wanted, as in a4r9'*");
        let side_at = text.char_indices().skip(2).find(|(_, letter)| *letter == 'r' || *letter == 'b');
        let (square, rest) = side_at.and_then(|(at, _)| text.split_at_checked(at)).ok_or(ERROR)?;
        let square: Square = square.parse().map_err(|_| ERROR)?;
        let side = if rest.starts_with('r') { Side::Red } else { Side::Blue };
        let rest = &rest[1..];
        let (rest, is_labeled) = rest.strip_suffix('^').map_or((rest, false), |rest| (rest, true));
        let (rest, is_revealed) = rest.strip_suffix('*').map_or((rest, false), |rest| (rest, true));
        let (rest, is_moved) = rest.strip_suffix('\'').map_or((rest, false), |rest| (rest, true));
        Ok(SeenPiece { square, side, identity: rest.parse()?, is_moved, is_revealed, is_labeled })
    }
}

#[cfg(feature = "serde")]
flagfall_board::text_serde!(SeenPiece);
