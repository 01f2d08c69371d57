//! Tests of the commands for play by mail.

use flagfall_protocol::{Accepted, ServerToClient, Time};

use super::*;
use crate::request::Request;

/// Returns a correspondence game at ply 4, on this side's turn.
fn slow(turn: &str) -> Model {
    let mut model = game(
        "classic",
        "red",
        &classic_view("red").replace(r#""turn":"red""#, &format!(r#""turn":"{turn}""#)),
    );
    model.options.face = crate::model::Face::Lines;
    if let Some(game) = &mut model.game {
        game.summary.terms.time = Time::Correspondence { days: 3 };
    }
    model.notes.take_unprinted();
    model
}

fn line(model: &mut Model, line: &str) -> Vec<Effect> {
    update(model, Message::Line(line.to_owned()))
}

fn asked(effects: &[Effect]) -> Vec<&Request> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Request(request) => Some(request),
            _ => None,
        })
        .collect()
}

fn answer(model: &mut Model, request: Request, body: &str) -> Vec<Effect> {
    update(model, Message::Answered { request, answer: Ok(body.as_bytes().to_vec()) })
}

#[test]
fn a_challenge_is_taken_back_by_its_code() {
    let mut model = online(Goal::Mail);
    model.options.face = crate::model::Face::Lines;
    let effects = line(&mut model, "withdraw 7hqz2m4kx0ab");
    let [ClientToServer::CancelChallenge { cmd_id, challenge }] = sent(&effects)[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(challenge, "7hqz2m4kx0ab");
    let done = format!(r#"{{"type":"accepted","cmd_id":"{}","outcome":{{"kind":"done"}}}}"#, cmd_id.as_str());
    received(&mut model, &done);
    assert_eq!(last_note(&model), "Challenge 7hqz2m4kx0ab has been withdrawn.");
    line(&mut model, "withdraw");
    assert!(last_note(&model).starts_with("Type “withdraw CODE”"), "{}", last_note(&model));
}

#[test]
fn every_word_maps_to_its_request() {
    let id = "0123456789ab";
    for (typed, path, is_own) in [
        ("games", "/api/me/games", true),
        ("next", "/api/me/games", true),
        ("challenges", "/api/me/challenges", true),
        ("show", "/api/games/0123456789ab", false),
        ("showas", "/api/games/0123456789ab", true),
        ("show ba9876543210", "/api/games/ba9876543210", false),
        ("history", "/api/games/0123456789ab/record.txt", true),
        ("history ba9876543210", "/api/games/ba9876543210/record.txt", true),
        ("history bob", "/api/players/bob/games", true),
        ("history ann bob", "/api/players/ann/against/bob", true),
        ("standings", "/api/leaderboards/classic/correspondence", false),
        ("standings barrage blitz", "/api/leaderboards/barrage/blitz", false),
        ("ratings", "/api/players/ann", false),
        ("ratings bob", "/api/players/bob", false),
        ("reject abc123", "/api/me/challenges/abc123", true),
        ("queue", "/api/games/0123456789ab/queue", true),
        ("queue clear", "/api/games/0123456789ab/queue", true),
    ] {
        let mut model = slow("blue");
        let effects = line(&mut model, typed);
        let [request] = asked(&effects)[..] else { panic!("{typed}: {effects:?}") };
        assert_eq!((request.path().as_str(), request.is_own()), (path, is_own), "{typed}");
        assert_eq!(model.connection.requests, 1, "{id}");
    }
}

#[test]
fn words_that_say_nothing_sensible_are_answered_in_words() {
    for (typed, word) in [
        ("open nowhere", "is not a game's id"),
        ("show nowhere", "is not a game's id"),
        ("history ann bob eve", "history NAME NAME"),
        ("history ../x", "is not a player's name"),
        ("ratings a b", "is not a player's name"),
        ("standings chess", "neither a ruleset nor a speed"),
        ("propose peace", "“propose draw” or “propose rematch”"),
        ("queue a4", "is not understood"),
        ("queue resign", "is not understood"),
        ("queue a4a5 if resign", "is not understood"),
        ("set upside down", "set flip"),
        ("move #x a4a5", "is not a ply number"),
        ("challenge ann bob", "is not understood"),
        ("challenge 9years", "is not a clock"),
    ] {
        let mut model = slow("blue");
        assert_eq!(line(&mut model, typed), [], "{typed}");
        assert!(last_note(&model).contains(word), "{typed}: {}", last_note(&model));
        assert!(model.input.was_refused, "{typed}");
    }
}

#[test]
fn a_move_for_another_ply_is_sent_for_that_ply_and_the_server_refuses_it() {
    let mut model = slow("red");
    for (typed, at) in [("move #3 a5a6", 3), ("a5a6 #7", 7), ("move #4 a5a6", 4)] {
        let effects = line(&mut model, typed);
        let [ClientToServer::Command { cmd_id, command: GameCommand::Move { .. }, ply, .. }] =
            sent(&effects)[..]
        else {
            panic!("{typed}: {effects:?}");
        };
        assert_eq!(*ply, at, "{typed}");
        let refusal = format!(
            r#"{{"type":"refused","cmd_id":"{}","game":"0123456789ab","code":"stale_ply","message":"the game has moved on","seq":7}}"#,
            cmd_id.as_str()
        );
        assert_eq!(sent(&received(&mut model, &refusal)), [] as [&ClientToServer; 0]);
        assert!(last_note(&model).starts_with("Your command was not carried out. "), "{}", last_note(&model));
    }
}

#[test]
fn queues_are_for_turns_to_come_in_games_with_days_per_move() {
    let mut model = slow("blue");
    let effects = line(&mut model, "queue a5a6 if b7b6, a6a7");
    let [Request::SetQueue { ply: 4, epoch: 1, moves, .. }] = asked(&effects)[..] else {
        panic!("{effects:?}")
    };
    assert_eq!((moves.len(), moves[0].after.is_some(), moves[1].after.is_some()), (2, true, false));
    let request = asked(&effects)[0].clone();
    let told = r#"{"game":"0123456789ab","ply":6,"moves":[{"command":{"kind":"move","move":"a5a6"},"if":"b7b6"},{"command":{"kind":"move","move":"a6a7"}}]}"#;
    answer(&mut model, request, told);
    assert_eq!(last_note(&model), "Queued moves from ply 6 on: a5a6 if b7b6, a6a7.");

    let mut own = slow("red");
    assert_eq!(line(&mut own, "queue a5a6"), []);
    assert!(last_note(&own).starts_with("It is your turn"));
    let mut live = playing();
    assert_eq!(line(&mut live, "queue a5a6"), []);
    assert!(last_note(&live).starts_with("Moves can only be queued in games with days per move"));
}

#[test]
fn draws_are_proposed_accepted_and_rejected() {
    let mut model = slow("blue");
    let effects = line(&mut model, "propose");
    assert!(matches!(
        sent(&effects)[..],
        [ClientToServer::Command { command: GameCommand::OfferDraw {}, .. }]
    ));
    let effects = line(&mut model, "accept");
    assert!(matches!(
        sent(&effects)[..],
        [ClientToServer::Command { command: GameCommand::AcceptDraw {}, .. }]
    ));
    let effects = line(&mut model, "reject");
    assert!(matches!(
        sent(&effects)[..],
        [ClientToServer::Command { command: GameCommand::DeclineDraw {}, .. }]
    ));
}

#[test]
fn settings_are_saved_and_listed() {
    let mut model = slow("red");
    line(&mut model, "set noflip");
    assert!(!model.options.flip && last_note(&model).contains("Red always at the bottom"));
    line(&mut model, "set numbers eu");
    assert!(last_note(&model).contains("10 Marshal to 2 Scout"));
    line(&mut model, "set flip");
    line(&mut model, "set");
    assert!(model.options.flip && last_note(&model).contains("your side at the bottom"));
}

/// Returns the prompt for play by mail, with no open game.
fn mail() -> Model {
    let mut model = online(Goal::Mail);
    model.options.face = crate::model::Face::Lines;
    model
}

#[test]
fn a_challenge_by_name_is_made_and_then_addressed() {
    let mut model = mail();
    let effects = line(&mut model, "challenge Bob -small 5days red rated");
    let [ClientToServer::Challenge { cmd_id, terms, side: Some(Side::Red) }] = sent(&effects)[..] else {
        panic!("{effects:?}");
    };
    assert_eq!(
        (terms.ruleset.as_str(), terms.time, terms.rated),
        ("pbm-small", Time::Correspondence { days: 5 }, true)
    );
    let outcome = Accepted::Challenge { challenge: "abc1234567".to_owned(), expires: START + 1 };
    let accepted = ServerToClient::Accepted { cmd_id: cmd_id.clone(), outcome };
    let effects = update(&mut model, Message::Received(Box::new(accepted)));
    let [request @ Request::Invite { challenge, name }] = asked(&effects)[..] else { panic!("{effects:?}") };
    assert_eq!((challenge.as_str(), name.as_str()), ("abc1234567", "Bob"));
    assert_eq!(request.method(), "POST");
}

#[test]
fn the_prompt_opens_games_and_leaves_challenges_standing() {
    let mut model = mail();
    let effects = line(&mut model, "open ba9876543210");
    assert!(matches!(sent(&effects)[..], [ClientToServer::OpenGame { .. }]));
    let effects = line(&mut model, "quit");
    assert_eq!(exit_code(&effects), Some(0));
    assert_eq!(sent(&effects), [] as [&ClientToServer; 0]);
}

#[test]
fn next_opens_the_first_game_that_waits_or_says_that_none_does() {
    let own = |to_act: bool| {
        format!(
            r#"{{"games":[{{"game":{SUMMARY},"side":"red","to_act":{to_act},"deadline":7200000}}],"server_time":3600000}}"#
        )
    };
    let mut model = online(Goal::Next);
    let effects = answer(&mut model, Request::Next, &own(true));
    assert!(matches!(sent(&effects)[..], [ClientToServer::OpenGame { .. }]), "{effects:?}");
    let mut model = online(Goal::Next);
    let effects = answer(&mut model, Request::Next, &own(false));
    assert_eq!(exit_code(&effects), Some(0));
    let word = model.last_words.first().map(String::as_str).unwrap_or_else(|| last_note(&model));
    assert_eq!(word, "It is not your turn in your one running game. It may be your turn within 1:00:00.");
}

#[test]
fn help_names_every_word() {
    let mut model = slow("red");
    line(&mut model, "help");
    let help: String = model.notes.iter().collect::<Vec<_>>().join("\n");
    for word in [
        "challenge",
        "set",
        "deploy",
        "move",
        "queue",
        "show",
        "showas",
        "history",
        "standings",
        "ratings",
        "resign",
        "propose",
        "accept",
        "reject",
        "games",
        "next",
        "open",
    ] {
        assert!(help.contains(word), "{word}");
    }
    let folded: Vec<String> = help.lines().flat_map(|line| crate::words::fold(line, 80)).collect();
    assert!(folded.iter().all(|line| line.len() <= 80), "{folded:?}");
    assert!(help.lines().all(|line| !line.starts_with(' ')), "an entry is a line");
}
