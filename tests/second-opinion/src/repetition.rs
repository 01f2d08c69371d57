//! The history that the repetition rules need (§C3, §T).

use std::sync::Arc;

use crate::rules::Color;
use crate::square::At;

/// The most recent consecutive plies of a side that were made by the same piece, for the
/// two-squares rule.
#[derive(Clone, Debug, Default)]
struct Chain {
    id: u16,
    moves: Vec<(At, At)>,
}

/// The plies and placements that the repetition rules use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repetition {
    chains: [Chain; 2],
    last: [Option<(At, At)>; 2],
    chase: [usize; 2],
    /// The placements (which piece is on which square) since the last strike, with the current
    /// one last. Empty if no rule needs them.
    placements: Vec<Arc<[u16]>>,
}

/// The facts about a ply that the repetition rules need.
pub(crate) struct Noted {
    pub(crate) color: Color,
    pub(crate) id: u16,
    pub(crate) squares: (At, At),
    pub(crate) is_strike: bool,
    /// True if it is next to an enemy after the ply.
    pub(crate) threatens: bool,
}

impl Repetition {
    pub(crate) fn note(&mut self, ply: &Noted) {
        let Noted { color, id, squares, is_strike, threatens } = *ply;
        let other = 1 - color;
        let chain = &mut self.chains[color];
        if chain.id != id {
            *chain = Chain { id, moves: Vec::new() };
        }
        chain.moves.push(squares);
        let flees = self.last[other].is_some_and(|(_, there)| squares.0.is_beside(there));
        self.chase[other] = if flees { self.chase[other] + 1 } else { 0 };
        if is_strike {
            self.chase = [0; 2];
            // After a strike, there are fewer pieces, so no earlier placement can occur again.
            self.placements.clear();
        }
        self.chase[color] = if threatens { self.chase[color] + 1 } else { 0 };
        self.last[color] = Some(squares);
    }

    /// Records which piece is on which square.
    pub(crate) fn remember(&mut self, placement: Arc<[u16]>) {
        self.placements.push(placement);
    }

    /// True if the two-squares rule may forbid a side any move.
    #[must_use]
    pub(crate) fn is_chained(&self, color: Color, limit: usize) -> bool {
        self.chains[color].moves.len() >= limit
    }

    /// True if the more-squares rule may forbid a side any move.
    #[must_use]
    pub(crate) fn is_chasing(&self, color: Color) -> bool {
        self.chase[color] >= 2
    }

    /// True if this move crosses a border that each of the previous `limit` moves has crossed.
    #[must_use]
    pub(crate) fn is_back_and_forth(&self, color: Color, id: u16, squares: (At, At), limit: usize) -> bool {
        let Chain { id: own, moves } = &self.chains[color];
        let Some(first) = moves.len().checked_sub(limit).filter(|_| *own == id) else { return false };
        let before = &moves[first..];
        borders(squares).into_iter().any(|border| before.iter().all(|one| borders(*one).contains(&border)))
    }

    /// True if this move recreates a placement of the chase. The move must not be a strike, but
    /// must threaten a piece.
    #[must_use]
    pub(crate) fn is_endless_chase(
        &self,
        color: Color,
        (from, to): (At, At),
        alike: impl Fn(u16, u16) -> bool,
    ) -> bool {
        if !self.is_chasing(color) || self.last[color] == Some((to, from)) {
            return false;
        }
        let Some(now) = self.placements.last() else { return false };
        let mut after = now.to_vec();
        after.swap(from.index(), to.index());
        // Returns the placements from k plies ago, with 1 <= k < chase.
        self.placements
            .iter()
            .rev()
            .take(self.chase[color])
            .skip(1)
            .any(|placement| placement.iter().zip(&after).all(|(before, after)| alike(*before, *after)))
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
    use crate::square::read_move;

    #[test]
    fn borders_of_a_long_move_are_all_it_crosses() {
        let squares = read_move("a4a1").unwrap();
        assert_eq!(borders(squares).len(), 3);
        assert_eq!(borders(squares), borders((squares.1, squares.0)));
    }
}
