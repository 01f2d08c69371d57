//! Tests of the line-based mode for scripts and screen readers.

use super::connection::event;
use super::*;

fn scripted(view: &str) -> Model {
    let mut model = game("classic", "red", view);
    model.options.face = crate::model::Face::Script;
    model.notes.take_unprinted();
    model
}

#[test]
fn a_scripts_move_waits_for_its_turn_and_its_end_ends_the_program() {
    let view = classic_view("red").replace(r#""turn":"red""#, r#""turn":"blue""#);
    let mut model = scripted(&view);
    assert_eq!(update(&mut model, Message::Line("a5a6".to_owned())), []);
    assert!(!model.is_ready_for_line());
    update(&mut model, Message::InputEnded);
    let blue = r#"{"type":"event","game":"0123456789ab","seq":8,"event":{"kind":"moved","side":"blue","move":"e6e5","piece":"?"},"change":{"turn":"red","pieces":["e5b?'"]}}"#;
    let effects = received(&mut model, blue);
    let [ClientToServer::Command { cmd_id, command: GameCommand::Move { .. }, ply: 5, .. }] =
        sent(&effects)[..]
    else {
        panic!("{effects:?}");
    };
    assert_eq!(exit_code(&effects), None, "the answer is awaited");
    let refusal = format!(
        r#"{{"type":"refused","cmd_id":"{}","game":"0123456789ab","code":"lake","message":"nothing enters a lake","seq":8}}"#,
        cmd_id.as_str()
    );
    let effects = received(&mut model, &refusal);
    assert_eq!(exit_code(&effects), Some(1), "the last thing asked was refused");
}

#[test]
fn a_line_that_would_lose_by_an_illegal_move_wants_another_one() {
    let mut model = game("course", "red", &classic_view("red"));
    model.options.face = crate::model::Face::Lines;
    let line = |model: &mut Model, line: &str| update(model, Message::Line(line.to_owned()));
    assert_eq!(sent(&line(&mut model, "d1d2")), [] as [&ClientToServer; 0]);
    assert!(last_note(&model).starts_with("d1d2 is against the rules"), "{}", last_note(&model));
    // Another line cancels the question, so `sure` alone then has no effect.
    assert_eq!(sent(&line(&mut model, "c4c5")).len(), 1);
    assert_eq!(sent(&line(&mut model, "sure")), [] as [&ClientToServer; 0]);
    line(&mut model, "d1d2");
    assert_eq!(sent(&line(&mut model, "sure")).len(), 1);
}

#[test]
fn drawn_lakes_are_announced_before_the_deployment() {
    let told = |ruleset: &str| {
        let mut model = game(ruleset, "red", &classic_view("red"));
        model.options.face = crate::model::Face::Lines;
        model.game = None;
        model.opening = Some("ba9876543210".parse().expect("an id"));
        let deploying = format!(
            r#"{{"type":"game","game":{SUMMARY},"audience":"red","driving":true,"epoch":1,"seq":0,"presence":{{"red":"present","blue":"present"}},"view":{{"audience":"red","ruleset":"{ruleset}","lakes":["a5","b5","f5","g5","a6","b6","f6","g6"],"commitments":{{"red":null,"blue":null}},{}}}}}"#,
            deploying_view(START + 1_000)
        );
        received(&mut model, &deploying);
        model.notes.iter().any(|note| note == "The lakes of this game: a5 b5 f5 g5 a6 b6 f6 g6.")
    };
    assert!(told("course"));
    assert!(!told("classic"), "everybody knows those");
}

#[test]
fn lines_are_answered_in_words() {
    let mut model = scripted(&classic_view("red"));
    for (line, words) in [
        ("frobnicate", "“frobnicate” is not understood. Type a move, such as a4a5, or type “help”."),
        ("move here", "“here” is not understood. Type a move, such as a4a5, or type “help”."),
        ("deploy random", "You cannot deploy now."),
        ("rematch", ""),
    ] {
        model.input.held = None;
        update(&mut model, Message::Line(line.to_owned()));
        if !words.is_empty() {
            assert_eq!(last_note(&model), words);
        }
    }
    model.input.held = None;
    let effects = update(&mut model, Message::Line("move a5-b5".to_owned()));
    assert_eq!(sent(&effects).len(), 1);
}

#[test]
fn a_scripts_move_waits_for_its_turn_however_it_is_written() {
    for line in ["a4a5", "a4 - a5", "A4-A5", "move a4 a5", "MOVE a4a5"] {
        let mut model = scripted(&classic_view("red"));
        model.game.as_mut().expect("a game").view.turn = Some(Side::Blue);
        assert_eq!(sent(&update(&mut model, Message::Line(line.to_owned()))).len(), 0, "{line}");
        assert_eq!(model.input.held.as_deref(), Some(line));
    }
}

#[test]
fn the_line_based_view_shows_board_state_and_losses() {
    let mut model = scripted(&classic_view("red"));
    for line in ["board", "status", "captured", "help"] {
        update(&mut model, Message::Line(line.to_owned()));
    }
    insta::assert_snapshot!(model.notes.take_unprinted().join("\n"));
}

#[test]
fn line_based_watching_ends_with_the_game() {
    let mut model = game("classic", "public", &classic_view("public"));
    model.options.face = crate::model::Face::Lines;
    received(&mut model, &event(8));
    let ended = r#"{"type":"event","game":"0123456789ab","seq":9,"event":{"kind":"ended","outcome":{"reason":"draw_agreed"},"opened":{"red":null,"blue":null}},"change":{}}"#;
    assert_eq!(exit_code(&received(&mut model, ended)), Some(0));
    assert!(model.notes.iter().any(|note| note == "A draw: both sides agreed."));
}
