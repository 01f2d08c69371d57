//! Where pieces may go: squares alone, so that a view, which knows no enemy rank, answers as the position does.

use flagfall_board::{BoardShape, Direction, Rank, Sign, Square, SquareSet};

use crate::chips::Lines;
use crate::command::Move;
use crate::position::{is_movable, is_runner};
use crate::refusal::Refusal;
use crate::ruleset::Ruleset;

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
    /// What leads beyond the plain board; none where nothing does.
    pub(crate) beyond: Option<Beyond<'a>>,
}

/// What carries pieces besides their ranks: joints of the board (§S2.6), and lines that chips make (§S3).
#[derive(Clone, Copy)]
pub(crate) struct Beyond<'a> {
    shape: &'static BoardShape,
    lines: Option<Lines<'a>>,
}

impl<'a> Beyond<'a> {
    /// What there is of it on the board of a ruleset; none where there is neither joint nor line.
    pub(crate) fn of(ruleset: &'static Ruleset, lines: Option<Lines<'a>>) -> Option<Beyond<'a>> {
        let shape = &ruleset.shape;
        (shape.has_joints() || lines.is_some()).then_some(Beyond { shape, lines })
    }

    /// The board, where it has joints.
    fn joined(&self) -> Option<&'static BoardShape> {
        self.shape.has_joints().then_some(self.shape)
    }

    fn supplied(&self, walkers: SquareSet, empty: SquareSet, direction: Direction) -> SquareSet {
        let lines = self.lines.as_ref();
        lines.map_or(SquareSet::EMPTY, |lines| lines.supplied(self.shape, walkers, empty, direction))
    }

    fn flashed(&self, empty: SquareSet, direction: Direction) -> SquareSet {
        let lines = self.lines.as_ref();
        lines.map_or(SquareSet::EMPTY, |lines| lines.flashed(self.shape, empty, direction))
    }
}

/// The way of one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Way {
    pub(crate) direction: Direction,
    pub(crate) distance: u8,
    /// Whether it is a flash, that lays no chip of choice (§S3.2).
    pub(crate) is_flash: bool,
}

impl Way {
    /// The squares it enters, from where it begins.
    pub(crate) fn squares(&self, shape: &BoardShape, from: Square) -> SquareSet {
        let steps = std::iter::successors(Some(from), |square| shape.neighbor(*square, self.direction));
        steps.skip(1).take(usize::from(self.distance)).collect()
    }
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
    #[inline]
    pub(crate) fn moves(&self) -> LegalMoves {
        match &self.beyond {
            None => self.moves_plainly(),
            Some(beyond) => self.moves_beyond(beyond),
        }
    }

    fn moves_plainly(&self) -> LegalMoves {
        let enterable = self.open.without(*self.own);
        let empty = enterable.without(*self.foes);
        let has_runners = !self.runners.is_empty();
        let mut moves = LegalMoves {
            targets: [SquareSet::EMPTY; 4],
            own: *self.own,
            joined: None,
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

    /// The same through joints, and along the lines of chips. A line that comes round to its own first square ends there: the piece stands on it.
    #[cold]
    fn moves_beyond(&self, beyond: &Beyond<'_>) -> LegalMoves {
        let shape = beyond.shape;
        let mut moves = LegalMoves { joined: beyond.joined(), ..LegalMoves::none(*self.own) };
        let enterable = self.open.without(*self.own);
        let empty = enterable.without(*self.foes);
        for (direction, reached) in Direction::ALL.into_iter().zip(&mut moves.targets) {
            let run = shape.fill(*self.runners, empty, direction);
            *reached = shape.shift(*self.walkers, direction) & enterable
                | shape.shift(run, direction) & if self.strikes_afar { enterable } else { empty }
                | beyond.supplied(*self.walkers, empty, direction)
                | beyond.flashed(empty, direction);
        }
        moves.count();
        moves
    }

    /// The flashes among the moves (§S3.2): what no other rule carries.
    pub(crate) fn flashes(&self) -> LegalMoves {
        let mut moves = LegalMoves::none(*self.own);
        if let Some(beyond) = &self.beyond {
            moves.joined = beyond.joined();
            let empty = self.open.without(*self.own).without(*self.foes);
            for (direction, reached) in Direction::ALL.into_iter().zip(&mut moves.targets) {
                let supplied = beyond.supplied(*self.walkers, empty, direction);
                *reached = beyond.flashed(empty, direction).without(supplied);
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

    /// The way of a piece of this rank over the plain board from its square to another, repetition aside (§A5, §C2).
    #[inline(always)]
    fn plain_way(&self, squares: Move, rank: Rank) -> Result<Way, Refusal> {
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
        Ok(Way { direction, distance, is_flash: false })
    }
}

impl Field<'_> {
    /// The way on which the piece of this rank goes from its square to another: the path that was named, or of those it may take the shorter,
    /// of two equal ones the one that counts up (§S2.7).
    #[inline(always)]
    pub(crate) fn way(&self, squares: Move, path: Option<Sign>, rank: Rank) -> Result<Way, Refusal> {
        if let Some(beyond) = &self.beyond {
            return self.way_beyond(beyond, squares, path, rank);
        }
        let way = self.plain_way(squares, rank)?;
        if path.is_some_and(|path| path != way.direction.sign()) {
            return Err(Refusal::NoPath);
        }
        Ok(way)
    }

    #[cold]
    fn way_beyond(
        &self,
        beyond: &Beyond<'_>,
        squares: Move,
        path: Option<Sign>,
        rank: Rank,
    ) -> Result<Way, Refusal> {
        let Move { from, to } = squares;
        if !is_movable(rank) {
            return Err(Refusal::Immovable);
        }
        let mut ways = Direction::ALL.map(|direction| {
            beyond.shape.distance(from, to, direction).map(|distance| (distance, direction))
        });
        if ways == [None; 4] {
            return Err(Refusal::NotInLine);
        }
        ways.sort_unstable_by_key(|way| way.map(|(distance, direction)| (distance, direction.sign())));
        let is_asked = |direction: Direction| path.is_none_or(|path| path == direction.sign());
        let mut refusal = None;
        for (distance, direction) in ways.into_iter().flatten().filter(|(_, direction)| is_asked(*direction))
        {
            match self.check_way(beyond, squares, Way { direction, distance, is_flash: false }, rank) {
                Ok(way) => return Ok(way),
                Err(other) => refusal = refusal.or(Some(other)),
            }
        }
        Err(refusal.unwrap_or(Refusal::NoPath))
    }

    fn check_way(&self, beyond: &Beyond<'_>, squares: Move, way: Way, rank: Rank) -> Result<Way, Refusal> {
        let Move { from, to } = squares;
        let distance = way.distance;
        let is_run = is_runner(rank);
        if distance > 1 && !is_run && beyond.lines.is_none() {
            return Err(Refusal::TooFar);
        }
        if !self.open.contains(to) {
            return Err(Refusal::Lake);
        }
        if self.own.contains(to) {
            return Err(Refusal::OwnPiece);
        }
        let empty = self.open.without(*self.own).without(*self.foes);
        let passed = way.squares(beyond.shape, from);
        if !passed.without(SquareSet::only(to)).without(empty).is_empty() {
            return Err(Refusal::Blocked);
        }
        if distance > 1 && self.foes.contains(to) && !(is_run && self.strikes_afar) {
            return Err(Refusal::StrikeFromAfar);
        }
        match &beyond.lines {
            Some(lines) if distance > 1 && !is_run => {
                let is_flash = lines.carries(from, passed, rank).ok_or(Refusal::NoSupplyLine)?;
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
