//! Tests whole games of every ruleset.

use flagfall_board::Side;
use flagfall_e2e::{Client, Ply, Server, Site};
use flagfall_tests::Chance;
use serde_json::Value;

use crate::duel::Duel;

/// Games with forty pieces per side end by resignation after this many plies.
const LONG_GAME_PLIES: usize = 120;
/// A number of plies that no game reaches.
const WHOLE_GAME: usize = 20_000;

#[test]
fn classic_is_played_by_two_and_followed_by_a_third() {
    play("classic", LONG_GAME_PLIES);
}

#[test]
fn tournament_is_played_by_two_and_followed_by_a_third() {
    play("tournament", LONG_GAME_PLIES);
}

#[test]
fn barrage_is_played_to_its_natural_end() {
    play("barrage", WHOLE_GAME);
}

#[test]
fn pbm_is_played_by_two_and_followed_by_a_third() {
    play("pbm", LONG_GAME_PLIES);
}

#[test]
fn pbm_small_is_played_to_its_natural_end() {
    play("pbm-small", WHOLE_GAME);
}

#[test]
fn original_is_played_by_two_and_followed_by_a_third() {
    play("original", LONG_GAME_PLIES);
}

#[test]
fn silent_defense_is_played_by_two_and_followed_by_a_third() {
    play("silent-defense", LONG_GAME_PLIES);
}

#[test]
fn course_is_played_by_two_and_followed_by_a_third() {
    play("course", LONG_GAME_PLIES);
}

#[test]
fn shadowflash_1_is_played_by_two_and_followed_by_a_third() {
    play("shadowflash-1", LONG_GAME_PLIES);
}

#[test]
fn shadowflash_2_is_played_by_two_and_followed_by_a_third() {
    play("shadowflash-2", LONG_GAME_PLIES);
}

#[test]
fn shadowflash_3_is_played_by_two_and_followed_by_a_third() {
    play("shadowflash-3", 2 * LONG_GAME_PLIES);
}

#[test]
fn quantum_is_played_by_two_and_followed_by_a_third() {
    play("quantum", LONG_GAME_PLIES);
}

#[test]
fn quantum_is_played_to_its_natural_end() {
    play("quantum", WHOLE_GAME);
}

#[test]
fn an_illegal_move_loses_when_the_client_is_made_to_send_it() {
    let site = Site::new();
    let server = site.serve();
    let mut duel = Duel::begin(&server, &site, "course", "none", Chance::seed_or(7));
    duel.clients[Side::Red].type_line("a1a9");
    duel.clients[Side::Red].expect("a1a9 is against the rules");
    duel.clients[Side::Red].type_line("sure");
    duel.expect("Blue wins: Red broke the rules.");
    for side in Side::BOTH {
        duel.clients[side].leave();
    }
}

fn play(ruleset: &str, plies: usize) {
    let site = Site::new();
    let server = site.serve();
    let mut duel = Duel::begin(&server, &site, ruleset, "none", Chance::seed_or(7));
    let mut spectator = duel.spectator(&server, &site, "cat");

    let mut told = Vec::new();
    let mut end = None;
    while end.is_none() && duel.mirror.plies() < plies {
        let ply = duel.play();
        ply.sentences.iter().for_each(|sentence| drop(spectator.expect(sentence)));
        end = ply.end.clone();
        told.push(ply);
    }
    let end = end.unwrap_or_else(|| {
        duel.clients[Side::Blue].type_line("resign yes");
        "Red wins: Blue resigned.".to_owned()
    });
    duel.expect(&end);
    spectator.expect(&end);
    spectator.ended().expect(0, &[]);

    assert_fog(&spectator, &end);
    assert_choices(&spectator, &duel, &told, &end);
    assert_records(&server, &site, &duel, &told, &end);
    for side in Side::BOTH {
        duel.clients[side].leave();
    }
}

/// Checks that spectators' boards mark every rank as public. A coin has no rank.
fn assert_fog(spectator: &Client, end: &str) {
    let lines = spectator.lines();
    let game = lines.split(|line| line.contains(end)).next().expect("a game before its end");
    let is_row = |line: &&String| line.trim_start().starts_with(|letter: char| letter.is_ascii_digit());
    let mut pieces = 0;
    for line in game.iter().filter(is_row) {
        for token in line.split([' ', '>']).filter(|token| token.contains(['\\', ']'])) {
            pieces += 1;
            let is_hidden = token.contains(['#', '?', '+', 'o']);
            // The color of a chip follows the mark.
            let mark = token.trim_end_matches(['r', 'y', 'b', 'g']);
            assert!(is_hidden || mark.ends_with(['*', '^']), "{token:?} in {line:?}");
        }
    }
    assert!(pieces > 0, "no board was shown");
}

/// Checks what each viewer reads before the end of the game: players read only about their own
/// choices, and spectators about none (§Q4).
fn assert_choices(spectator: &Client, duel: &Duel, told: &[Ply], end: &str) {
    let count = |client: &Client, side: Side| {
        let sentence = format!("{side} chooses ");
        let is_choice = |line: &&String| line.contains(&sentence) && !line.contains(" what its coin is.");
        client.lines().iter().take_while(|line| !line.contains(end)).filter(is_choice).count()
    };
    for side in Side::BOTH {
        let typed = told.iter().filter(|ply| ply.side == side && ply.typed.starts_with("choose ")).count();
        assert_eq!(count(&duel.clients[side], side), typed, "{side} is told its choices are taken");
        assert_eq!(count(&duel.clients[side], side.opponent()), 0, "{side} is told the opponent's choices");
        assert_eq!(count(spectator, side), 0, "spectators are told choices");
    }
}

/// `b1` of `b10b1`.
fn last_square(squares: &str) -> &str {
    let start = squares.rfind(|letter: char| letter.is_ascii_alphabetic()).unwrap_or_default();
    &squares[start..]
}

/// Checks that the records, as JSON and as text, describe the game that was played.
fn assert_records(server: &Server, site: &Site, duel: &Duel, told: &[Ply], end: &str) {
    let json = server.run_client(site, "cat", &["record", &duel.id, "--json"]);
    json.expect(0, &[]);
    let record: Value = serde_json::from_str(&json.printed).expect("a record");
    for side in Side::BOTH {
        let name = side.to_string().to_lowercase();
        let setup = record["deployments"][&name]["setup"].as_str().unwrap_or_default();
        assert_eq!(setup, duel.mirror.setups[side]);
        assert_eq!(record["commitments"][&name].is_string(), !setup.is_empty());
    }
    let kinds = |kind: &str| -> Vec<Value> {
        let events = record["events"].as_array().expect("events");
        events.iter().map(|it| it["event"].clone()).filter(|event| event["kind"] == kind).collect()
    };
    let is_act = |event: &Value| {
        let kind = event["kind"].as_str().unwrap_or_default();
        ["moved", "removed", "placed", "colored", "struck", "chosen"].contains(&kind)
    };
    let all = record["events"].as_array().expect("events").iter().map(|it| it["event"].clone());
    let acts: Vec<Value> = all.filter(is_act).collect();
    let lines: Vec<&String> = told.iter().flat_map(|ply| &ply.recorded).collect();
    assert_eq!(acts.len(), lines.len());
    for (event, line) in acts.iter().zip(lines) {
        let what = event["move"].as_str().or(event["square"].as_str()).or(event["rank"].as_str());
        let what = what.expect("squares, or a rank");
        let line = line.to_lowercase();
        let is_told =
            line.contains(what) || event.get("strike").is_some() && line.contains(last_square(what));
        assert!(is_told, "{event} and {line:?}");
    }
    let winner = match end.split(' ').next() {
        Some("Red") => Value::from("red"),
        Some("Blue") => Value::from("blue"),
        _ => Value::Null,
    };
    assert_eq!(record["outcome"]["winner"], winner);
    assert_eq!(kinds("ended").len(), 1);

    let text = server.run_client(site, "cat", &["record", &duel.id, "--text"]);
    text.expect(0, &["Red: ann", "Blue: bob", end]);
    if !duel.mirror.setups.red.is_empty() {
        text.expect(0, &["Red deployed:", "Blue deployed:"]);
    }
    let mut lines = text.said.lines();
    for line in told.iter().flat_map(|ply| &ply.recorded) {
        assert!(lines.any(|it| it == line), "{line:?} is missing, or not in its place, in:\n{}", text.said);
    }
}
