//! Tests with servers that temporarily cannot carry out a request.

use flagfall_protocol::Time;

use super::connection::failed;
use super::*;

/// Returns the model of a program that plays many games in a row and has not connected yet.
fn program() -> Model {
    let options = crate::model::Options { face: crate::model::Face::Program, ..options() };
    let wish =
        Wish { ruleset: Some("pbm-small".to_owned()), time: Some(Time::Unlimited {}), ..Wish::default() };
    let mut model = Model::new(options, Goal::Play(wish), Random::Seeded(Chance::new(7)));
    model.clock.now = START;
    model
}

fn person() -> Model {
    let mut model = program();
    model.options.face = crate::model::Face::Script;
    model
}

const LOBBY: &str = r#"{"type":"lobby","seeks":[],"games":[],"players_online":1}"#;

/// Connects the model, which then makes an offer that has no answer yet.
fn offering(mut model: Model) -> Model {
    welcome(&mut model, "[]");
    received(&mut model, LOBBY);
    assert!(
        matches!(&model.connection.pending[..], [pending] if matches!(pending.message, ClientToServer::Seek { .. }))
    );
    model
}

fn refuse(model: &mut Model, code: &str) -> Vec<Effect> {
    let cmd_id = model.connection.pending[0].cmd_id.as_str().to_owned();
    let text = format!(r#"{{"type":"refused","cmd_id":"{cmd_id}","code":"{code}","message":"no"}}"#);
    received(model, &text)
}

fn refuse_hello(model: &mut Model, code: &str) -> Vec<Effect> {
    received(model, &format!(r#"{{"type":"refused","code":"{code}","message":"no"}}"#))
}

fn tick(model: &mut Model, ms: u64) -> Vec<Effect> {
    model.clock.now += ms;
    model.connection.heard_at = model.clock.now;
    update(model, Message::Tick)
}

fn complaints(model: &Model) -> usize {
    model.notes.iter().filter(|note| note.starts_with("The server cannot do this now. No.")).count()
}

#[track_caller]
fn delay(effects: &[Effect]) -> u64 {
    match effects {
        [Effect::Connect { delay_ms }] => *delay_ms,
        other => panic!("{other:?}"),
    }
}

#[test]
fn temporary_refusals_are_retried_with_growing_pauses() {
    for code in ["store_unavailable", "stopping", "internal", "too_many", "left_games"] {
        let mut model = offering(program());
        let asked = model.connection.pending[0].message.clone();
        for refusal in 0..8_u32 {
            assert_eq!(refuse(&mut model, code), [], "{code}");
            let most = (1_000_u64 << refusal).min(30_000);
            assert_eq!(tick(&mut model, most / 2 - 1), [], "{code} {refusal}");
            assert_eq!(sent(&tick(&mut model, most - most / 2 + 1)), [&asked], "{code}: with the same id");
            assert_eq!(tick(&mut model, 60_000), [], "it is on its way");
        }
        assert_eq!(complaints(&model), 1, "{code}: {:?}", model.notes);
        let cmd_id = model.connection.pending[0].cmd_id.as_str().to_owned();
        let seek = r#"{"kind":"seek","seek":"s1"}"#;
        received(&mut model, &format!(r#"{{"type":"accepted","cmd_id":"{cmd_id}","outcome":{seek}}}"#));
        assert!(model.notes.iter().any(|note| note.contains("Your offer is in the lobby")), "{code}");
        assert_eq!((model.connection.retry, tick(&mut model, 60_000)), (None, Vec::new()));
    }
}

#[test]
fn only_outages_keep_a_person_waiting() {
    let mut model = offering(person());
    assert_eq!(refuse(&mut model, "store_unavailable"), []);
    // A moment later, the server reports that its store is unavailable. From then on, the client
    // must not repeat anything until the store is back.
    received(&mut model, r#"{"type":"store_state","available":false}"#);
    assert_eq!(tick(&mut model, 60_000), []);
    let back = received(&mut model, r#"{"type":"store_state","available":true}"#);
    assert_eq!(sent(&back), [&model.connection.pending[0].message]);
    for code in ["too_many", "internal", "left_games"] {
        assert_eq!(exit_code(&refuse(&mut offering(person()), code)), Some(1), "{code}");
    }
}

#[test]
fn a_final_refusal_ends_a_program_with_the_servers_message() {
    for code in ["bad_time", "no_such_ruleset", "blocked"] {
        let mut model = offering(program());
        assert_eq!(exit_code(&refuse(&mut model, code)), Some(1), "{code}");
        assert_eq!(model.last_words, ["No."], "{code}");
    }
    for code in ["bad_token", "bad_name", "protocol_version", "account_closed"] {
        let mut model = program();
        update(&mut model, Message::Connected);
        assert_eq!(exit_code(&refuse_hello(&mut model, code)), Some(1), "{code}");
    }
}

#[test]
fn a_game_that_cannot_be_opened_now_is_opened_later() {
    let mut model = offering(program());
    let started = format!(r#"{{"type":"game_started","game":{SUMMARY},"side":"red"}}"#);
    received(&mut model, &started);
    model.connection.pending.clear();
    let refused = r#"{"type":"refused","game":"ba9876543210","code":"store_unavailable","message":"no"}"#;
    assert_eq!(received(&mut model, refused), []);
    assert!(matches!(sent(&tick(&mut model, 1_000))[..], [ClientToServer::OpenGame { .. }]));
}

#[test]
fn a_busy_server_is_retried_by_programs_and_a_store_that_is_away_by_people_too() {
    let busy = [
        ("store_unavailable", 1013, program as fn() -> Model),
        ("store_unavailable", 1013, person),
        ("too_many", 4003, program),
    ];
    for (code, close, model) in busy {
        let mut model = model();
        let mut shortest = u64::MAX;
        for _ in 0..5 {
            update(&mut model, Message::Connected);
            assert_eq!(refuse_hello(&mut model, code), [], "{code}");
            shortest = shortest.min(delay(&lose(&mut model, Some(close))));
        }
        assert!(shortest >= 800, "{code}: not at once: {shortest} ms");
        assert_eq!(complaints(&model), 1, "{code}: {:?}", model.notes);
        // The connection is lost and restored in the meantime.
        assert!(delay(&update(&mut model, failed())) <= 5_000);
        assert!(matches!(sent(&welcome(&mut model, "[]"))[..], [ClientToServer::OpenLobby { .. }]));
        assert_eq!(model.connection.retry, None);
    }
    let mut model = person();
    update(&mut model, Message::Connected);
    assert_eq!(exit_code(&refuse_hello(&mut model, "too_many")), Some(1));
    let mut model = program();
    update(&mut model, Message::Connected);
    assert!(delay(&lose(&mut model, Some(4000))) <= 100, "the server stops, and another one is there");
    let mut model = program();
    update(&mut model, Message::Connected);
    assert_eq!(exit_code(&lose(&mut model, None)), Some(3), "this is not a Flagfall server");
}

#[test]
fn a_server_that_hangs_up_on_every_hello_is_dialed_more_and_more_slowly() {
    for code in [1013, 4000, 4003] {
        let mut model = playing();
        let first = delay(&lose(&mut model, None));
        assert_eq!(first, 0);
        let mut last = 0;
        for _ in 0..8 {
            update(&mut model, Message::Connected);
            last = delay(&lose(&mut model, Some(code)));
        }
        assert!((2_500..=5_000).contains(&last), "{code}: {last} ms");
        let told = model.notes.iter().filter(|note| note.contains("Reconnecting")).count();
        assert_eq!(told, 1, "{code}: {:?}", model.notes);
        welcome(&mut model, "[]");
        assert_eq!(delay(&lose(&mut model, Some(4000))), 0, "the line was up");
    }
}

#[test]
fn after_too_many_messages_a_client_lets_a_moment_go_by() {
    let mut model = program();
    welcome(&mut model, "[]");
    assert_eq!(refuse_hello(&mut model, "too_many"), [], "no error before anything was requested");
    let waited = delay(&lose(&mut model, Some(4003)));
    assert!((800..=1_600).contains(&waited), "{waited} ms");
}

#[test]
fn a_client_that_speaks_wrongly_does_not_come_again() {
    for code in [1002, 1003, 1007, 1008, 1009] {
        let mut model = playing();
        assert_eq!(exit_code(&lose(&mut model, Some(code))), Some(1), "{code}");
        assert!(model.last_words[0].contains(&code.to_string()), "{:?}", model.last_words);
    }
}
