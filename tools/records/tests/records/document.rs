//! Tests that docs/protocol/RECORDS.md names every code, and that its example is a valid record.

use std::path::Path;

use flagfall_records::{Falsehood, Status, UncheckedKind, check};
use flagfall_rules::{Ruleset, Viewer};
use flagfall_tests::Chance;

use crate::games::{End, Manner, play};

const BEGIN: &str = "<!-- the example: made by a test of tools/records, begin -->\n";
const END: &str = "<!-- the example: end -->\n";

fn example() -> String {
    let ruleset = Ruleset::find("barrage").expect("a ruleset");
    let record = (1..)
        .map(|seed| play(ruleset, Manner::new(2, End::Resign), &mut Chance::new(seed)).record(Viewer::Public))
        .find(|record| record.outcome.is_some() && record.events.len() == 6)
        .expect("a short game");
    assert_eq!(check(&record).status, Status::Good);
    let text = serde_json::to_string_pretty(&record).expect("JSON");
    format!("A whole record, as the public has it after the end:\n\n```json\n{text}\n```\n")
}

#[test]
fn the_example_is_fresh_and_every_code_is_named() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol/RECORDS.md");
    let document = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = document.split_once(BEGIN).expect("the place of the example is marked");
    let (_, after) = rest.split_once(END).expect("the end of the example is marked");
    let fresh = format!("{before}{BEGIN}{}{END}{after}", example());
    if fresh != document && std::env::var_os("FLAGFALL_UPDATE").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    } else {
        assert!(fresh == document, "docs/protocol/RECORDS.md is stale: run this test with FLAGFALL_UPDATE=1");
    }
    let falsehoods = Falsehood::ALL.iter().map(|code| code.code());
    for code in falsehoods.chain(UncheckedKind::ALL.iter().map(|code| code.code())) {
        assert!(document.contains(&format!("| `{code}` |")), "docs/protocol/RECORDS.md does not name {code}");
    }
}
