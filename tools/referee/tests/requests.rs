//! Tests the effect of each request, and the codes of its refusals.

mod common;

use common::Client;
use flagfall_protocol::{GameRecord, GameView};
use flagfall_referee::STEPS_MAX;
use flagfall_rules::Ruleset;
use flagfall_tests::{Chance, random_setup};
use serde_json::{Value, json};

const RED: &str = "9....1..9. .......... .S........ F8B2......";
const BLUE: &str = "..9.1..... ...9...... ..S....... ......2B8F";

/// Returns a client with a barrage game that has started.
fn barrage() -> Client {
    let mut client = Client::default();
    client.done(json!({
        "type": "new_game", "ruleset": "barrage", "seed": 7, "time": { "kind": "fischer", "base_s": 60, "increment_s": 2 },
    }));
    command(&mut client, "blue", json!({ "kind": "deploy", "setup": BLUE }));
    command(&mut client, "red", json!({ "kind": "deploy", "setup": RED }));
    client
}

fn command(client: &mut Client, side: &str, command: Value) -> Value {
    client.done(json!({ "type": "command", "side": side, "command": command }))
}

fn refused(client: &mut Client, side: &str, command: Value) -> String {
    client.refused(json!({ "type": "command", "side": side, "command": command }))
}

fn go(squares: &str) -> Value {
    json!({ "kind": "move", "move": squares })
}

fn set(client: &mut Client, position: &str) -> Value {
    client.done(json!({ "type": "set_position", "position": position, "seed": 1 }))
}

#[test]
fn without_a_game_there_is_only_about_and_a_beginning() {
    let mut client = Client::default();
    for request in [
        json!({ "type": "legal", "side": "red" }),
        json!({ "type": "show", "audience": "public" }),
        json!({ "type": "go_to" }),
        json!({ "type": "wait", "at": 1 }),
        json!({ "type": "record", "audience": "public" }),
        json!({ "type": "command", "side": "red", "command": { "kind": "resign" } }),
    ] {
        assert_eq!(client.ask(request)["code"], "no_game");
    }
    assert_eq!(
        client.done(json!({ "type": "about" }))["rulesets"].as_array().unwrap().len(),
        Ruleset::all().len()
    );
    assert_eq!(client.ask(json!({ "type": "new_game", "ruleset": "chess" }))["code"], "no_such_ruleset");
}

#[test]
fn ids_come_back_with_answers_and_refusals() {
    let mut client = Client::default();
    assert_eq!(client.ask(json!({ "id": 7, "type": "about" }))["id"], 7);
    assert_eq!(client.ask(json!({ "id": "seven", "type": "legal", "side": "red" }))["id"], "seven");
    assert_eq!(client.ask(json!({ "id": -1, "type": "dance" }))["id"], -1);
    assert_eq!(client.ask(json!({ "type": "about" })).get("id"), None);
}

#[test]
fn refusals_have_the_codes_of_the_network_protocol() {
    let mut client = Client::default();
    client.done(json!({ "type": "new_game", "ruleset": "barrage" }));
    assert_eq!(refused(&mut client, "red", go("a4a5")), "not_playing");
    assert_eq!(refused(&mut client, "red", json!({ "kind": "deploy", "setup": "F" })), "setup_too_short");
    assert_eq!(client.refused(json!({ "type": "go_to", "ply": 0 })), "not_playing");
    let mut client = barrage();
    for (side, command, code) in [
        ("red", json!({ "kind": "deploy", "setup": RED }), "not_deploying"),
        ("blue", go("f7f6"), "not_your_turn"),
        ("red", go("a1a2"), "immovable"),
        ("red", go("a5a6"), "no_piece"),
        ("red", go("f7f6"), "not_your_piece"),
        ("red", json!({ "kind": "accept_draw" }), "no_draw_offer"),
        ("red", go("a4a"), "malformed"),
        ("red", json!({ "kind": "dance" }), "malformed"),
    ] {
        assert_eq!(refused(&mut client, side, command.clone()), code, "{command}");
    }
    let stale = json!({ "type": "command", "side": "red", "command": go("a4a5"), "ply": 3 });
    assert_eq!(client.refused(stale), "stale_ply");
    command(&mut client, "red", json!({ "kind": "resign" }));
    assert_eq!(refused(&mut client, "red", go("a4a5")), "game_over");
}

#[test]
fn a_refused_beginning_leaves_the_game_as_it_was() {
    let mut client = barrage();
    for (request, code) in [
        (json!({ "type": "new_game", "ruleset": "chess" }), "no_such_ruleset"),
        (json!({ "type": "set_position", "position": "chess red 0 0 8/8" }), "no_such_ruleset"),
        (json!({ "type": "set_position", "position": "" }), "bad_position"),
        (json!({ "type": "set_position", "position": "barrage red 0 0 rF" }), "bad_position"),
        (json!({ "type": "new_game", "ruleset": "barrage", "game": "short" }), "malformed"),
        (json!({ "type": "new_game", "ruleset": "barrage", "seed": -1 }), "malformed"),
    ] {
        assert_eq!(client.refused(request), code);
    }
}

#[test]
fn a_strike_tells_both_ranks() {
    let mut client = barrage();
    command(&mut client, "red", go("a4a7"));
    command(&mut client, "blue", go("f7f6"));
    command(&mut client, "red", go("f4f5"));
    let answer = command(&mut client, "blue", go("f6f5"));
    let strike =
        json!({ "attacker": "1", "attacker_fate": "leaves", "defender": "1", "defender_fate": "leaves" });
    assert_eq!(answer["strike"], strike);
    assert_eq!((answer["turn"].as_str(), answer["ply"].as_u64()), (Some("red"), Some(4)));
}

/// A defender that wins stays hidden from the players (§D1), but the referee's client sees its
/// rank.
#[test]
fn a_strike_tells_a_rank_that_stays_hidden() {
    let mut client = Client::default();
    set(
        &mut client,
        "silent-defense red 0 0 bF.9/.10/.10/.10/.2~2.2~2.2/.2~2.2~2.2/.4b1.5/.4r5.5/.10/rFr8.8",
    );
    let strike = json!({ "type": "command", "side": "red", "command": go("e3e4"), "audience": "red" });
    let answer = client.done(strike);
    assert_eq!(answer["strike"]["defender"], "1");
    assert_eq!(answer["seen"][0]["event"]["strike"]["defender"], "?");
}

#[test]
fn time_passes_when_a_request_says_so_and_never_backward() {
    let mut client = barrage();
    client.done(json!({ "type": "command", "side": "red", "command": go("a4a5"), "at": 10_000 }));
    assert_eq!(
        client.refused(json!({ "type": "command", "side": "blue", "command": go("f7f6"), "at": 9_999 })),
        "time_went_back"
    );
    assert_eq!(
        client.refused(json!({ "type": "command", "side": "blue", "command": go("f7f6"), "at": 70_001 })),
        "out_of_time"
    );
    assert_eq!(client.refused(json!({ "type": "show", "audience": "red", "at": 3 })), "time_went_back");
    let clock =
        client.done(json!({ "type": "show", "audience": "red", "at": 30_000 }))["view"]["clock"].clone();
    assert_eq!(
        clock,
        json!({ "at": 30_000, "remaining_ms": { "red": 52_000, "blue": 40_000 }, "running": "blue" })
    );
    // The first wait ends before the flag falls, and the second wait ends after it.
    assert_eq!(client.done(json!({ "type": "wait", "at": 70_000, "audience": "red" }))["seen"], json!([]));
    let end = client.done(json!({ "type": "wait", "at": 70_001, "audience": "red" }));
    assert_eq!(end["outcome"], json!({ "winner": "red", "reason": "out_of_time" }));
    assert_eq!(end["seen"][0]["event"]["kind"], "ended");
    // `go_to` also sets the time back.
    client.done(json!({ "type": "go_to", "ply": 0 }));
    assert_eq!(client.everything()["at"], 0);
}

#[test]
fn deployments_end_when_their_time_does() {
    let mut client = Client::default();
    client.done(json!({ "type": "new_game", "ruleset": "barrage", "deploy_ms": 1000, "at": 5 }));
    let end = client.done(json!({ "type": "wait", "at": 1006 }));
    assert_eq!(end["outcome"], json!({ "reason": "aborted" }));
    assert_eq!(client.everything().get("position"), None);
}

#[test]
fn going_to_a_ply_that_is_not_kept_is_refused() {
    let mut client = barrage();
    command(&mut client, "red", go("a4a5"));
    command(&mut client, "blue", go("f7f6"));
    assert_eq!(client.refused(json!({ "type": "go_to", "ply": 3 })), "no_such_ply");
    assert_eq!(client.done(json!({ "type": "go_to", "ply": 1 }))["turn"], "blue");
    assert_eq!(client.done(json!({ "type": "go_to", "ply": 2 }))["turn"], "red");
    client.done(json!({ "type": "go_to", "ply": 0 }));
    command(&mut client, "red", go("a4a6"));
    assert_eq!(client.refused(json!({ "type": "go_to", "ply": 2 })), "no_such_ply");
}

#[test]
fn a_position_is_set_and_played_from_its_ply() {
    let mut client = Client::default();
    let position = "pbm-small blue 37 4 bF.7/b9*.7/.8/.2~.2~.2/.2~.2~.2/.8/r5'.7/rF.7";
    let answer = set(&mut client, position);
    assert_eq!(answer, json!({ "type": "done", "phase": "playing", "ply": 37, "turn": "blue" }));
    assert_eq!(client.everything()["position"], position);
    let strike = command(&mut client, "blue", go("a7a2"));
    assert_eq!(strike["strike"]["defender"], "5");
    // The strike captured Blue's last movable piece.
    assert_eq!(strike["phase"], "playing");
    let end = command(&mut client, "red", go("a2a3"));
    assert_eq!(end["outcome"], json!({ "winner": "red", "reason": "no_legal_move" }));
    assert_eq!(client.refused(json!({ "type": "go_to", "ply": 36 })), "no_such_ply");
    assert_eq!(client.done(json!({ "type": "go_to", "ply": 37 }))["turn"], "blue");
}

#[test]
fn a_position_without_legal_moves_ends_at_once() {
    let mut client = Client::default();
    let lost = "pbm-small red 10 0 bF.6b9/.8/.8/.2~.2~.2/.2~.2~.2/.8/.8/rF.7";
    assert_eq!(set(&mut client, lost)["outcome"], json!({ "winner": "blue", "reason": "no_legal_move" }));
    assert_eq!(client.done(json!({ "type": "go_to", "ply": 10 }))["phase"], "over");
    let record = client.done(json!({ "type": "record", "audience": "public" }))["record"].clone();
    assert_eq!((&record["start"], &record["outcome"]["reason"]), (&json!(lost), &json!("no_legal_move")));
    let drawn = "pbm-small red 10 0 bF.7/.8/.8/.2~.2~.2/.2~.2~.2/.8/.8/rF.7";
    assert_eq!(set(&mut client, drawn)["outcome"], json!({ "reason": "both_blocked" }));
}

#[test]
fn a_record_of_a_game_that_was_set_up_begins_with_what_its_audience_may_know() {
    let mut client = Client::default();
    let position = "pbm-small red 6 2 bF.6b9*/.8/.8/.2~.2~.2/.2~.2~.2/.8/r5.7/rF.7";
    let record = |client: &mut Client, audience: &str| -> GameRecord {
        let answer = client.done(json!({ "type": "record", "audience": audience }));
        serde_json::from_value(answer["record"].clone()).unwrap()
    };
    client.done(json!({ "type": "set_position", "position": position, "secret": ["red"] }));
    command(&mut client, "red", go("a2b2"));
    let hidden = |red: &str, blue: &str| {
        Some(
            position.replace("r5", &format!("r{red}")).replace("rF", "r?").replace("bF", &format!("b{blue}")),
        )
    };
    assert_eq!(record(&mut client, "public").start, hidden("?", "?"));
    assert_eq!(record(&mut client, "blue").start, hidden("?", "F"));
    assert_eq!(record(&mut client, "red").start, Some(position.replace("bF", "b?")));
    command(&mut client, "blue", json!({ "kind": "resign" }));
    // After the end, the players can see all ranks, and the public can see all except the secret
    // ones.
    assert_eq!(record(&mut client, "blue").start.as_deref(), Some(position));
    assert_eq!(record(&mut client, "red").start.as_deref(), Some(position));
    assert_eq!(record(&mut client, "public").start, hidden("?", "F"));
    let told = record(&mut client, "red");
    assert_eq!(told.events.len(), 2);
    assert!(told.deployments.red.is_none());
    assert!(told.to_string().contains(&format!("Start: {position}\n")));
}

#[test]
fn a_record_of_a_deployed_game_verifies_and_has_no_start() {
    let mut client = barrage();
    command(&mut client, "red", go("a4a7"));
    command(&mut client, "blue", json!({ "kind": "resign" }));
    for audience in ["red", "blue", "public"] {
        let answer = client.done(json!({ "type": "record", "audience": audience }));
        let record: GameRecord = serde_json::from_value(answer["record"].clone()).unwrap();
        assert_eq!(record.start, None);
        for side in flagfall_board::Side::BOTH {
            let opened = record.deployments[side].as_ref().unwrap();
            let commitment =
                flagfall_rules::Commitment::of_text(record.game, side, &opened.setup, &opened.salt.0);
            assert_eq!(record.commitments[side].unwrap().0, commitment.0);
        }
    }
}

#[test]
fn views_are_those_of_the_protocol_and_hide_what_they_hide() {
    let mut client = barrage();
    for audience in ["red", "blue", "public"] {
        let answer = client.done(json!({ "type": "show", "audience": audience }));
        let view: GameView = serde_json::from_value(answer["view"].clone()).unwrap();
        assert_eq!(serde_json::to_value(&view).unwrap(), answer["view"]);
        let hidden = view.pieces.iter().filter(|piece| piece.to_string().contains('?')).count();
        assert_eq!(hidden, if audience == "public" { 16 } else { 8 });
    }
    let everything = client.everything();
    assert_eq!(everything["pieces"].as_array().unwrap().len(), 16);
    assert!(!everything["pieces"].to_string().contains('?'));
    assert_eq!(everything["deployments"]["red"]["setup"], RED.replace(' ', ""));
}

#[test]
fn more_commands_than_are_kept_are_refused_and_going_back_makes_room() {
    let ruleset = Ruleset::find("barrage").unwrap();
    let mut client = Client::default();
    client.done(json!({ "type": "new_game", "ruleset": ruleset.id }));
    let deploy = json!({ "type": "command", "side": "red", "command": { "kind": "deploy", "setup": random_setup(ruleset, &mut Chance::new(1)) } });
    for _ in 0..STEPS_MAX {
        client.done(deploy.clone());
    }
    assert_eq!(client.refused(deploy), "too_many");
}

/// The lakes come from the seed and are shown immediately (§U2). An illegal act is not listed as
/// legal, but it is accepted and loses (§U7).
#[test]
fn course_draws_its_lakes_and_an_illegal_act_loses() {
    let ruleset = Ruleset::find("course").unwrap();
    let mut client = Client::default();
    let mut lakes = |seed: u64| {
        client.done(json!({ "type": "new_game", "ruleset": "course", "seed": seed }));
        client.everything()["lakes"].clone()
    };
    assert_eq!(lakes(1), lakes(1));
    assert!((2..20).any(|seed| lakes(seed) != lakes(1)));
    let drawn = lakes(1);
    assert_eq!(client.deploy(ruleset, &mut Chance::new(1))["phase"], "playing");
    assert_eq!(client.everything()["lakes"], drawn);
    let end = command(&mut client, "red", go("a4a4"));
    assert_eq!(end["outcome"], json!({ "winner": "blue", "reason": "illegal_act" }));
    assert_eq!(client.done(json!({ "type": "go_to", "ply": 0 }))["phase"], "playing");
    let record = client.done(json!({ "type": "record", "audience": "public" }))["record"].clone();
    assert_eq!(record["lakes"], drawn);
}
