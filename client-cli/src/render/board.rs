//! The board. A square is a cell of three or four columns and two rows.
//!
//! The upper row shows the piece. The lower row shows marks on the color of the square's chip.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use flagfall_board::{BoardShape, ChipColor, Rank, Side, Square, SquareSet};
use flagfall_protocol::Phase;
use flagfall_rules::{Carrier, Identity, Ruleset, SeenPiece, Target};

use super::theme::Theme;
use crate::model::{Model, OpenGame};
use crate::{plain, targets};

const LABEL_WIDTH: u16 = 3;
const CELL_HEIGHT: u16 = 2;
/// Columns of a cell: roomy and narrow.
const CELL_WIDTHS: [u16; 2] = [4, 3];

/// The size of a board on the screen.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    cell_width: u16,
    columns: u16,
    rows: u16,
}

impl Layout {
    /// The roomiest layout that leaves this many columns for the panel. The narrowest one if none
    /// does.
    pub(super) fn new(shape: &BoardShape, width: u16, panel_width: u16) -> Layout {
        let layout = |cell_width| Layout {
            cell_width,
            columns: u16::from(shape.columns),
            rows: u16::from(shape.rows),
        };
        let fits = |layout: &Layout| layout.width() + 1 + panel_width <= width;
        CELL_WIDTHS.map(layout).into_iter().find(fits).unwrap_or(Layout::narrowest(shape))
    }

    /// The smallest layout.
    pub(super) fn narrowest(shape: &BoardShape) -> Layout {
        let [_, cell_width] = CELL_WIDTHS;
        Layout { cell_width, columns: u16::from(shape.columns), rows: u16::from(shape.rows) }
    }

    /// Width in terminal columns.
    pub(super) fn width(self) -> u16 {
        LABEL_WIDTH + self.columns * self.cell_width
    }

    /// Columns of a cell before its piece.
    fn gap(self) -> u16 {
        self.cell_width - 3
    }

    /// The place of a square in the grid, by column and row of the terminal.
    pub(super) fn place_of(self, column: u16, row: u16) -> Option<(usize, usize)> {
        let place = column.checked_sub(LABEL_WIDTH)? / self.cell_width;
        Some((usize::from(place), usize::from(row / CELL_HEIGHT)))
    }

    /// Height in terminal rows, including the letters below the board.
    pub(super) fn height(self) -> u16 {
        self.rows * CELL_HEIGHT + 1
    }
}

/// What is drawn of a square.
struct Cell {
    piece: Option<SeenPiece>,
    is_lake: bool,
    is_last: bool,
    target: Option<Carrier>,
    is_selected: bool,
    is_cursor: bool,
    chip: Option<ChipColor>,
}

pub(super) fn draw(
    model: &Model,
    game: &OpenGame,
    ruleset: &'static Ruleset,
    theme: Theme,
    layout: Layout,
    buffer: &mut Buffer,
    area: Rect,
) {
    let marks = Marks::of(game, ruleset);
    let grid = plain::grid(ruleset, model.bottom());
    let xs = || (area.x + LABEL_WIDTH..).step_by(usize::from(layout.cell_width));
    let painter = Painter { model, theme, layout };
    for (y, row) in (area.y..).step_by(usize::from(CELL_HEIGHT)).zip(&grid) {
        if let Some(first) = row.first() {
            buffer.set_string(area.x, y, format!("{:>2}", first.row() + 1), dim());
        }
        for (x, square) in xs().zip(row) {
            painter.draw(&marks.cell(game, *square), buffer, x, y);
        }
    }
    let y = area.y + grid.len() as u16 * CELL_HEIGHT;
    for (x, square) in xs().zip(grid.first().into_iter().flatten()) {
        buffer.set_string(x + layout.gap() + 1, y, char::from(b'a' + square.column()).to_string(), dim());
    }
}

fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

/// The marked squares.
struct Marks {
    last: SquareSet,
    targets: Vec<Target>,
    /// The chips that a flash to the square under the cursor would lay.
    flash: Option<(SquareSet, ChipColor)>,
    selected: Option<Square>,
    cursor: Option<Square>,
}

impl Marks {
    fn of(game: &OpenGame, ruleset: &'static Ruleset) -> Marks {
        let view = &game.view;
        let last = view.last_move.map(|seen| seen.squares);
        let (selected, cursor) = match &game.editor {
            Some(editor) => (editor.picked(), editor.cursor()),
            None if view.phase == Phase::Playing && game.own_side().is_some() => {
                (game.selected, Some(game.cursor))
            }
            None => (None, None),
        };
        let targets = match (&game.editor, selected) {
            (None, Some(from)) => targets::reach(view, ruleset, from),
            (_, _) => Vec::new(),
        };
        let flash = targets
            .iter()
            .find(|target| Some(target.square) == cursor && target.by == Carrier::Flash)
            .and_then(|target| Some((target.path, plain::chip_at(view, selected?)?)));
        Marks {
            last: last.into_iter().flat_map(|last| [last.from, last.to]).collect(),
            targets,
            flash,
            selected,
            cursor,
        }
    }

    fn cell(&self, game: &OpenGame, square: Square) -> Cell {
        let piece = match &game.editor {
            Some(editor) => editor.rank_at(square).map(|rank| SeenPiece {
                square,
                side: editor.side,
                identity: Identity::Known(rank),
                is_moved: false,
                is_revealed: false,
                is_labeled: false,
            }),
            None => targets::piece_at(&game.view, square),
        };
        Cell {
            piece,
            is_lake: game.view.lakes.contains(square),
            is_last: self.last.contains(square),
            target: self.targets.iter().find(|target| target.square == square).map(|target| target.by),
            is_selected: self.selected == Some(square),
            is_cursor: self.cursor == Some(square),
            chip: (self.flash.filter(|(way, _)| way.contains(square)).map(|(_, color)| color))
                .or_else(|| plain::chip_at(&game.view, square)),
        }
    }
}

/// Draws cells.
struct Painter<'a> {
    model: &'a Model,
    theme: Theme,
    layout: Layout,
}

impl Painter<'_> {
    fn draw(&self, cell: &Cell, buffer: &mut Buffer, x: u16, y: u16) {
        let middle = x + self.layout.gap();
        let (upper, mut upper_style) = self.upper(cell);
        let mut lower_style = self.lower_style(cell);
        if cell.is_cursor {
            upper_style = upper_style.add_modifier(Modifier::REVERSED);
        } else if cell.is_last && self.theme.color && cell.piece.is_none() {
            upper_style = upper_style.bg(Color::DarkGray);
        }
        if let Some(chip) = cell.chip {
            // A band across the whole cell, so that lines of one color stand out.
            lower_style = self.theme.chip(chip);
            buffer.set_string(x, y + 1, " ".repeat(usize::from(self.layout.cell_width)), lower_style);
        }
        buffer.set_string(middle, y, upper, upper_style);
        buffer.set_string(middle, y + 1, lower(cell), lower_style);
        if let Some(chip) = cell.chip {
            buffer.set_string(x, y + 1, chip.letter().to_string(), lower_style);
        }
        if let Some(mark) = cell.piece.map(|piece| plain::mark(&piece)).filter(|mark| *mark != ' ') {
            // Beside the piece, or below it if the cell is too narrow.
            match self.layout.gap() {
                0 if cell.chip.is_some() => {
                    buffer.set_string(middle + 2, y + 1, mark.to_string(), lower_style);
                }
                0 => {
                    buffer.set_string(middle + 2, y + 1, mark.to_string(), self.theme.colored(Color::Yellow));
                }
                _ => buffer.set_string(x, y, mark.to_string(), self.theme.colored(Color::Yellow)),
            }
        }
    }

    fn upper(&self, cell: &Cell) -> (String, Style) {
        match (cell.piece, cell.target) {
            (Some(piece), _) => {
                (plain::token(&piece, self.model.options.numbering), self.theme.tile(piece.side))
            }
            // A coin that goes there becomes a Scout.
            (None, Some(Carrier::Scout)) => {
                let figure = Rank::Scout.figure(self.model.options.numbering);
                (format!("+{figure} "), self.theme.colored(Color::Cyan).add_modifier(Modifier::BOLD))
            }
            (None, _) if cell.is_lake => ("~~~".to_owned(), self.theme.colored(Color::Cyan)),
            (None, Some(by)) => {
                let (letter, color) = match by {
                    Carrier::Legs | Carrier::Scout => ('+', Color::Green),
                    Carrier::SupplyLine => ('=', Color::Cyan),
                    Carrier::Flash => ('*', Color::Magenta),
                };
                (format!(" {letter} "), self.theme.colored(color).add_modifier(Modifier::BOLD))
            }
            (None, None) => (" . ".to_owned(), dim()),
        }
    }

    fn lower_style(&self, cell: &Cell) -> Style {
        if cell.is_cursor {
            self.theme.colored(Color::Yellow).add_modifier(Modifier::BOLD)
        } else if cell.target.is_some() {
            self.theme.colored(Color::Green).add_modifier(Modifier::BOLD)
        } else if cell.is_lake {
            self.theme.colored(Color::Cyan)
        } else {
            self.theme.colored(Color::Yellow)
        }
    }
}

/// The lower row of a cell: the square's state in the middle, the cursor on both sides.
fn lower(cell: &Cell) -> String {
    let middle = match (cell.is_selected, cell.target.is_some() && cell.piece.is_some(), cell.is_last) {
        (true, _, _) => "@@@",
        (_, true, _) => " x ",
        (_, _, true) => "===",
        (false, false, false) if cell.is_lake => "~~~",
        (false, false, false) => "   ",
    };
    match (cell.is_cursor, middle) {
        (true, "   ") => "^^^".to_owned(),
        (true, middle) => format!("^{}^", &middle[1..2]),
        (false, middle) => middle.to_owned(),
    }
}

/// The order of the sides beside the board, top first.
pub(super) fn from_the_top(bottom: Side) -> [Side; 2] {
    [bottom.opponent(), bottom]
}
