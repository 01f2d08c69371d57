//! Where one's own pieces can go, computed from the view alone. The server decides; this is for the highlights on the board.

use flagfall_board::{Direction, Rank, Side, Square, SquareSet};
use flagfall_protocol::{GameView, MoveText};
use flagfall_rules::{Identity, Move, Ruleset, SeenPiece};

/// The piece on a square.
#[must_use]
pub fn piece_at(view: &GameView, square: Square) -> Option<SeenPiece> {
    view.pieces.iter().map(|piece| piece.0).find(|piece| piece.square == square)
}

/// The squares to which the viewer's own piece on `from` can move or strike this turn, minus what a repetition rule refuses.
#[must_use]
pub fn targets(view: &GameView, ruleset: &Ruleset, from: Square) -> SquareSet {
    let Some(side) = view.audience.side() else { return SquareSet::EMPTY };
    let is_turn = view.turn == Some(side);
    match piece_at(view, from) {
        Some(SeenPiece { side: owner, identity: Identity::Known(rank), .. }) if is_turn && owner == side => {
            let mut targets = reach(view, ruleset, side, from, rank);
            for MoveText(Move { from: refused_from, to }) in &view.refused_moves {
                if *refused_from == from {
                    targets.remove(*to);
                }
            }
            targets
        }
        Some(_) | None => SquareSet::EMPTY,
    }
}

fn reach(view: &GameView, ruleset: &Ruleset, side: Side, from: Square, rank: Rank) -> SquareSet {
    let mut targets = SquareSet::EMPTY;
    if matches!(rank, Rank::Flag | Rank::Bomb) {
        return targets;
    }
    let lakes: SquareSet = view.lakes.iter().copied().collect();
    let free = ruleset.shape.squares().without(lakes);
    let far = rank == Rank::Scout;
    for direction in Direction::ALL {
        let mut square = from;
        while let Some(next) = ruleset.shape.neighbor(square, direction) {
            // A line through joints ends where it began.
            if !free.contains(next) || next == from {
                break;
            }
            let occupant = piece_at(view, next).map(|piece| piece.side);
            if occupant != Some(side) {
                targets.insert(next);
            }
            if occupant.is_some() || !far {
                break;
            }
            square = next;
        }
    }
    targets
}

/// The captured and the remaining pieces of a side: `(rank, lost, left)`, strongest first.
#[must_use]
pub fn losses(view: &GameView, ruleset: &Ruleset, side: Side) -> Vec<(Rank, u8, u8)> {
    let mut rows: Vec<_> = ruleset
        .army
        .iter()
        .map(|(rank, count)| {
            let lost = view.captured[side].get(&rank).copied().unwrap_or(0);
            (rank, lost, count.saturating_sub(lost))
        })
        .collect();
    rows.sort_by_key(|(rank, _, _)| std::cmp::Reverse(*rank));
    rows
}
