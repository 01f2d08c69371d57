//! Draws the board. Each square is a cell, as large as the [`PageLayout`] has room for.
//!
//! A cell shows its piece. The lowest row of the cell shows marks, and has the color of the
//! square's chip as its background. If a cell has only one row, the marks replace characters
//! around the piece's digit or letter.

use std::iter;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

use flagfall_board::{ChipColor, Rank, Square, SquareSet};
use flagfall_protocol::Phase;
use flagfall_rules::{Carrier, Identity, Move, Ruleset, SeenPiece, Target};

use super::layout::PageLayout;
use super::theme::Theme;
use crate::model::{Model, OpenGame};
use crate::{plain, targets};

struct Cell {
    piece: Option<SeenPiece>,
    is_lake: bool,
    is_last: bool,
    target: Option<Carrier>,
    is_selected: bool,
    is_planned: bool,
    is_cursor: bool,
    chip: Option<ChipColor>,
}

impl Cell {
    fn mark(&self) -> Option<char> {
        self.piece.map(|piece| plain::mark(&piece)).filter(|mark| *mark != ' ')
    }
}

pub(super) fn draw(
    model: &Model,
    game: &OpenGame,
    ruleset: &'static Ruleset,
    theme: Theme,
    layout: &PageLayout,
    buffer: &mut Buffer,
) {
    let marks = Marks::of(game);
    let grid = plain::grid(ruleset, model.bottom());
    let painter = Painter { model, theme };
    for (line, row) in grid.iter().enumerate() {
        for (place, square) in row.iter().enumerate() {
            let area = layout.cell_at(place, line);
            if place == 0 {
                let y = area.y + piece_row(area);
                buffer.set_string(layout.board.x, y, format!("{:>2}", square.row() + 1), Style::new().dim());
            }
            painter.draw(&marks.cell(game, *square), buffer, area);
        }
    }
    let letters = layout.board.bottom() - 1;
    for (place, square) in grid.first().into_iter().flatten().enumerate() {
        let x = layout.cell_at(place, 0);
        let letter = char::from(b'a' + square.column()).to_string();
        buffer.set_string(x.x + gap(x) + 1, letters, letter, Style::new().dim());
    }
}

/// Returns the number of columns of a cell before its piece.
fn gap(cell: Rect) -> u16 {
    cell.width / 2 - 1
}

fn piece_row(cell: Rect) -> u16 {
    (cell.height - 1) / 2
}

struct Marks {
    last: SquareSet,
    targets: Vec<Target>,
    /// The chips that a flash to the square under the cursor would lay, and their color.
    flash: Option<(SquareSet, ChipColor)>,
    selected: Option<Square>,
    planned: Option<Move>,
    cursor: Option<Square>,
}

impl Marks {
    fn of(game: &OpenGame) -> Marks {
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
            (None, Some(from)) => game.reach(from),
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
            planned: game.premove.map(|premove| premove.squares),
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
            is_planned: self.planned.is_some_and(|planned| [planned.from, planned.to].contains(&square)),
            is_cursor: self.cursor == Some(square),
            chip: (self.flash.filter(|(way, _)| way.contains(square)).map(|(_, color)| color))
                .or_else(|| plain::chip_at(&game.view, square)),
        }
    }
}

struct Painter<'a> {
    model: &'a Model,
    theme: Theme,
}

impl Painter<'_> {
    fn draw(&self, cell: &Cell, buffer: &mut Buffer, area: Rect) {
        let (upper, mut upper_style) = self.upper(cell);
        if cell.is_cursor {
            upper_style = upper_style.reversed();
        } else if cell.is_last && self.theme.color && cell.piece.is_none() {
            upper_style = upper_style.bg(Color::DarkGray);
        }
        if area.height == 1 {
            self.draw_low(cell, upper, upper_style, buffer, area);
            return;
        }
        let Rect { x, y, .. } = area;
        let (middle, lowest) = (x + gap(area), area.bottom() - 1);
        if cell.piece.is_some() && area.height > 2 {
            // Color the area around the piece in the color of its side.
            buffer
                .set_style(Rect { x: x + 1, width: area.width - 1, height: area.height - 1, y }, upper_style);
        }
        let mut lower_style = self.lower_style(cell);
        if let Some(chip) = cell.chip {
            // Color the whole lowest row, so that lines of one color stand out.
            lower_style = self.theme.chip(chip);
            buffer.set_string(x, lowest, " ".repeat(usize::from(area.width)), lower_style);
        }
        buffer.set_string(middle, y + piece_row(area), upper, upper_style);
        buffer.set_string(middle, lowest, lower(cell), lower_style);
        if let Some(chip) = cell.chip {
            buffer.set_string(x, lowest, chip.letter().to_string(), lower_style);
        }
        if let Some(mark) = cell.mark() {
            // Put the mark beside the piece, or below it if the cell is too narrow.
            let yellow = self.theme.colored(Color::Yellow);
            let (x, y, style) = match gap(area) {
                0 => (middle + 2, lowest, if cell.chip.is_some() { lower_style } else { yellow }),
                gap => (x + gap - 1, y + piece_row(area), yellow),
            };
            buffer.set_string(x, y, mark.to_string(), style);
        }
    }

    /// Draws a cell with a single row.
    ///
    /// A mark replaces a character around the piece's digit or letter. On an empty square, the
    /// mark replaces the dot.
    ///
    /// In a cell of two columns, a chip's letter does not fit beside a piece, so the piece's
    /// digit or letter gets the chip's color instead.
    fn draw_low(&self, cell: &Cell, token: String, style: Style, buffer: &mut Buffer, area: Rect) {
        let Rect { x, y, width, .. } = area;
        let strong = self.lower_style(cell);
        let Some(piece) = cell.piece else {
            let mark = match (cell.target, cell.chip) {
                (None, Some(chip)) => Some((chip.letter(), self.theme.chip(chip))),
                (None, None) if cell.is_planned => Some(('-', strong)),
                (None, None) if cell.is_last => Some(('=', style)),
                _ => None,
            };
            // Only the middle character of the token fits into two columns.
            let middle = token.chars().skip(1).take(1);
            let text = if width == 2 { iter::once(' ').chain(middle).collect() } else { token };
            buffer.set_string(x, y, text, style);
            if let Some((mark, style)) = mark {
                buffer.set_string(x + 1, y, mark.to_string(), style);
            }
            return;
        };
        let style = if cell.is_last { style.underlined() } else { style };
        if width == 2 {
            buffer.set_string(x, y, plain::short_token(&piece, self.model.options.numbering), style);
            if let Some(chip) = cell.chip.filter(|_| self.theme.color && !cell.is_cursor) {
                buffer.set_style(Rect { x: x + 1, width: 1, ..area }, self.theme.chip(chip));
            }
        } else {
            buffer.set_string(x, y, token, style);
            if let Some(chip) = cell.chip {
                buffer.set_string(x + 2, y, chip.letter().to_string(), self.theme.chip(chip));
            } else if let Some(mark) = cell.mark() {
                buffer.set_string(x + 2, y, mark.to_string(), style);
            }
        }
        let mark = match cell.target {
            _ if cell.is_selected => Some("@"),
            Some(_) => Some("x"),
            None => cell.is_planned.then_some("-"),
        };
        if let Some(mark) = mark {
            buffer.set_string(x, y, mark, strong);
        }
    }

    fn upper(&self, cell: &Cell) -> (String, Style) {
        match (cell.piece, cell.target) {
            (Some(piece), _) => {
                (plain::token(&piece, self.model.options.numbering), self.theme.tile(piece.side))
            }
            // A coin that moves to this square becomes a Scout.
            (None, Some(Carrier::Scout)) => {
                let figure = Rank::Scout.figure(self.model.options.numbering);
                (format!("+{figure} "), self.theme.colored(Color::Cyan).bold())
            }
            (None, _) if cell.is_lake => ("~~~".to_owned(), self.theme.colored(Color::Cyan)),
            (None, Some(by)) => {
                let (letter, color) = match by {
                    Carrier::Legs | Carrier::Scout => ('+', Color::Green),
                    Carrier::SupplyLine => ('=', Color::Cyan),
                    Carrier::Flash => ('*', Color::Magenta),
                };
                (format!(" {letter} "), self.theme.colored(color).bold())
            }
            (None, None) => (" . ".to_owned(), Style::new().dim()),
        }
    }

    fn lower_style(&self, cell: &Cell) -> Style {
        if cell.is_cursor {
            self.theme.colored(Color::Yellow).bold()
        } else if cell.target.is_some() {
            self.theme.colored(Color::Green).bold()
        } else if cell.is_lake {
            self.theme.colored(Color::Cyan)
        } else {
            self.theme.colored(Color::Yellow)
        }
    }
}

/// Returns the lower row of a cell: the square's state in the middle, the cursor on both sides.
fn lower(cell: &Cell) -> String {
    let middle = match (cell.is_selected, cell.target.is_some() && cell.piece.is_some(), cell.is_last) {
        (true, _, _) => "@@@",
        (_, true, _) => " x ",
        (_, _, _) if cell.is_planned => "- -",
        (_, _, true) => "===",
        (false, false, false) if cell.is_lake => "~~~",
        (false, false, false) => "   ",
    };
    match (cell.is_cursor, middle) {
        (true, "   ") => "^^^".to_owned(),
        (true, "- -") => "^-^".to_owned(),
        (true, middle) => format!("^{}^", &middle[1..2]),
        (false, middle) => middle.to_owned(),
    }
}
