//! Tests that every line gets exactly one JSON line as its answer, regardless of its bytes, and
//! that refused requests change nothing.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use flagfall_referee::serve;
use proptest::prelude::*;
use serde_json::Value;

fn answers(input: &[u8]) -> Vec<Value> {
    let mut output = Vec::new();
    serve(input, &mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn check(answer: &Value) {
    match answer["type"].as_str().unwrap() {
        "refused" => {
            assert!(answer["code"].as_str().is_some_and(|code| !code.is_empty()), "{answer}");
            assert!(answer["message"].as_str().is_some_and(|message| !message.is_empty()), "{answer}");
        }
        "about" | "done" | "legal" | "view" | "everything" | "record" => {}
        other => panic!("an answer of type {other}"),
    }
}

/// The requests that start a session with a game, so that later requests can reach all of the
/// code.
const BEGINNING: &[&str] = &[
    r#"{"type":"new_game","ruleset":"barrage","seed":7}"#,
    r#"{"type":"command","side":"red","command":{"kind":"deploy","setup":"9....1..9. .......... .S........ F8B2......"}}"#,
    r#"{"type":"command","side":"blue","command":{"kind":"deploy","setup":"..9.1..... ...9...... ..S....... ......2B8F"}}"#,
    r#"{"type":"command","side":"red","command":{"kind":"move","move":"a4a7"}}"#,
];

/// Returns a strategy for values of request fields.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(r#""red""#.to_owned()),
        Just(r#""everything""#.to_owned()),
        Just(r#""barrage""#.to_owned()),
        Just(r#"{"kind":"resign"}"#.to_owned()),
        Just(r#"{"kind":"offer_draw"}"#.to_owned()),
        Just(r#"{"kind":"fischer","base_s":4294967295,"increment_s":4294967295}"#.to_owned()),
        Just("18446744073709551615".to_owned()),
        Just("null".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        (0..70_u32).prop_map(|number| number.to_string()),
        "[a-k][0-9]{1,2}[a-k][0-9]{1,2}"
            .prop_map(|squares| format!(r#"{{"kind":"move","move":"{squares}"}}"#)),
        "[1-9SBFPx. ]{0,60}".prop_map(|setup| format!(r#"{{"kind":"deploy","setup":"{setup}"}}"#)),
        "(barrage|classic|pbm-small) (red|blue) [0-9]{1,6} [0-9]{1,3} [rbF1-9SB.~'*/]{0,60}"
            .prop_map(|position| format!("\"{position}\"")),
        "\\PC{0,8}".prop_map(|text| Value::from(text).to_string()),
    ]
}

fn field() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "id",
        "at",
        "ply",
        "side",
        "command",
        "audience",
        "ruleset",
        "position",
        "time",
        "seed",
        "game",
        "secret",
        "deploy_ms",
        "stranger",
    ]);
    (name, value()).prop_map(|(name, value)| format!(r#","{name}":{value}"#))
}

fn request() -> impl Strategy<Value = String> {
    let kind = prop::sample::select(vec![
        "about",
        "new_game",
        "set_position",
        "command",
        "wait",
        "legal",
        "show",
        "go_to",
        "record",
        "stranger",
    ]);
    (kind, prop::collection::vec(field(), 0..5))
        .prop_map(|(kind, fields)| format!(r#"{{"type":"{kind}"{}}}"#, fields.concat()))
}

proptest! {
    #[test]
    fn any_bytes_get_one_answer_a_line(lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 0..20)) {
        let lines: Vec<Vec<u8>> =
            lines.into_iter().map(|line| line.into_iter().filter(|byte| *byte != b'\n').collect()).collect();
        let mut input = lines.join(&b'\n');
        input.push(b'\n');
        let answers = answers(&input);
        prop_assert_eq!(answers.len(), lines.len().max(1));
        for answer in &answers {
            check(answer);
            prop_assert_eq!(&answer["code"], "malformed");
        }
    }

    #[test]
    fn anything_like_a_request_gets_one_answer_and_a_refused_one_changes_nothing(
        requests in prop::collection::vec(request(), 1..12),
    ) {
        let look = r#"{"type":"show","audience":"everything"}"#;
        let mut lines: Vec<&str> = BEGINNING.to_vec();
        lines.push(look);
        requests.iter().for_each(|request| lines.extend([request.as_str(), look]));
        let answers = answers(lines.join("\n").as_bytes());
        prop_assert_eq!(answers.len(), lines.len());
        answers.iter().for_each(check);
        prop_assert!(answers[..BEGINNING.len()].iter().all(|answer| answer["type"] == "done"));
        for around in answers[BEGINNING.len()..].windows(3).step_by(2) {
            if around[1]["type"] == "refused" {
                prop_assert_eq!(&around[0], &around[2]);
            }
        }
    }

    #[test]
    fn a_damaged_request_gets_one_answer(at in 0..200_usize, byte: u8) {
        for line in BEGINNING {
            let mut line = line.as_bytes().to_vec();
            let at = at % line.len();
            line[at] = if byte == b'\n' { b' ' } else { byte };
            let answers = answers(&line);
            prop_assert_eq!(answers.len(), 1);
            check(&answers[0]);
        }
    }
}

#[test]
fn empty_lines_and_lines_that_are_too_long_get_an_answer_too() {
    let long = "x".repeat(flagfall_referee::LINE_BYTES_MAX + 1);
    let input = format!("\n\r\n{long}\n{{\"type\":\"about\"}}\r\n{{\"type\":\"about\"}}");
    let codes: Vec<Value> = answers(input.as_bytes()).iter().map(|answer| answer["code"].clone()).collect();
    assert_eq!(codes[..3], ["malformed", "malformed", "line_too_long"]);
    assert_eq!(codes[3..], [Value::Null, Value::Null]);
    assert!(answers(b"").is_empty());
}
