//! §O1: the rules of the original edition of 1966.

use flagfall_board::Side;
use flagfall_rules::Ruleset;
use flagfall_rules::rulesets::{CLASSIC, ORIGINAL};

use crate::board::{Playthrough, check};

#[test]
fn o1_board_and_army_are_those_of_classic() {
    assert_eq!(ORIGINAL.shape, CLASSIC.shape);
    assert_eq!(ORIGINAL.army, CLASSIC.army);
    assert_eq!(ORIGINAL.fill, CLASSIC.fill);
    assert_eq!(ORIGINAL.quiet_limit, Some(200));
}

#[test]
fn o1_a_scout_moves_any_distance_over_empty_squares() {
    check(&ORIGINAL, "2 | r9", "a2a10", "10 | r9'*");
    check(&ORIGINAL, "7 | .. .. .. .. .. .. .. .. .. b9", "blue j7a7", "7 | b9'*");
}

#[test]
fn o1_a_scout_strikes_a_neighbor() {
    check(&ORIGINAL, "3 | b8\n2 | r9", "a2a3", "2 | b8'*");
    check(&ORIGINAL, "3 | bS\n2 | r9", "a2a3", "3 | r9'*");
}

#[test]
fn o1_a_scout_does_not_move_and_strike_in_one_turn() {
    for (picture, squares) in
        [("8 | bS\n2 | r9", "a2a8"), ("4 | bS\n2 | r9", "a2a4"), ("8 | bF\n2 | r9", "a2a8")]
    {
        check(&ORIGINAL, picture, squares, "refused strike_from_afar");
        let mut line = Playthrough::new(&CLASSIC, Side::Red, picture);
        assert!(line.play_one(squares).is_ok(), "classic allows it");
    }
    check(&ORIGINAL, "2 | r9 .. .. .. b7", "blue e2d2", "2 | r9 .. .. b7'");
    check(&ORIGINAL, "2 | r9 .. .. .. b7", "a2d2", "2 | .. .. .. r9'* b7");
}

#[test]
fn o1_a_blocked_scout_is_told_what_blocks_it() {
    check(&ORIGINAL, "8 | bS\n5 | b7\n2 | r9", "a2a8", "refused blocked");
    check(&ORIGINAL, "8 | r7\n2 | r9", "a2a8", "refused own_piece");
    check(&ORIGINAL, "2 | .. .. r9", "c2c5", "refused lake");
}

#[test]
fn o1_a_defender_that_wins_moves_onto_the_attackers_square() {
    check(&ORIGINAL, "5 | b4\n4 | r5", "a4a5", "4 | b4'*");
    check(&ORIGINAL, "5 | b4 r5", "b5a5", "5 | .. b4'*");
    check(&ORIGINAL, "7 | b5\n6 | r4", "blue a7a6", "7 | r4'*");
}

#[test]
fn o1_a_spy_that_strikes_and_loses_draws_its_foe_forward() {
    check(&ORIGINAL, "5 | b2\n4 | rS", "a4a5", "4 | b2'*");
}

#[test]
fn o1_a_bomb_stays_where_it_is() {
    check(&ORIGINAL, "5 | bB\n4 | r5", "a4a5", "5 | bB*");
}

#[test]
fn o1_an_attacker_that_wins_takes_the_square_as_ever() {
    check(&ORIGINAL, "5 | b5\n4 | r4", "a4a5", "5 | r4'*");
    check(&ORIGINAL, "5 | bB\n4 | r8", "a4a5", "5 | r8'*");
    check(&ORIGINAL, "5 | b1\n4 | rS", "a4a5", "5 | rS'*");
    check(&ORIGINAL, "5 | bF\n4 | r9", "a4a5", "5 | r9'*\n=> red flag_captured");
}

#[test]
fn o1_equal_ranks_both_leave() {
    check(&ORIGINAL, "5 | b5\n4 | r5", "a4a5", "5 | ..");
}

#[test]
fn o1_no_repetition_is_refused() {
    Playthrough::new(&ORIGINAL, Side::Red, "4 | r2")
        .play("a4a5 i10i9 a5a4 i9h9 a4a5 h9g9 a5a4 g9f9 a4a5 f9e9 a5a4");
}

#[test]
fn o1_a_moved_defender_moves_on_from_its_new_square() {
    Playthrough::new(&ORIGINAL, Side::Red, "6 | .. .. .. .. b4\n5 | .. .. .. .. r5").play("e5e6 e5f5");
}

#[test]
fn o1_and_a10_a_defender_that_moves_out_of_its_walls_is_not_blocked() {
    // Blue's Captain wins as the defender and moves to a2, so it is no longer enclosed by the
    // Bombs in the corner.
    let picture = "10 | bF\n9 | rB\n2 | r6 bB\n1 | b5 bB rB r7 rF";
    Playthrough::bare(&ORIGINAL, Side::Red, picture).play("a2a1 a2a3");
}

#[test]
fn o1_and_a10_a_defender_that_moves_can_wall_its_own_side_in() {
    // Blue's Sergeant on c1 can only move to b1. Red's Captain on b1 strikes a1 and loses to the
    // Major, which then moves to b1 and blocks the Sergeant.
    let picture = "10 | rF r7\n3 | .. .. bB\n2 | bB bB bB bB\n1 | b4 r5 b7 bB bF";
    let mut line = Playthrough::bare(&ORIGINAL, Side::Red, picture);
    // The Major can move to a1, so Blue still has a legal move.
    line.play("b1a1 b1a1");
    // Under the classic rules, the Major stays on a1, so the Sergeant can move to b1.
    Playthrough::bare(&CLASSIC, Side::Red, picture).play("b1a1 c1b1");
}

/// The game ends when the last movable piece leaves the board, whether or not winning defenders
/// move.
#[test]
fn o1_and_a10_the_last_attacker_that_loses_ends_the_game() {
    let judge = |ruleset: &Ruleset| {
        Playthrough::bare(ruleset, Side::Red, "10 | bF\n5 | b6\n4 | r7\n1 | rF").play("a4a5");
        Playthrough::bare(ruleset, Side::Red, "10 | bF\n5 | bB\n4 | r7\n1 | rF")
            .ends("a4a5", "nobody both_blocked");
    };
    judge(&ORIGINAL);
    judge(&CLASSIC);
}
