//! Squares as cells of a walled grid. A neighbor is one addition away, and no line runs off the
//! board.

use flagfall_board::Square;

/// A square of the widest board, with a wall around it.
pub(super) type Cell = u8;

const STRIDE: u8 = 18;

/// How many cells the grid has.
pub(super) const CELLS: usize = STRIDE as usize * 12;

/// The four directions, as values to add (wrapping) to a cell.
pub(super) const STEPS: [u8; 4] = [STRIDE, 1, 0_u8.wrapping_sub(STRIDE), 0_u8.wrapping_sub(1)];

/// The square's cell.
pub(super) const fn cell(square: Square) -> Cell {
    (square.row() + 1) * STRIDE + square.column() + 1
}

#[cfg(test)]
/// The cell's square. `None` for a part of the wall.
pub(super) const fn square(cell: Cell) -> Option<Square> {
    match ((cell % STRIDE).checked_sub(1), (cell / STRIDE).checked_sub(1)) {
        (Some(column), Some(row)) => Square::new(column, row),
        (None, _) | (_, None) => None,
    }
}

/// A table of which cells are in the list.
pub(super) fn marked(cells: &[Cell]) -> [bool; CELLS] {
    let mut marked = [false; CELLS];
    cells.iter().for_each(|cell| marked[usize::from(*cell)] = true);
    marked
}

/// Steps from one cell to another on an empty board.
pub(super) fn distance(one: Cell, other: Cell) -> u8 {
    (one % STRIDE).abs_diff(other % STRIDE) + (one / STRIDE).abs_diff(other / STRIDE)
}

/// True if the cells are neighbors.
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
