//! §T1–§T2: the more-squares rule. More tests are in `recorded_chases.rs`, which plays recorded
//! games, and in `tests/laws`, which tests §T3.

use flagfall_board::Side;
use flagfall_rules::rulesets::{BARRAGE, CLASSIC, PBM, TOURNAMENT};

use crate::board::Playthrough;

/// The set-up of a chase: Red's General follows a blue Colonel around the four open squares e5 f5
/// e6 f6 and can never catch it.
const CHASE: &str = "6 | .. .. .. .. .. b3\n5 | .. .. .. .. r2";

/// The moves of one round of the chase in `CHASE`. After them, the General's next step would
/// recreate the position at the start of the round.
const ROUND: &str = "e5f5 f6e6 f5e5 e6f6 e5e6 f6f5 e6f6 f5e5 f6f5 e5e6";

#[test]
fn t2_a_chase_may_not_recreate_a_position() {
    for (ruleset, prey) in [(&TOURNAMENT, "b3"), (&BARRAGE, "b1")] {
        Playthrough::new(ruleset, Side::Red, &CHASE.replace("b3", prey))
            .play(ROUND)
            .refuses("f5e5", "more_squares");
    }
}

#[test]
fn t2_blue_may_chase_no_longer_than_red() {
    Playthrough::new(&TOURNAMENT, Side::Blue, "5 | .. .. .. .. .. r3\n6 | .. .. .. .. b2")
        .play("e6f6 f5e5 f6e6 e5f5 e6e5 f5f6 e5f5 f6e6 f5f6 e6e5")
        .refuses("f6e6", "more_squares");
}

#[test]
fn t2_the_chaser_may_go_another_way() {
    Playthrough::new(&TOURNAMENT, Side::Red, CHASE).play(ROUND).refuses("f5e5", "more_squares").play("f5f4");
    // The General may move to another square next to the Colonel, because this leads to a new
    // position.
    Playthrough::new(&TOURNAMENT, Side::Red, CHASE).play(ROUND).refuses("f5e5", "more_squares").play("f5f6");
}

#[test]
fn t2_another_piece_may_move() {
    Playthrough::new(&TOURNAMENT, Side::Red, CHASE).play(ROUND).refuses("f5e5", "more_squares").play("i1i2");
}

#[test]
fn t2_does_not_stand_in_classic_and_pbm() {
    for ruleset in [&CLASSIC, &PBM] {
        Playthrough::new(ruleset, Side::Red, CHASE).play(ROUND).play("f5e5");
    }
}

#[test]
fn t2_whether_the_prey_could_be_beaten_is_irrelevant() {
    let picture = CHASE.replace("b3", "b1").replace("r2", "r7");
    Playthrough::new(&TOURNAMENT, Side::Red, &picture).play(ROUND).refuses("f5e5", "more_squares");
}

#[test]
fn t2_the_exact_reversal_is_never_refused_by_it() {
    // The last move, f5e5, recreates the first position. It is allowed because it exactly
    // reverses e5f5.
    Playthrough::new(&TOURNAMENT, Side::Red, CHASE).play("e5f5 f6e6 f5e5");
    // If both pieces only move back and forth, only the two-squares rule (§C3) stops them.
    Playthrough::new(&TOURNAMENT, Side::Red, CHASE)
        .play("e5f5 f6e6 f5e5 e6f6 e5f5 f6e6")
        .refuses("f5e5", "two_squares");
}

#[test]
fn t1_a_strike_clears_the_counters() {
    // The moves of `ROUND`, except that Blue's Scout strikes another piece in the middle. This
    // strike starts the count of the chase over.
    let picture = format!("{CHASE}\n10 | b9\n2 | r5");
    Playthrough::new(&TOURNAMENT, Side::Red, &picture)
        .play("e5f5 f6e6 f5e5 e6f6 e5e6 f6f5 i1i2 a10a2 e6f6 f5e5 f6f5 e5e6 f5e5");
}

#[test]
fn t1_a_prey_that_does_not_flee_is_not_chased() {
    // In the middle of the round, Blue moves another piece, so the Colonel is not fleeing.
    let picture = format!("{CHASE}\n10 | b9");
    Playthrough::new(&TOURNAMENT, Side::Red, &picture)
        .play("e5f5 f6e6 f5e5 e6f6 e5e6 a10a9 e6e5 a9a10 e5e6 f6f5 e6f6 f5e5 f6f5 e5e6 f5e5 e6f6")
        .refuses("e5e6", "more_squares");
}

#[test]
fn t1_a_step_away_from_every_enemy_ends_the_chase() {
    Playthrough::new(&TOURNAMENT, Side::Red, CHASE)
        .play("e5f5 f6e6 f5e5 e6f6 e5e6 f6f5 e6f6 f5e5")
        .play("i1i2 i10i9")
        .play("f6f5 e5e6 f5e5");
}

#[test]
fn t2_a_strike_is_never_refused_by_it() {
    Playthrough::new(&TOURNAMENT, Side::Red, CHASE)
        .play("e5f5 f6e6 f5e5 e6f6 e5e6 f6f5 e6f6 f5e5 f6f5 i10i9 f5e5");
}

#[test]
fn b1_barrage_has_both_repetition_rules() {
    assert_eq!((BARRAGE.two_squares_limit, BARRAGE.more_squares), (Some(3), true));
}
