//! Tests two secrets that remain when the end of a game reveals a side's game: whether the side
//! changed its deployment, and which deployments it did not play.

use flagfall_board::{PerSide, Side};
use flagfall_rules::{Command, Phase, TimeControl, Viewer};
use flagfall_tests::{Chance, Step, random_setup};

use crate::doors::{Doors, LendsRecordsAfterTheEnd, Real, scoped};
use crate::paired::Script;
use crate::with_deployments;

/// All answers to requests for records after the end of the script.
fn answers(doors: &impl Doors, script: &Script, viewer: Viewer) -> Vec<String> {
    let mut table = script.table();
    let mut log = Vec::new();
    for (step, after_ms) in &script.steps {
        log.extend(table.step(step, *after_ms).expect("a step of the script"));
    }
    assert_eq!(table.game.phase(), Phase::Over);
    scoped(doors, &log, &table.game, viewer)
}

/// A game in which Red takes these three steps and then resigns.
fn script(ruleset: &'static flagfall_rules::Ruleset, first: Step, played: Step, other: Step) -> Script {
    let steps = vec![(first, 10), (played, 0), (other, 20), (Step::Ask(Side::Red, Command::Resign), 30)];
    let (time, secret) = (TimeControl::Fischer { base_ms: 60_000, increment_ms: 0 }, PerSide::default());
    Script { ruleset, time, secret, salts: 5, steps }
}

fn pairs(doors: &impl Doors) -> usize {
    let mut different = 0;
    for ruleset in with_deployments() {
        let mut chance = Chance::new(9_900);
        let mut setup = |side| Step::Deploy(side, random_setup(ruleset, &mut chance));
        let (one, other, played) = (setup(Side::Red), setup(Side::Red), setup(Side::Red));
        let blue = setup(Side::Blue);
        let [one, other, none] =
            [one, other, played.clone()].map(|first| script(ruleset, first, played.clone(), blue.clone()));
        for viewer in [Viewer::Player(Side::Blue), Viewer::Public] {
            let told = answers(doors, &one, viewer);
            assert!(told.iter().all(|answer| !answer.ends_with("refused")), "{told:?}");
            different += usize::from(told != answers(doors, &other, viewer));
            different += usize::from(told != answers(doors, &none, viewer));
        }
        assert_ne!(
            answers(doors, &one, Viewer::Player(Side::Red)),
            answers(doors, &other, Viewer::Player(Side::Red))
        );
    }
    different
}

#[test]
fn a_deployment_that_was_not_played_is_in_no_record_of_others() {
    assert_eq!(pairs(&Real), 0);
}

#[test]
fn a_record_that_tells_changed_deployments_is_found() {
    assert!(pairs(&LendsRecordsAfterTheEnd) >= 4 * with_deployments().count());
}
