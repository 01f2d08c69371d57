//! The board of a view, on which moves can be tried out.

use flagfall_board::{BoardShape, Direction, Rank, Side, Square, SquareSet};
use flagfall_rules::{Identity, Move, View};

use super::belief::Enemy;

/// The content of a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cell {
    Nothing,
    Own(Own),
    /// An enemy piece, by its index in the list of enemy pieces.
    Enemy(u8),
}

/// One of the side's own pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Own {
    pub(super) rank: Rank,
    pub(super) is_moved: bool,
    /// True if the enemy knows the rank of the piece.
    pub(super) is_revealed: bool,
}

/// The board from the point of view of one side.
#[derive(Clone)]
pub(super) struct Board {
    shape: &'static BoardShape,
    cells: [Cell; Square::LIMIT],
    /// All squares except lakes.
    pub(super) open: SquareSet,
    pub(super) own: SquareSet,
    pub(super) foes: SquareSet,
    /// The square of the side's own Flag.
    pub(super) flag: Option<Square>,
}

impl Board {
    /// Creates the board of a view. `foes` is the list of enemy pieces in the view.
    pub(super) fn new(view: &View, side: Side, foes: &[Enemy]) -> Board {
        let mut board = Board {
            shape: &view.ruleset.shape,
            cells: [Cell::Nothing; Square::LIMIT],
            open: view.ruleset.shape.squares().without(view.lakes),
            own: SquareSet::EMPTY,
            foes: SquareSet::EMPTY,
            flag: None,
        };
        for piece in view.pieces.iter().filter(|piece| piece.side == side) {
            // Views always contain the ranks of a side's own pieces.
            if let Identity::Known(rank) = piece.identity {
                let (is_moved, is_revealed) = (piece.is_moved, piece.is_revealed);
                board.put(piece.square, Cell::Own(Own { rank, is_moved, is_revealed }));
                if rank == Rank::Flag {
                    board.flag = Some(piece.square);
                }
            }
        }
        for (place, foe) in foes.iter().enumerate() {
            if let Ok(place) = u8::try_from(place) {
                board.put(foe.square, Cell::Enemy(place));
            }
        }
        board
    }

    pub(super) fn own_at(&self, square: Square) -> Option<Own> {
        match self.cells[square.index()] {
            Cell::Own(own) => Some(own),
            Cell::Nothing | Cell::Enemy(_) => None,
        }
    }

    pub(super) fn foe_at<'f>(&self, foes: &'f [Enemy], square: Square) -> Option<&'f Enemy> {
        match self.cells[square.index()] {
            Cell::Enemy(place) => foes.get(usize::from(place)),
            Cell::Nothing | Cell::Own(_) => None,
        }
    }

    pub(super) fn put(&mut self, square: Square, cell: Cell) {
        self.own.remove(square);
        self.foes.remove(square);
        match cell {
            Cell::Nothing => {}
            Cell::Own(_) => self.own.insert(square),
            Cell::Enemy(_) => self.foes.insert(square),
        }
        self.cells[square.index()] = cell;
    }

    /// Returns the board after one of the side's pieces has moved to a square. If `is_shown` is
    /// set, the move reveals the piece's rank.
    pub(super) fn after_arrival(&self, squares: Move, is_shown: bool) -> Board {
        let mut after = self.clone();
        if let Some(own) = self.own_at(squares.from) {
            after.put(squares.from, Cell::Nothing);
            let is_revealed = own.is_revealed || is_shown;
            after.put(squares.to, Cell::Own(Own { is_moved: true, is_revealed, ..own }));
        }
        after
    }

    /// Returns the board after a piece from the side's reserve was placed.
    pub(super) fn after_placing(&self, square: Square, rank: Rank, is_revealed: bool) -> Board {
        let mut after = self.clone();
        after.put(square, Cell::Own(Own { rank, is_moved: false, is_revealed }));
        after
    }

    /// Returns the board without one of the side's pieces.
    pub(super) fn after_loss(&self, square: Square) -> Board {
        let mut after = self.clone();
        after.put(square, Cell::Nothing);
        after
    }
}

/// Returns the neighboring squares of a square, except lakes.
pub(super) fn neighbors(board: &Board, square: Square) -> impl Iterator<Item = Square> + '_ {
    Direction::ALL
        .into_iter()
        .filter_map(move |direction| board.shape.neighbor(square, direction))
        .filter(|next| board.open.contains(*next))
}

/// Returns the number of steps from one square to another on an empty board. Paths may cross
/// joints.
pub(super) fn steps(board: &Board, one: Square, other: Square) -> u8 {
    let shape = board.shape;
    let across = |apart: u8, whole: u8, joined: bool| if joined { apart.min(whole - apart) } else { apart };
    let columns = one.column().abs_diff(other.column());
    let rows = one.row().abs_diff(other.row());
    across(columns, shape.columns, shape.joined_rows & (1 << one.row()) != 0)
        + across(rows, shape.rows, shape.joined_columns & (1 << one.column()) != 0)
}
