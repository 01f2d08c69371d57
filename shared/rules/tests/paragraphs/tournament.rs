//! §T1–§T3: the more-squares rule. The recorded games are in `recorded_chases`.

use flagfall_board::Side;
use flagfall_rules::rulesets::{BARRAGE, CLASSIC, PBM, TOURNAMENT};

use crate::board::Line;

/// Red's General chases a blue Colonel around four squares of the open middle, e5 f5 e6 f6, without ever catching it.
const CHASE: &str = "6 | .. .. .. .. .. b3\n5 | .. .. .. .. r2";

#[test]
fn t2_a_chase_may_not_recreate_a_position() {
    for ruleset in [&TOURNAMENT, &BARRAGE] {
        let prey = if ruleset.id == "barrage" { "b1" } else { "b3" };
        Line::new(ruleset, Side::Red, &CHASE.replace("b3", prey))
            .play("e5f5 f6e6 f5e5 e6f6")
            .play("e5e6 f6f5 e6f6 f5e5 f6f5 e5e6 f5e5 e6f6")
            .refuses("e5e6", "more_squares");
    }
}

#[test]
fn t2_the_chaser_may_leave_or_stand_off() {
    Line::new(&TOURNAMENT, Side::Red, CHASE)
        .play("e5f5 f6e6 f5e5 e6f6 e5e6 f6f5 e6f6 f5e5 f6f5 e5e6 f5e5 e6f6")
        .refuses("e5e6", "more_squares")
        .play("e5e4");
}

#[test]
fn t2_does_not_stand_in_classic_and_pbm() {
    for ruleset in [&CLASSIC, &PBM] {
        Line::new(ruleset, Side::Red, CHASE)
            .play("e5f5 f6e6 f5e5 e6f6 e5e6 f6f5 e6f6 f5e5 f6f5 e5e6 f5e5 e6f6 e5e6");
    }
}

#[test]
fn t2_threatening_a_bomb_counts() {
    // Whether the chased pieces could be beaten is irrelevant: the Spy walks round two Bombs, next to one at every step.
    let picture = "4 | .. .. ..\n3 | .. bB ..\n2 | rS .. ..";
    let mut line = Line::new(&TOURNAMENT, Side::Red, &format!("10 | b7\n{picture}"));
    // Blue steps back and forth far away, which flees from nothing.
    line.play("a2b2 a10a9 b2c2 a9b9 c2c3 b9b10 c3c4 b10a10 c4b4 a10a9 b4a4 a9b9 a4a3 b9b10 a3a2 b10a10");
    // The corners are not adjacent to the Bomb: the counter began anew at each, nothing is refused.
    line.play("a2b2");
}

#[test]
fn t2_a_walk_along_a_wall_of_bombs_is_a_chase() {
    let picture = "9 | b7\n4 | bB bB bB\n3 | .. .. rS\n1 | r8";
    let mut line = Line::new(&TOURNAMENT, Side::Red, picture);
    // A Spy that goes from c3 to a3 and back again threatens Bombs all the time. Blue walks in a cycle of four plies.
    line.play("c3b3 a9a10 b3a3 a10b10 a3b3 b10b9 b3c3 b9a9");
    line.refuses("c3b3", "more_squares").play("c3c2");
}

#[test]
fn t2_the_exact_reversal_is_never_refused_by_it() {
    // Back and forth beside a Bomb recreates positions at once; only §C3 stops it.
    let mut line = Line::new(&TOURNAMENT, Side::Red, "9 | b7\n4 | bB bB\n3 | r6\n1 | r8");
    line.play("a3b3 a9a10 b3a3 a10a9 a3b3 a9a10").refuses("b3a3", "two_squares");
}

#[test]
fn t1_a_strike_clears_the_counters() {
    let picture = "9 | b7 b9\n4 | bB bB bB\n3 | .. .. rS\n1 | r8 r5";
    let mut line = Line::new(&TOURNAMENT, Side::Red, picture);
    // As in the walk along the wall, but a Scout strikes somewhere else on the way.
    line.play("c3b3 a9a10 b3a3 b9b1 a3b3 a10b10 b3c3 b10b9 c3b3");
}

#[test]
fn t2_a_strike_is_never_refused_by_it() {
    let picture = "9 | b7\n4 | bB bB bB\n3 | .. b9 rS\n1 | r8";
    let mut line = Line::new(&TOURNAMENT, Side::Red, picture);
    line.play("c3c2 a9a10 c2c3 a10a9 c3b3");
}

#[test]
fn t1_a_quiet_step_in_between_ends_the_chase() {
    let picture = "9 | b7\n4 | bB bB bB\n3 | .. .. rS\n1 | r8";
    let mut line = Line::new(&TOURNAMENT, Side::Red, picture);
    line.play("c3b3 a9a10 b3a3 a10b10 a3b3 b10b9 b3c3 b9a9 a1a2 a9a10 c3b3 a10b10 b3a3 b10b9");
}

#[test]
fn t3_two_equal_pieces_that_changed_squares_are_another_placement() {
    // Two blue Sergeants change squares while the Spy walks along the wall: the same ranks stand on the same squares, and yet nothing
    // is refused, for a refusal would tell Red that they are equal.
    let walk = "c3b3 a9a10 b3a3 b9a9 a3b3 a10b10 b3c3 b10b9";
    let mut line = Line::new(&TOURNAMENT, Side::Red, "9 | b7 b7\n4 | bB bB bB\n3 | .. .. rS\n1 | r8");
    line.play(walk).play("c3b3");
    // And with different ranks it is the same.
    let mut line = Line::new(&TOURNAMENT, Side::Red, "9 | b7 b6\n4 | bB bB bB\n3 | .. .. rS\n1 | r8");
    line.play(walk).play("c3b3");
}

#[test]
fn b1_barrage_has_both_repetition_rules() {
    assert_eq!(BARRAGE.two_squares_limit, Some(3));
    assert!(BARRAGE.more_squares);
}
