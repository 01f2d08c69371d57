//! Tests that the umpire produces the dialogue in docs/protocol/UMPIRE.md.

use std::fs;
use std::path::Path;
use std::time::Duration;

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_rules::Entropy;
use flagfall_rules::rulesets::PBM_SMALL;
use flagfall_umpire::bout::{Bout, BoutTerms, Input, Limits, Output};
use flagfall_umpire::lines::Cut;

/// The programs' answers, in order.
const ANSWERS: [(Side, &str); 12] = [
    (Side::Red, "BB8B8sF8"),
    (Side::Red, "7B728973"),
    (Side::Red, "94975459"),
    (Side::Blue, "95974549"),
    (Side::Blue, "37982B77"),
    (Side::Blue, "8Fs8BB8B"),
    (Side::Red, "0 2 DOWN 2"),
    (Side::Blue, "1 5 UP"),
    (Side::Red, "0 4 RIGHT"),
    (Side::Blue, "7 5 UP 2"),
    (Side::Red, "4 2 DOWN"),
    (Side::Blue, "SURRENDER"),
];

fn dialogue() -> String {
    let mut bout = Bout::new(BoutTerms {
        game: GameId::from_random([7; 12]),
        ruleset: &PBM_SMALL,
        lakes: PBM_SMALL.shape.lakes,
        created: Stamp(0),
        names: PerSide::new("ann".to_owned(), "bob".to_owned()),
        limits: Limits::default(),
        entropy: PerSide::new(Entropy([1; 32]), Entropy([2; 32])),
    });
    // Each side's lines have their own column.
    let mut text = String::from("Red: ann          Blue: bob\n\n");
    let mut put = |side, mark, line: &str| {
        let indent = if side == Side::Red { 0 } else { 18 };
        text.push_str(&format!("{:indent$}{mark} {line}\n", ""));
    };
    let tell = |outputs: Vec<Output>, put: &mut dyn FnMut(Side, char, &str)| {
        for output in outputs {
            let Output::Tell(side, lines) = output else { panic!("nobody is muted") };
            lines.lines().for_each(|line| put(side, '>', line));
        }
    };
    tell(bout.start(), &mut put);
    for (side, line) in ANSWERS {
        put(side, '<', line);
        let said = Input::Said(side, Cut::Line(line.to_owned()));
        tell(bout.step(Duration::ZERO, said), &mut put);
    }
    assert!(bout.ending().is_some_and(|ending| ending.faults == PerSide::default()));
    text
}

#[test]
fn the_page_shows_a_dialogue_that_took_place() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol/UMPIRE.md");
    let page = fs::read_to_string(&path).expect("the page");
    let (before, rest) = page.split_once("```dialogue\n").expect("a dialogue");
    let (shown, after) = rest.split_once("```").expect("its end");
    let dialogue = dialogue();
    if std::env::var_os("FLAGFALL_UPDATE").is_some() {
        fs::write(&path, format!("{before}```dialogue\n{dialogue}```{after}")).expect("written");
        return;
    }
    assert_eq!(shown, dialogue, "run this test with FLAGFALL_UPDATE=1 and read the difference");
}
