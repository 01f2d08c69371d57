//! Legal moves as sets of squares, and the removal of moves that a repetition rule forbids.

use flagfall_board::{BoardShape, Direction, Square, SquareSet};
use flagfall_view::Move;

/// A limit on the next move of one piece, set by the two-squares rule (§C3). The piece must not
/// cross the borders from `low` up to, but not including, `high`. Border `n` lies between the
/// squares `n` and `n + 1` of the piece's row or column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tether {
    pub(crate) square: Square,
    pub(crate) is_column: bool,
    pub(crate) low: u8,
    pub(crate) high: u8,
}

impl Tether {
    /// The maximum distance that the piece may move in a direction. `None` if that direction is
    /// not limited.
    pub(crate) fn distance_max(&self, direction: Direction) -> Option<u8> {
        let place = if self.is_column { self.square.row() } else { self.square.column() };
        match (direction, self.is_column) {
            (Direction::Up, true) | (Direction::Right, false) => {
                (place < self.high).then(|| self.low.saturating_sub(place))
            }
            (Direction::Down, true) | (Direction::Left, false) => {
                (place > self.low).then(|| place.saturating_sub(self.high))
            }
            (Direction::Up | Direction::Down, false) | (Direction::Left | Direction::Right, true) => None,
        }
    }

    /// True if the tether forbids this move.
    pub(crate) fn holds(&self, squares: Move) -> bool {
        self.square == squares.from
            && Direction::between(squares.from, squares.to).is_some_and(|(direction, distance)| {
                self.distance_max(direction).is_some_and(|distance_max| distance > distance_max)
            })
    }
}

/// A side's legal moves, stored as the set of target squares for each direction.
///
/// The moving piece need not be stored. It is always the side's first piece on the way back from
/// the target square, because this piece blocks the way of all others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LegalMoves {
    pub(super) targets: [SquareSet; 4],
    own: SquareSet,
    /// The board, if it has joints (§S2.6).
    pub(super) joined: Option<&'static BoardShape>,
    /// For each 64-bit word of the sets in `targets`, the number of moves in the words before it.
    starts: [[u16; SquareSet::WORDS]; 4],
    len: u16,
    /// True if there are no moves. The unused bit patterns of this `bool` also let
    /// `Option<LegalMoves>` have the same size as `LegalMoves`, which avoids a copy.
    is_empty: bool,
}

impl LegalMoves {
    /// Creates an empty list of moves for a side with pieces on these squares.
    #[inline]
    pub(crate) fn none(own: SquareSet) -> LegalMoves {
        LegalMoves {
            targets: [SquareSet::EMPTY; 4],
            own,
            joined: None,
            starts: [[0; SquareSet::WORDS]; 4],
            len: 0,
            is_empty: true,
        }
    }

    /// Returns these moves except those in `others`.
    pub(crate) fn without(mut self, others: &LegalMoves) -> LegalMoves {
        self.targets.iter_mut().zip(others.targets).for_each(|(all, some)| *all = all.without(some));
        self.count();
        self
    }

    /// Removes the moves that a tether forbids, and calls `refused` with each removed move.
    pub(crate) fn hold(&mut self, tether: Tether, foes: &SquareSet, mut refused: impl FnMut(Move)) {
        for direction in Direction::ALL {
            let Some(distance_max) = tether.distance_max(direction) else { continue };
            let reached = &mut self.targets[direction as usize];
            let (mut square, mut distance) = (tether.square, 0);
            while let Some(next) = square.neighbor(direction).filter(|next| reached.contains(*next)) {
                distance += 1;
                if distance > distance_max {
                    reached.remove(next);
                    refused(Move { from: tether.square, to: next });
                }
                if foes.contains(next) {
                    break;
                }
                square = next;
            }
        }
        self.count();
    }

    /// Removes one move.
    pub(crate) fn remove(&mut self, squares: Move) {
        if let Some((direction, _)) = Direction::between(squares.from, squares.to) {
            self.targets[direction as usize].remove(squares.to);
            self.count();
        }
    }

    #[inline]
    pub(super) fn count(&mut self) {
        let mut len = 0;
        for (targets, starts) in self.targets.iter().zip(&mut self.starts) {
            for (word, start) in targets.words().iter().zip(starts) {
                *start = len;
                len += word.count_ones() as u16;
            }
        }
        self.len = len;
        self.is_empty = len == 0;
    }

    /// The number of moves.
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// True if there are no moves.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// The move at index `n` in the order of [`LegalMoves::iter`].
    #[inline]
    pub fn nth(&self, n: usize) -> Option<Move> {
        self.nth_way(n).map(|(squares, _)| squares)
    }

    /// Like [`LegalMoves::nth`], but also returns the direction of the move.
    #[inline]
    pub fn nth_way(&self, n: usize) -> Option<(Move, Direction)> {
        let n = u16::try_from(n).ok()?;
        // The direction is computed without a branch, because a branch on a random `n` would
        // often be mispredicted.
        let direction = self.starts[1..].iter().filter(|starts| n >= starts[0]).count();
        let starts = &self.starts[direction];
        let word = starts[1..].iter().filter(|start| n >= **start).count();
        let to = self.targets[direction].nth_of_word(word, u32::from(n - starts[word]))?;
        let direction = Direction::ALL[direction];
        Some((Move { from: self.source(to, direction), to }, direction))
    }

    /// True if the move is legal on at least one path.
    pub fn contains(&self, squares: Move) -> bool {
        let leads_there = |direction: Direction| {
            self.targets[direction as usize].contains(squares.to)
                && self.source(squares.to, direction) == squares.from
        };
        if self.joined.is_some() {
            return Direction::ALL.into_iter().any(leads_there);
        }
        Direction::between(squares.from, squares.to).is_some_and(|(direction, _)| leads_there(direction))
    }

    /// The moves, ordered by direction and then by target square. This order reveals nothing
    /// about ranks.
    ///
    /// On a board with joints, two paths may lead from one square to another. Such a move appears
    /// twice.
    pub fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.iter_ways().map(|(squares, _)| squares)
    }

    /// Like [`LegalMoves::iter`], but also returns the direction of each move.
    pub fn iter_ways(&self) -> impl Iterator<Item = (Move, Direction)> + '_ {
        Direction::ALL.into_iter().zip(self.targets).flat_map(move |(direction, targets)| {
            targets.iter().map(move |to| (Move { from: self.source(to, direction), to }, direction))
        })
    }

    /// The starting square of a move: the square of the side's first piece on the way back from
    /// the target.
    #[inline]
    fn source(&self, to: Square, direction: Direction) -> Square {
        if let Some(shape) = self.joined {
            return self.source_joined(shape, to, direction);
        }
        let mut square = to;
        while let Some(behind) = square.neighbor(direction.opposite()) {
            square = behind;
            if self.own.contains(square) {
                break;
            }
        }
        square
    }

    #[cold]
    fn source_joined(&self, shape: &BoardShape, to: Square, direction: Direction) -> Square {
        let mut square = to;
        while let Some(behind) = shape.neighbor(square, direction.opposite()).filter(|behind| *behind != to) {
            square = behind;
            if self.own.contains(square) {
                break;
            }
        }
        square
    }
}
