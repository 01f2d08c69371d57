//! Tests of finished games, games of other players, and the commitments in the player's own
//! games.

use flagfall_board::{PerSide, Side};
use flagfall_protocol::Commitment;

use super::*;
use crate::commitments::tests::{commitment, opened};
use crate::request::Request;

const ID: &str = "0123456789ab";

fn asked(goal: Goal, is_plain: bool) -> Model {
    let mut model = online(goal);
    model.options.face = if is_plain { crate::model::Face::Lines } else { crate::model::Face::Screen };
    let effects = received(
        &mut model,
        r#"{"type":"refused","game":"0123456789ab","code":"no_such_game","message":"there is no such game"}"#,
    );
    let game = ID.parse().expect("an id");
    assert_eq!(effects, [Effect::Request(Request::Record { game })]);
    model
}

fn answered(model: &mut Model, answer: Result<Vec<u8>, String>) -> Vec<Effect> {
    let request = Request::Record { game: ID.parse().expect("an id") };
    update(model, Message::Answered { request, answer })
}

fn record() -> Vec<u8> {
    let protocol = include_str!("../../../../docs/protocol/messages.md");
    let line = protocol.lines().find(|line| line.starts_with(r#"{"format":1,"#)).expect("a record");
    line.as_bytes().to_vec()
}

fn goals() -> [Goal; 2] {
    let id = ID.parse().expect("an id");
    [Goal::Watch(Some(id)), Goal::Play(Wish { how: How::Game(id), ..Wish::default() })]
}

#[test]
fn a_game_that_is_over_and_no_longer_open_is_shown_from_its_record() {
    for goal in goals() {
        let mut model = asked(goal.clone(), true);
        assert_eq!(exit_code(&answered(&mut model, Ok(record()))), Some(0));
        let said = model.notes.iter().collect::<Vec<_>>().join("\n");
        assert!(said.contains("Red wins: Blue resigned."), "{said}");
        assert!(said.contains("a   "), "the board: {said}");
        let mut model = asked(goal, false);
        assert_eq!(answered(&mut model, Ok(record())), []);
        let replay = model.ui.replay.as_ref().expect("a record to step through");
        assert_eq!(replay.at, replay.last);
        assert_eq!(exit_code(&key(&mut model, Key::Char('q'))), Some(0));
    }
}

#[test]
fn a_game_that_does_not_exist_is_refused() {
    for goal in goals() {
        let mut model = asked(goal, true);
        assert_eq!(exit_code(&answered(&mut model, Err("there is no such thing".to_owned()))), Some(1));
    }
}

#[test]
fn spectators_learn_that_they_are_spectators() {
    let mut model = game("classic", "public", &classic_view("public"));
    assert!(model.notes.iter().any(|note| note.contains("You are a spectator")), "{:?}", model.notes);
    let id = ID.parse().expect("an id");
    model.goal = Goal::Play(Wish { how: How::Game(id), ..Wish::default() });
    model.game = None;
    model.opening = Some(id);
    received(&mut model, &shown("public", &classic_view("public"), 1));
    assert!(model.notes.iter().any(|note| note.contains("You have no seat in it: you are a spectator")));
}

/// Returns the message that shows the game.
fn shown(audience: &str, view: &str, epoch: u64) -> String {
    let view = if view.contains("commitments") {
        view.to_owned()
    } else {
        format!(r#""commitments":{{"red":null,"blue":null}},{view}"#)
    };
    format!(
        r#"{{"type":"game","game":{SUMMARY},"audience":"{audience}","driving":true,"epoch":{epoch},"seq":9,"presence":{{"red":"present","blue":"present"}},"view":{{"audience":"{audience}","ruleset":"classic","lakes":[],{view}}}}}"#
    )
    .replace("ba9876543210", ID)
}

fn committed(red: Commitment, blue: Commitment) -> String {
    format!(r#""commitments":{{"red":"{red}","blue":"{blue}"}},{}"#, classic_view("red"))
}

fn both() -> [Commitment; 2] {
    [commitment(Side::Red, "FR"), commitment(Side::Blue, "FB")]
}

fn started() -> (Model, Vec<Effect>) {
    let [red, blue] = both();
    let mut model = playing();
    let effects = received(&mut model, &shown("red", &committed(red, blue), 1));
    (model, effects)
}

fn end(model: &mut Model, red: &str, blue: &str) {
    let opened = PerSide::new(opened(red), opened(blue));
    let opened = serde_json::to_string(&opened).expect("JSON");
    received(
        model,
        &format!(
            r#"{{"type":"event","game":"{ID}","seq":10,"event":{{"kind":"ended","outcome":{{"reason":"draw_agreed"}},"opened":{opened}}},"change":{{}}}}"#
        ),
    );
}

fn warnings(model: &Model) -> Vec<&str> {
    model.notes.iter().filter(|note| note.starts_with("WARNING")).collect()
}

#[test]
fn the_commitments_shown_first_are_kept_and_held_against_what_is_opened() {
    let (mut model, effects) = started();
    assert!(effects.iter().any(|effect| matches!(effect, Effect::KeepCommitments { .. })), "{effects:?}");
    end(&mut model, "FR", "FB");
    assert_eq!(last_note(&model), "Both deployments match the commitments shown at the start.");
    assert_eq!(warnings(&model), [] as [&str; 0]);
    let (mut model, _) = started();
    end(&mut model, "FR", "BF");
    assert!(warnings(&model)[0].starts_with("WARNING: Blue's opened deployment does NOT match"));
    // A program's notes also contain the warning.
    let (mut model, _) = started();
    model.options.face = crate::model::Face::Program;
    end(&mut model, "RF", "FB");
    assert!(warnings(&model)[0].starts_with("WARNING: Red's opened deployment does NOT match"));
}

#[test]
fn commitments_are_checked_after_a_crash_of_the_client() {
    let [red, _] = both();
    let forged = commitment(Side::Blue, "BF");
    let (before, _) = started();
    let mut model = playing();
    model.commitments = before.commitments;
    // After the reconnection, the server shows different commitments, and then opens deployments
    // that match them.
    received(&mut model, &shown("red", &committed(red, forged), 1));
    assert!(warnings(&model)[0].starts_with("WARNING: Blue's commitment has changed."), "{:?}", model.notes);
    end(&mut model, "FR", "BF");
    assert!(warnings(&model).iter().any(|note| note.contains("Blue's opened deployment does NOT match")));
}

#[test]
fn new_commitments_after_a_restart_of_the_game_are_reported() {
    let [red, _] = both();
    let other = commitment(Side::Blue, "BF");
    let (mut model, _) = started();
    received(&mut model, &shown("red", &committed(red, other), 2));
    assert!(warnings(&model)[0].contains("lost a part of the game"), "{:?}", model.notes);
    end(&mut model, "FR", "BF");
    assert_eq!(last_note(&model), "Both deployments match the commitments shown at the start.");
}
