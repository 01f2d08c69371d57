//! §A10 and §A11: sides that cannot move, and the order in which the engine checks for the end of
//! the game.

use flagfall_board::Side;
use flagfall_rules::rulesets::{CLASSIC, TOURNAMENT};

use crate::board::Playthrough;

#[test]
fn a10_the_side_to_move_that_has_no_legal_move_loses() {
    // In the first picture, only Blue has no movable piece. In the second picture, only Red has
    // none.
    Playthrough::bare(&CLASSIC, Side::Red, "10 | bF bB\n1 | r7 rF").ends("a1a2", "red no_legal_move");
    Playthrough::bare(&CLASSIC, Side::Blue, "10 | bF b7\n1 | rB rF").ends("b10b9", "blue no_legal_move");
}

#[test]
fn a10_blocked_pieces_are_no_legal_move() {
    // Blue's Miner is enclosed by its own Bombs and the edge of the board, before and after Red's
    // move.
    Playthrough::bare(&CLASSIC, Side::Red, "10 | b8 bB bF\n9 | bB\n1 | r7 rF")
        .ends("a1a2", "red no_legal_move");
}

#[test]
fn a10_a_strike_onto_a_foe_is_a_legal_move() {
    Playthrough::bare(&CLASSIC, Side::Red, "10 | b8 bB bF\n9 | r9\n8 | r5\n1 | r7 rF").play("a8b8 a10a9");
}

#[test]
fn a10_a_strike_that_takes_the_last_movable_piece_wins() {
    Playthrough::bare(&CLASSIC, Side::Red, "10 | bF bB\n5 | b7\n4 | r6\n1 | rF")
        .ends("a4a5", "red no_legal_move");
}

#[test]
fn a10_losing_the_last_movable_pieces_of_both_sides_draws() {
    Playthrough::bare(&CLASSIC, Side::Red, "10 | bF bB\n5 | b7\n4 | r7\n1 | rF")
        .ends("a4a5", "nobody both_blocked");
}

#[test]
fn a10_a_last_attacker_that_loses_to_a_bomb_leaves_both_without_a_move() {
    Playthrough::bare(&CLASSIC, Side::Red, "10 | bF\n5 | bB\n4 | r7\n1 | rF")
        .ends("a4a5", "nobody both_blocked");
}

#[test]
fn a10_a_mover_that_can_still_go_back_is_not_blocked() {
    let picture = "10 | bF bB\n2 | rB rB\n1 | .. r7 rB rF";
    let mut line = Playthrough::bare(&CLASSIC, Side::Red, picture);
    // After this move, Red could still move the Sergeant back to b1, so only Blue has no legal
    // move.
    line.ends("b1a1", "red no_legal_move");
}

#[test]
fn a10_a_flag_that_was_taken_comes_before_anything_else() {
    // Blue has only its Flag, so without the capture it would have no legal move.
    Playthrough::bare(&CLASSIC, Side::Red, "5 | bF\n4 | r7\n1 | rF").ends("a4a5", "red flag_captured");
}

#[test]
fn a10_a_flag_taken_at_the_ply_limit_wins() {
    Playthrough::after(&CLASSIC, Side::Red, 4999, 0, "5 | bF\n4 | r7").ends("a4a5", "red flag_captured");
}

#[test]
fn a10_both_blocked_comes_before_the_ply_limit() {
    let text = "classic red 4999 0 bFbB8/10/10/10/b7.~2..~2../r7.~2..~2../10/10/10/rF9";
    let text = text.replace("/10", "/.10").replace("bB8", "bB.8").replace("rF9", "rF.9");
    let position = flagfall_rules::Position::from_text(&text).expect("a position");
    Playthrough { position }.ends("a5a6", "nobody both_blocked");
}

#[test]
fn a10_no_legal_move_comes_before_the_quiet_limit() {
    let text = "classic red 1000 199 bFbB.8/.10/.10/.10/..~2..~2../..~2..~2../.10/.10/.10/rFr7.8";
    let position = flagfall_rules::Position::from_text(text).expect("a position");
    Playthrough { position }.ends("b1c1", "red no_legal_move");
}

#[test]
fn a10_no_legal_move_comes_before_the_ply_limit() {
    let text = "classic red 4999 3 bFbB.8/.10/.10/.10/..~2..~2../..~2..~2../.10/.10/.10/rFr7.8";
    let position = flagfall_rules::Position::from_text(text).expect("a position");
    Playthrough { position }.ends("b1c1", "red no_legal_move");
}

#[test]
fn a10_both_blocked_comes_before_the_quiet_limit() {
    // Each side's only movable piece is enclosed and can only go back and forth, which the
    // two-squares rule soon forbids. `c3_leaves_neither_side_a_move_and_a10_draws` has a similar
    // position.
    let text = "classic red 1000 194 b7.bBbF.6/bBbB.8/.10/.10/..~2..~2../..~2..~2../.10/.10/rBrB.8/r7.rBrF.6";
    let position = flagfall_rules::Position::from_text(text).expect("a position");
    let mut line = Playthrough { position };
    line.play("a1b1 a10b10 b1a1 b10a10 a1b1").ends("a10b10", "nobody both_blocked");
}

#[test]
fn a10_the_quiet_limit_comes_before_the_ply_limit() {
    Playthrough::after(&CLASSIC, Side::Blue, 4999, 199, "5 | r7").ends("i10i9", "nobody quiet_limit");
}

#[test]
fn t2_takes_moves_out_of_the_legal_ones_and_a10_counts_what_is_left() {
    // The chase of `ROUND` in `tournament.rs`. Here, Bombs and lakes enclose the four squares,
    // and Red's only movable piece is the General.
    let picture = "10 | bF b7
        7 | .. .. .. .. bB bB
        6 | .. .. .. .. .. b3
        5 | .. .. .. .. r2 ..
        4 | .. .. .. .. rB rB
        1 | rF";
    let mut line = Playthrough::bare(&TOURNAMENT, Side::Red, picture);
    line.play("e5f5 f6e6 f5e5 e6f6 e5e6 f6f5 e6f6 f5e5 f6f5").play("e5e6").refuses("f5e5", "more_squares");
    // One legal move is left: one square up, next to the Colonel. It leads to a new position.
    assert_eq!(line.position.legal_moves().iter().map(|m| m.to_string()).collect::<Vec<_>>(), ["f5f6"]);
}
