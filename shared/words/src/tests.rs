use std::collections::BTreeSet;

use super::check::{all_texts, format_all};
use super::*;

#[test]
fn every_text_can_be_shown() {
    let words = Words::english();
    for (id, text) in format_all(&words, ENGLISH) {
        assert!(!text.is_empty() && !text.contains(['{', '\u{2068}']), "{id}: {text}");
    }
}

#[test]
fn no_text_names_a_command_or_control_of_a_client() {
    let words = Words::english();
    for (id, text) in format_all(&words, ENGLISH) {
        let lower = text.to_lowercase();
        for word in lower.split(|letter: char| !letter.is_alphanumeric() && letter != '-') {
            let is_control = ["flagfall", "press", "click", "tap", "type", "key", "button", "esc"];
            assert!(!is_control.contains(&word), "{id} names a control: {text}");
            assert!(!word.starts_with("--"), "{id} names a flag: {text}");
        }
    }
}

#[test]
fn every_code_has_a_text() {
    let protocol = include_str!("../../protocol/src/code.rs");
    let protocol = protocol.split("&'static str = \"").skip(1);
    let rules = include_str!("../../rules/src/refusal.rs");
    let rules = rules.split_once("fn code(").unwrap().1.split("=> \"").skip(1);
    let codes: BTreeSet<&str> = protocol.chain(rules).filter_map(|rest| rest.split('"').next()).collect();
    assert!(codes.len() > 100, "the sources have the codes");
    let words = Words::english();
    for code in &codes {
        assert!(words.has(&refusal_id(code)), "{code} has no text");
    }
    // Those of the HTTP API, which server/src/http/error.rs names.
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
    let words = Words::english();
    for (id, text) in format_all(&words, ENGLISH).iter().filter(|(id, _)| id.starts_with("refusal-")) {
        // The sentence of a refused setup is an argument.
        assert!(text.ends_with('.') || id == "refusal-bad-deployment", "{id}: {text}");
        assert!((10..=330).contains(&text.chars().count()), "{id}: {text}");
    }
}

#[test]
fn reasons_choose_and_plurals_agree() {
    let words = Words::english();
    let games = |count: u32| words.refusal("too_many", &args! { "reason" => "games", "count" => count });
    assert_eq!(games(1), "You are already playing 1 game. Finish one first.");
    assert_eq!(games(20), "You are already playing 20 games. Finish one first.");
    let wrong = args! { "rank" => "bomb", "have" => 5, "want" => 6 };
    assert_eq!(words.refusal("setup_wrong_count", &wrong), "Bomb: 5 placed instead of 6.");
    assert_eq!(words.refusal("not_in_pool", &args! {}), "No such piece is left in your pool.");
}

#[test]
fn what_is_unknown_is_shown_as_it_is() {
    let words = Words::english();
    assert_eq!(words.refusal("new_code", &args! {}), "The request was refused (new_code).");
    assert_eq!(words.try_refusal("claim_too_early", &args! {}), None);
    assert_eq!(words.try_format("no-such-text", &args! {}), None);
}

#[test]
fn a_client_adds_its_own_texts() {
    let words = Words::with(&["back = Press Esc to go back.\nfor = { side } first"]);
    assert_eq!(words.text("back"), "Press Esc to go back.");
    assert_eq!(words.format("for", &args! { "side" => "red" }), "Red first");
    assert!(words.has("rank"));
}
