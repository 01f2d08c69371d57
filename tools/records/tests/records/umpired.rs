//! Tests ends that an umpire decides. The check accepts them if they are possible, and reports
//! that they must be taken on trust.

use flagfall_board::Side;
use flagfall_protocol::{GameEvent, GameRecord, SeenOutcome, Time};
use flagfall_records::{Falsehood, Status, check};
use flagfall_rules::{Ruleset, Viewer};
use flagfall_tests::Chance;

use crate::games::{End, Manner, play};

/// Returns the record of a game without a clock, in which a side resigns after eleven plies.
fn record(seed: u64) -> GameRecord {
    let ruleset = Ruleset::find("classic").expect("a ruleset");
    let manner = Manner { time: Time::Unlimited {}, ..Manner::new(11, End::Resign) };
    (seed..)
        .map(|seed| play(ruleset, manner, &mut Chance::new(seed)).record(Viewer::Public))
        .find(|record| record.outcome.as_ref().is_some_and(|outcome| outcome.reason == "resigned"))
        .expect("a resigned game")
}

fn ended(mut record: GameRecord, winner: Option<Side>, reason: &str) -> GameRecord {
    let told = SeenOutcome { winner, reason: reason.to_owned() };
    if let Some(GameEvent::Ended { outcome, .. }) = record.events.last_mut().map(|told| &mut told.event) {
        *outcome = told.clone();
    }
    record.outcome = Some(told);
    record.events.iter_mut().for_each(|told| told.by = None);
    record
}

#[test]
fn an_umpires_verdict_is_accepted_if_it_is_possible() {
    let record = record(7);
    // After eleven plies it is Blue's turn, so only Blue can be late or break the rules.
    for (reason, winner, is_possible) in [
        ("illegal_act", Some(Side::Red), true),
        ("illegal_act", Some(Side::Blue), false),
        ("illegal_act", None, false),
        ("out_of_time", Some(Side::Red), true),
        ("out_of_time", Some(Side::Blue), false),
        ("abandoned", Some(Side::Red), true),
        ("abandoned", Some(Side::Blue), true),
        ("abandoned", None, true),
        ("resigned", Some(Side::Blue), true),
        ("resigned", None, false),
        ("draw_agreed", None, false),
        ("aborted", Some(Side::Red), false),
        ("flag_captured", Some(Side::Red), false),
        ("tired", Some(Side::Red), false),
    ] {
        let report = check(&ended(record.clone(), winner, reason));
        assert_eq!(report.status != Status::False, is_possible, "{reason} {winner:?}: {report:#?}");
        assert_eq!(report.on_trust, is_possible, "{reason} {winner:?}");
    }
}

#[test]
fn an_umpire_decides_no_game_that_is_paused_or_that_a_clock_decides() {
    let ruleset = Ruleset::find("classic").unwrap();
    let clocked = (0..)
        .map(|seed| {
            play(ruleset, Manner::new(11, End::OutOfTime), &mut Chance::new(seed)).record(Viewer::Public)
        })
        .find(|record| record.outcome.as_ref().is_some_and(|outcome| outcome.reason == "out_of_time"))
        .unwrap();
    assert!(!check(&clocked).on_trust, "the clock says so");
    let report = check(&ended(clocked, Some(Side::Red), "abandoned"));
    assert_eq!(report.findings[0].code, Falsehood::FlagFall);
}
