//! §C1 and §C2: the Scout.

use flagfall_board::Side;
use flagfall_rules::rulesets::{BARRAGE, CLASSIC, PBM, PBM_SMALL, TOURNAMENT};

use crate::board::{Playthrough, check};

#[test]
fn c2_the_scout_moves_any_number_of_empty_squares() {
    check(&CLASSIC, "2 | r9", "a2a10", "10 | r9'*");
    check(&CLASSIC, "2 | r9", "a2j2", "2 | .. .. .. .. .. .. .. .. .. r9'*");
    check(&CLASSIC, "7 | .. .. .. .. .. .. .. .. .. b9", "blue j7a7", "7 | b9'*");
    check(&CLASSIC, "9 | .. b9", "blue b9b2", "2 | .. b9'*");
}

#[test]
fn c2_the_scout_may_strike_at_the_end_of_its_line() {
    check(&CLASSIC, "8 | b9\n2 | r9", "a2a8", "8 | ..");
    check(&CLASSIC, "8 | bS\n2 | r9", "a2a8", "8 | r9'*");
    check(&CLASSIC, "8 | b8\n2 | r9", "a2a8", "8 | b8*");
    check(&CLASSIC, "8 | bF\n2 | r9", "a2a8", "8 | r9'*\n=> red flag_captured");
}

#[test]
fn c2_a_long_move_shows_the_scout_to_everyone() {
    for ruleset in [&CLASSIC, &TOURNAMENT, &PBM, &PBM_SMALL, &BARRAGE] {
        check(ruleset, "3 | r9", "a3a5", "5 | r9'*");
    }
}

#[test]
fn c2_a_step_shows_nothing() {
    check(&CLASSIC, "3 | r9", "a3a4", "4 | r9'");
}

#[test]
fn c2_a_shown_scout_stays_shown() {
    let mut line = Playthrough::new(&CLASSIC, Side::Red, "3 | r9");
    line.play("a3a5 i10i9 a5a6");
    assert_eq!(line.cell("a6"), "r9'*");
}
