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

    /// These squares and every one reached from them in a direction over squares of `through` alone. The frame's edge ends every way.
    ///
    /// The way is doubled at each step (an occluded fill, as chess programs do it): no branch depends on the board.
    #[must_use]
    #[inline]
    pub const fn fill(self, through: SquareSet, direction: Direction) -> SquareSet {
        let [mut low, mut middle, mut high] = self.0;
        let [mut low_free, mut middle_free, mut high_free] = through.0;
        match direction {
            Direction::Right | Direction::Left => {
                // What would wrap around into another row lands on its edge: the edge is not entered.
                let is_right = matches!(direction, Direction::Right);
                let edge = if is_right { FIRST_COLUMN } else { FIRST_COLUMN << 15 };
                low_free &= !edge;
                middle_free &= !edge;
                high_free &= !edge;
                let mut distance = 1;
                while distance <= 8 {
                    if is_right {
                        low |= low_free & (low << distance);
                        middle |= middle_free & (middle << distance);
                        high |= high_free & (high << distance);
                        low_free &= low_free << distance;
                        middle_free &= middle_free << distance;
                        high_free &= high_free << distance;
                    } else {
                        low |= low_free & (low >> distance);
                        middle |= middle_free & (middle >> distance);
                        high |= high_free & (high >> distance);
                        low_free &= low_free >> distance;
                        middle_free &= middle_free >> distance;
                        high_free &= high_free >> distance;
                    }
                    distance *= 2;
                }
            }
            Direction::Up => {
                let mut bits = 16;
                while bits <= 32 {
                    high |= high_free & (high << bits | middle >> (64 - bits));
                    middle |= middle_free & (middle << bits | low >> (64 - bits));
                    low |= low_free & (low << bits);
                    high_free &= high_free << bits | middle_free >> (64 - bits);
                    middle_free &= middle_free << bits | low_free >> (64 - bits);
                    low_free &= low_free << bits;
                    bits *= 2;
                }
                // Four rows are a word.
                high |= high_free & middle;
                middle |= middle_free & low;
                high |= high_free & middle_free & low;
            }
            Direction::Down => {
                let mut bits = 16;
                while bits <= 32 {
                    low |= low_free & (low >> bits | middle << (64 - bits));
                    middle |= middle_free & (middle >> bits | high << (64 - bits));
                    high |= high_free & (high >> bits);
                    low_free &= low_free >> bits | middle_free << (64 - bits);
                    middle_free &= middle_free >> bits | high_free << (64 - bits);
                    high_free &= high_free >> bits;
                    bits *= 2;
                }
                low |= low_free & middle;
                middle |= middle_free & high;
                low |= low_free & middle_free & high;
            }
        }
        SquareSet([low, middle, high])
    }

    /// The square with `n` smaller ones in the set.
    #[must_use]
    #[inline]
    pub fn nth(self, n: u32) -> Option<Square> {
        let [low, middle, high] = self.0;
        let in_low = low.count_ones();
        let in_two = in_low + middle.count_ones();
        let (word, first, n) = if n < in_low {
            (low, 0, n)
        } else if n < in_two {
            (middle, 64, n - in_low)
        } else {
            (high, 128, n - in_two)
        };
        Square::from_index(first + nth_bit(word, n)? as usize)
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

/// The place of the bit with `n` lower ones set: whole bytes at a time, then bit by bit.
#[inline]
fn nth_bit(word: u64, n: u32) -> Option<u32> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    // In each byte how many bits are set up to its end; those whose number is at most n end before the bit.
    let up_to = bytes.wrapping_mul(ONES);
    if u64::from(n) >= up_to >> 56 {
        return None;
    }
    let ended = ((u64::from(n) * ONES) | (ONES << 7)) - up_to;
    let ended = ended & (ONES << 7);
    let shift = ended.count_ones() * 8;
    let before = (up_to << 8 >> shift) as u32 & 0xff;
    let mut byte = (word >> shift) as u32 & 0xff;
    for _ in before..n {
        byte &= byte - 1;
    }
    Some(shift + byte.trailing_zeros())
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

    /// Sets from a generator of its own kind: every so manieth square, with holes.
    fn some_sets() -> impl Iterator<Item = SquareSet> {
        (1_u64..400).map(|seed| {
            let mut bits = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            all()
                .filter(|_| {
                    bits ^= bits << 13;
                    bits ^= bits >> 7;
                    bits ^= bits << 17;
                    bits % 5 < seed % 5
                })
                .collect()
        })
    }

    #[test]
    fn filling_is_going_on_square_by_square() {
        for (from, through) in some_sets().zip(some_sets().skip(7)) {
            for direction in Direction::ALL {
                let mut expected = from;
                for square in from.iter() {
                    let mut front = square;
                    while let Some(next) = front.neighbor(direction).filter(|next| through.contains(*next)) {
                        expected.insert(next);
                        front = next;
                    }
                }
                assert_eq!(from.fill(through, direction), expected, "{direction:?}");
            }
        }
    }

    #[test]
    fn the_nth_square_is_the_nth_of_the_iteration() {
        for set in some_sets() {
            for (n, square) in set.iter().enumerate() {
                assert_eq!(set.nth(n as u32), Some(square));
            }
            assert_eq!(set.nth(set.len()), None);
            assert_eq!(set.nth(set.len() + 70), None);
        }
        let frame = !SquareSet::EMPTY;
        assert!((0..160).all(|n| frame.nth(n).map(Square::index) == Some(n as usize)));
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
