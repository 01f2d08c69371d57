use std::fmt::{self, Write as _};
use std::str::FromStr;

/// The number of a column: 0 for column `a` to 15 for column `p`. No letter is skipped.
pub type Column = u8;
/// The index of a row: 0 for row 1, which is Red's back row, to 9 for row 10.
pub type Row = u8;

/// A square. Its number is the same on every board: 16 times the row index plus the column index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", schemars(with = "String", extend("pattern" = "^[a-p]([1-9]|10)$")))]
#[cfg_attr(
    feature = "serde",
    schemars(description = "A square, written as its column letter and its row number, as in `a4`.")
)]
pub struct Square(u8);

impl Square {
    /// One more than the highest square number on any board.
    pub const LIMIT: usize = 160;
    /// The difference between a square's number and the number of the square one row below.
    pub(crate) const STRIDE: u8 = 16;

    /// The square in this column and row. `None` if it lies outside the largest board.
    #[inline]
    pub const fn new(column: Column, row: Row) -> Option<Square> {
        if column < 16 && row < 10 { Some(Square(row * Square::STRIDE + column)) } else { None }
    }

    /// The square with this number. `None` if it lies outside the largest board.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Square> {
        if index < Square::LIMIT { Some(Square(index as u8)) } else { None }
    }

    /// The square's number, below [`Square::LIMIT`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The index of the column. Column `a` has index 0.
    #[inline]
    pub const fn column(self) -> Column {
        self.0 % Square::STRIDE
    }

    /// The index of the row. Row 1 has index 0.
    #[inline]
    pub const fn row(self) -> Row {
        self.0 / Square::STRIDE
    }

    /// The number of steps from one square to another on an empty board without joints.
    pub const fn distance(self, other: Square) -> u8 {
        self.column().abs_diff(other.column()) + self.row().abs_diff(other.row())
    }

    /// The neighboring square in a direction. `None` at the edges of the largest board, which has
    /// 16 columns and 10 rows. Smaller boards are not considered.
    #[inline]
    pub const fn neighbor(self, direction: Direction) -> Option<Square> {
        let index = self.0.wrapping_add_signed(direction.offset());
        let is_there = (index as usize) < Square::LIMIT
            && (index % Square::STRIDE).abs_diff(self.0 % Square::STRIDE) <= 1;
        if is_there { Some(Square(index)) } else { None }
    }
}

impl fmt::Display for Square {
    /// Writes the square as in `a1`: the column's letter, then the row's number, counted from
    /// Red's back row.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without `write!`, because every message about a move contains several squares.
        f.write_char(char::from(b'a' + self.column()))?;
        match self.row() {
            row @ 0..9 => f.write_char(char::from(b'1' + row)),
            row => write!(f, "{}", row + 1),
        }
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The error for text that is not a square. A square has a column letter from `a` to `p` and a
/// row number from 1 to 10.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a square: write a column letter and a row number, as in a4")]
pub struct SquareParseError;

impl FromStr for Square {
    type Err = SquareParseError;

    fn from_str(text: &str) -> Result<Square, SquareParseError> {
        let mut characters = text.chars();
        let column = match characters.next() {
            Some(letter @ 'a'..='p') => letter as u8 - b'a',
            Some(letter @ 'A'..='P') => letter as u8 - b'A',
            _ => return Err(SquareParseError),
        };
        let row: u8 = match characters.as_str() {
            // A leading zero or a sign is refused, because otherwise a square would have several
            // spellings.
            digits if digits.starts_with(|c: char| ('1'..='9').contains(&c)) => {
                digits.parse().map_err(|_| SquareParseError)?
            }
            _ => return Err(SquareParseError),
        };
        Square::new(column, row - 1).ok_or(SquareParseError)
    }
}

#[cfg(feature = "serde")]
crate::text_serde!(Square);

/// One of the four directions along a row or a column, from Red's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// Toward higher rows.
    Up,
    /// Toward higher columns.
    Right,
    /// Toward lower rows.
    Down,
    /// Toward lower columns.
    Left,
}

/// One of the two directions along a row or column. If a joint connects the ends of the row or
/// column, there are two paths from one square to another, and the sign selects one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
pub enum Sign {
    /// Toward higher columns or rows.
    #[cfg_attr(feature = "serde", serde(rename = "+"))]
    Plus,
    /// Toward lower columns or rows.
    #[cfg_attr(feature = "serde", serde(rename = "-"))]
    Minus,
}

impl Sign {
    /// The direction as a symbol, `+` or `-`.
    pub const fn symbol(self) -> char {
        match self {
            Sign::Plus => '+',
            Sign::Minus => '-',
        }
    }
}

impl Direction {
    /// All four directions.
    pub const ALL: [Direction; 4] = [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

    /// The sign of this direction: plus toward higher columns or rows, minus toward lower ones.
    pub const fn sign(self) -> Sign {
        match self {
            Direction::Up | Direction::Right => Sign::Plus,
            Direction::Down | Direction::Left => Sign::Minus,
        }
    }

    /// The amount that one step in this direction adds to a square's number.
    #[inline]
    const fn offset(self) -> i8 {
        match self {
            Direction::Up => Square::STRIDE as i8,
            Direction::Right => 1,
            Direction::Down => -(Square::STRIDE as i8),
            Direction::Left => -1,
        }
    }

    /// The opposite direction.
    #[must_use]
    #[inline]
    pub const fn opposite(self) -> Direction {
        match self {
            Direction::Up => Direction::Down,
            Direction::Right => Direction::Left,
            Direction::Down => Direction::Up,
            Direction::Left => Direction::Right,
        }
    }

    /// The direction and the number of steps from one square to another along a row or a column.
    ///
    /// `None` if the squares are equal, or if they are in different rows and different columns.
    #[inline]
    pub const fn between(from: Square, to: Square) -> Option<(Direction, u8)> {
        // The CPU often mispredicts branches on the direction of a move, so the direction is
        // computed without branches. The only branch checks whether the squares are on a common
        // line.
        let columns = to.column() as i8 - from.column() as i8;
        let rows = to.row() as i8 - from.row() as i8;
        if (columns == 0) == (rows == 0) {
            return None;
        }
        let offset = columns + rows;
        let direction = Direction::ALL[(columns != 0) as usize + 2 * (offset < 0) as usize];
        Some((direction, offset.unsigned_abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_prints_and_parses_back() {
        for index in 0..Square::LIMIT {
            let square = Square::from_index(index).expect("below the limit");
            assert_eq!(square.to_string().parse(), Ok(square));
        }
    }

    #[test]
    fn invalid_squares_are_refused() {
        for text in ["", "a", "a0", "a11", "q1", "a01", "a+1", "a-1", "1a", "a1 ", "ä1", "a1b", "a999"] {
            assert_eq!(text.parse::<Square>(), Err(SquareParseError), "{text:?}");
        }
    }

    #[test]
    fn neighbors_are_mutual() {
        for index in 0..Square::LIMIT {
            let square = Square::from_index(index).expect("below the limit");
            for direction in Direction::ALL {
                if let Some(neighbor) = square.neighbor(direction) {
                    assert_eq!(neighbor.neighbor(direction.opposite()), Some(square));
                    assert_eq!(Direction::between(square, neighbor), Some((direction, 1)));
                }
            }
        }
    }
}
