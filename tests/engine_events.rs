//! Converts the engine's events to those of the second opinion.

use flagfall_board::Square;
use flagfall_rules::secret::SecretRecord;
use flagfall_second_opinion::{At, BoardEvent};

/// A square.
pub(crate) fn at(square: Square) -> At {
    At { row: square.row() as i8, column: square.column() as i8 }
}

/// Returns the event on the board, or `None` for choices and for other events that do not change
/// the board.
pub(crate) fn board_event(record: &SecretRecord) -> Option<BoardEvent> {
    Some(match record {
        SecretRecord::Moved { from, to, strike, laid, .. } => BoardEvent::Moved {
            from: at(*from),
            to: at(*to),
            laid: laid.as_ref().map(|laid| {
                let mut squares: Vec<At> = laid.squares().iter().map(at).collect();
                squares.sort_unstable();
                (squares, laid.color().letter())
            }),
            ranks: strike.map(|[attacker, defender]| (attacker.rank.letter(), defender.rank.letter())),
        },
        SecretRecord::Struck { from, to, .. } => BoardEvent::Struck { from: at(*from), to: at(*to) },
        SecretRecord::Removed { square, .. } => BoardEvent::Removed(at(*square)),
        SecretRecord::Placed { square, rank, is_labeled, color, .. } => BoardEvent::Placed {
            at: at(*square),
            letter: rank.letter(),
            is_labeled: *is_labeled,
            chip: color.map(|color| color.letter()),
        },
        SecretRecord::Colored { square, color, .. } => BoardEvent::Colored(at(*square), color.letter()),
        _ => return None,
    })
}
