//! The two-squares rule (§C3) and the more-squares rule (§T).

use flagfall_board::{Direction, PerSide, Side, Square, SquareSet};
use flagfall_view::Move;

use crate::moves::{Field, LegalMoves, Tether};
use crate::ruleset::Ruleset;

/// The maximum number of past moves that the two-squares rule considers in any ruleset.
const CHAIN_MAX: usize = 5;

/// The part of a game's history that the repetition rules need.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) struct Repetition {
    chains: PerSide<Chain>,
    last: PerSide<Option<Move>>,
    chase: PerSide<u16>,
    /// The placement: a hash of all pieces and their squares.
    placement: u64,
    /// The placements since the last strike, or since the last ply after which neither side was
    /// chasing, oldest first. The last one is the current placement. Only the more-squares rule
    /// needs this list.
    trail: Vec<u64>,
}

/// The recent moves of the piece that a side moved last. The chain starts over when the side
/// moves another piece.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Chain {
    /// The square of the piece. `None` if the piece has left the board.
    at: Option<Square>,
    /// The piece's last moves. The latest is at index `len - 1`.
    moves: [Option<Move>; CHAIN_MAX],
    len: u8,
}

/// The facts about a ply that the repetition rules need.
pub(crate) struct Noted {
    pub(crate) side: Side,
    pub(crate) squares: Move,
    /// The square of the attacker after the ply, if it is still on the board.
    pub(crate) attacker_at: Option<Square>,
    /// The square of the struck piece after the ply, if a piece was struck and is still on the
    /// board.
    pub(crate) defender_at: Option<Square>,
    pub(crate) is_strike: bool,
}

/// A range of borders between neighboring squares of one line, from `low` up to, but not
/// including, `high`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Borders {
    is_column: bool,
    line: u8,
    low: u8,
    high: u8,
}

impl Borders {
    fn crossed_by(squares: Move) -> Borders {
        let Move { from, to } = squares;
        let is_column = from.column() == to.column();
        let (line, one, other) = if is_column {
            (from.column(), from.row(), to.row())
        } else {
            (from.row(), from.column(), to.column())
        };
        Borders { is_column, line, low: one.min(other), high: one.max(other) }
    }

    fn intersection(self, other: Borders) -> Option<Borders> {
        let both = Borders { low: self.low.max(other.low), high: self.high.min(other.high), ..self };
        (self.is_column == other.is_column && self.line == other.line && both.low < both.high).then_some(both)
    }
}

impl Chain {
    fn note(&mut self, squares: Move, now_at: Option<Square>) {
        if self.at != Some(squares.from) {
            *self = Chain::default();
        }
        if usize::from(self.len) == CHAIN_MAX {
            self.moves.rotate_left(1);
            self.len -= 1;
        }
        self.moves[usize::from(self.len)] = Some(squares);
        self.len += 1;
        self.at = now_at;
    }

    /// Returns the tether for the piece's next move, if each of the last `limit` moves crossed the
    /// same border.
    fn tether(&self, limit: u8) -> Option<Tether> {
        let recent = self.moves.get(usize::from(self.len.checked_sub(limit)?)..usize::from(self.len))?;
        let square = self.at?;
        let mut common: Option<Borders> = None;
        for squares in recent.iter().flatten() {
            let borders = Borders::crossed_by(*squares);
            common = Some(match common {
                None => borders,
                Some(common) => common.intersection(borders)?,
            });
        }
        let Borders { is_column, line, low, high } = common?;
        // The piece may no longer be on the line of its moves, because a defender that wins a
        // strike can move to another line (§O1).
        let is_in_line = line == if is_column { square.column() } else { square.row() };
        is_in_line.then_some(Tether { square, is_column, low, high })
    }
}

/// The squares next to at least one of these squares.
pub(crate) fn neighbors(squares: SquareSet) -> SquareSet {
    Direction::ALL.into_iter().fold(SquareSet::EMPTY, |all, direction| all | squares.shift(direction))
}

/// The hash of one piece on one square, computed with splitmix64 (Steele, Lea, Flood 2014). A
/// placement combines the hashes of all pieces.
fn placement_key(id: u8, square: Square) -> u64 {
    let mut z =
        ((u64::from(id) << 8) | square.index() as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Repetition {
    /// Updates the placement after a piece has moved to a square or has left it.
    pub(crate) fn toggle(&mut self, id: u8, square: Square) {
        self.placement ^= placement_key(id, square);
    }

    /// Records a ply, following the order of steps in §T1. `foes` is the set of the other side's
    /// squares after the ply.
    pub(crate) fn note(&mut self, ruleset: &Ruleset, ply: &Noted, foes: SquareSet) {
        let Noted { side, squares, attacker_at, defender_at, is_strike } = *ply;
        let other = side.opponent();
        if ruleset.two_squares_limit.is_some() {
            self.chains[side].note(squares, attacker_at);
            if is_strike && self.chains[other].at == Some(squares.to) {
                // The chain follows the struck piece to its new square. If the piece left the
                // board, the chain must not continue with another piece on this square.
                self.chains[other].at = defender_at;
            }
        }
        if ruleset.more_squares {
            let flees = self.last[other].is_some_and(|last| squares.from.distance(last.to) == 1);
            self.chase[other] = if flees { self.chase[other].saturating_add(1) } else { 0 };
            if is_strike {
                self.chase = PerSide::default();
            }
            let threatens = neighbors(SquareSet::only(squares.to)) & foes;
            self.chase[side] = if threatens.is_empty() { 0 } else { self.chase[side].saturating_add(1) };
            self.trail_push(is_strike, other);
        }
        self.last[side] = Some(squares);
    }

    /// Records the current placement. While neither side is chasing, older placements are
    /// dropped, because only placements since the beginning of a chase matter.
    fn trail_push(&mut self, is_strike: bool, next: Side) {
        if is_strike || (self.chase[next] == 0 && self.chase[next.opponent()] == 0) {
            self.trail.clear();
        }
        self.trail.push(self.placement);
    }

    /// Returns the limit that the two-squares rule sets for a side's next move.
    #[inline]
    pub(crate) fn tether(&self, ruleset: &Ruleset, side: Side) -> Option<Tether> {
        let limit = ruleset.two_squares_limit?;
        let chain = &self.chains[side];
        // Check the length first, because almost every chain is too short.
        if chain.len >= limit { chain.tether(limit) } else { None }
    }

    /// True if the more-squares rule could forbid a move of this side after the other side's next
    /// ply.
    #[inline]
    pub(crate) fn is_chasing_next(&self, ruleset: &Ruleset, side: Side) -> bool {
        ruleset.more_squares && self.chase[side] >= 1
    }

    /// True if the more-squares rule can forbid a move of this side now.
    #[inline]
    pub(crate) fn is_chasing(&self, ruleset: &Ruleset, side: Side) -> bool {
        ruleset.more_squares && self.chase[side] >= 2
    }

    /// True if the more-squares rule forbids this move of the piece with this id (§T2).
    #[inline]
    pub(crate) fn is_endless_chase(
        &self,
        ruleset: &Ruleset,
        side: Side,
        squares: Move,
        id: u8,
        foes: SquareSet,
    ) -> bool {
        if !self.is_chasing(ruleset, side) || foes.contains(squares.to) {
            return false;
        }
        if (neighbors(SquareSet::only(squares.to)) & foes).is_empty() {
            return false;
        }
        let is_reversal =
            self.last[side].is_some_and(|last| last.from == squares.to && last.to == squares.from);
        if is_reversal {
            return false;
        }
        let after = self.placement ^ placement_key(id, squares.from) ^ placement_key(id, squares.to);
        // `back` is the number of earlier placements to compare with. The last entry of the trail
        // is skipped, because it is the current placement, before this move.
        let back = usize::from(self.chase[side]) - 1;
        self.trail.iter().rev().skip(1).take(back).any(|placement| *placement == after)
    }

    /// Removes the moves that the more-squares rule forbids, and calls `refused` with each
    /// removed move.
    #[inline]
    pub(crate) fn cut_chases(
        &self,
        ruleset: &Ruleset,
        side: Side,
        field: &Field<'_>,
        moves: &mut LegalMoves,
        id_at: impl Fn(Square) -> Option<u8>,
        mut refused: impl FnMut(Move),
    ) {
        if !self.is_chasing(ruleset, side) {
            return;
        }
        let all = *moves;
        for squares in all.iter() {
            let id = id_at(squares.from);
            if id.is_some_and(|id| self.is_endless_chase(ruleset, side, squares, id, *field.foes)) {
                moves.remove(squares);
                refused(squares);
            }
        }
    }
}
