//! Checks the refusal code of every kind of illegal ply (§A1, §A5, §C2).

use flagfall_rules::rulesets::{BARRAGE, CLASSIC, PBM_SMALL};

use crate::board::check;

#[test]
fn a1_nothing_enters_a_lake() {
    check(&CLASSIC, "4 | .. .. r7", "c4c5", "refused lake");
    check(&CLASSIC, "5 | .. r7", "b5c5", "refused lake");
    check(&CLASSIC, "7 | .. .. b9", "blue c7c6", "refused lake");
    check(&PBM_SMALL, "3 | .. .. r7", "c3c4", "refused lake");
    check(&PBM_SMALL, "4 | .. .. .. .. .. .. r7", "g4f4", "refused lake");
}

#[test]
fn a1_no_scout_crosses_a_lake() {
    check(&CLASSIC, "4 | .. .. r9", "c4c7", "refused blocked");
    check(&CLASSIC, "5 | .. r9", "b5e5", "refused blocked");
    check(&CLASSIC, "7 | .. .. b7\n4 | .. .. r9", "c4c7", "refused blocked");
}

#[test]
fn a1_no_scout_ends_in_a_lake() {
    check(&CLASSIC, "2 | .. .. r9", "c2c5", "refused lake");
    check(&CLASSIC, "2 | .. .. r9", "c2c6", "refused lake");
}

#[test]
fn a5_nothing_moves_diagonally() {
    check(&CLASSIC, "4 | .. r7", "b4c5", "refused not_in_line");
    check(&CLASSIC, "4 | .. r9", "b4a5", "refused not_in_line");
    check(&CLASSIC, "4 | .. r9", "b4d8", "refused not_in_line");
    check(&CLASSIC, "5 | b7\n4 | .. r7", "b4a5", "refused not_in_line");
}

#[test]
fn a5_nothing_moves_to_where_it_stands() {
    check(&CLASSIC, "4 | r7", "a4a4", "refused not_in_line");
}

#[test]
fn a5_nothing_moves_onto_its_own_piece() {
    check(&CLASSIC, "5 | r9\n4 | r7", "a4a5", "refused own_piece");
    check(&CLASSIC, "8 | rB\n4 | r9", "a4a8", "refused own_piece");
}

#[test]
fn a5_nothing_moves_over_a_piece() {
    check(&CLASSIC, "5 | r7\n4 | r9", "a4a6", "refused blocked");
    check(&CLASSIC, "6 | b7\n4 | r9", "a4a8", "refused blocked");
}

#[test]
fn a5_only_a_scout_moves_more_than_one_square() {
    for piece in ["r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "rS"] {
        check(&CLASSIC, &format!("4 | {piece}"), "a4a6", "refused too_far");
    }
}

#[test]
fn a5_flag_and_bomb_never_move() {
    check(&CLASSIC, "4 | rB", "a4a5", "refused immovable");
    check(&CLASSIC, "4 | rF", "a4a5", "refused immovable");
    check(&CLASSIC, "5 | b9\n4 | rB", "a4a5", "refused immovable");
    check(&BARRAGE, "4 | rB", "a4a9", "refused immovable");
}

#[test]
fn a5_a_side_moves_its_own_pieces_only() {
    check(&CLASSIC, "5 | b7\n4 | r7", "a5a6", "refused not_your_piece");
    check(&CLASSIC, "5 | b7\n4 | r7", "blue a4a3", "refused not_your_piece");
    check(&CLASSIC, "4 | r7", "b4b5", "refused no_piece");
    check(&CLASSIC, "4 | r7", "c5c4", "refused no_piece");
}

#[test]
fn a3_squares_beyond_the_board_are_refused() {
    check(&CLASSIC, "4 | .. .. .. .. .. .. .. .. .. r9", "j4k4", "refused off_board");
    check(&CLASSIC, "4 | r7", "p1p2", "refused off_board");
    check(&PBM_SMALL, "3 | r7", "a3a9", "refused off_board");
    check(&PBM_SMALL, "3 | .. .. .. .. .. .. .. r7", "h3i3", "refused off_board");
    check(&PBM_SMALL, "3 | r7", "j9a3", "refused off_board");
}
