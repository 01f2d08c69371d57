use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use crate::{Direction, Square};

const WORDS: usize = 3;
/// Column a of the 64-bit words: every sixteenth bit.
const FIRST_COLUMN: u64 = 0x0001_0001_0001_0001;

/// A set of squares, one bit a square, so that a whole army's steps are a few shifts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SquareSet([u64; WORDS]);

impl SquareSet {
    /// No square.
    pub const EMPTY: SquareSet = SquareSet([0; WORDS]);

    /// The set of one square.
    #[must_use]
    #[inline]
    pub const fn only(square: Square) -> SquareSet {
        SquareSet::EMPTY.with(square)
    }

    /// The set and the square.
    #[must_use]
    #[inline]
    pub const fn with(mut self, square: Square) -> SquareSet {
        self.0[square.index() / 64] |= 1 << (square.index() % 64);
        self
    }

    /// Every square of the first `columns` columns and the rows from `row_first` up to, not including, `row_end`.
    #[must_use]
    pub const fn rectangle(columns: u8, row_first: u8, row_end: u8) -> SquareSet {
        let mut set = SquareSet::EMPTY;
        let mut row = row_first;
        while row < row_end {
            let mut column = 0;
            while column < columns {
                if let Some(square) = Square::new(column, row) {
                    set = set.with(square);
                }
                column += 1;
            }
            row += 1;
        }
        set
    }

    /// Adds a square.
    #[inline]
    pub fn insert(&mut self, square: Square) {
        self.0[square.index() / 64] |= 1 << (square.index() % 64);
    }

    /// Takes a square out.
    #[inline]
    pub fn remove(&mut self, square: Square) {
        self.0[square.index() / 64] &= !(1 << (square.index() % 64));
    }

    /// Whether the square is in the set.
    #[must_use]
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0[square.index() / 64] & (1 << (square.index() % 64)) != 0
    }

    /// How many squares the set has.
    #[must_use]
    #[inline]
    pub const fn len(self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones() + self.0[2].count_ones()
    }

    /// Whether the set has no square.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] | self.0[2] == 0
    }

    /// The squares of this set that are not in the other.
    #[must_use]
    #[inline]
    pub const fn without(self, other: SquareSet) -> SquareSet {
        SquareSet([self.0[0] & !other.0[0], self.0[1] & !other.0[1], self.0[2] & !other.0[2]])
    }

    /// Every square moved by one; what leaves the 16x10 frame is gone. Shapes narrower than the frame mask the rest.
    #[must_use]
    #[inline]
    pub const fn shift(self, direction: Direction) -> SquareSet {
        let [low, middle, high] = self.0;
        match direction {
            // Rows above the tenth do not exist: the third word holds rows 9 and 10 in its lower half.
            Direction::Up => {
                SquareSet([low << 16, middle << 16 | low >> 48, (high << 16 | middle >> 48) & 0xffff_ffff])
            }
            Direction::Down => SquareSet([low >> 16 | middle << 48, middle >> 16 | high << 48, high >> 16]),
            Direction::Right => {
                SquareSet([low << 1 & !FIRST_COLUMN, middle << 1 & !FIRST_COLUMN, high << 1 & !FIRST_COLUMN])
            }
            Direction::Left => SquareSet([
                (low & !FIRST_COLUMN) >> 1,
                (middle & !FIRST_COLUMN) >> 1,
                (high & !FIRST_COLUMN) >> 1,
            ]),
        }
    }

    /// The square with `n` smaller ones in the set.
    #[must_use]
    pub fn nth(self, mut n: u32) -> Option<Square> {
        for (word_index, mut word) in self.0.into_iter().enumerate() {
            let count = word.count_ones();
            if n < count {
                for _ in 0..n {
                    word &= word - 1;
                }
                return Square::from_index(word_index * 64 + word.trailing_zeros() as usize);
            }
            n -= count;
        }
        None
    }

    /// The squares in rising order.
    pub fn iter(self) -> impl Iterator<Item = Square> {
        let mut words = self.0;
        std::iter::from_fn(move || {
            for (word_index, word) in words.iter_mut().enumerate() {
                if *word != 0 {
                    let bit = word.trailing_zeros() as usize;
                    *word &= *word - 1;
                    return Square::from_index(word_index * 64 + bit);
                }
            }
            None
        })
    }
}

impl BitAnd for SquareSet {
    type Output = SquareSet;
    #[inline]
    fn bitand(self, other: SquareSet) -> SquareSet {
        SquareSet([self.0[0] & other.0[0], self.0[1] & other.0[1], self.0[2] & other.0[2]])
    }
}

impl BitAndAssign for SquareSet {
    #[inline]
    fn bitand_assign(&mut self, other: SquareSet) {
        *self = *self & other;
    }
}

impl BitOr for SquareSet {
    type Output = SquareSet;
    #[inline]
    fn bitor(self, other: SquareSet) -> SquareSet {
        SquareSet([self.0[0] | other.0[0], self.0[1] | other.0[1], self.0[2] | other.0[2]])
    }
}

impl BitOrAssign for SquareSet {
    #[inline]
    fn bitor_assign(&mut self, other: SquareSet) {
        *self = *self | other;
    }
}

impl Not for SquareSet {
    type Output = SquareSet;
    /// The squares of the 16x10 frame that are not in the set.
    #[inline]
    fn not(self) -> SquareSet {
        SquareSet([!self.0[0], !self.0[1], !self.0[2] & 0xffff_ffff])
    }
}

impl FromIterator<Square> for SquareSet {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(SquareSet::EMPTY, SquareSet::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Square> {
        (0..Square::LIMIT).filter_map(Square::from_index)
    }

    #[test]
    fn shifting_a_set_is_shifting_every_square() {
        for square in all() {
            for direction in Direction::ALL {
                let expected: SquareSet = square.neighbor(direction).into_iter().collect();
                assert_eq!(SquareSet::only(square).shift(direction), expected, "{square} {direction:?}");
            }
        }
    }

    #[test]
    fn a_set_gives_its_squares_back_in_order() {
        let squares: Vec<_> = all().step_by(7).collect();
        let set: SquareSet = squares.iter().copied().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), squares);
        assert_eq!(set.len() as usize, squares.len());
        for (n, square) in squares.iter().enumerate() {
            assert_eq!(set.nth(n as u32), Some(*square));
        }
        assert_eq!(set.nth(set.len()), None);
        assert_eq!(!!set, set);
    }
}
