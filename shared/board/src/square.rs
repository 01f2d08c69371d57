use std::fmt;
use std::str::FromStr;

/// A column, from 0 for `a` to 15 for `p`, with no letter left out.
pub type Column = u8;
/// A row, from 0 for row 1, which is Red's back row, to 9 for row 10.
pub type Row = u8;

/// A square. Its number is the same on every board: row times 16 plus column.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", schemars(with = "String", extend("pattern" = "^[a-p]([1-9]|10)$")))]
#[cfg_attr(feature = "serde", schemars(description = "A square: column letter, row number."))]
pub struct Square(u8);

impl Square {
    /// One more than the highest square number on any board.
    pub const LIMIT: usize = 160;
    /// The difference between the numbers of two squares in adjacent rows of a column.
    pub(crate) const STRIDE: u8 = 16;

    /// The square in this column and row, if any board has it.
    #[inline]
    pub const fn new(column: Column, row: Row) -> Option<Square> {
        if column < 16 && row < 10 { Some(Square(row * Square::STRIDE + column)) } else { None }
    }

    /// The square with this number, if any board has it.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Square> {
        if index < Square::LIMIT { Some(Square(index as u8)) } else { None }
    }

    /// The square's number, below [`Square::LIMIT`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The column, 0 is `a`.
    #[inline]
    pub const fn column(self) -> Column {
        self.0 % Square::STRIDE
    }

    /// The row, 0 is row 1.
    #[inline]
    pub const fn row(self) -> Row {
        self.0 / Square::STRIDE
    }

    /// How many steps apart two squares are on an empty board without joints.
    pub const fn distance(self, other: Square) -> u8 {
        self.column().abs_diff(other.column()) + self.row().abs_diff(other.row())
    }

    /// The neighbor in a direction. `None` only at the edges of the largest board, which has 16
    /// columns and 10 rows.
    #[inline]
    pub const fn neighbor(self, direction: Direction) -> Option<Square> {
        let index = self.0.wrapping_add_signed(direction.offset());
        let is_there = (index as usize) < Square::LIMIT
            && (index % Square::STRIDE).abs_diff(self.0 % Square::STRIDE) <= 1;
        if is_there { Some(Square(index)) } else { None }
    }
}

impl fmt::Display for Square {
    /// Writes `a1`: column letter, then row number counted from Red's back row.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.column()), self.row() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a square: it needs a column letter `a`…`p` and a row number from 1 to 10.
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
            // A leading zero or a sign is refused, because it would give a square two spellings.
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

/// One of the four directions along a row or a column, as Red sees the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// Towards higher rows.
    Up,
    /// Towards higher columns.
    Right,
    /// Towards lower rows.
    Down,
    /// Towards lower columns.
    Left,
}

/// A direction along a line. It selects one of two paths between squares of a line whose ends are
/// joined.
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
    /// The symbol, `+` or `-`.
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

    /// How much one step in this direction adds to a square's number.
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

    /// The direction and number of squares from one square to another along a row or a column.
    ///
    /// `None` if the squares are the same or not in one line.
    #[inline]
    pub const fn between(from: Square, to: Square) -> Option<(Direction, u8)> {
        // The direction of a move is hard to predict, so the code does not branch on it. It only
        // branches on whether there is a direction.
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
