//! Computes where a rank wants to go. Each target attracts with its gain, which fades with every
//! step.

use flagfall_board::{Square, SquareSet};

use super::board::{Board, neighbors};

/// The share of an attraction that remains with each step.
const FADING: f32 = 0.88;
/// The share that remains behind one of the side's own pieces, which would have to move first.
const BEHIND_OWN: f32 = 0.7;
/// The share that remains behind a square next to a piece that would win.
const THROUGH_DANGER: f32 = 0.6;

/// How strongly every square attracts one rank.
pub(super) type Pulls = [f32; Square::LIMIT];

/// Spreads targets over the board. `feared` are squares that the rank should avoid.
pub(super) fn attraction(board: &Board, targets: &[(Square, f32)], feared: SquareSet) -> Pulls {
    let mut pull = [0.0; Square::LIMIT];
    for (square, gain) in targets {
        pull[square.index()] = *gain;
    }
    let mut waiting: SquareSet = targets.iter().map(|(square, _)| *square).collect();
    // Only squares with a stronger pull are visited again. Each round takes every pull a step
    // farther.
    while !waiting.is_empty() {
        let mut grown = SquareSet::EMPTY;
        for square in waiting.iter() {
            let mut left = pull[square.index()] * FADING;
            if board.own.contains(square) {
                left *= BEHIND_OWN;
            }
            if feared.contains(square) {
                left *= THROUGH_DANGER;
            }
            for next in neighbors(board, square).filter(|next| !board.foes.contains(*next)) {
                if left > pull[next.index()] + 0.001 {
                    pull[next.index()] = left;
                    grown.insert(next);
                }
            }
        }
        waiting = grown;
    }
    pull
}
