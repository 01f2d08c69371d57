//! Tests that the session and the examples in docs/protocol/REFEREE.md are what the code
//! produces.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fmt::Write as _;
use std::path::Path;

use flagfall_referee::{Refused, Session};
use flagfall_rules::{NoSuchRuleset, PositionTextError};
use flagfall_tests::check_generated;

const SESSION: [&str; 2] = [
    "<!-- session: made by `cargo test -p flagfall-referee`; do not edit -->\n",
    "<!-- end of session -->\n",
];
const EXAMPLES: [&str; 2] = [
    "<!-- examples: made by `cargo test -p flagfall-referee`; do not edit -->\n",
    "<!-- end of examples -->\n",
];

/// The requests of the session on the page.
const ASKED: &[&str] = &[
    r#"{"type":"new_game","ruleset":"barrage","seed":7}"#,
    r#"{"type":"command","side":"red","command":{"kind":"deploy","setup":"9....1..9. .......... .S........ F8B2......"}}"#,
    r#"{"type":"command","side":"blue","command":{"kind":"deploy","setup":"..9.1..... ...9...... ..S....... ......2B8F"}}"#,
    r#"{"type":"command","side":"red","command":{"kind":"move","move":"a4a7"}}"#,
    r#"{"id":"mistake","type":"command","side":"blue","command":{"kind":"move","move":"h7h6"}}"#,
    r#"{"type":"command","side":"blue","command":{"kind":"move","move":"f7f6"}}"#,
    r#"{"type":"command","side":"red","command":{"kind":"move","move":"f4f5"}}"#,
    r#"{"type":"command","side":"blue","command":{"kind":"move","move":"f6f5"}}"#,
    r#"{"type":"show","audience":"public"}"#,
    r#"{"type":"go_to","ply":3}"#,
    r#"{"type":"command","side":"blue","command":{"kind":"resign"}}"#,
];

#[test]
fn the_positions_of_the_page_are_positions() {
    let text = std::fs::read_to_string(document()).unwrap();
    let blocks = text.split("```position\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let positions: Vec<&str> = blocks.flat_map(str::lines).collect();
    let mut fields: Vec<usize> =
        positions.iter().map(|position| position.split_ascii_whitespace().count()).collect();
    for position in positions {
        let mut session = Session::new();
        let request = serde_json::json!({ "type": "set_position", "position": position });
        let answer = session.answer(&request.to_string());
        assert!(answer.contains(r#""type":"done","phase":"playing""#), "{position}: {answer}");
        let answer = session.answer(r#"{"type":"show","audience":"everything"}"#);
        let shown: serde_json::Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(shown["position"], position, "written as it was read");
    }
    fields.sort_unstable();
    fields.dedup();
    assert_eq!(fields, [5, 8, 9]);
}

fn document() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol/REFEREE.md")
}

fn session() -> String {
    let mut session = Session::new();
    let answers: Vec<String> = ASKED.iter().map(|line| session.answer(line)).collect();
    format!(
        "```sh\nflagfall referee <<'END'\n{}\nEND\n```\n\nprints\n\n```json\n{}\n```\n",
        ASKED.join("\n"),
        answers.join("\n")
    )
}

#[derive(Default)]
struct Page {
    text: String,
    session: Session,
}

impl Page {
    fn heading(&mut self, text: &str) {
        write!(self.text, "\n#### {text}\n\n").unwrap();
    }

    /// Sends a request that the page does not show.
    fn quietly(&mut self, request: &str) {
        let answer = self.session.answer(request);
        assert!(!answer.contains(r#""type":"refused""#), "{answer}");
    }

    fn ask(&mut self, what: &str, request: &str) {
        let answer = self.session.answer(request);
        writeln!(self.text, "{what}\n\n```json\n{request}\n```\n\n```json\n{answer}\n```\n").unwrap();
    }
}

fn examples() -> String {
    let mut page = Page::default();
    page.heading("A game with a clock");
    page.ask(
        "Base time and increment as in the network protocol. The client chooses the moment:",
        r#"{"type":"new_game","ruleset":"barrage","time":{"kind":"fischer","base_s":60,"increment_s":2},"seed":7,"at":1000}"#,
    );
    page.ask(
        "Red deploys. `audience` asks what Blue sees. Blue sees only that Red is ready:",
        r#"{"type":"command","side":"red","command":{"kind":"deploy","setup":"9....1..9. .......... .S........ F8B2......"},"at":2000,"audience":"blue"}"#,
    );
    page.quietly(ASKED[2]);
    page.ask("The commands that Red may send now, ready to send back:", r#"{"type":"legal","side":"red"}"#);
    page.ask(
        "A Scout moves three squares. Everyone sees that it is a Scout:",
        r#"{"type":"command","side":"red","command":{"kind":"move","move":"a4a7"},"at":5000,"audience":"public"}"#,
    );
    page.ask(
        "The game as Blue may know it. The clocks are those at `at`:",
        r#"{"type":"show","audience":"blue","at":9000}"#,
    );
    page.ask("Everything:", r#"{"type":"show","audience":"everything"}"#);
    page.ask(
        "A move that comes too late is refused. Nothing changes:",
        r#"{"type":"command","side":"blue","command":{"kind":"move","move":"f7f6"},"at":99000}"#,
    );
    page.ask("Time passes, and Blue's flag falls:", r#"{"type":"wait","at":99000}"#);
    page.heading("A position");
    page.ask(
        "Red's Spy stands beside Blue's Marshal:",
        r#"{"type":"set_position","position":"barrage red 30 4 bF.9/b8'.9/.10/.10/.2~2.2~2.2/.2~2.2~2.2/.10/.3rS'b1'*.5/.10/rFr8.8","seed":7}"#,
    );
    page.ask(
        "It strikes:",
        r#"{"id":1,"type":"command","side":"red","command":{"kind":"move","move":"d3e3"}}"#,
    );
    page.ask(
        "The record so far, for the public. `start` shows the ranks that the public may know:",
        r#"{"type":"record","audience":"public"}"#,
    );
    page.ask("Go back:", r#"{"type":"go_to","ply":30}"#);
    page.ask("Go forward again:", r#"{"type":"go_to","ply":31}"#);
    page.heading("Refusals");
    page.ask("An unknown field:", r#"{"id":2,"type":"legal","side":"red","color":"red"}"#);
    page.ask(
        "A text that is not a position:",
        r#"{"type":"set_position","position":"barrage red 0 0 rF.9/x"}"#,
    );
    page.text
}

fn replaced(document: &str, [begin, end]: [&str; 2], text: &str) -> String {
    let (before, rest) = document.split_once(begin).expect("the place is marked");
    let (_, after) = rest.split_once(end).expect("its end is marked");
    format!("{before}{begin}{text}{end}{after}")
}

#[test]
fn the_session_and_the_examples_of_the_document_are_fresh() {
    let found = std::fs::read_to_string(document()).unwrap();
    let wanted = replaced(&found, SESSION, &format!("\n{}\n", session()));
    let wanted = replaced(&wanted, EXAMPLES, &examples());
    check_generated(&document(), &wanted, "flagfall-referee");
}

#[test]
fn the_document_names_every_refusal_of_its_own() {
    let document = std::fs::read_to_string(document()).unwrap();
    for refused in [
        Refused::Malformed(String::new()),
        Refused::LineTooLong,
        Refused::NoGame,
        Refused::NoSuchRuleset(NoSuchRuleset::Unknown),
        Refused::NoSuchRuleset(NoSuchRuleset::NotAnOption),
        Refused::BadPosition(PositionTextError::Fields),
        Refused::TimeWentBack { latest: flagfall_board::Stamp(0) },
        Refused::NoSuchPly { ply: 0, first: 0, last: 0 },
        Refused::TooMany,
        Refused::NoChance,
        Refused::Internal(String::new()),
    ] {
        assert!(document.contains(&format!("\n| `{}` |", refused.code())), "{refused:?}");
    }
}
