//! Where pieces may go: squares alone, so that a view, which knows no enemy rank, answers as the position does.

use flagfall_board::{Direction, Rank, Square, SquareSet};

use crate::command::Move;
use crate::position::{is_movable, is_runner};
use crate::refusal::Refusal;

/// One side's mobility as sets of squares.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    pub(crate) own: SquareSet,
    pub(crate) foes: SquareSet,
    /// Own pieces that may move at all.
    pub(crate) walkers: SquareSet,
    /// Own pieces that move any distance.
    pub(crate) runners: SquareSet,
    /// All squares but lakes.
    pub(crate) open: SquareSet,
    /// Whether runners strike at the end of their way (§C2), or only the next square (§O1).
    pub(crate) strikes_afar: bool,
}

/// A piece that the two-squares rule lets cross none of these borders between neighboring squares of its own line (§C3): those from
/// `low` up to, not including, `high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tether {
    pub(crate) square: Square,
    pub(crate) is_column: bool,
    pub(crate) low: u8,
    pub(crate) high: u8,
}

impl Tether {
    /// How far the piece may go in a direction; none when nothing holds it back.
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

    /// Whether it holds back this move of its piece.
    pub(crate) fn holds(&self, squares: Move) -> bool {
        self.square == squares.from
            && Direction::between(squares.from, squares.to).is_some_and(|(direction, distance)| {
                self.distance_max(direction).is_some_and(|distance_max| distance > distance_max)
            })
    }
}

/// A side's legal moves: for each direction the squares that can be reached in it. In one direction a square is reached from one piece only, the nearest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LegalMoves {
    targets: [SquareSet; 4],
    own: SquareSet,
    /// How many squares each of the targets has.
    counts: [u8; 4],
    /// Whether there is no move. Beside the answer it gives `Option` a place for `None`: the whole stays small enough to be copied in place.
    is_empty: bool,
}

impl Field {
    /// Every move the field allows but for what the tether holds back.
    pub(crate) fn moves(&self, tether: Option<Tether>) -> LegalMoves {
        let enterable = self.open.without(self.own);
        let empty = enterable.without(self.foes);
        let mut targets = [SquareSet::EMPTY; 4];
        for (direction, reached) in Direction::ALL.into_iter().zip(&mut targets) {
            // A runner reaches what a step reaches from any square it can run to.
            let from = self.walkers | self.runners.fill(empty, direction);
            *reached = from.shift(direction) & enterable;
            if !self.strikes_afar {
                *reached &= empty | self.walkers.shift(direction);
            }
        }
        let counts = targets.map(|targets| targets.len() as u8);
        let mut moves = LegalMoves { targets, own: self.own, counts, is_empty: counts == [0; 4] };
        if let Some(tether) = tether {
            Direction::ALL.into_iter().for_each(|direction| moves.hold(tether, direction, empty));
        }
        moves
    }

    /// Whether there are at least two one-square moves.
    pub(crate) fn has_two_steps(&self) -> bool {
        let enterable = self.open.without(self.own);
        let mut steps = 0;
        Direction::ALL.into_iter().any(|direction| {
            steps += (self.walkers.shift(direction) & enterable).len();
            steps >= 2
        })
    }

    /// Whether the piece of this rank may go from its square to another, repetition aside (§A5, §C2).
    pub(crate) fn check(&self, squares: Move, rank: Rank) -> Result<(), Refusal> {
        let Move { from, to } = squares;
        if !is_movable(rank) {
            return Err(Refusal::Immovable);
        }
        let (direction, distance) = Direction::between(from, to).ok_or(Refusal::NotInLine)?;
        if distance > 1 && !is_runner(rank) {
            return Err(Refusal::TooFar);
        }
        if !self.open.contains(to) {
            return Err(Refusal::Lake);
        }
        if self.own.contains(to) {
            return Err(Refusal::OwnPiece);
        }
        let empty = self.open.without(self.own).without(self.foes);
        let mut square = from;
        for _ in 1..distance {
            square =
                square.neighbor(direction).filter(|next| empty.contains(*next)).ok_or(Refusal::Blocked)?;
        }
        if distance > 1 && !self.strikes_afar && self.foes.contains(to) {
            return Err(Refusal::StrikeFromAfar);
        }
        Ok(())
    }
}

impl LegalMoves {
    fn hold(&mut self, tether: Tether, direction: Direction, empty: SquareSet) {
        let Some(distance_max) = tether.distance_max(direction) else { return };
        let reached = &mut self.targets[direction as usize];
        let mut square = tether.square;
        let mut distance = 0;
        while let Some(next) = square.neighbor(direction) {
            distance += 1;
            if distance > distance_max {
                reached.remove(next);
            }
            if !empty.contains(next) {
                break;
            }
            square = next;
        }
        self.count(direction);
    }

    fn count(&mut self, direction: Direction) {
        self.counts[direction as usize] = self.targets[direction as usize].len() as u8;
        self.is_empty = self.counts == [0; 4];
    }

    /// Takes one move out.
    pub(crate) fn remove(&mut self, squares: Move) {
        if let Some((direction, _)) = Direction::between(squares.from, squares.to) {
            self.targets[direction as usize].remove(squares.to);
            self.count(direction);
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.counts.iter().map(|count| usize::from(*count)).sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// The move with `n` others before it in the order of [`LegalMoves::iter`].
    #[must_use]
    pub fn nth(&self, n: usize) -> Option<Move> {
        let mut n = u32::try_from(n).ok()?;
        for (direction, count) in Direction::ALL.into_iter().zip(self.counts) {
            let count = u32::from(count);
            if n < count {
                let to = self.targets[direction as usize].nth(n)?;
                return Some(Move { from: self.source(to, direction), to });
            }
            n -= count;
        }
        None
    }

    /// Whether the move is among them.
    #[must_use]
    pub fn contains(&self, squares: Move) -> bool {
        Direction::between(squares.from, squares.to).is_some_and(|(direction, _)| {
            self.targets[direction as usize].contains(squares.to)
                && self.source(squares.to, direction) == squares.from
        })
    }

    /// The moves by direction and target: an order that tells nothing of ranks.
    pub fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        Direction::ALL.into_iter().zip(self.targets).flat_map(move |(direction, targets)| {
            targets.iter().map(move |to| Move { from: self.source(to, direction), to })
        })
    }

    /// The nearest own piece behind a square that was reached in a direction.
    fn source(&self, to: Square, direction: Direction) -> Square {
        let mut square = to;
        while let Some(behind) = square.neighbor(direction.opposite()) {
            square = behind;
            if self.own.contains(square) {
                break;
            }
        }
        square
    }
}
