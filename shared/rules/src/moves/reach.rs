//! What carries pieces besides their ranks: joints of the board, and lines of chips.

use flagfall_board::{BoardShape, Direction, SquareSet};

use crate::ruleset::Ruleset;
use crate::variants::Lines;

/// What carries pieces besides their ranks: joints of the board (§S2.6), and lines that chips make (§S3).
#[derive(Clone, Copy)]
pub(crate) struct Reach<'a> {
    pub(super) shape: &'static BoardShape,
    pub(super) lines: Option<Lines<'a>>,
}

impl<'a> Reach<'a> {
    /// What there is of it on the board of a ruleset; none where there is neither joint nor line.
    pub(crate) fn of(ruleset: &'static Ruleset, lines: Option<Lines<'a>>) -> Option<Reach<'a>> {
        let shape = &ruleset.shape;
        (shape.has_joints() || lines.is_some()).then_some(Reach { shape, lines })
    }

    /// The board, where it has joints.
    pub(super) fn joined(&self) -> Option<&'static BoardShape> {
        self.shape.has_joints().then_some(self.shape)
    }

    pub(super) fn supplied(&self, walkers: SquareSet, empty: SquareSet, direction: Direction) -> SquareSet {
        let lines = self.lines.as_ref();
        lines.map_or(SquareSet::EMPTY, |lines| lines.supplied(self.shape, walkers, empty, direction))
    }

    pub(super) fn flashed(&self, empty: SquareSet, direction: Direction) -> SquareSet {
        let lines = self.lines.as_ref();
        lines.map_or(SquareSet::EMPTY, |lines| lines.flashed(self.shape, empty, direction))
    }
}
