//! A piece as the search knows it: every rank is known or assumed.

use flagfall_board::Rank;

use super::grid::Cell;

/// A piece in a world, on the board or captured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) is_mine: bool,
    pub(super) rank: Rank,
    pub(super) cell: Cell,
    /// True if the other side does not know its rank.
    pub(super) is_hidden: bool,
    pub(super) is_alive: bool,
}
