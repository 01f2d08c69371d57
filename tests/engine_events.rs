//! The engine's events as the second opinion names them.

use flagfall_board::Square;
use flagfall_rules::secret::SecretRecord;
use flagfall_second_opinion::{At, BoardEvent};

/// A square.
pub(crate) fn at(square: Square) -> At {
    At { row: square.row() as i8, column: square.column() as i8 }
}

/// What happened on the board; none for choices and for what happens beside the board.
pub(crate) fn board_event(record: &SecretRecord) -> Option<BoardEvent> {
    Some(match record {
        SecretRecord::Moved { from, to, strike, laid, .. } => BoardEvent::Moved {
            from: at(*from),
            to: at(*to),
            laid: laid.as_ref().map(|(squares, color)| {
                let mut squares: Vec<At> = squares.iter().copied().map(at).collect();
                squares.sort_unstable();
                (squares, color.letter())
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
