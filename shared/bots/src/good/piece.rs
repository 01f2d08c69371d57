//! A piece in the search, where every rank is known or assumed.

use flagfall_board::Rank;

use super::grid::Cell;

/// A piece in a world. It may have been captured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) is_mine: bool,
    pub(super) rank: Rank,
    pub(super) cell: Cell,
    /// True if the other side does not know the rank of the piece.
    pub(super) is_hidden: bool,
    pub(super) is_alive: bool,
}
