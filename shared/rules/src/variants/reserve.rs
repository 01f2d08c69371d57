//! The state that only rulesets with a reserve have (§S).

use flagfall_board::{Chips, PerSide, Rank, RankSet, Square, SquareSet};
use flagfall_view::RankCounts;

use crate::event::Moved;
use crate::piece::Piece;
use crate::ruleset::Ruleset;

use super::flasher;

/// The pieces that a side may place on the board. Their former squares are not recorded (§S1.7).
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Reserve {
    pub(crate) unlabeled: RankCounts,
    /// The pieces that lie face up beside the board (§S2.1).
    pub(crate) labeled: RankCounts,
}

impl Reserve {
    pub(crate) fn count(&self, rank: Rank, is_labeled: bool) -> u8 {
        if is_labeled { self.labeled[rank] } else { self.unlabeled[rank] }
    }

    pub(crate) fn count_mut(&mut self, rank: Rank, is_labeled: bool) -> &mut u8 {
        if is_labeled { &mut self.labeled[rank] } else { &mut self.unlabeled[rank] }
    }

    pub(crate) fn size(&self) -> u16 {
        self.unlabeled.total() + self.labeled.total()
    }
}

/// The reserves, labels and chips, and the ranks that moves have proved.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ReserveState {
    pub(crate) reserve: PerSide<Reserve>,
    pub(crate) labeled: SquareSet,
    /// For each square, the ranks that the piece on it can have, judging by the piece's moves
    /// (§S3.4).
    could_be: [RankSet; Square::LIMIT],
    pub(crate) chips: Chips,
    /// For each side, the squares of the pieces that can flash, by rank.
    pub(crate) flashers: PerSide<[SquareSet; 3]>,
    /// The square of the chip whose color the side to move must still name (§S2.4).
    pub(crate) owed: Option<Square>,
}

impl ReserveState {
    pub(crate) fn new(ruleset: &Ruleset) -> Option<Box<ReserveState>> {
        ruleset.reserve.then(|| {
            Box::new(ReserveState {
                reserve: PerSide::default(),
                labeled: SquareSet::EMPTY,
                could_be: [RankSet::ALL; Square::LIMIT],
                chips: Chips::default(),
                flashers: PerSide::default(),
                owed: None,
            })
        })
    }

    /// Records that a piece moved to a square.
    #[cold]
    pub(crate) fn put(&mut self, square: Square, piece: &Piece) {
        if let Some(flasher) = piece.rank.and_then(flasher) {
            self.flashers[piece.side][flasher].insert(square);
        }
    }

    /// Records that a piece left a square.
    #[cold]
    pub(crate) fn take(&mut self, square: Square, piece: &Piece) {
        if let Some(flasher) = piece.rank.and_then(flasher) {
            self.flashers[piece.side][flasher].remove(square);
        }
    }

    pub(crate) fn could_be(&self, square: Square) -> RankSet {
        self.could_be[square.index()]
    }

    pub(crate) fn set_marks(&mut self, square: Square, is_labeled: bool, could_be: RankSet) {
        self.labeled.remove(square);
        if is_labeled {
            self.labeled.insert(square);
        }
        self.could_be[square.index()] = could_be;
    }

    /// Removes and returns the marks of a piece that leaves a square: whether the piece is
    /// labeled, and which ranks it can have.
    pub(crate) fn take_marks(&mut self, square: Square) -> (bool, RankSet) {
        let marks = (self.labeled.contains(square), self.could_be(square));
        self.set_marks(square, false, RankSet::ALL);
        marks
    }

    /// True if only one rank is possible for a piece after its move.
    #[cold]
    pub(crate) fn is_proved(&self, square: Square, proves: RankSet) -> bool {
        self.could_be(square).intersection(proves).single().is_some()
    }

    /// Updates marks and chips after a move. Each of the two pieces is passed with its new
    /// square, or with `None` if it has left the board.
    #[cold]
    pub(crate) fn apply(
        &mut self,
        ruleset: &Ruleset,
        moved: &Moved,
        (attacker, attacker_at): (Piece, Option<Square>),
        defender: Option<(Piece, Option<Square>)>,
    ) {
        let (is_labeled, could_be) = self.take_marks(moved.from);
        self.take(moved.from, &attacker);
        if let Some((defender, defender_at)) = defender {
            let (is_defender_labeled, defender_could_be) = self.take_marks(moved.to);
            self.take(moved.to, &defender);
            if let Some(square) = defender_at {
                let is_labeled = is_defender_labeled || moved.strike.is_some_and(|strike| strike.labels);
                self.set_marks(square, is_labeled, defender_could_be);
                self.put(square, &defender);
                self.owed = (ruleset.chips && square != moved.to).then_some(square);
            }
        }
        if let Some(square) = attacker_at {
            self.put(square, &attacker);
            self.set_marks(square, is_labeled, could_be.intersection(moved.proves));
        }
        if let Some(laid) = &moved.laid {
            laid.squares().iter().for_each(|square| self.chips.lay(square, laid.color()));
        }
    }
}
