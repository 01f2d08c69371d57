//! Computes which squares attract a rank. The attraction of a target is the gain from capturing
//! it, and it fades with every step.

use flagfall_board::{Square, SquareSet};

use super::board::{Board, neighbors};

/// The share of an attraction that remains after each step.
const FADING: f32 = 0.88;
/// An attraction is multiplied by this factor when it passes one of the side's own pieces, which
/// would first have to move away.
const BEHIND_OWN: f32 = 0.7;
/// An attraction is multiplied by this factor when it passes a square next to a stronger enemy
/// piece.
const THROUGH_DANGER: f32 = 0.6;

/// How strongly each square attracts one rank.
pub(super) type Pulls = [f32; Square::LIMIT];

/// Spreads the attraction of targets over the board. `feared` is the set of squares that the rank
/// should avoid.
pub(super) fn attraction(board: &Board, targets: &[(Square, f32)], feared: SquareSet) -> Pulls {
    let mut pull = [0.0; Square::LIMIT];
    for (square, gain) in targets {
        pull[square.index()] = *gain;
    }
    let mut waiting: SquareSet = targets.iter().map(|(square, _)| *square).collect();
    // Each round spreads attractions by one step. Only squares whose attraction has grown are
    // visited again.
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
