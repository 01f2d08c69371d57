//! Which notes are shown where.

use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::layout::{PageLayout, SHORT_HEIGHT};
use crate::model::Model;
use crate::words;

/// True if a note fits into the line below the board.
pub(super) fn is_fitting(note: &str, width: u16) -> bool {
    note.width() < usize::from(width)
}

/// The newest note for the line below the board, and how many are newer.
///
/// Skips the last move if the panel shows it: against a quick opponent, the player wants to read
/// the result of their own move first.
pub(super) fn newest_note(model: &Model, area: Rect) -> Option<(usize, &str)> {
    let shape = super::board_of(model).map(|ruleset| &ruleset.shape);
    let layout = shape.and_then(|shape| PageLayout::new(shape, area).ok());
    let has_status = layout.is_some_and(|layout| layout.panel.height >= SHORT_HEIGHT);
    let is_live = has_status && model.ui.replay.is_none();
    let last = model.game.as_ref().filter(|_| is_live).and_then(|game| game.view.last_move.as_ref());
    let last = last.map(words::moved);
    let mut notes = model.notes.iter().rev().enumerate();
    let newest = notes.next()?;
    let is_last_move = last.as_deref() == Some(newest.1);
    Some(if is_last_move { notes.next().unwrap_or(newest) } else { newest })
}
