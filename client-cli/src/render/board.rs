//! The board: a cell of four columns and two rows a square. The upper row shows the piece, the lower one what is to know of the square.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use flagfall_board::{ChipColor, Side, Square, SquareSet};
use flagfall_protocol::Phase;
use flagfall_rules::{Identity, Ruleset, SeenPiece};

use super::Theme;
use crate::model::{Model, OpenGame};
use crate::{plain, targets};

const LABEL_WIDTH: u16 = 3;
const CELL_WIDTH: u16 = 4;
const CELL_HEIGHT: u16 = 2;

/// Columns of the terminal for so many columns of the board.
pub(super) fn width(columns: u8) -> u16 {
    LABEL_WIDTH + u16::from(columns) * CELL_WIDTH
}

/// Rows of the terminal for so many rows of the board, the letters below them included.
pub(super) fn height(rows: u8) -> u16 {
    u16::from(rows) * CELL_HEIGHT + 1
}

/// What is to be known of a square to draw it.
struct Cell {
    piece: Option<SeenPiece>,
    is_lake: bool,
    is_last: bool,
    is_target: bool,
    is_selected: bool,
    is_cursor: bool,
    chip: Option<ChipColor>,
}

pub(super) fn draw(
    model: &Model,
    game: &OpenGame,
    ruleset: &Ruleset,
    theme: Theme,
    buffer: &mut Buffer,
    area: Rect,
) {
    let bottom = model.bottom();
    let marks = Marks::of(game, ruleset);
    let grid = plain::grid(ruleset, bottom);
    for (y, row) in (area.y..).step_by(usize::from(CELL_HEIGHT)).zip(&grid) {
        if let Some(first) = row.first() {
            buffer.set_string(area.x, y, format!("{:>2}", first.row() + 1), dim());
        }
        for (x, square) in (area.x + LABEL_WIDTH..).step_by(usize::from(CELL_WIDTH)).zip(row) {
            draw_cell(&marks.cell(game, *square), model, theme, buffer, x, y);
        }
    }
    let y = area.y + grid.len() as u16 * CELL_HEIGHT;
    let xs = (area.x + LABEL_WIDTH..).step_by(usize::from(CELL_WIDTH));
    for (x, square) in xs.zip(grid.first().into_iter().flatten()) {
        buffer.set_string(x, y, format!("  {}", char::from(b'a' + square.column())), dim());
    }
}

fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

/// The squares that something is marked on.
struct Marks {
    last: SquareSet,
    targets: SquareSet,
    selected: Option<Square>,
    cursor: Option<Square>,
}

impl Marks {
    fn of(game: &OpenGame, ruleset: &Ruleset) -> Marks {
        let view = &game.view;
        let last = view.last_move.map(|seen| seen.squares.0);
        let (selected, cursor) = match &game.editor {
            Some(editor) => (editor.picked(), editor.cursor()),
            None if view.phase == Phase::Playing && game.own_side().is_some() => {
                (game.selected, Some(game.cursor))
            }
            None => (None, None),
        };
        let targets = match (&game.editor, selected) {
            (None, Some(from)) => targets::targets(view, ruleset, from),
            (_, _) => SquareSet::EMPTY,
        };
        Marks {
            last: last.into_iter().flat_map(|last| [last.from, last.to]).collect(),
            targets,
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
            is_lake: game.view.lakes.contains(&square),
            is_last: self.last.contains(square),
            is_target: self.targets.contains(square),
            is_selected: self.selected == Some(square),
            is_cursor: self.cursor == Some(square),
            chip: plain::chip_at(&game.view, square),
        }
    }
}

fn draw_cell(cell: &Cell, model: &Model, theme: Theme, buffer: &mut Buffer, x: u16, y: u16) {
    let Cell { piece, is_lake, is_last, is_target, is_selected, is_cursor, chip } = *cell;
    let (upper, mut upper_style) = match piece {
        Some(piece) => (plain::token(&piece, model.options.numbering), theme.tile(piece.side)),
        None if is_lake => ("~~~".to_owned(), theme.colored(Color::Cyan)),
        None if is_target => (" + ".to_owned(), theme.colored(Color::Green).add_modifier(Modifier::BOLD)),
        None => (" . ".to_owned(), dim()),
    };
    // The lower row: the middle says what the square is, the sides are the cursor's.
    let middle = match (is_selected, is_target && piece.is_some(), is_last, is_lake) {
        (true, _, _, _) => "@@@",
        (_, true, _, _) => " x ",
        (_, _, true, _) => "===",
        (_, _, _, true) => "~~~",
        (false, false, false, false) => "   ",
    };
    let lower = match (is_cursor, middle) {
        (true, "   ") => "^^^".to_owned(),
        (true, middle) => format!("^{}^", &middle[1..2]),
        (false, middle) => middle.to_owned(),
    };
    let mut lower_style = if is_target {
        theme.colored(Color::Green).add_modifier(Modifier::BOLD)
    } else if is_lake {
        theme.colored(Color::Cyan)
    } else {
        theme.colored(Color::Yellow)
    };
    if is_cursor {
        upper_style = upper_style.add_modifier(Modifier::REVERSED);
        lower_style = theme.colored(Color::Yellow).add_modifier(Modifier::BOLD);
    } else if is_last && theme.color && piece.is_none() {
        upper_style = upper_style.bg(Color::DarkGray);
    }
    if let Some(mark) = piece.map(|piece| plain::mark(&piece)).filter(|mark| *mark != ' ') {
        buffer.set_string(x, y, mark.to_string(), theme.colored(Color::Yellow));
    }
    buffer.set_string(x + 1, y, upper, upper_style);
    buffer.set_string(x + 1, y + 1, lower, lower_style);
    if let Some(chip) = chip {
        // To the left of what else is known of the square.
        let style = theme.colored(chip_color(chip)).add_modifier(Modifier::BOLD);
        buffer.set_string(x, y + 1, chip.letter().to_string(), style);
    }
}

fn chip_color(chip: ChipColor) -> Color {
    match chip {
        ChipColor::Red => Color::Red,
        ChipColor::Yellow => Color::Yellow,
        ChipColor::Blue => Color::Blue,
        ChipColor::Green => Color::Green,
    }
}

/// The order in which the two sides stand above each other beside the board.
pub(super) fn from_the_top(bottom: Side) -> [Side; 2] {
    [bottom.opponent(), bottom]
}
