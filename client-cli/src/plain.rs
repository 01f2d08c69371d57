//! The board of the line-based mode, as text for screen readers and scripts.

use std::fmt::Write;

use flagfall_board::{ChipColor, Numbering, Rank, Side, Square};
use flagfall_protocol::{GameView, Phase};
use flagfall_rules::{Identity, Ruleset, SeenPiece};

use crate::{targets, text};

/// Formats a piece in three or four characters.
///
/// Red pieces are in slashes, Blue pieces in brackets. A hidden piece is `#` before it has moved
/// and `?` afterwards.
pub fn token(piece: &SeenPiece, numbering: Numbering) -> String {
    let figure = figure(piece, numbering);
    match (piece.side, figure.len()) {
        (Side::Red, 1) => format!("/{figure}\\"),
        (Side::Red, _) => format!("{figure}\\"),
        (Side::Blue, 1) => format!("[{figure}]"),
        (Side::Blue, _) => format!("{figure}]"),
    }
}

/// Formats a piece in two characters. With EU numbering, the Marshal is shown as 0, because 10 is
/// too long. The key for the Marshal is also 0.
pub fn short_token(piece: &SeenPiece, numbering: Numbering) -> String {
    let figure = figure(piece, numbering);
    let figure = if figure == "10" { "0" } else { figure };
    match piece.side {
        Side::Red => format!("/{figure}"),
        Side::Blue => format!("[{figure}"),
    }
}

fn figure(piece: &SeenPiece, numbering: Numbering) -> &'static str {
    match piece.identity {
        Identity::Known(rank) => rank.figure(numbering),
        Identity::OneOf(_) => "+",
        Identity::Coin => "o",
        Identity::Hidden if piece.is_moved => "?",
        Identity::Hidden => "#",
    }
}

/// Returns the mark after a piece: `^` for a labeled piece, `*` if all players know the rank, `'`
/// if the piece has moved. A hidden piece never has the `'`, because its symbol already shows
/// whether it has moved.
pub fn mark(piece: &SeenPiece) -> char {
    match (piece.is_revealed, piece.identity, piece.is_moved) {
        _ if piece.is_labeled => '^',
        (true, _, _) => '*',
        (false, Identity::Known(_) | Identity::OneOf(_) | Identity::Coin, true) => '\'',
        (false, _, _) => ' ',
    }
}

/// Returns the board's squares by row and column from the top left, with the side `bottom` at the
/// bottom.
pub fn grid(ruleset: &Ruleset, bottom: Side) -> Vec<Vec<Square>> {
    let (columns, rows) = (ruleset.shape.columns, ruleset.shape.rows);
    let turn = |index: u8, count: u8, is_turned: bool| if is_turned { count - 1 - index } else { index };
    (0..rows)
        .map(|line| {
            let row = turn(line, rows, bottom == Side::Red);
            (0..columns)
                .filter_map(|place| Square::new(turn(place, columns, bottom == Side::Blue), row))
                .collect()
        })
        .collect()
}

/// Formats the board as text, with a legend below.
pub fn board(view: &GameView, ruleset: &Ruleset, numbering: Numbering, bottom: Side) -> String {
    let last = view.last_move.map(|seen| seen.squares);
    let mut text = String::new();
    let grid = grid(ruleset, bottom);
    for row in &grid {
        let Some(first) = row.first() else { continue };
        let mut line = format!("{:>2} ", first.row() + 1);
        for square in row {
            let is_last = last.is_some_and(|last| last.from == *square || last.to == *square);
            let cell = match targets::piece_at(view, *square) {
                Some(piece) => format!("{}{}", token(&piece, numbering), mark(&piece)),
                None if view.lakes.contains(*square) => "~~~ ".to_owned(),
                None => " .  ".to_owned(),
            };
            line.push(if is_last { '>' } else { ' ' });
            line.push_str(&cell);
            if ruleset.chips {
                line.push(chip_at(view, *square).map_or(' ', ChipColor::letter));
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.push_str("   ");
    for square in grid.first().into_iter().flatten() {
        let gap = if ruleset.chips { " " } else { "" };
        let _ = write!(text, "  {}  {gap}", char::from(b'a' + square.column()));
    }
    let trimmed = text.trim_end().len();
    text.truncate(trimmed);
    text.push('\n');
    text
}

pub fn chip_at(view: &GameView, square: Square) -> Option<ChipColor> {
    view.chips?.color(square)
}

/// Describes one side's losses, in at most two lines.
pub fn losses(view: &GameView, ruleset: &Ruleset, side: Side) -> Vec<String> {
    if view.phase == Phase::Deploying {
        return vec![text!("losses", side, kinds = 0_u8, pieces = "")];
    }
    let rows = targets::losses(view, ruleset, side);
    let list = |pick: &dyn Fn(&(Rank, u8, u8)) -> u8| -> Vec<String> {
        let rows = rows.iter().filter(|row| pick(row) > 0);
        rows.map(|row| text!("rank-count", rank = row.0, count = pick(row))).collect()
    };
    let (lost, left) = (list(&|row| row.1), list(&|row| row.2));
    vec![
        text!("losses", side, kinds = lost.len(), pieces = lost.join(", ")),
        if view.pools.is_some() {
            text!("pieces-possible", side, kinds = left.len(), pieces = left.join(", "))
        } else {
            text!("pieces-left", side, kinds = left.len(), pieces = left.join(", "))
        },
    ]
}
