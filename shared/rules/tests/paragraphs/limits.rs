//! §A12: the quiet limit and the ply limit.

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_rules::{Game, GameTerms, Ruleset, Start, TimeControl, Viewer, view};

use crate::board::Playthrough;

#[test]
fn a12_two_hundred_plies_without_a_capture_draw() {
    for ruleset in
        Ruleset::all().iter().filter(|ruleset| !ruleset.reserve && ruleset.start == Start::Deployments)
    {
        let walk = if ruleset.shape.rows == 8 { "g1g2" } else { "i1i2" };
        Playthrough::after(ruleset, Side::Red, 300, 198, "5 | r9").play(walk);
        Playthrough::after(ruleset, Side::Red, 300, 199, "5 | r9").ends(walk, "nobody quiet_limit");
    }
}

#[test]
fn a12_a_capture_counts_anew() {
    let mut line =
        Playthrough::after(&flagfall_rules::rulesets::CLASSIC, Side::Red, 300, 199, "5 | b9\n4 | r7 bB");
    line.play("a4a5 i10i9 i1i2");
}

#[test]
fn a12_a_strike_that_only_the_attacker_leaves_by_counts_anew() {
    let mut line = Playthrough::after(&flagfall_rules::rulesets::CLASSIC, Side::Red, 300, 199, "4 | r7 bB");
    line.play("a4b4 i10i9 i1i2");
}

#[test]
fn a12_five_thousand_plies_draw() {
    for ruleset in
        Ruleset::all().iter().filter(|ruleset| !ruleset.reserve && ruleset.start == Start::Deployments)
    {
        let walk = if ruleset.shape.rows == 8 { "g1g2" } else { "i1i2" };
        Playthrough::after(ruleset, Side::Red, 4998, 0, "5 | r9").play(walk);
        Playthrough::after(ruleset, Side::Red, 4999, 0, "5 | r9").ends(walk, "nobody ply_limit");
    }
}

fn announced(ply: u16, quiet: u16) -> Option<u16> {
    let ruleset = &flagfall_rules::rulesets::CLASSIC;
    let position = Playthrough::after(ruleset, Side::Red, ply, quiet, "5 | r9").position;
    let terms = GameTerms {
        game: GameId::from_random([7; 12]),
        ruleset,
        lakes: crate::board::lakes(ruleset),
        time: TimeControl::Unlimited,
        deploy_ms: 0,
        created: Stamp(0),
        secret: PerSide::default(),
    };
    view(&Game::from_position(terms, position), Viewer::Public, Stamp(0)).plies_to_limit
}

#[test]
fn a12_limits_are_announced_twenty_plies_ahead() {
    assert_eq!(announced(500, 0), None);
    assert_eq!(announced(500, 179), None);
    assert_eq!(announced(500, 180), Some(20));
    assert_eq!(announced(500, 199), Some(1));
    assert_eq!(announced(4979, 0), None);
    assert_eq!(announced(4980, 0), Some(20));
    assert_eq!(announced(4999, 0), Some(1));
    assert_eq!(announced(4990, 195), Some(5));
}

#[test]
fn a12_a_position_at_the_end_of_counting_does_not_overflow() {
    let mut line = Playthrough::after(&flagfall_rules::rulesets::CLASSIC, Side::Red, 65535, 65535, "5 | r9");
    line.ends("i1i2", "nobody quiet_limit");
    assert_eq!(line.position.ply(), 65535);
}
