//! The layout of the board, its squares and the panel on the screen.
//!
//! Drawing, mouse clicks and the message about small terminals all use the same [`PageLayout`].

use flagfall_board::BoardShape;
use ratatui::layout::{Rect, Size};

/// Sizes of a square's cell, largest first.
const CELLS: [Size; 6] = [
    Size { width: 8, height: 4 },
    Size { width: 6, height: 3 },
    Size { width: 4, height: 2 },
    Size { width: 3, height: 2 },
    Size { width: 3, height: 1 },
    Size { width: 2, height: 1 },
];
/// Number of columns for the row numbers, left of the board.
const LABEL_WIDTH: u16 = 3;
/// Number of rows for the column letters, below the board.
const LETTERS_HEIGHT: u16 = 1;
/// Number of rows of the title above the page. `FOOT_HEIGHT` is for the message and the keys
/// below the page.
const TITLE_HEIGHT: u16 = 1;
const FOOT_HEIGHT: u16 = 2;
/// Minimum number of columns of every page.
const WIDTH_MIN: u16 = 40;
/// Minimum number of rows of a page without a board.
const HEIGHT_MIN: u16 = 10;
/// Minimum number of columns of a panel beside the board.
pub(super) const PANEL_WIDTH: u16 = 28;
/// Minimum number of columns of a narrow panel beside the board, which omits the losses.
const NARROW_WIDTH: u16 = 16;
/// Minimum number of rows of a whole panel below the board.
const PANEL_HEIGHT: u16 = 18;
/// Minimum number of rows of a short panel below the board, which shows the players and the last
/// event.
pub(super) const SHORT_HEIGHT: u16 = 6;
/// Minimum number of rows of a panel that shows only the players.
const PLAYERS_HEIGHT: u16 = 2;

/// Returns the parts of a screen: title, body, message and keys. The error is the size that the
/// screen needs.
pub(super) fn page(area: Rect) -> Result<[Rect; 4], Size> {
    let needed = Size { width: WIDTH_MIN, height: HEIGHT_MIN };
    if area.width < needed.width || area.height < needed.height {
        return Err(needed);
    }
    let title = Rect { height: TITLE_HEIGHT, ..area };
    let body = Rect { y: title.bottom(), height: area.height - TITLE_HEIGHT - FOOT_HEIGHT, ..area };
    let message = Rect { y: body.bottom(), height: 1, ..area };
    Ok([title, body, message, Rect { y: message.bottom(), ..message }])
}

/// The areas of a board and its panel on a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PageLayout {
    /// The board with the row numbers and column letters.
    pub(super) board: Rect,
    pub(super) panel: Rect,
    pub(super) cell: Size,
}

impl PageLayout {
    /// Returns the layout with the largest cells that leave room for a whole panel, beside the
    /// board or below it. If none fits, tries a short panel below the board, then a narrow panel
    /// beside the board, then only the two players below the board. The error is the terminal
    /// size that the board needs.
    pub(super) fn new(shape: &BoardShape, area: Rect) -> Result<PageLayout, Size> {
        let needed = PageLayout::needed(shape);
        let [_, body, ..] = page(area).map_err(|_| needed)?;
        let beside = |cell, width| PageLayout::beside(shape, body, cell, width);
        let below = |cell, height| PageLayout::below(shape, body, cell, height);
        let largest = |fit: &dyn Fn(Size) -> Option<PageLayout>| CELLS.into_iter().find_map(fit);
        largest(&|cell| beside(cell, PANEL_WIDTH).or_else(|| below(cell, PANEL_HEIGHT)))
            .or_else(|| largest(&|cell| below(cell, SHORT_HEIGHT)))
            .or_else(|| largest(&|cell| beside(cell, NARROW_WIDTH)))
            .or_else(|| largest(&|cell| below(cell, PLAYERS_HEIGHT)))
            .ok_or(needed)
    }

    /// Returns the minimum terminal size for the board with a narrow panel beside it, or with the
    /// players below it.
    fn needed(shape: &BoardShape) -> Size {
        let [.., cell] = CELLS;
        let board = board_size(shape, cell);
        let is_beside = board.width + 1 + NARROW_WIDTH <= WIDTH_MIN;
        let players = if is_beside { 0 } else { PLAYERS_HEIGHT };
        Size {
            width: board.width.max(WIDTH_MIN),
            height: (TITLE_HEIGHT + board.height + players + FOOT_HEIGHT).max(HEIGHT_MIN),
        }
    }

    /// Puts the board on the left and the panel on the right, if the panel gets at least
    /// `width_min`.
    fn beside(shape: &BoardShape, body: Rect, cell: Size, width_min: u16) -> Option<PageLayout> {
        let board = Rect::from((body.as_position(), board_size(shape, cell)));
        let width = body.width.checked_sub(board.width + 1)?;
        let panel = Rect { x: board.right() + 1, width, ..body };
        (width >= width_min && board.height <= body.height).then_some(PageLayout { board, panel, cell })
    }

    /// Puts the panel below the board, if the panel gets at least `height_min`.
    fn below(shape: &BoardShape, body: Rect, cell: Size, height_min: u16) -> Option<PageLayout> {
        let board = Rect::from((body.as_position(), board_size(shape, cell)));
        let height = body.height.checked_sub(board.height)?;
        let panel = Rect { y: board.bottom(), height, ..body };
        (height >= height_min && board.width <= body.width).then_some(PageLayout { board, panel, cell })
    }

    /// Returns the area of the cell in this column and row of the board, counted from the top
    /// left.
    pub(super) fn cell_at(&self, place: usize, line: usize) -> Rect {
        let Size { width, height } = self.cell;
        let (x, y) = (self.board.x + LABEL_WIDTH, self.board.y);
        Rect { x: x + place as u16 * width, y: y + line as u16 * height, width, height }
    }

    /// Returns the column and row of the cell at this position of the terminal.
    pub(super) fn place_at(&self, column: u16, row: u16) -> Option<(usize, usize)> {
        let is_inside = column < self.board.right() && row < self.board.bottom() - LETTERS_HEIGHT;
        let place = column.checked_sub(self.board.x + LABEL_WIDTH)? / self.cell.width;
        let line = row.checked_sub(self.board.y)? / self.cell.height;
        is_inside.then_some((usize::from(place), usize::from(line)))
    }
}

/// Returns the size of a board with its row numbers and column letters.
fn board_size(shape: &BoardShape, cell: Size) -> Size {
    Size {
        width: LABEL_WIDTH + u16::from(shape.columns) * cell.width,
        height: u16::from(shape.rows) * cell.height + LETTERS_HEIGHT,
    }
}

#[cfg(test)]
mod tests {
    use flagfall_rules::Ruleset;

    use super::*;

    #[test]
    fn either_every_square_is_found_again_or_the_needed_size_is_reported() {
        for ruleset in Ruleset::all() {
            let shape = &ruleset.shape;
            let mut used = Vec::new();
            for (width, height) in (1..=200).flat_map(|width| (1..=60).map(move |height| (width, height))) {
                let area = Rect::new(2, 1, width, height);
                let at = format!("{} at {width}x{height}", ruleset.id);
                match PageLayout::new(shape, area) {
                    Ok(layout) => {
                        let [_, body, ..] = page(area).expect("a page");
                        for part in [layout.board, layout.panel] {
                            assert_eq!(body.intersection(part), part, "{at}");
                        }
                        assert!(!layout.board.intersects(layout.panel), "{at}");
                        for line in 0..usize::from(shape.rows) {
                            for place in 0..usize::from(shape.columns) {
                                let cell = layout.cell_at(place, line);
                                assert_eq!(layout.board.intersection(cell), cell, "{at}");
                                let (x, y) = (cell.x + cell.width / 2, cell.y + cell.height / 2);
                                assert_eq!(layout.place_at(x, y), Some((place, line)), "{at}");
                            }
                        }
                        assert_eq!(layout.place_at(layout.board.x, layout.board.y), None, "{at}");
                        let letters = layout.board.bottom() - 1;
                        assert_eq!(layout.place_at(layout.board.right() - 1, letters), None, "{at}");
                        if !used.contains(&layout.cell) {
                            used.push(layout.cell);
                        }
                    }
                    Err(needed) => {
                        assert!(width < needed.width || height < needed.height, "{at}");
                        let area = Rect::new(0, 0, needed.width, needed.height);
                        assert!(PageLayout::new(shape, area).is_ok(), "{at}");
                    }
                }
            }
            assert_eq!(used.len(), CELLS.len(), "{}: {used:?}", ruleset.id);
        }
    }

    #[test]
    fn the_largest_cells_that_fit_are_taken() {
        let cell = |ruleset: &str, width, height| {
            let shape = Ruleset::find(ruleset).expect("a ruleset").shape;
            PageLayout::new(&shape, Rect::new(0, 0, width, height))
                .map(|layout| (layout.cell.width, layout.cell.height))
                .map_err(|needed| (needed.width, needed.height))
        };
        assert_eq!(cell("classic", 39, 14), Err((40, 14)));
        assert_eq!(cell("classic", 40, 13), Err((40, 14)));
        assert_eq!(cell("classic", 40, 16), Ok((2, 1)), "with a narrow panel");
        assert_eq!(cell("classic", 40, 20), Ok((3, 1)), "with a short panel");
        assert_eq!(cell("shadowflash-3", 40, 16), Ok((2, 1)));
        assert_eq!(cell("classic", 60, 20), Ok((2, 1)), "with a whole panel");
        assert_eq!(cell("classic", 80, 24), Ok((4, 2)));
        assert_eq!(cell("shadowflash-3", 80, 24), Ok((3, 2)));
        assert_eq!(cell("classic", 120, 40), Ok((6, 3)));
        assert_eq!(cell("classic", 60, 60), Ok((4, 2)), "with the panel below");
        assert_eq!(cell("classic", 130, 50), Ok((8, 4)));
    }
}
