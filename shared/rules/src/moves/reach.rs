//! Joints and lines of chips, which extend moves.

use flagfall_board::{BoardShape, Direction, SquareSet};

use crate::ruleset::Ruleset;
use crate::variants::Lines;

/// The joints (§S2.6) and the lines of chips (§S3) on a board. Pieces can move farther with them
/// than on a plain board.
#[derive(Clone, Copy)]
pub(crate) struct Reach<'a> {
    pub(super) shape: &'static BoardShape,
    pub(super) lines: Option<Lines<'a>>,
}

impl<'a> Reach<'a> {
    /// The joints and lines on a ruleset's board. `None` if there are neither joints nor lines.
    pub(crate) fn of(ruleset: &'static Ruleset, lines: Option<Lines<'a>>) -> Option<Reach<'a>> {
        let shape = &ruleset.shape;
        (shape.has_joints() || lines.is_some()).then_some(Reach { shape, lines })
    }

    /// The board, if it has joints.
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
