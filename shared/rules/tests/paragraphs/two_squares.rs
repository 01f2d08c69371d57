//! §C3: a piece may move back and forth between the same two squares for at most three moves in a
//! row.

use flagfall_board::Side;
use flagfall_rules::Ruleset;
use flagfall_rules::rulesets::{BARRAGE, CLASSIC, PBM, PBM_SMALL, TOURNAMENT};

use crate::board::Playthrough;

fn red(ruleset: &Ruleset, picture: &str) -> Playthrough {
    Playthrough::new(ruleset, Side::Red, picture)
}

#[test]
fn c3_the_fourth_move_between_the_same_two_squares_is_refused() {
    for ruleset in [&CLASSIC, &TOURNAMENT, &BARRAGE] {
        let mut line = red(ruleset, "4 | r2\n8 | b2");
        line.play("a4a5 i10i9 a5a4 i9h9 a4a5 h9g9").refuses("a5a4", "two_squares");
    }
}

#[test]
fn c3_along_a_row_as_along_a_column() {
    red(&CLASSIC, "4 | r5").play("a4b4 i10i9 b4a4 i9h9 a4b4 h9g9").refuses("b4a4", "two_squares");
    red(&CLASSIC, "4 | .. r5").play("b4a4 i10i9 a4b4 i9h9 b4a4 h9g9").refuses("a4b4", "two_squares");
    red(&CLASSIC, "4 | r5").play("a4a3 i10i9 a3a4 i9h9 a4a3 h9g9").refuses("a3a4", "two_squares");
}

#[test]
fn c3_the_side_that_began_runs_out_first() {
    let picture = "6 | .. .. .. .. b3\n5 | r2";
    red(&CLASSIC, picture)
        .play("a5b5 e6f6 b5a5 f6e6 a5b5 e6f6")
        .refuses("b5a5", "two_squares")
        .play("b5b4")
        .refuses("f6e6", "two_squares");
}

#[test]
fn c3_another_way_stays_open() {
    let mut line = red(&CLASSIC, "4 | r5");
    line.play("a4a5 i10i9 a5a4 i9h9 a4a5 h9g9").refuses("a5a4", "two_squares").play("a5b5");
}

#[test]
fn c3_going_on_in_the_same_direction_is_no_repetition() {
    red(&CLASSIC, "2 | r5").play("a2a3 i10i9 a3a2 i9h9 a2a3 h9g9 a3a4 g9f9 a4a5");
}

#[test]
fn c3_another_piece_breaks_the_chain() {
    red(&CLASSIC, "4 | r5 r6").play("a4a5 i10i9 a5a4 i9h9 a4a5 h9g9 b4b5 g9f9 a5a4 f9f8 a4a5 f8e8 a5a4");
}

#[test]
fn c3_a_detour_of_the_same_piece_frees_the_border() {
    red(&CLASSIC, "4 | r5").play("a4a5 i10i9 a5a4 i9h9 a4b4 h9g9 b4a4 g9f9 a4a5 f9e9 a5a4");
}

#[test]
fn c3_a_square_is_no_back_and_forth() {
    red(&CLASSIC, "3 | r5")
        .play("a3a4 i10i9 a4b4 i9i10 b4b3 i10i9 b3a3 i9h9 a3a4 h9g9 a4b4 g9f9 b4b3 f9e9 b3a3");
}

#[test]
fn c3_a_long_scout_move_crosses_every_border_on_its_way() {
    // The three moves have different lengths, but all of them cross the border between a4 and a5.
    red(&CLASSIC, "3 | r9")
        .play("a3a6 i10i9 a6a4 i9h9 a4a5 h9g9")
        .refuses("a5a4", "two_squares")
        .refuses("a5a3", "two_squares")
        .refuses("a5a1", "two_squares")
        .play("a5a6");
}

#[test]
fn c3_a_scout_may_go_up_to_the_border_that_all_three_crossed() {
    // The moves a2a8, a8a4 and a4a6 all cross the borders a4|a5 and a5|a6. The Scout on a6 may
    // therefore move up, but not down.
    red(&CLASSIC, "2 | r9")
        .play("a2a8 i10i9 a8a4 i9h9 a4a6 h9g9")
        .refuses("a6a5", "two_squares")
        .refuses("a6a2", "two_squares")
        .play("a6a9");
}

#[test]
fn c3_a_scout_may_step_back_short_of_the_common_border() {
    // The moves a2a5, a5a1 and a1a7 all cross the borders a2|a3, a3|a4 and a4|a5. The Scout on a7
    // may therefore move down to a5, but not to a4.
    red(&CLASSIC, "2 | r9")
        .play("a2a5 i10i9 a5a1 i9h9 a1a7 h9g9")
        .refuses("a7a4", "two_squares")
        .refuses("a7a1", "two_squares")
        .play("a7a5");
}

#[test]
fn c3_three_moves_without_a_common_border_hold_nothing() {
    red(&CLASSIC, "1 | r9").play("a1a4 i10i9 a4a8 i9h9 a8a6 h9g9 a6a2");
}

#[test]
fn c3_borders_of_other_lines_do_not_count() {
    red(&CLASSIC, "4 | r9").play("a4b4 i10i9 b4b6 i9h9 b6a6 h9g9 a6a4 g9f9 a4b4 f9e9 b4b6");
}

#[test]
fn c3_strikes_count_as_moves() {
    red(&CLASSIC, "5 | b9\n4 | r2").play("a4a5 i10i9 a5a4 i9h9 a4a5 h9g9").refuses("a5a4", "two_squares");
}

#[test]
fn c3_a_strike_may_be_refused() {
    let mut line = red(&CLASSIC, "4 | r2 b7\n3 | ..");
    line.play("a4a5 b4b3 a5a4 b3a3 a4a5 a3a4").refuses("a5a4", "two_squares");
}

#[test]
fn c3_the_chain_ends_when_the_piece_is_captured() {
    // The Captain that moved back and forth leaves the board together with its attacker. Its
    // moves therefore do not limit the Scout that moves next.
    let picture = "9 | r9\n6 | b5\n4 | r5";
    let mut line = red(&CLASSIC, picture);
    line.play("a4a5 i10i9 a5a4 i9h9 a4a5 a6a5");
    assert!(line.position.legal_moves().contains("a9a4".parse().expect("a move")));
    line.play("a9a4");
}

#[test]
fn c3_a_captured_pieces_chain_holds_nothing_on_its_square() {
    // The moves of a captured piece do not count for another piece that moves to the same square.
    let picture = "6 | b5\n5 | .. r6\n4 | r5";
    let mut line = red(&CLASSIC, picture);
    line.play("a4a5 i10i9 a5a4 i9h9 a4a5 a6a5 b5a5 h9g9 a5a4");
}

#[test]
fn c3_the_limits_of_both_sides_are_counted_apart() {
    red(&CLASSIC, "6 | .. .. .. .. b3\n5 | r2 .. .. .. .. ..\n3 | r7")
        .play("a3a4 e6f6 a5b5 f6e6 b5a5 e6f6 a5b5")
        .refuses("f6e6", "two_squares");
}

#[test]
fn c3_does_not_stand_in_pbm() {
    for ruleset in [&PBM, &PBM_SMALL] {
        let walk = if ruleset.shape.rows == 8 { "g8g7 g7g8" } else { "i10i9 i9i10" };
        let (out, back) = walk.split_once(' ').expect("two moves");
        let mut line = red(ruleset, "3 | r5");
        for _ in 0..6 {
            line.play(&format!("a3a4 {out} a4a3 {back}"));
        }
    }
}

#[test]
fn c3_leaves_no_legal_move_and_a10_ends_the_game() {
    // Red's only movable piece is the Sergeant on a1, which can only go to b1 and back. Blue has
    // a free piece.
    let picture = "10 | bF .. .. .. .. .. b7\n2 | rB rB\n1 | r7 .. rB rF";
    let mut line = Playthrough::bare(&CLASSIC, Side::Red, picture);
    line.play("a1b1 g10g9 b1a1 g9g8 a1b1");
    line.ends("g8g7", "blue no_legal_move");
}

#[test]
fn c3_leaves_neither_side_a_move_and_a10_draws() {
    let picture = "10 | b7 .. bB bF\n9 | bB bB\n2 | rB rB\n1 | r7 .. rB rF";
    let mut line = Playthrough::bare(&CLASSIC, Side::Red, picture);
    line.play("a1b1 a10b10 b1a1 b10a10 a1b1");
    line.ends("a10b10", "nobody both_blocked");
}
