//! Where pieces may go: squares alone, so that a view, which knows no enemy rank, answers as the position does.

use flagfall_board::{BoardShape, Direction, Rank, Sign, Square, SquareSet};

use crate::chips::Lines;
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
    pub(crate) shape: &'static BoardShape,
    /// What the chips allow besides; none where there are no such lines (§S3).
    pub(crate) lines: Option<Lines<'a>>,
}

/// The way of one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Way {
    pub(crate) direction: Direction,
    pub(crate) distance: u8,
    /// Whether it is a flash, that lays no chip of choice (§S3.2).
    pub(crate) is_flash: bool,
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
    /// The board, where it has joints (§S2.6).
    joined: Option<&'static BoardShape>,
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
        let mut moves = LegalMoves::none(*self.own);
        if self.is_plain() {
            self.reach_plainly(&mut moves.targets, enterable, empty, has_runners);
        } else {
            moves.joined = self.shape.has_joints().then_some(self.shape);
            self.reach_by_lines(&mut moves.targets, enterable, empty);
        }
        moves.count();
        moves
    }

    /// Whether pieces go over the board alone, by their rank.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.lines.is_none() && !self.shape.has_joints()
    }

    #[inline]
    fn reach_plainly(
        &self,
        targets: &mut [SquareSet; 4],
        enterable: SquareSet,
        empty: SquareSet,
        has_runners: bool,
    ) {
        for (direction, reached) in Direction::ALL.into_iter().zip(targets) {
            let steps = self.walkers.shift(direction);
            *reached = steps & enterable;
            if has_runners {
                // A runner reaches what a step reaches from any square it can run to.
                let run = self.runners.fill(empty, direction).shift(direction);
                *reached |= run & if self.strikes_afar { enterable } else { empty };
            }
        }
    }

    /// The same through joints, and along the lines of chips. A line that comes round to its own first square ends there: the piece stands on it.
    fn reach_by_lines(&self, targets: &mut [SquareSet; 4], enterable: SquareSet, empty: SquareSet) {
        let shape = self.shape;
        for (direction, reached) in Direction::ALL.into_iter().zip(targets) {
            let run = shape.fill(*self.runners, empty, direction);
            *reached = shape.shift(*self.walkers, direction) & enterable
                | shape.shift(run, direction) & if self.strikes_afar { enterable } else { empty };
            if let Some(lines) = &self.lines {
                let supplied = lines.supplied(shape, *self.walkers, empty, direction);
                *reached |= supplied | lines.flashed(shape, empty, direction);
            }
        }
    }

    /// The flashes among the moves (§S3.2): what no other rule carries.
    pub(crate) fn flashes(&self) -> LegalMoves {
        let mut moves = LegalMoves::none(*self.own);
        moves.joined = self.shape.has_joints().then_some(self.shape);
        if let Some(lines) = &self.lines {
            let empty = self.open.without(*self.own).without(*self.foes);
            for (direction, reached) in Direction::ALL.into_iter().zip(&mut moves.targets) {
                let supplied = lines.supplied(self.shape, *self.walkers, empty, direction);
                *reached = lines.flashed(self.shape, empty, direction).without(supplied);
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

impl Field<'_> {
    /// The way on which the piece of this rank goes from its square to another: the path that was named, or of those it may take the shorter,
    /// of two equal ones the one that counts up (§S2.7).
    #[inline]
    pub(crate) fn way(&self, squares: Move, path: Option<Sign>, rank: Rank) -> Result<Way, Refusal> {
        if !self.is_plain() {
            return self.way_by_lines(squares, path, rank);
        }
        self.check(squares, rank)?;
        let (direction, distance) = Direction::between(squares.from, squares.to).ok_or(Refusal::NotInLine)?;
        if path.is_some_and(|path| path != direction.sign()) {
            return Err(Refusal::NoPath);
        }
        Ok(Way { direction, distance, is_flash: false })
    }

    fn way_by_lines(&self, squares: Move, path: Option<Sign>, rank: Rank) -> Result<Way, Refusal> {
        let Move { from, to } = squares;
        if !is_movable(rank) {
            return Err(Refusal::Immovable);
        }
        let mut ways = Direction::ALL
            .map(|direction| self.shape.distance(from, to, direction).map(|distance| (distance, direction)));
        if ways == [None; 4] {
            return Err(Refusal::NotInLine);
        }
        ways.sort_unstable_by_key(|way| way.map(|(distance, direction)| (distance, direction.sign())));
        let is_asked = |direction: Direction| path.is_none_or(|path| path == direction.sign());
        let mut refusal = None;
        for (distance, direction) in ways.into_iter().flatten().filter(|(_, direction)| is_asked(*direction))
        {
            match self.check_way(squares, direction, distance, rank) {
                Ok(way) => return Ok(way),
                Err(other) => refusal = refusal.or(Some(other)),
            }
        }
        Err(refusal.unwrap_or(Refusal::NoPath))
    }

    fn check_way(
        &self,
        squares: Move,
        direction: Direction,
        distance: u8,
        rank: Rank,
    ) -> Result<Way, Refusal> {
        let Move { from, to } = squares;
        let is_run = is_runner(rank);
        if distance > 1 && !is_run && self.lines.is_none() {
            return Err(Refusal::TooFar);
        }
        if !self.open.contains(to) {
            return Err(Refusal::Lake);
        }
        if self.own.contains(to) {
            return Err(Refusal::OwnPiece);
        }
        let empty = self.open.without(*self.own).without(*self.foes);
        let mut passed = SquareSet::EMPTY;
        let mut square = from;
        for _ in 1..distance {
            let next = self.shape.neighbor(square, direction).filter(|next| empty.contains(*next));
            square = next.ok_or(Refusal::Blocked)?;
            passed.insert(square);
        }
        if distance > 1 && self.foes.contains(to) && !(is_run && self.strikes_afar) {
            return Err(Refusal::StrikeFromAfar);
        }
        let way = Way { direction, distance, is_flash: false };
        match &self.lines {
            Some(lines) if distance > 1 && !is_run => {
                let is_flash = lines.carries(from, passed.with(to), rank).ok_or(Refusal::NoSupplyLine)?;
                Ok(Way { is_flash, ..way })
            }
            Some(_) | None => Ok(way),
        }
    }
}

impl LegalMoves {
    /// No move of a side with these pieces.
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

    /// These moves without those others.
    pub(crate) fn without(mut self, others: &LegalMoves) -> LegalMoves {
        self.targets.iter_mut().zip(others.targets).for_each(|(all, some)| *all = all.without(some));
        self.count();
        self
    }

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
    #[inline]
    pub fn nth(&self, n: usize) -> Option<Move> {
        self.nth_way(n).map(|(squares, _)| squares)
    }

    /// The same with its direction.
    #[must_use]
    #[inline]
    pub fn nth_way(&self, n: usize) -> Option<(Move, Direction)> {
        let n = u16::try_from(n).ok()?;
        // For whoever asks at random, a branch on the direction would be a coin's toss.
        let direction = self.starts[1..].iter().filter(|starts| n >= starts[0]).count();
        let starts = &self.starts[direction];
        let word = starts[1..].iter().filter(|start| n >= **start).count();
        let to = self.targets[direction].nth_of_word(word, u32::from(n - starts[word]))?;
        let direction = Direction::ALL[direction];
        Some((Move { from: self.source(to, direction), to }, direction))
    }

    /// Whether the move is among them, by whichever path.
    #[must_use]
    pub fn contains(&self, squares: Move) -> bool {
        if self.joined.is_some() {
            return Direction::ALL.into_iter().any(|direction| {
                self.targets[direction as usize].contains(squares.to)
                    && self.source(squares.to, direction) == squares.from
            });
        }
        Direction::between(squares.from, squares.to).is_some_and(|(direction, _)| {
            self.targets[direction as usize].contains(squares.to)
                && self.source(squares.to, direction) == squares.from
        })
    }

    /// The moves by direction and target: an order that tells nothing of ranks. Where a joint makes two paths of one line, a move may come
    /// twice: once for each way.
    pub fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.iter_ways().map(|(squares, _)| squares)
    }

    /// The same with their directions.
    pub fn iter_ways(&self) -> impl Iterator<Item = (Move, Direction)> + '_ {
        Direction::ALL.into_iter().zip(self.targets).flat_map(move |(direction, targets)| {
            targets.iter().map(move |to| (Move { from: self.source(to, direction), to }, direction))
        })
    }

    /// The nearest own piece behind a square that was reached in a direction.
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
