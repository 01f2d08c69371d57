use crate::{Direction, Side, Square, SquareSet};

/// The shape of a board: its size, home rows, fixed lakes and joints.
///
/// Lakes that are drawn at random for each game are not part of the shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoardShape {
    /// The number of columns, from 1 to 16.
    pub columns: u8,
    /// The number of rows, from 1 to 10.
    pub rows: u8,
    /// The number of rows on which each side deploys, counted from the side's own edge of the
    /// board.
    pub home_rows: u8,
    /// The lakes: squares that no piece may enter or cross.
    pub lakes: SquareSet,
    /// The columns with a joint, which makes the top and bottom squares neighbors. There is one
    /// bit per column (RULES §S2.6).
    pub joined_columns: u16,
    /// The rows with a joint, which makes the first and last squares neighbors. There is one bit
    /// per row (RULES §S2.6).
    pub joined_rows: u16,
}

impl BoardShape {
    /// Every square of the board, including lakes.
    pub const fn squares(&self) -> SquareSet {
        SquareSet::rectangle(0..self.columns, 0..self.rows)
    }

    /// True if the square is on the board. Lake squares are on the board.
    pub const fn contains(&self, square: Square) -> bool {
        square.column() < self.columns && square.row() < self.rows
    }

    /// The home squares of a side.
    pub const fn home(&self, side: Side) -> SquareSet {
        match side {
            Side::Red => SquareSet::rectangle(0..self.columns, 0..self.home_rows),
            Side::Blue => SquareSet::rectangle(0..self.columns, self.rows - self.home_rows..self.rows),
        }
    }

    /// The number of home squares of each side.
    pub const fn home_len(&self) -> usize {
        self.columns as usize * self.home_rows as usize
    }

    /// The home square for a place in the deployment text (RULES §P4).
    ///
    /// Places are numbered row by row, beginning with the row nearest the enemy. Within a row,
    /// they go from left to right as the player sees it. `None` beyond the last place.
    pub const fn home_square(&self, side: Side, place: usize) -> Option<Square> {
        if place >= self.home_len() {
            return None;
        }
        let column = (place % self.columns as usize) as u8;
        let depth = (place / self.columns as usize) as u8;
        match side {
            Side::Red => Square::new(column, self.home_rows - 1 - depth),
            Side::Blue => Square::new(self.columns - 1 - column, self.rows - self.home_rows + depth),
        }
    }

    /// The neighbor of a square in a direction. Across a joint, the neighbor is at the opposite
    /// edge.
    pub fn neighbor(&self, square: Square, direction: Direction) -> Option<Square> {
        let (column, row) = (square.column(), square.row());
        match direction {
            Direction::Up if row + 1 == self.rows => self.across_column(column, 0),
            Direction::Down if row == 0 => self.across_column(column, self.rows - 1),
            Direction::Right if column + 1 == self.columns => self.across_row(0, row),
            Direction::Left if column == 0 => self.across_row(self.columns - 1, row),
            Direction::Up | Direction::Down | Direction::Left | Direction::Right => {
                square.neighbor(direction)
            }
        }
    }

    /// True if any row or column of the board has a joint.
    #[inline]
    pub const fn has_joints(&self) -> bool {
        self.joined_columns | self.joined_rows != 0
    }

    /// These squares, each moved one step in a direction. Like [`SquareSet::shift`], but steps
    /// may also cross joints.
    pub const fn shift(&self, squares: SquareSet, direction: Direction) -> SquareSet {
        squares.shift(direction).union(self.carry(squares, direction))
    }

    /// Like [`SquareSet::fill`], but paths may also cross joints.
    ///
    /// A path ends before the first square that is not in `through`, even if it wraps around the
    /// board.
    pub const fn fill(&self, from: SquareSet, through: SquareSet, direction: Direction) -> SquareSet {
        let reached = from.fill(through, direction);
        // A line has at most one joint, so a second fill from the far side of that joint
        // completes the path.
        let carried = self.carry(reached, direction).intersection(through);
        reached.union(carried).fill(through, direction)
    }

    /// The squares that are one step across a joint from these squares.
    const fn carry(&self, squares: SquareSet, direction: Direction) -> SquareSet {
        let (top, last) = (self.rows - 1, self.columns - 1);
        match direction {
            Direction::Up => SquareSet::of_row(squares.row_bits(top) & self.joined_columns, 0),
            Direction::Down => SquareSet::of_row(squares.row_bits(0) & self.joined_columns, top),
            Direction::Right => SquareSet::of_column(squares.column_bits(last) & self.joined_rows, 0),
            Direction::Left => SquareSet::of_column(squares.column_bits(0) & self.joined_rows, last),
        }
    }

    /// The number of steps from one square to another in a direction. Steps may cross joints.
    ///
    /// `None` if that direction does not lead from the first square to the second.
    pub fn distance(&self, from: Square, to: Square, direction: Direction) -> Option<u8> {
        let mut distance = 0;
        let mut square = from;
        loop {
            square = self.neighbor(square, direction).filter(|next| *next != from)?;
            distance += 1;
            if square == to {
                return Some(distance);
            }
        }
    }

    fn across_column(&self, column: u8, row: u8) -> Option<Square> {
        if self.joined_columns & (1 << column) != 0 { Square::new(column, row) } else { None }
    }

    fn across_row(&self, column: u8, row: u8) -> Option<Square> {
        if self.joined_rows & (1 << row) != 0 { Square::new(column, row) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: BoardShape = BoardShape {
        columns: 10,
        rows: 10,
        home_rows: 4,
        lakes: SquareSet::EMPTY,
        joined_columns: 0,
        joined_rows: 0,
    };

    #[test]
    fn deployment_places_run_from_the_enemy_back_and_from_the_players_left() {
        let square = |side, place| SHAPE.home_square(side, place).map(|s| s.to_string());
        assert_eq!(square(Side::Red, 0).as_deref(), Some("a4"));
        assert_eq!(square(Side::Red, 39).as_deref(), Some("j1"));
        assert_eq!(square(Side::Blue, 0).as_deref(), Some("j7"));
        assert_eq!(square(Side::Blue, 39).as_deref(), Some("a10"));
        assert_eq!(square(Side::Blue, 40), None);
    }

    #[test]
    fn home_squares_are_what_the_places_cover() {
        for side in Side::BOTH {
            let covered: SquareSet =
                (0..SHAPE.home_len()).filter_map(|p| SHAPE.home_square(side, p)).collect();
            assert_eq!(covered, SHAPE.home(side));
        }
    }

    const JOINED: BoardShape = BoardShape {
        columns: 16,
        rows: 10,
        joined_columns: 0b1110_0011_1000_0111,
        joined_rows: 0b11_1100_1111,
        ..SHAPE
    };

    fn some_sets() -> impl Iterator<Item = SquareSet> {
        (1_u64..200).map(|seed| {
            let mut bits = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (0..Square::LIMIT)
                .filter_map(Square::from_index)
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
    fn a_joined_shift_is_every_squares_neighbor() {
        for (shape, set) in [JOINED, BoardShape { joined_columns: 0, joined_rows: 0, ..JOINED }]
            .iter()
            .flat_map(|shape| some_sets().map(move |set| (shape, set)))
        {
            for direction in Direction::ALL {
                let wanted: SquareSet =
                    set.iter().filter_map(|square| shape.neighbor(square, direction)).collect();
                assert_eq!(shape.shift(set, direction), wanted, "{direction:?}");
            }
        }
    }

    #[test]
    fn a_joined_fill_goes_on_square_by_square() {
        for (from, through) in some_sets().zip(some_sets().skip(7)) {
            let through = through.without(from);
            for direction in Direction::ALL {
                let mut wanted = from;
                for square in from.iter() {
                    let mut front = square;
                    while let Some(next) =
                        JOINED.neighbor(front, direction).filter(|next| through.contains(*next))
                    {
                        wanted.insert(next);
                        front = next;
                    }
                }
                assert_eq!(JOINED.fill(from, through, direction), wanted, "{direction:?}");
            }
        }
    }

    #[test]
    fn two_squares_of_a_joined_line_have_two_distances() {
        let square = |text: &str| text.parse::<Square>().expect("a square");
        let between = |from, to, direction| JOINED.distance(square(from), square(to), direction);
        assert_eq!(between("a1", "a7", Direction::Up), Some(6));
        assert_eq!(between("a1", "a7", Direction::Down), Some(4));
        assert_eq!(between("a1", "a7", Direction::Right), None);
        assert_eq!(between("d1", "d7", Direction::Down), None);
        assert_eq!(between("p9", "a9", Direction::Right), Some(1));
        assert_eq!(between("p5", "a5", Direction::Right), None);
        assert_eq!(between("a1", "a1", Direction::Up), None);
    }

    #[test]
    fn joints_connect_only_the_columns_and_rows_that_have_them() {
        let joined = BoardShape { joined_columns: 0b1, joined_rows: 0b10, ..SHAPE };
        let square = |text: &str| text.parse::<Square>().expect("a square");
        assert_eq!(joined.neighbor(square("a10"), Direction::Up), Some(square("a1")));
        assert_eq!(joined.neighbor(square("b10"), Direction::Up), None);
        assert_eq!(joined.neighbor(square("a2"), Direction::Left), Some(square("j2")));
        assert_eq!(joined.neighbor(square("a1"), Direction::Left), None);
        assert_eq!(joined.neighbor(square("c3"), Direction::Right), Some(square("d3")));
    }
}
