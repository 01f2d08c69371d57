//! Squares as cells of a grid that is surrounded by a wall. The neighbor of a cell can be
//! computed with one addition, and paths cannot leave the board, because they end at the wall.

use flagfall_board::Square;

/// The index of a square in the grid. The grid is the largest board with a wall around it.
pub(super) type Cell = u8;

const STRIDE: u8 = 18;

pub(super) const CELLS: usize = STRIDE as usize * 12;

/// The four directions, as numbers to add to a cell with wrapping addition.
pub(super) const STEPS: [u8; 4] = [STRIDE, 1, 0_u8.wrapping_sub(STRIDE), 0_u8.wrapping_sub(1)];

pub(super) const fn cell(square: Square) -> Cell {
    (square.row() + 1) * STRIDE + square.column() + 1
}

#[cfg(test)]
/// Returns the square of a cell. Returns `None` for a cell of the wall.
pub(super) const fn square(cell: Cell) -> Option<Square> {
    match ((cell % STRIDE).checked_sub(1), (cell / STRIDE).checked_sub(1)) {
        (Some(column), Some(row)) => Square::new(column, row),
        (None, _) | (_, None) => None,
    }
}

/// Returns a table with an entry for each cell: true if the cell is in the list.
pub(super) fn marked(cells: &[Cell]) -> [bool; CELLS] {
    let mut marked = [false; CELLS];
    cells.iter().for_each(|cell| marked[usize::from(*cell)] = true);
    marked
}

/// Returns the number of steps from one cell to another on an empty board.
pub(super) fn distance(one: Cell, other: Cell) -> u8 {
    (one % STRIDE).abs_diff(other % STRIDE) + (one / STRIDE).abs_diff(other / STRIDE)
}

pub(super) fn is_adjacent(one: Cell, other: Cell) -> bool {
    STEPS.into_iter().any(|step| one.wrapping_add(step) == other)
}

#[cfg(test)]
mod tests {
    use flagfall_board::Direction;

    use super::*;

    #[test]
    fn cells_are_squares_and_steps_are_directions() {
        for index in 0..Square::LIMIT {
            let here = Square::from_index(index).expect("a square");
            assert_eq!(square(cell(here)), Some(here));
            for (direction, step) in Direction::ALL.into_iter().zip(STEPS) {
                let next = cell(here).wrapping_add(step);
                assert!(usize::from(next) < CELLS);
                assert_eq!(square(next), here.neighbor(direction), "{here} {direction:?}");
                assert!(is_adjacent(cell(here), next));
            }
        }
    }
}
