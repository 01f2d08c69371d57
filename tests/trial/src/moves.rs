//! Where one's own pieces may go, from what the server sent and nothing else.

use std::collections::HashMap;

use flagfall_board::{Direction, Rank, Side, Square};
use flagfall_protocol::{GameView, MoveText};
use flagfall_rules::{Identity, Move, Ruleset, SeenPiece};

/// The viewer's legal moves, were it his turn.
#[must_use]
pub(crate) fn legal_moves(view: &GameView, side: Side) -> Vec<MoveText> {
    let Some(ruleset) = Ruleset::find(&view.ruleset) else { return Vec::new() };
    let occupied: HashMap<Square, Side> =
        view.pieces.iter().map(|piece| (piece.0.square, piece.0.side)).collect();
    let mut moves = Vec::new();
    for SeenPiece { square: from, side: owner, identity, .. } in view.pieces.iter().map(|piece| piece.0) {
        let Identity::Known(rank) = identity else { continue };
        if owner != side || matches!(rank, Rank::Flag | Rank::Bomb) {
            continue;
        }
        for direction in Direction::ALL {
            let mut at = from;
            while let Some(to) = ruleset.shape.neighbor(at, direction) {
                if view.lakes.contains(&to) || occupied.get(&to) == Some(&side) {
                    break;
                }
                let squares = MoveText(Move { from, to });
                if !view.refused_moves.contains(&squares) {
                    moves.push(squares);
                }
                if rank != Rank::Scout || occupied.contains_key(&to) {
                    break;
                }
                at = to;
            }
        }
    }
    moves
}
