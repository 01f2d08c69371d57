//! The history that the repetition rules need (§C3, §T).

use std::sync::Arc;

use super::rules::Color;
use super::square::At;

/// The last plies that one piece made in a row, for the two-squares rule.
#[derive(Clone, Debug, Default)]
struct Chain {
    at: Option<At>,
    moves: Vec<(At, At)>,
}

/// The plies and placements that the repetition rules use.
#[derive(Clone, Debug, Default)]
pub(super) struct Repetition {
    chains: [Chain; 2],
    last: [Option<(At, At)>; 2],
    chase: [usize; 2],
    /// Placements since the last strike, with the current one last; empty if no rule needs them.
    placements: Vec<Arc<[u8]>>,
}

/// A ply, as far as repetition needs it.
pub(super) struct Noted {
    pub color: Color,
    pub squares: (At, At),
    /// The square of the piece that moved, if it is still on the board.
    pub now_at: Option<At>,
    /// Whether it was a strike, and whether the defender is gone.
    pub is_strike: bool,
    pub is_defender_gone: bool,
    /// Whether it is next to an enemy now.
    pub threatens: bool,
}

impl Repetition {
    /// Records a ply.
    pub(super) fn note(&mut self, ply: &Noted) {
        let Noted { color, squares, now_at, is_strike, is_defender_gone, threatens } = *ply;
        let other = 1 - color;
        if is_defender_gone && self.chains[other].at == Some(squares.1) {
            self.chains[other] = Chain::default();
        }
        let chain = &mut self.chains[color];
        if chain.at != Some(squares.0) {
            chain.moves.clear();
        }
        chain.moves.push(squares);
        chain.at = now_at;
        let flees = self.last[other].is_some_and(|(_, there)| squares.0.is_beside(there));
        self.chase[other] = if flees { self.chase[other] + 1 } else { 0 };
        if is_strike {
            self.chase = [0; 2];
            // Fewer pieces are left from now on, so no older placement can come back.
            self.placements.clear();
        }
        self.chase[color] = if threatens { self.chase[color] + 1 } else { 0 };
        self.last[color] = Some(squares);
    }

    /// Records which piece is on which square.
    pub(super) fn remember(&mut self, placement: Arc<[u8]>) {
        self.placements.push(placement);
    }

    /// Whether the two-squares rule may forbid a side anything.
    #[must_use]
    pub(super) fn is_chained(&self, color: Color) -> bool {
        self.chains[color].moves.len() >= 3
    }

    /// Whether the more-squares rule may forbid a side anything.
    #[must_use]
    pub(super) fn is_chasing(&self, color: Color) -> bool {
        self.chase[color] >= 2
    }

    /// Whether this move crosses once more a border that each of the three before it has crossed.
    #[must_use]
    pub(super) fn is_back_and_forth(&self, color: Color, squares: (At, At)) -> bool {
        let chain = &self.chains[color];
        if chain.at != Some(squares.0) || !self.is_chained(color) {
            return false;
        }
        let before = &chain.moves[chain.moves.len() - 3..];
        borders(squares).into_iter().any(|border| before.iter().all(|one| borders(*one).contains(&border)))
    }

    /// Whether this move, which is no strike and threatens a piece, recreates a placement of the
    /// chase.
    #[must_use]
    pub(super) fn is_endless_chase(&self, color: Color, (from, to): (At, At)) -> bool {
        if !self.is_chasing(color) || self.last[color] == Some((to, from)) {
            return false;
        }
        let Some(now) = self.placements.last() else { return false };
        let mut after = now.to_vec();
        after.swap(from.index(), to.index());
        // k plies back from now, 1 <= k < chase.
        self.placements.iter().rev().take(self.chase[color]).skip(1).any(|placement| **placement == *after)
    }
}

/// The borders between neighboring squares that a move crosses.
fn borders((from, to): (At, At)) -> Vec<(At, At)> {
    let (low, high) = (from.min(to), from.max(to));
    let step = At { row: (high.row - low.row).signum(), column: (high.column - low.column).signum() };
    let mut at = low;
    let mut all = Vec::new();
    while at != high && all.len() < 10 {
        let next = At { row: at.row + step.row, column: at.column + step.column };
        all.push((at, next));
        at = next;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::square::read_move;

    #[test]
    fn borders_of_a_long_move_are_all_it_crosses() {
        let squares = read_move("a4a1").unwrap();
        assert_eq!(borders(squares).len(), 3);
        assert_eq!(borders(squares), borders((squares.1, squares.0)));
    }
}
