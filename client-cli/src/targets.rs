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
    let far = matches!(rank, Rank::Scout | Rank::Phoenix);
    for direction in Direction::ALL {
        let mut square = from;
        while let Some(next) = ruleset.shape.neighbor(square, direction) {
            // A line through joints ends where it began.
            if !free.contains(next) || next == from {
                break;
            }
            let occupant = piece_at(view, next).map(|piece| piece.side);
            // Where Scouts do not strike from afar, the next square is as far as a strike goes (§O1).
            let is_in_reach = occupant.is_none() || ruleset.strikes_afar || square == from;
            if occupant != Some(side) && is_in_reach {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{classic_view, game};

    fn targets_of(view: &str, from: &str) -> String {
        targets_by("classic", view, from)
    }

    fn targets_by(ruleset: &str, view: &str, from: &str) -> String {
        let model = game(ruleset, "red", view);
        let view = model.game.expect("a game").view;
        let ruleset = Ruleset::find(ruleset).expect("a ruleset");
        let from = from.parse().expect("a square");
        let squares: Vec<String> = targets(&view, ruleset, from).iter().map(|s| s.to_string()).collect();
        squares.join(" ")
    }

    fn view(pieces: &str) -> String {
        let (start, rest) = classic_view("red")
            .split_once(r#""pieces":["#)
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .expect("pieces");
        let (_, end) = rest.split_once(']').expect("the end of them");
        format!(r#"{start}"pieces":[{pieces}]{end}"#)
    }

    #[test]
    fn a_piece_goes_one_square_and_not_onto_lakes_or_its_own() {
        let view = view(r#""b5r5","b4r6","a5b?""#);
        assert_eq!(targets_of(&view, "b5"), "a5 b6");
        assert_eq!(targets_of(&view, "a5"), "", "the enemy's");
        assert_eq!(targets_of(&view, "j10"), "", "nothing there");
    }

    #[test]
    fn a_scout_goes_far_and_strikes_at_the_end_but_enters_no_lake() {
        let view = view(r#""e5r9","e8b?","h4rB""#);
        assert_eq!(targets_of(&view, "e5"), "e1 e2 e3 e4 f5 e6 e7 e8");
        assert_eq!(targets_of(&view, "h4"), "", "a Bomb");
    }

    #[test]
    fn where_a_scout_moves_or_strikes_it_strikes_its_neighbors_alone() {
        let view = view(r#""e5r9","e8b?","f5b?","h4rB""#);
        assert_eq!(targets_by("original", &view, "e5"), "e1 e2 e3 e4 f5 e6 e7");
    }

    #[test]
    fn what_a_repetition_rule_refuses_is_left_out_and_on_the_others_turn_everything_is() {
        let pieces = view(r#""a5r5""#);
        let refused = format!(r#"{pieces},"refused_moves":["a5a6"]"#);
        assert_eq!(targets_of(&refused, "a5"), "a4 b5");
        assert_eq!(targets_of(&pieces.replace(r#""turn":"red""#, r#""turn":"blue""#), "a5"), "");
    }

    #[test]
    fn losses_are_told_strongest_first_with_what_is_left() {
        let view = game("classic", "red", &classic_view("red")).game.expect("a game").view;
        let rows = losses(&view, Ruleset::find("classic").expect("a ruleset"), Side::Red);
        assert_eq!(rows[0], (Rank::Marshal, 0, 1));
        assert!(rows.contains(&(Rank::Scout, 1, 7)));
        assert_eq!(rows.last(), Some(&(Rank::Flag, 0, 1)));
    }
}
