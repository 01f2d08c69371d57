use flagfall_protocol::Time;

use super::*;

fn seen(text: &str) -> SeenMove {
    serde_json::from_str(text).expect("a move")
}

#[test]
fn names_and_texts_cannot_steer_the_terminal() {
    let evil = "a\u{1b}[2J\u{9b}1m\u{202e}b\u{2066}c\u{61c}d\u{e0041}e\nf\u{2028}";
    assert_eq!(clean(evil), "a?[2J?1m?b?c?d?e\nf?");
    assert_eq!(clean_line(evil), "a?[2J?1m?b?c?d?e?f?");
    let name = serde_json::to_string(evil).expect("JSON");
    let who: Player =
        serde_json::from_str(&format!(r#"{{"id":"p1","name":{name},"kind":"bot"}}"#)).expect("a player");
    assert_eq!(player(&who), "a?[2J?1m?b?c?d?e?f? (bot)");
    assert_eq!(clean("Jürgen, 李, עברית"), "Jürgen, 李, עברית");
}

#[test]
fn lines_are_broken_at_blanks_and_columns_stay_columns() {
    assert_eq!(fold("as it is", 8), ["as it is"]);
    assert_eq!(fold("Type accept abc or reject abc.", 16), ["Type accept abc", "  or reject abc."]);
    assert_eq!(
        fold("  4vgk  yours  Play by mail, 3days, rated", 30),
        ["  4vgk  yours  Play by mail,", "    3days, rated"]
    );
    assert_eq!(fold("a-word-that-is-longer-than-it", 10), ["a-word-that-is-longer-than-it"]);
    assert_eq!(fold("    a-word-that-is-longer", 10), ["    a-word-that-is-longer"]);
    assert_eq!(fold("", 10), [""]);
}

#[test]
fn clocks_read_back_as_they_are_written() {
    for (text, base_s, increment_s) in [("10+5", 600, 5), ("5+0", 300, 0), ("90s+2", 90, 2)] {
        let clock = Time::Fischer { base_s, increment_s };
        assert_eq!(parse_time(text), Ok(clock));
        assert_eq!(time(clock), text);
    }
    assert_eq!(parse_time("15"), Ok(Time::Fischer { base_s: 900, increment_s: 0 }));
    for (text, clock) in [
        ("10d5", Time::Delay { base_s: 600, free_s: 5 }),
        ("90sd2", Time::Delay { base_s: 90, free_s: 2 }),
        ("1day", Time::Correspondence { days: 1 }),
        ("3days", Time::Correspondence { days: 3 }),
    ] {
        assert_eq!(parse_time(text), Ok(clock));
        assert_eq!(time(clock), text);
    }
    assert_eq!(parse_time("none"), Ok(Time::Unlimited {}));
    for text in [
        "",
        "+",
        "ten",
        "10+",
        "-1+2",
        "99999999999+1",
        "4294967295",
        "10+5+1",
        "1.5",
        "days",
        "d",
        "10d",
        "d5",
        "1.5days",
    ] {
        assert!(parse_time(text).is_err(), "{text:?}");
    }
}

#[test]
fn an_offer_of_a_custom_game_names_its_changes() {
    let custom = Terms {
        ruleset: "barrage,ties=attacker,quiet=off".to_owned(),
        time: Time::Unlimited {},
        private: false,
        secret: false,
        rated: false,
    };
    assert_eq!(
        terms(&custom),
        "Barrage (custom), no clock; if the ranks are equal, the attacker stays; no draw for lack of captures"
    );
    assert_eq!(terms_in_short(&custom), "Barrage (custom), no clock");
}

#[test]
fn remaining_time_is_short_and_shows_tenths_at_the_end() {
    let shown: Vec<String> = [0, 9_990, 10_000, 581_000, 3_723_000].into_iter().map(clock).collect();
    assert_eq!(shown, ["0:00", "0:09.9", "0:10", "9:41", "1:02:03"]);
}

#[test]
fn plies_and_strikes_are_sentences() {
    let cases = [
        (r#"{"side":"red","move":"a4a5","piece":"?"}"#, "Red moves a4a5."),
        (r#"{"side":"blue","move":"j10j9","piece":"5"}"#, "Blue moves j10j9."),
        (
            r#"{"side":"red","move":"b4b7","piece":"9","strike":{"attacker":"9","attacker_fate":"leaves","defender":"B","defender_fate":"stays"}}"#,
            "Red's Scout strikes Blue's Bomb on b7 and is lost.",
        ),
        (
            r#"{"side":"red","move":"b6b7","piece":"8","strike":{"attacker":"8","attacker_fate":"advances","defender":"B","defender_fate":"leaves"}}"#,
            "Red's Miner captures Blue's Bomb on b7.",
        ),
        (
            r#"{"side":"blue","move":"b6b5","piece":"5","strike":{"attacker":"5","attacker_fate":"leaves","defender":"5","defender_fate":"leaves"}}"#,
            "Blue's Captain strikes Red's Captain on b5, and both are lost.",
        ),
        (
            r#"{"side":"red","move":"b9b10","piece":"8","strike":{"attacker":"8","attacker_fate":"advances","defender":"F","defender_fate":"leaves"}}"#,
            "Red's Miner captures Blue's Flag on b10.",
        ),
        (
            r#"{"side":"red","move":"b6b7","piece":"9","strike":{"attacker":"9","attacker_fate":"leaves","defender":"5","defender_fate":"advances"}}"#,
            "Red's Scout strikes Blue's Captain on b7 and is lost; Blue's Captain goes to b6.",
        ),
    ];
    for (message, sentence) in cases {
        assert_eq!(moved(&seen(message)), sentence);
    }
}

#[test]
fn moments_are_dates() {
    assert_eq!(date(0), "1970-01-01 00:00 UTC");
    assert_eq!(date(951_782_400_000), "2000-02-29 00:00 UTC");
    assert_eq!(date(1_795_219_140_000), "2026-11-20 23:59 UTC");
    assert_eq!(span(86_400_000), "24 hours");
    assert_eq!(span(60_000), "1 minute");
    assert_eq!(sentence("no. not yet"), "No. not yet.");
    assert_eq!(clean("a\u{1b}[2Jb\nc\u{9b}d"), "a?[2Jb\nc?d");
}

#[test]
fn endings_are_sentences() {
    let ended = |winner, reason: &str| outcome(&SeenOutcome { winner, reason: reason.to_owned() });
    assert_eq!(ended(Some(Side::Red), "flag_captured"), "Red wins: Blue's Flag was captured.");
    assert_eq!(ended(None, "draw_agreed"), "A draw: both sides agreed.");
    assert_eq!(ended(None, "aborted"), "The game was aborted.");
    assert_eq!(ended(Some(Side::Red), "illegal_act"), "Red wins: Blue broke the rules.");
    assert_eq!(ended(None, "illegal_act"), "A draw: both sides broke the rules.");
    assert_eq!(ended(Some(Side::Blue), "something_new"), "Blue wins: something_new.");
}
