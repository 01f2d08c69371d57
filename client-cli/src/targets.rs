//! Computes where the player's pieces can go. The rules engine derives these squares from the
//! view, but the server decides whether a move is legal.

use flagfall_board::{Rank, Side, Square, SquareSet};
use flagfall_protocol::GameView;
use flagfall_rules::{Ruleset, SeenPiece, View};

pub fn piece_at(view: &GameView, square: Square) -> Option<SeenPiece> {
    view.pieces.iter().copied().find(|piece| piece.square == square)
}

/// Returns the squares to which the viewer's piece on `from` can move or strike this turn.
pub fn targets(view: &GameView, ruleset: &'static Ruleset, from: Square) -> SquareSet {
    View { seen: view.clone(), ruleset }.targets(from).iter().map(|target| target.square).collect()
}

/// True if the last ply ended the game, as far as the side to move next can see. The server then
/// reports the end as the next event.
pub fn is_end_next(view: &GameView, ruleset: &'static Ruleset) -> bool {
    View { seen: view.clone(), ruleset }.is_end_next()
}

/// Returns a side's captured and remaining pieces: `(rank, lost, left)`, strongest first.
///
/// In games with coins, `left` counts only ranks that coins can still become. It leaves out the
/// pieces that are no longer coins, because all viewers see their ranks on the board (§Q8).
pub fn losses(view: &GameView, ruleset: &Ruleset, side: Side) -> Vec<(Rank, u8, u8)> {
    let mut rows: Vec<_> = ruleset
        .army
        .iter()
        .map(|(rank, count)| {
            let lost = view.captured[side][rank];
            let pooled = view.pools.as_ref().map(|pools| pools[side][rank]);
            (rank, lost, pooled.unwrap_or(count.saturating_sub(lost)))
        })
        .collect();
    rows.sort_by_key(|(rank, _, _)| std::cmp::Reverse(*rank));
    rows
}

#[cfg(test)]
mod tests {
    use flagfall_rules::Carrier;

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
    fn lines_of_chips_carry_and_flashes_go_as_far_as_the_rank_goes() {
        // A Major on a red chip. In column b the chips are red up to b4, b5 is green and b6 has
        // none. Row 2 has green chips to the right.
        let chips = r#""chips":{"red":["b2","b3","b4"],"green":["b5","c2","d2","e2","f2","g2"]}"#;
        let reach_of = |rank: char| {
            let view = view(&format!(r#""b2r{rank}""#)) + "," + chips;
            let model = game("shadowflash-3", "red", &view);
            let game = model.game.expect("a game");
            let by = |carrier: Carrier| -> String {
                let reach = game.reach("b2".parse().expect("a square"));
                let squares: SquareSet =
                    reach.iter().filter(|target| target.by == carrier).map(|target| target.square).collect();
                squares.iter().map(|square| square.to_string()).collect::<Vec<_>>().join(" ")
            };
            [by(Carrier::Legs), by(Carrier::SupplyLine), by(Carrier::Flash)]
        };
        // The joints connect row 10 to row 1 in column b, and column p to column a in row 2.
        assert_eq!(reach_of('4'), ["b1 a2 c2 b3", "b4", "d2 e2 f2 b5"]);
        assert_eq!(reach_of('3'), ["b1 a2 c2 b3", "b4", "d2 e2 b5"]);
        assert_eq!(reach_of('2'), ["b1 a2 c2 b3", "b4", "d2"]);
        assert_eq!(reach_of('5'), ["b1 a2 c2 b3", "b4", ""]);
    }

    #[test]
    fn the_targets_are_the_legal_moves() {
        for id in [
            "classic",
            "tournament",
            "pbm-small",
            "original",
            "shadowflash-1",
            "shadowflash-2",
            "shadowflash-3",
        ] {
            let ruleset = Ruleset::find(id).expect("a ruleset");
            let mut chance = flagfall_board::Chance::new(7);
            let setups = flagfall_board::PerSide::from_fn(|side| {
                Some(flagfall_bots::random_setup(ruleset, side, &mut chance))
            });
            let mut plies = 0;
            let played = flagfall_tests::duel::play(ruleset, ruleset.shape.lakes, setups, |side, view| {
                plies += 1;
                let seen = view.seen.clone();
                let legal = view.legal_moves()?;
                let own = seen.pieces.iter().filter(|piece| piece.side == side);
                let found: std::collections::BTreeSet<(Square, Square)> = own
                    .flat_map(|piece| {
                        targets(&seen, ruleset, piece.square)
                            .iter()
                            .map(move |to| (piece.square, to))
                            .collect::<Vec<_>>()
                    })
                    .collect();
                if view.owed_color.is_none() && (plies < 400 || plies % 40 == 0) {
                    let legal = legal.iter().map(|squares| (squares.from, squares.to)).collect();
                    assert_eq!(found, legal, "{id}, ply {}", view.ply);
                }
                let commands = view.legal_commands()?;
                commands.nth(chance.below(commands.len()))
            });
            assert!(played.is_ok(), "{id}: {played:?}");
        }
    }

    #[test]
    fn refused_repetitions_are_no_targets_and_no_piece_has_targets_out_of_turn() {
        let pieces = view(r#""a5r5""#);
        let refused = format!(r#"{pieces},"refused_moves":["a5a6"]"#);
        assert_eq!(targets_of(&refused, "a5"), "a4 b5");
        assert_eq!(targets_of(&pieces.replace(r#""turn":"red""#, r#""turn":"blue""#), "a5"), "");
    }

    #[test]
    fn an_end_that_the_server_reports_next_is_foreseen() {
        let is_end_next = |view: &str| {
            let view = game("classic", "red", view).game.expect("a game").view;
            is_end_next(&view, Ruleset::find("classic").expect("a ruleset"))
        };
        let pieces = view(r#""a5r5","h7b?""#);
        assert!(!is_end_next(&pieces));
        assert!(is_end_next(&format!(r#"{pieces},"plies_to_limit":0"#)), "the quiet limit");
        assert!(is_end_next(&view(r#""a5rB","h7b?""#)), "a Bomb cannot move");
    }

    #[test]
    fn losses_are_listed_strongest_first_with_the_rest() {
        let view = game("classic", "red", &classic_view("red")).game.expect("a game").view;
        let rows = losses(&view, Ruleset::find("classic").expect("a ruleset"), Side::Red);
        assert_eq!(rows[0], (Rank::Marshal, 0, 1));
        assert!(rows.contains(&(Rank::Scout, 1, 7)));
        assert_eq!(rows.last(), Some(&(Rank::Flag, 0, 1)));
    }
}
