//! Where pieces may go: squares alone, so that a view, which knows no enemy rank, answers as the position does.

use flagfall_board::{Direction, Rank, Square, SquareSet};

use crate::command::Move;
use crate::position::{is_movable, is_runner};
use crate::refusal::Refusal;

/// One side's mobility as sets of squares.
#[derive(Clone, Copy)]
pub(crate) struct Field<'a> {
    pub(crate) own: &'a SquareSet,
    pub(crate) foes: &'a SquareSet,
    /// Own pieces that may move at all.
    pub(crate) walkers: &'a SquareSet,
    /// Own pieces that move any distance.
    pub(crate) runners: &'a SquareSet,
    /// All squares but lakes.
    pub(crate) open: &'a SquareSet,
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
    /// How many moves there are before those of each word of the targets.
    starts: [[u16; SquareSet::WORDS]; 4],
    len: u16,
    /// Beside the answer it gives `Option` a place for `None`: no copy is made to wrap the moves.
    is_empty: bool,
}

impl Field<'_> {
    /// Every move the field allows, repetition aside.
    pub(crate) fn moves(&self) -> LegalMoves {
        let enterable = self.open.without(*self.own);
        let empty = enterable.without(*self.foes);
        let has_runners = !self.runners.is_empty();
        let mut moves = LegalMoves {
            targets: [SquareSet::EMPTY; 4],
            own: *self.own,
            starts: [[0; SquareSet::WORDS]; 4],
            len: 0,
            is_empty: true,
        };
        for (direction, reached) in Direction::ALL.into_iter().zip(&mut moves.targets) {
            let steps = self.walkers.shift(direction);
            *reached = steps & enterable;
            if has_runners {
                // A runner reaches what a step reaches from any square it can run to.
                let run = self.runners.fill(empty, direction).shift(direction);
                *reached |= run & if self.strikes_afar { enterable } else { empty };
            }
        }
        moves.count();
        moves
    }

    /// Whether there are at least two one-square moves.
    #[inline]
    pub(crate) fn has_two_steps(&self) -> bool {
        let enterable = self.open.without(*self.own);
        let mut has_one = false;
        Direction::ALL.into_iter().any(|direction| {
            let steps = self.walkers.shift(direction) & enterable;
            let has_two = steps.has_several() || has_one && !steps.is_empty();
            has_one |= !steps.is_empty();
            has_two
        })
    }

    /// Whether the piece of this rank may go from its square to another, repetition aside (§A5, §C2).
    #[inline]
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
        let empty = self.open.without(*self.own).without(*self.foes);
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
    /// Takes out what a tether holds back, and calls `refused` with each.
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

    /// Takes one move out.
    pub(crate) fn remove(&mut self, squares: Move) {
        if let Some((direction, _)) = Direction::between(squares.from, squares.to) {
            self.targets[direction as usize].remove(squares.to);
            self.count();
        }
    }

    #[inline]
    fn count(&mut self) {
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

    /// How many there are.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Whether there is none.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// The move with `n` others before it in the order of [`LegalMoves::iter`].
    #[must_use]
    pub fn nth(&self, n: usize) -> Option<Move> {
        let n = u16::try_from(n).ok()?;
        // For whoever asks at random, a branch on the direction would be a coin's toss.
        let direction = self.starts[1..].iter().filter(|starts| n >= starts[0]).count();
        let starts = &self.starts[direction];
        let word = starts[1..].iter().filter(|start| n >= **start).count();
        let to = self.targets[direction].nth_of_word(word, u32::from(n - starts[word]))?;
        Some(Move { from: self.source(to, Direction::ALL[direction]), to })
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
    #[inline]
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
