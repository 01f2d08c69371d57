//! The chips whose colors a move changed, in a compact form.

use std::fmt;
use std::num::NonZeroU16;
use std::str::FromStr;

use flagfall_board::{ChipColor, Column, Row, SquareSet};

use crate::text::TextError;

/// The chips that a move changed: their squares and the letter of their new color (`r`, `y`, `b`,
/// `g`), as in `a7a8=g`.
// All squares are on one line (§S3.3). A flash changes at most four squares, and any other move
// at most one.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(schemars::JsonSchema), schemars(with = "String", rename = "LaidText"))]
pub struct Laid {
    /// The changed squares of the line, with one bit per column or row. The form is compact,
    /// because a value is stored for every ply.
    bits: NonZeroU16,
    line: Line,
    color: ChipColor,
}

/// A row or a column.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Line(u8);

impl Line {
    const COLUMNS: u8 = 16;

    fn row(row: Row) -> Line {
        Line(row)
    }

    fn column(column: Column) -> Line {
        Line(column + Line::COLUMNS)
    }

    fn squares(self, bits: u16) -> SquareSet {
        match self.0.checked_sub(Line::COLUMNS) {
            Some(column) => SquareSet::of_column(bits, column),
            None => SquareSet::of_row(bits, self.0),
        }
    }
}

impl Laid {
    /// The largest number of squares in a flash (§S3.2).
    pub const SQUARES_MAX: u32 = 4;

    /// Creates the value from the squares and the new color of their chips.
    ///
    /// `None` if there are no squares, if there are more squares than a move can change, or if
    /// the squares are not all on one line.
    pub fn new(squares: SquareSet, color: ChipColor) -> Option<Laid> {
        let first = squares.first().filter(|_| squares.len() <= Laid::SQUARES_MAX)?;
        let (row, column) = (squares.row_bits(first.row()), squares.column_bits(first.column()));
        [(row, Line::row(first.row())), (column, Line::column(first.column()))].into_iter().find_map(
            |(bits, line)| {
                let is_whole = line.squares(bits) == squares;
                NonZeroU16::new(bits).filter(|_| is_whole).map(|bits| Laid { bits, line, color })
            },
        )
    }

    /// The squares whose chips changed.
    pub fn squares(&self) -> SquareSet {
        self.line.squares(self.bits.get())
    }

    /// The new color of the chips.
    pub fn color(&self) -> ChipColor {
        self.color
    }
}

impl fmt::Debug for Laid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?}", self.color, self.squares())
    }
}

impl fmt::Display for Laid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.squares().iter().try_for_each(|square| write!(f, "{square}"))?;
        write!(f, "={}", self.color.letter())
    }
}

impl FromStr for Laid {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Laid, TextError> {
        const ERROR: TextError =
            TextError("not chips: one to four squares of a line and a color letter are wanted, as in a7a8=g");
        let (squares, color) = text.split_once('=').ok_or(ERROR)?;
        let color = ChipColor::from_name(color).ok_or(ERROR)?;
        let mut set = SquareSet::EMPTY;
        let mut rest = squares;
        while !rest.is_empty() {
            let next = rest.char_indices().skip(1).find(|(_, letter)| letter.is_ascii_alphabetic());
            let (square, more) = next.map_or((rest, ""), |(at, _)| rest.split_at(at));
            set.insert(square.parse().map_err(|_| ERROR)?);
            rest = more;
        }
        Laid::new(set, color).ok_or(ERROR)
    }
}

#[cfg(feature = "serde")]
flagfall_board::text_serde!(Laid);

#[cfg(test)]
mod tests {
    use flagfall_board::Square;

    use super::*;

    fn squares(text: &str) -> SquareSet {
        text.split(' ').map(|square| square.parse::<Square>().expect("a square")).collect()
    }

    #[test]
    fn chips_that_were_laid_come_back_from_their_few_bytes() {
        for text in ["a1", "p10", "e5", "a1 a2", "a1 b1", "c1 c2 c9 c10", "a3 b3 o3 p3", "h2 h3 h5"] {
            for color in ChipColor::ALL {
                let laid = Laid::new(squares(text), color).expect(text);
                assert_eq!((laid.squares(), laid.color()), (squares(text), color), "{text}");
            }
        }
    }

    #[test]
    fn chips_that_no_move_can_lay_are_none() {
        assert_eq!(Laid::new(SquareSet::EMPTY, ChipColor::Red), None);
        for text in ["a1 b2", "a1 a2 b1", "a1 a2 a3 a4 a5", "a1 b1 c1 d1 e1"] {
            assert_eq!(Laid::new(squares(text), ChipColor::Red), None, "{text}");
        }
    }
}
