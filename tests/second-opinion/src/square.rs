//! Squares by their names.

/// A square.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct At {
    /// The row, from 0.
    pub row: i8,
    /// The column, from 0.
    pub column: i8,
}

const COLUMNS: usize = 16;
/// Squares of the largest board.
pub(crate) const SQUARES: usize = 10 * COLUMNS;

impl At {
    /// Reads `a4`.
    #[must_use]
    pub fn read(text: &str) -> Option<At> {
        let column = text.bytes().next().filter(|letter| (b'a'..=b'p').contains(letter))?;
        let row: i8 = text.get(1..)?.parse().ok()?;
        (1..=10).contains(&row).then_some(At { row: row - 1, column: i8::try_from(column - b'a').ok()? })
    }

    /// Writes `a4`.
    #[must_use]
    pub fn text(self) -> String {
        format!("{}{}", char::from(b'a' + self.column.unsigned_abs()), self.row + 1)
    }

    /// Returns the square's index in a list of all squares.
    #[must_use]
    pub(crate) fn index(self) -> usize {
        usize::from(self.row.unsigned_abs()) * COLUMNS + usize::from(self.column.unsigned_abs())
    }

    /// True if the square is next to another one on the plain board.
    #[must_use]
    pub(crate) fn is_beside(self, other: At) -> bool {
        (self.row - other.row).abs() + (self.column - other.column).abs() == 1
    }
}

/// Reads squares without separators, as in `a4a5`.
#[must_use]
pub fn read_squares(text: &str) -> Option<Vec<At>> {
    let mut squares = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let more = rest.bytes().skip(1).position(|byte| byte.is_ascii_lowercase());
        let (one, others) = rest.split_at(more.map_or(rest.len(), |at| at + 1));
        squares.push(At::read(one)?);
        rest = others;
    }
    Some(squares)
}

/// Reads `a4a5`.
#[must_use]
pub fn read_move(text: &str) -> Option<(At, At)> {
    match read_squares(text)?[..] {
        [from, to] => Some((from, to)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_and_moves_are_read() {
        assert_eq!(
            read_move("a9a10").map(|(from, to)| (from.text(), to.text())),
            Some(("a9".into(), "a10".into()))
        );
        assert_eq!(read_move("a"), None);
        assert_eq!(read_squares("a7p10b1").map(|squares| squares.len()), Some(3));
        assert_eq!(read_squares("a7q1"), None);
    }
}
