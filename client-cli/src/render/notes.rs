//! Selects the notes for each part of the screen.

use unicode_width::UnicodeWidthStr;

use crate::model::Model;
use crate::words;

/// True if a note fits in the line below the board.
pub(super) fn is_fitting(note: &str, width: u16) -> bool {
    note.width() < usize::from(width)
}

/// Returns the note for the line below the board, and the number of newer notes.
///
/// Usually this is the newest note. If the newest note reports the last move and the panel shows
/// that move too, returns the previous note instead. Otherwise, a player with a fast opponent
/// would not see the result of their own move.
pub(super) fn newest_note(model: &Model, has_status: bool) -> Option<(usize, &str)> {
    let is_live = has_status && model.ui.replay.is_none();
    let last = model.game.as_ref().filter(|_| is_live).and_then(|game| game.view.last_move.as_ref());
    let last = last.map(words::moved);
    let mut notes = model.notes.iter().rev().enumerate();
    let newest = notes.next()?;
    let is_last_move = last.as_deref() == Some(newest.1);
    Some(if is_last_move { notes.next().unwrap_or(newest) } else { newest })
}
