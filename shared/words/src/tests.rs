use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use flagfall_tests::{all_texts, check_generated, check_translation};

use super::*;

fn format_all() -> Vec<(String, String)> {
    flagfall_tests::format_all(ENGLISH, |id, args| english().try_format(id, args))
}

fn russian() -> Words {
    Words::in_language(Language::Russian, |_| &[])
}

#[test]
fn every_text_can_be_shown() {
    let russian = russian();
    let russian = flagfall_tests::format_all(RUSSIAN, |id, args| russian.try_format(id, args));
    for (id, text) in format_all().into_iter().chain(russian) {
        assert!(!text.is_empty() && !text.contains(['{', '\u{2068}']), "{id}: {text}");
    }
}

#[test]
fn the_russian_texts_are_those_that_there_are_in_english() {
    check_translation(ENGLISH, RUSSIAN, [&[], &[]]);
}

#[test]
fn russian_plurals_agree_and_a_missing_text_is_english() {
    let words = Words::in_language(Language::Russian, |language| match language {
        Language::English => &["only-english = Only in English."],
        Language::Russian => &[],
    });
    let minutes = |minutes: u32| words.format("duration-minutes", &args! { "minutes" => minutes });
    assert_eq!([1, 2, 5, 11, 21].map(minutes), ["1 минуту", "2 минуты", "5 минут", "11 минут", "21 минуту"]);
    assert_eq!(words.text("only-english"), "Only in English.");
    assert_eq!(Language::from_code("RU"), Some(Language::Russian));
    assert_eq!(Language::from_code("de"), None);
}

#[test]
fn no_text_names_a_command_or_control_of_a_client() {
    for (id, text) in format_all() {
        let lower = text.to_lowercase();
        for word in lower.split(|letter: char| !letter.is_alphanumeric() && letter != '-') {
            let is_control = ["flagfall", "press", "click", "tap", "type", "key", "button", "esc"];
            assert!(!is_control.contains(&word), "{id} names a control: {text}");
            assert!(!word.starts_with("--"), "{id} names a flag: {text}");
        }
    }
}

#[test]
fn every_phrase_has_a_text() {
    for phrase in flagfall_protocol::Phrase::ALL {
        assert_ne!(english().format("phrase", &args! { "phrase" => phrase.name() }), phrase.name());
    }
}

#[test]
fn every_code_has_a_text() {
    let protocol = include_str!("../../protocol/src/code.rs");
    let protocol = protocol.split("&'static str = \"").skip(1);
    // A value with a space is not a code, but the reason in an attribute, such as `reason = "…"`.
    let codes_of = |source: &'static str| {
        let values = source.split_once("coded! {").unwrap().1.split(" = \"").skip(1);
        values.filter(|rest| rest.split('"').next().is_some_and(|code| !code.contains(' ')))
    };
    let rules = codes_of(include_str!("../../rules/src/refusal.rs"));
    let setups = codes_of(include_str!("../../rules/src/setup.rs"));
    let codes: BTreeSet<&str> =
        protocol.chain(rules).chain(setups).filter_map(|rest| rest.split('"').next()).collect();
    assert!(codes.len() > 100, "the sources have the codes");
    let words = english();
    for code in &codes {
        assert!(words.has(&refusal_id(code)), "{code} has no text");
    }
    // The codes of the HTTP API, which the server defines. They are repeated here, because this
    // crate does not depend on the server.
    let http = [
        "no_such_path",
        "method_not_allowed",
        "foreign_origin",
        "upgrade_expected",
        "bad_query",
        "body_too_large",
        "host_expected",
        "timed_out",
    ];
    let known: BTreeSet<String> = codes.iter().chain(&http).map(|code| refusal_id(code)).collect();
    for id in all_texts(ENGLISH).keys().filter(|id| id.starts_with("refusal-")) {
        assert!(known.contains(id) || id == "refusal-unknown", "{id} is of no code");
    }
}

#[test]
fn a_refusal_is_a_sentence() {
    for (id, text) in format_all().iter().filter(|(id, _)| id.starts_with("refusal-")) {
        assert!(text.ends_with('.'), "{id}: {text}");
        assert!((10..=330).contains(&text.chars().count()), "{id}: {text}");
    }
}

#[test]
fn reasons_choose_and_plurals_agree() {
    let words = english();
    let games = |count: u32| words.refusal(&Refusal::new("too_many").because("games").with("count", count));
    assert_eq!(games(1), "You are already playing 1 game. Finish one first.");
    assert_eq!(games(20), "You are already playing 20 games. Finish one first.");
    let wrong = Refusal::new("bad_deployment").because("setup").with("problem", "setup_wrong_count");
    let wrong = wrong.with("rank", "bomb").with("have", 5_u8).with("want", 6_u8);
    assert_eq!(
        words.refusal(&wrong),
        "Not saved. Bomb: 5 placed, but the army has 6. Place exactly that many."
    );
    let later = Refusal::new("not_in_pool").because("of_a_later_version");
    assert_eq!(words.refusal(&later), "No such piece is left in your pool.");
}

#[test]
fn what_is_unknown_is_shown_as_it_is() {
    let words = english();
    for incomplete in ["new_code", "claim_too_early", "too_many"] {
        assert_eq!(words.try_refusal(&Refusal::new(incomplete)), None, "{incomplete}");
    }
    assert_eq!(words.try_format("no-such-text", &args! {}), None);
}

#[test]
fn a_client_adds_its_own_texts() {
    let words = Words::with(&["back = Press Esc to go back.\nfor = { side } first"]);
    assert_eq!(words.text("back"), "Press Esc to go back.");
    assert_eq!(words.format("for", &args! { "side" => "red" }), "Red first");
    assert!(words.has("rank"));
}

/// Returns a table of the codes whose texts have arguments, with the possible reasons and the
/// other arguments of each code.
fn table_of_arguments() -> String {
    let mut table = "| code | reasons | other arguments |\n|---|---|---|\n".to_owned();
    for (id, needs) in all_texts(ENGLISH) {
        let Some(code) = id.strip_prefix("refusal-").filter(|code| *code != "unknown") else { continue };
        let others: Vec<String> =
            needs.arguments.iter().filter(|name| *name != "reason").map(|name| format!("`{name}`")).collect();
        let reasons = needs.choices.iter().filter(|(name, _)| name == "reason").flat_map(|(_, keys)| keys);
        let reasons: Vec<String> = reasons.map(|reason| format!("`{reason}`")).collect();
        if !needs.arguments.is_empty() {
            let code = code.replace('-', "_");
            writeln!(table, "| `{code}` | {} | {} |", reasons.join(", "), others.join(", ")).unwrap();
        }
    }
    table
}

#[test]
fn the_page_lists_the_arguments_of_refusals() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol/messages.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let (before, rest) = text.split_once("<!-- arguments:").unwrap();
    let (mark, rest) = rest.split_once("-->\n").unwrap();
    let (_, after) = rest.split_once("<!-- end of arguments -->").unwrap();
    let table = table_of_arguments();
    let wanted = format!("{before}<!-- arguments:{mark}-->\n{table}<!-- end of arguments -->{after}");
    check_generated(&page, &wanted, "flagfall-words");
}
