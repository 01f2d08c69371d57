use std::ops::{BitAnd, BitOr, BitOrAssign, Not, Range};

use crate::{Column, Direction, Row, Square};

/// A mask of column `a` in a 64-bit word: every sixteenth bit, beginning with the lowest.
const FIRST_COLUMN: u64 = 0x0001_0001_0001_0001;

/// A set of squares as a bitboard. Each square is one bit, so a few shifts of bits can move a
/// whole army.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(schemars::JsonSchema), schemars(with = "Vec<Square>", inline))]
pub struct SquareSet([u64; SquareSet::WORDS]);

impl SquareSet {
    /// The number of 64-bit words in a set.
    pub const WORDS: usize = 3;

    /// No square.
    pub const EMPTY: SquareSet = SquareSet([0; SquareSet::WORDS]);

    /// The set that contains only this square.
    #[inline]
    pub const fn only(square: Square) -> SquareSet {
        SquareSet::EMPTY.with(square)
    }

    /// This set with one more square.
    #[must_use]
    #[inline]
    pub const fn with(mut self, square: Square) -> SquareSet {
        self.0[square.index() / 64] |= 1 << (square.index() % 64);
        self
    }

    /// The squares of a rectangle of columns and rows.
    pub const fn rectangle(columns: Range<Column>, rows: Range<Row>) -> SquareSet {
        let mut set = SquareSet::EMPTY;
        let mut row = rows.start;
        while row < rows.end {
            let mut column = columns.start;
            while column < columns.end {
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

    /// Removes a square.
    #[inline]
    pub fn remove(&mut self, square: Square) {
        self.0[square.index() / 64] &= !(1 << (square.index() % 64));
    }

    /// True if the square is in the set.
    #[inline]
    pub const fn contains(&self, square: Square) -> bool {
        self.0[square.index() / 64] & (1 << (square.index() % 64)) != 0
    }

    /// The number of squares in the set.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones() + self.0[2].count_ones()
    }

    /// True if the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] | self.0[2] == 0
    }

    /// True if the set has at least two squares.
    #[inline]
    pub const fn has_several(self) -> bool {
        // With the set read as one number `n`, clearing the lowest bit (`n & (n - 1)`) must leave
        // another bit.
        let [low, middle, high] = self.0;
        let (low_less, borrow) = low.overflowing_sub(1);
        let (middle_less, borrow) = middle.overflowing_sub(borrow as u64);
        let high_less = high.wrapping_sub(borrow as u64);
        (low & low_less) | (middle & middle_less) | (high & high_less) != 0
    }

    /// The squares that are in this set but not in the other set.
    #[must_use]
    #[inline]
    pub const fn without(self, other: SquareSet) -> SquareSet {
        SquareSet([self.0[0] & !other.0[0], self.0[1] & !other.0[1], self.0[2] & !other.0[2]])
    }

    /// The squares that are in both sets. This is a `const` form of `&`.
    #[must_use]
    #[inline]
    pub const fn intersection(self, other: SquareSet) -> SquareSet {
        SquareSet([self.0[0] & other.0[0], self.0[1] & other.0[1], self.0[2] & other.0[2]])
    }

    /// The squares that are in at least one of the two sets. This is a `const` form of `|`.
    #[must_use]
    #[inline]
    pub const fn union(self, other: SquareSet) -> SquareSet {
        SquareSet([self.0[0] | other.0[0], self.0[1] | other.0[1], self.0[2] | other.0[2]])
    }

    /// These squares, each moved one step in a direction. Squares that leave the 16x10 frame are
    /// dropped.
    ///
    /// On a board smaller than the frame, the caller must remove the squares outside the board.
    #[must_use]
    #[inline]
    pub const fn shift(self, direction: Direction) -> SquareSet {
        let [low, middle, high] = self.0;
        match direction {
            // The mask removes the squares above row 10. Only the lower half of the third word is
            // used, for rows 9 and 10.
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

    /// These squares, plus all squares on the paths that lead from them in a direction. A path
    /// enters only squares that are in `through`.
    ///
    /// Every path ends at the edge of the 16x10 frame. The code has no branch that depends on the
    /// squares, because such branches would be slow.
    #[must_use]
    #[inline]
    pub const fn fill(self, through: SquareSet, direction: Direction) -> SquareSet {
        let [low, middle, high] = self.0;
        let [low_free, middle_free, high_free] = through.0;
        match direction {
            Direction::Right => SquareSet([
                fill_right(low, low_free),
                fill_right(middle, middle_free),
                fill_right(high, high_free),
            ]),
            Direction::Left => SquareSet([
                fill_left(low, low_free),
                fill_left(middle, middle_free),
                fill_left(high, high_free),
            ]),
            Direction::Up => {
                let low = fill_up(low, low_free);
                let middle = fill_up(middle | low >> 48 & middle_free, middle_free);
                let high = fill_up(high | middle >> 48 & high_free, high_free);
                SquareSet([low, middle, high])
            }
            Direction::Down => {
                let high = fill_down(high, high_free);
                let middle = fill_down(middle | high << 48 & middle_free, middle_free);
                let low = fill_down(low | middle << 48 & low_free, low_free);
                SquareSet([low, middle, high])
            }
        }
    }

    /// The squares of one row as a bit mask, with a bit for each column.
    pub const fn row_bits(self, row: u8) -> u16 {
        (self.0[row as usize / 4] >> (row % 4 * 16)) as u16
    }

    /// Creates a set of squares in one row from a bit mask, with a bit for each column.
    pub const fn of_row(bits: u16, row: u8) -> SquareSet {
        let mut words = [0; SquareSet::WORDS];
        words[row as usize / 4] = (bits as u64) << (row % 4 * 16);
        SquareSet(words)
    }

    /// The squares of one column as a bit mask, with a bit for each row.
    pub const fn column_bits(self, column: u8) -> u16 {
        let [low, middle, high] = self.0;
        gather(low >> column) | gather(middle >> column) << 4 | gather(high >> column) << 8
    }

    /// Creates a set of squares in one column from a bit mask, with a bit for each row.
    pub const fn of_column(bits: u16, column: u8) -> SquareSet {
        SquareSet([
            scatter(bits & 0xf) << column,
            scatter(bits >> 4 & 0xf) << column,
            scatter(bits >> 8 & 0x3) << column,
        ])
    }

    /// The set as 64-bit words. The lowest bit of the first word is the lowest square.
    #[inline]
    pub const fn words(&self) -> &[u64; SquareSet::WORDS] {
        &self.0
    }

    /// The `n`-th square of one word of the set, counting from 0.
    #[inline]
    pub fn nth_of_word(&self, word: usize, n: u32) -> Option<Square> {
        // A word usually has few squares. The first three are skipped without a branch, because a
        // branch on a random `n` would often be mispredicted.
        const PASSED: u32 = 3;
        let mut bits = self.0[word];
        for place in 0..PASSED {
            let rest = bits & bits.wrapping_sub(1);
            bits = if place < n { rest } else { bits };
        }
        for _ in PASSED..n {
            bits &= bits.wrapping_sub(1);
        }
        if bits == 0 { None } else { Square::from_index(word * 64 + bits.trailing_zeros() as usize) }
    }

    /// The lowest square of the set.
    pub fn first(self) -> Option<Square> {
        self.iter().next()
    }

    /// The squares in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Square> {
        let (mut word_index, [mut word, ..]) = (0, self.0);
        std::iter::from_fn(move || {
            while word == 0 {
                word_index += 1;
                word = *self.0.get(word_index)?;
            }
            let bit = word.trailing_zeros() as usize;
            word &= word - 1;
            Square::from_index(word_index * 64 + bit)
        })
    }
}

/// Packs four bits, one for each row of the word's first column, into the lowest bits.
const fn gather(word: u64) -> u16 {
    let column = word & FIRST_COLUMN;
    ((column | column >> 15 | column >> 30 | column >> 45) & 0xf) as u16
}

/// Spreads the lowest four bits over the four rows of the word's first column.
const fn scatter(bits: u16) -> u64 {
    let bits = bits as u64;
    (bits | bits << 15 | bits << 30 | bits << 45) & FIRST_COLUMN
}

/// Computes [`SquareSet::fill`] to the right in one word. Squares of the first column do not
/// count as free, because otherwise a path would continue into the next row.
///
/// The method is `o^(o-2r)` from chess programming, applied to all source squares at once. It
/// subtracts the bit after each source from the set of squares that are not free. The borrow then
/// runs through the free squares up to the next square that is not free. The bits that change
/// form the path.
#[inline]
const fn fill_right(from: u64, free: u64) -> u64 {
    let free = free & !FIRST_COLUMN;
    let ends = !free | from;
    from | free & (ends ^ ends.wrapping_sub(from << 1))
}

/// Computes [`SquareSet::fill`] to the left in one word. Subtraction does not work in this
/// direction, because a borrow never runs toward lower bits. Instead, each step of the loop
/// doubles the length of the paths.
#[inline]
const fn fill_left(mut from: u64, free: u64) -> u64 {
    let mut free = free & !(FIRST_COLUMN << 15);
    let mut distance = 1;
    while distance <= 8 {
        from |= free & from >> distance;
        free &= free >> distance;
        distance *= 2;
    }
    from
}

/// Computes [`SquareSet::fill`] upward over the four rows of one word.
#[inline]
const fn fill_up(mut from: u64, free: u64) -> u64 {
    from |= free & from << 16;
    from |= free & from << 16;
    from | free & from << 16
}

/// Computes [`SquareSet::fill`] downward over the four rows of one word.
#[inline]
const fn fill_down(mut from: u64, free: u64) -> u64 {
    from |= free & from >> 16;
    from |= free & from >> 16;
    from | free & from >> 16
}

impl BitAnd for SquareSet {
    type Output = SquareSet;
    #[inline]
    fn bitand(self, other: SquareSet) -> SquareSet {
        self.intersection(other)
    }
}

impl BitOr for SquareSet {
    type Output = SquareSet;
    #[inline]
    fn bitor(self, other: SquareSet) -> SquareSet {
        self.union(other)
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
    /// The squares of the 16x10 frame that are not in this set.
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

/// Serializes the squares as a list, in ascending order.
#[cfg(feature = "serde")]
impl serde::Serialize for SquareSet {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for SquareSet {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<SquareSet, D::Error> {
        Ok(Vec::<Square>::deserialize(deserializer)?.into_iter().collect())
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

    /// Returns pseudo-random sets, some with few squares and some with many.
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
    fn rows_and_columns_come_back_from_their_bits() {
        for set in some_sets() {
            let rows = (0..10).map(|row| SquareSet::of_row(set.row_bits(row), row));
            assert_eq!(rows.fold(SquareSet::EMPTY, |all, row| all | row), set);
            let columns = (0..16).map(|column| SquareSet::of_column(set.column_bits(column), column));
            assert_eq!(columns.fold(SquareSet::EMPTY, |all, column| all | column), set);
        }
    }

    #[test]
    fn the_nth_square_of_a_word_is_the_nth_of_its_iteration() {
        let frame = !SquareSet::EMPTY;
        for set in some_sets().chain([frame]) {
            for word in 0..SquareSet::WORDS {
                let squares: Vec<_> = set.iter().filter(|square| square.index() / 64 == word).collect();
                assert_eq!(set.words()[word].count_ones() as usize, squares.len());
                for (n, square) in squares.iter().enumerate() {
                    assert_eq!(set.nth_of_word(word, n as u32), Some(*square));
                }
                assert_eq!(set.nth_of_word(word, squares.len() as u32), None);
                assert_eq!(set.nth_of_word(word, 200), None);
            }
        }
    }

    #[test]
    fn a_set_gives_its_squares_back_in_order() {
        let squares: Vec<_> = all().step_by(7).collect();
        let set: SquareSet = squares.iter().copied().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), squares);
        assert_eq!(set.len() as usize, squares.len());
        assert_eq!(!!set, set);
    }

    #[test]
    fn several_are_more_than_one() {
        assert!(!SquareSet::EMPTY.has_several());
        for (one, other) in all().flat_map(|one| all().map(move |other| (one, other))) {
            let set = SquareSet::only(one).with(other);
            assert_eq!(set.has_several(), one != other, "{one} {other}");
        }
    }
}
