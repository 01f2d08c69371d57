//! The pieces of both sides as sets of squares, and the moves that one side can make.

use flagfall_board::{BoardShape, Direction, Rank, Sign, Square, SquareSet};
use flagfall_view::Move;

use crate::refusal::Refusal;

use super::{LegalMoves, Reach};

/// Everything that determines one side's moves, as sets of squares.
#[derive(Clone, Copy)]
pub(crate) struct Field<'a> {
    pub(crate) own: &'a SquareSet,
    pub(crate) foes: &'a SquareSet,
    /// The squares of the side's pieces that can move.
    pub(crate) walkers: &'a SquareSet,
    /// The squares of the side's pieces that move any distance.
    pub(crate) runners: &'a SquareSet,
    /// All squares except lakes.
    pub(crate) open: &'a SquareSet,
    /// True if the pieces in `runners` may strike at the end of a long move (§C2). If false, they
    /// strike only on a neighboring square (§O1).
    pub(crate) strikes_afar: bool,
    /// The joints and the lines of chips on the board, which extend moves.
    pub(crate) reach: Option<Reach<'a>>,
}

/// The path that a piece takes in one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Way {
    pub(crate) direction: Direction,
    pub(crate) distance: u8,
    /// True if the move is a flash, for which the side chooses no color (§S3.2).
    pub(crate) is_flash: bool,
}

impl Way {
    /// The squares that a piece enters on this path if it starts at `from`.
    pub(crate) fn squares(&self, shape: &BoardShape, from: Square) -> SquareSet {
        let steps = std::iter::successors(Some(from), |square| shape.neighbor(*square, self.direction));
        steps.skip(1).take(usize::from(self.distance)).collect()
    }
}

impl Field<'_> {
    /// Returns every possible move. Repetition rules are not applied yet.
    #[inline]
    pub(crate) fn moves(&self) -> LegalMoves {
        match &self.reach {
            None => self.moves_plainly(),
            Some(reach) => self.moves_by_reach(reach),
        }
    }

    fn moves_plainly(&self) -> LegalMoves {
        let enterable = self.open.without(*self.own);
        let empty = enterable.without(*self.foes);
        let has_runners = !self.runners.is_empty();
        let mut moves = LegalMoves::none(*self.own);
        for (direction, reached) in Direction::ALL.into_iter().zip(&mut moves.targets) {
            let steps = self.walkers.shift(direction);
            *reached = steps & enterable;
            if has_runners {
                // A runner first runs over empty squares, and then takes one more step, which may
                // be a strike.
                let run = self.runners.fill(empty, direction).shift(direction);
                *reached |= run & if self.strikes_afar { enterable } else { empty };
            }
        }
        moves.count();
        moves
    }

    /// Like [`Field::moves_plainly`], but moves may also cross joints and follow lines of chips.
    /// A path that leads all the way around the board ends before its starting square, because
    /// the piece stands there.
    #[cold]
    fn moves_by_reach(&self, reach: &Reach<'_>) -> LegalMoves {
        let shape = reach.shape;
        let mut moves = LegalMoves::none(*self.own);
        moves.joined = reach.joined();
        let enterable = self.open.without(*self.own);
        let empty = enterable.without(*self.foes);
        for (direction, reached) in Direction::ALL.into_iter().zip(&mut moves.targets) {
            let run = shape.fill(*self.runners, empty, direction);
            *reached = shape.shift(*self.walkers, direction) & enterable
                | shape.shift(run, direction) & if self.strikes_afar { enterable } else { empty }
                | reach.supplied(*self.walkers, empty, direction)
                | reach.flashed(empty, direction);
        }
        moves.count();
        moves
    }

    /// The moves that are possible only as flashes (§S3.2). A move that a supply line allows is
    /// not included.
    pub(crate) fn flashes(&self) -> LegalMoves {
        let mut moves = LegalMoves::none(*self.own);
        if let Some(reach) = &self.reach {
            moves.joined = reach.joined();
            let empty = self.open.without(*self.own).without(*self.foes);
            for (direction, reached) in Direction::ALL.into_iter().zip(&mut moves.targets) {
                let supplied = reach.supplied(*self.walkers, empty, direction);
                *reached = reach.flashed(empty, direction).without(supplied);
            }
        }
        moves.count();
        moves
    }

    /// True if the side has at least two moves of one square.
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

    /// Returns the path for a piece of this rank on a board without joints and chips (§A5, §C2).
    /// Repetition rules are not applied.
    #[inline(always)]
    fn plain_way(&self, squares: Move, rank: Rank) -> Result<Way, Refusal> {
        let Move { from, to } = squares;
        if !rank.is_movable() {
            return Err(Refusal::Immovable);
        }
        let (direction, distance) = Direction::between(from, to).ok_or(Refusal::NotInLine)?;
        if distance > 1 && !rank.is_runner() {
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
    /// Returns the path that a piece of this rank takes (§S2.7). This is the path that the
    /// command names, or else the shorter legal path. If both are equally long, it is the path
    /// toward higher rows or columns.
    #[inline(always)]
    pub(crate) fn way(&self, squares: Move, path: Option<Sign>, rank: Rank) -> Result<Way, Refusal> {
        if let Some(reach) = &self.reach {
            return self.way_by_reach(reach, squares, path, rank);
        }
        let way = self.plain_way(squares, rank)?;
        if path.is_some_and(|path| path != way.direction.sign()) {
            return Err(Refusal::NoPath);
        }
        Ok(way)
    }

    #[cold]
    fn way_by_reach(
        &self,
        reach: &Reach<'_>,
        squares: Move,
        path: Option<Sign>,
        rank: Rank,
    ) -> Result<Way, Refusal> {
        let Move { from, to } = squares;
        if !rank.is_movable() {
            return Err(Refusal::Immovable);
        }
        let mut ways = Direction::ALL
            .map(|direction| reach.shape.distance(from, to, direction).map(|distance| (distance, direction)));
        if ways == [None; 4] {
            return Err(Refusal::NotInLine);
        }
        ways.sort_unstable_by_key(|way| way.map(|(distance, direction)| (distance, direction.sign())));
        let is_asked = |direction: Direction| path.is_none_or(|path| path == direction.sign());
        let mut refusal = None;
        for (distance, direction) in ways.into_iter().flatten().filter(|(_, direction)| is_asked(*direction))
        {
            match self.check_way(reach, squares, Way { direction, distance, is_flash: false }, rank) {
                Ok(way) => return Ok(way),
                Err(other) => refusal = refusal.or(Some(other)),
            }
        }
        Err(refusal.unwrap_or(Refusal::NoPath))
    }

    fn check_way(&self, reach: &Reach<'_>, squares: Move, way: Way, rank: Rank) -> Result<Way, Refusal> {
        let Move { from, to } = squares;
        let distance = way.distance;
        let is_run = rank.is_runner();
        if distance > 1 && !is_run && reach.lines.is_none() {
            return Err(Refusal::TooFar);
        }
        if !self.open.contains(to) {
            return Err(Refusal::Lake);
        }
        if self.own.contains(to) {
            return Err(Refusal::OwnPiece);
        }
        let empty = self.open.without(*self.own).without(*self.foes);
        let passed = way.squares(reach.shape, from);
        if !passed.without(SquareSet::only(to)).without(empty).is_empty() {
            return Err(Refusal::Blocked);
        }
        if distance > 1 && self.foes.contains(to) && !(is_run && self.strikes_afar) {
            return Err(Refusal::StrikeFromAfar);
        }
        match &reach.lines {
            Some(lines) if distance > 1 && !is_run => {
                let is_flash = lines.carries(from, passed, rank).ok_or(Refusal::NoSupplyLine)?;
                Ok(Way { is_flash, ..way })
            }
            Some(_) | None => Ok(way),
        }
    }
}
