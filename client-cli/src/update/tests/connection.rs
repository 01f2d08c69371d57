use flagfall_protocol::{Code, RefusalArgs};

use super::*;

#[test]
fn a_new_guest_gives_a_name_and_a_known_one_a_credential() {
    let mut model = Model::new(options(), Goal::Games, Random::Seeded(Chance::new(1)));
    model.options.name = Some("ann".to_owned());
    assert_eq!(update(&mut model, Message::Started), [Effect::Connect { delay_ms: 0 }]);
    let effects = update(&mut model, Message::Connected);
    assert!(matches!(sent(&effects)[..], [ClientToServer::Hello { token: None, name: Some(_), .. }]));
    model.login.token = Some(Secret::new("t"));
    let effects = update(&mut model, Message::Connected);
    assert!(matches!(sent(&effects)[..], [ClientToServer::Hello { token: Some(_), name: None, .. }]));
    assert!(!format!("{model:?}").contains("Secret(\"t"), "no credential in a panic's words");
}

pub(super) fn failed() -> Message {
    Message::ConnectFailed { why: "connection refused".to_owned(), advice: "Name another one.".to_owned() }
}

#[test]
fn an_unreachable_server_at_the_start_ends_the_program() {
    let mut model = Model::new(options(), Goal::Games, Random::Seeded(Chance::new(1)));
    let effects = update(&mut model, failed());
    assert_eq!(exit_code(&effects), Some(3));
    let said = "Cannot reach ws://127.0.0.1:7171/ws: connection refused. Name another one.";
    assert_eq!(model.last_words, [said]);
}

#[test]
fn a_lost_connection_is_dialed_at_once_and_then_more_and_more_slowly() {
    let mut model = playing();
    assert_eq!(lose(&mut model, None), [Effect::Connect { delay_ms: 0 }]);
    let mut longest = 0;
    for failure in 1..=12_u32 {
        let effects = update(&mut model, failed());
        let [Effect::Connect { delay_ms }] = effects[..] else { panic!("{effects:?}") };
        let full = (100_u64 << (failure - 1)).min(5_000);
        assert!((full / 2..=full).contains(&delay_ms), "failure {failure}: {delay_ms} ms");
        longest = longest.max(delay_ms);
    }
    assert!(longest <= 5_000);
}

#[test]
fn close_codes_of_the_second_hundred_are_final() {
    for code in [4100, 4102, 4104, 4105, 4106, 4199] {
        let mut model = playing();
        let effects = lose(&mut model, Some(code));
        assert_eq!(exit_code(&effects), Some(1), "{code}");
        assert!(!effects.iter().any(|effect| matches!(effect, Effect::Connect { .. })), "{code}");
        assert_eq!(model.connection.link, Link::Closed);
    }
    let mut model = playing();
    lose(&mut model, Some(4100));
    assert!(model.last_words[0].contains("your seat in game"), "{:?}", model.last_words);
    for code in [1006, 4000, 4001, 4002, 4004] {
        assert_eq!(lose(&mut playing(), Some(code)), [Effect::Connect { delay_ms: 0 }], "{code}");
    }
}

#[test]
fn after_a_loss_the_game_is_opened_from_where_it_was_and_commands_go_out_again_with_their_ids() {
    let mut model = playing();
    let effects = type_in(&mut model, "a5a6");
    let first = sent(&effects)[0].clone();
    assert!(matches!(&first, ClientToServer::Command { ply: 4, command: GameCommand::Move { .. }, .. }));
    lose(&mut model, None);
    let effects = welcome(&mut model, "[]");
    let [ClientToServer::OpenGame { since: Some(since), .. }, again] = sent(&effects)[..] else {
        panic!("{effects:?}");
    };
    assert_eq!((since.epoch, since.seq), (1, 7));
    assert_eq!(*again, first);
    // After the answer, the command is not sent again.
    let ClientToServer::Command { cmd_id, .. } = &first else { panic!("a command") };
    let answer = format!(
        r#"{{"type":"accepted","cmd_id":"{}","outcome":{{"kind":"game","game":"0123456789ab","seq":8}}}}"#,
        cmd_id.as_str()
    );
    received(&mut model, &answer);
    lose(&mut model, None);
    assert_eq!(sent(&welcome(&mut model, "[]")).len(), 1);
}

const MOVED: &str = r#"{"kind":"moved","side":"red","move":"a5a6","piece":"?"}"#;

pub(super) fn event(seq: u64) -> String {
    format!(
        r#"{{"type":"event","game":"0123456789ab","seq":{seq},"event":{MOVED},"change":{{"turn":"blue","pieces":["a6r6'*"]}}}}"#
    )
}

#[test]
fn events_are_applied_in_order_doubles_are_ignored_and_a_gap_asks_for_the_game() {
    let mut model = playing();
    received(&mut model, &event(8));
    let open = model.game.as_ref().expect("a game");
    assert_eq!((open.seq, open.view.ply, open.view.turn), (8, 5, Some(Side::Blue)));
    assert_eq!(last_note(&model), "Red moves a5a6.");
    received(&mut model, &event(8));
    assert_eq!(model.game.as_ref().expect("a game").view.ply, 5);
    let effects = received(&mut model, &event(10));
    assert!(matches!(sent(&effects)[..], [ClientToServer::OpenGame { since: Some(_), .. }]));
    // The client has already requested the game, and the answer will include this event too.
    assert!(received(&mut model, &event(11)).is_empty());
    assert_eq!(model.game.as_ref().expect("a game").seq, 8);
}

#[test]
fn a_ping_is_answered_and_its_head_tells_that_something_was_missed() {
    let mut model = playing();
    let ping = |seq: u64| {
        format!(
            r#"{{"type":"ping","id":3,"server_time":{START},"heads":[{{"game":"0123456789ab","seq":{seq}}}]}}"#
        )
    };
    let effects = received(&mut model, &ping(7));
    assert_eq!(sent(&effects), [&ClientToServer::Pong { id: 3 }]);
    let effects = received(&mut model, &ping(9));
    assert!(matches!(sent(&effects)[..], [ClientToServer::Pong { id: 3 }, ClientToServer::OpenGame { .. }]));
}

#[test]
fn a_connection_that_falls_silent_is_hung_up() {
    let mut model = playing();
    model.clock.now += 60_000;
    assert_eq!(update(&mut model, Message::Tick), [], "a server that never pings may be silent");
    received(&mut model, &format!(r#"{{"type":"ping","id":1,"server_time":{START},"heads":[]}}"#));
    model.clock.now += 19_000;
    assert_eq!(update(&mut model, Message::Tick), []);
    model.clock.now += 2_000;
    assert_eq!(update(&mut model, Message::Tick), [Effect::Disconnect]);
}

/// Returns the game as it is in this epoch.
pub(super) fn turned_back(epoch: u64) -> String {
    format!(
        r#"{{"type":"game","game":{SUMMARY},"audience":"red","driving":true,"epoch":{epoch},"seq":5,"presence":{{"red":"present","blue":"present"}},"view":{{"audience":"red","ruleset":"classic","lakes":[],"commitments":{{"red":null,"blue":null}},{}}}}}"#,
        classic_view("red")
    )
    .replace("ba9876543210", "0123456789ab")
}

#[test]
fn a_game_that_was_turned_back_says_so() {
    let mut model = playing();
    lose(&mut model, None);
    welcome(&mut model, "[]");
    received(&mut model, &turned_back(1));
    assert!(!last_note(&model).contains("earlier state"));
    received(&mut model, &turned_back(2));
    assert!(last_note(&model).contains("earlier state"), "{}", last_note(&model));
}

#[test]
fn a_command_of_a_lost_branch_is_reported_and_not_repeated() {
    for (keys, not_done) in [("a5a6", "Your move a5a6 was not made"), ("R", "You have not resigned")] {
        let mut model = playing();
        let effects = match keys {
            "R" => {
                key(&mut model, Key::Char('R'));
                key(&mut model, Key::Char('y'))
            }
            squares => type_in(&mut model, squares),
        };
        let [ClientToServer::Command { cmd_id, epoch: Some(1), .. }] = sent(&effects)[..] else {
            panic!("{effects:?}")
        };
        let cmd_id = cmd_id.clone();
        lose(&mut model, None);
        let effects = welcome(&mut model, "[]");
        let [_, ClientToServer::Command { epoch: Some(1), .. }] = sent(&effects)[..] else {
            panic!("the command is repeated: {effects:?}")
        };
        received(&mut model, &turned_back(2));
        let refusal = format!(
            r#"{{"type":"refused","cmd_id":"{}","game":"0123456789ab","code":"stale_epoch","message":"no","seq":5}}"#,
            cmd_id.as_str()
        );
        assert_eq!(received(&mut model, &refusal), []);
        let told = format!(
            "{not_done}, because the server lost the last moves of the game. Look at the board again."
        );
        assert_eq!(last_note(&model), told);
        assert!(model.connection.pending.is_empty() && model.input.was_refused);
        let effects = type_in(&mut model, "c4c5");
        assert!(
            matches!(sent(&effects)[..], [ClientToServer::Command { epoch: Some(2), .. }]),
            "{effects:?}"
        );
    }
}

#[test]
fn open_questions_are_dropped_when_moves_are_lost() {
    let mut model = playing();
    key(&mut model, Key::Char('R'));
    received(&mut model, &turned_back(1));
    assert_eq!(model.ui.prompt, Some(Prompt::Resign), "the same epoch: nothing is lost");
    received(&mut model, &turned_back(2));
    assert_eq!(model.ui.prompt, None);
    assert_eq!(sent(&key(&mut model, Key::Char('y'))), [] as [&ClientToServer; 0]);
    let mut model = playing();
    model.ui.prompt = Some(Prompt::Say("well".to_owned()));
    received(&mut model, &turned_back(2));
    assert_eq!(model.ui.prompt, Some(Prompt::Say("well".to_owned())));
}

#[test]
fn a_resignation_is_sent_again_after_the_opponents_move() {
    let mut model = playing();
    key(&mut model, Key::Char('R'));
    let effects = key(&mut model, Key::Char('y'));
    let [ClientToServer::Command { cmd_id, .. }] = sent(&effects)[..] else { panic!("{effects:?}") };
    let refusal = |cmd_id: &str| {
        format!(
            r#"{{"type":"refused","cmd_id":"{cmd_id}","game":"0123456789ab","code":"stale_ply","message":"that was no","seq":8}}"#
        )
    };
    received(&mut model, &event(8));
    let effects = received(&mut model, &refusal(cmd_id.as_str()));
    let [ClientToServer::Command { cmd_id: again, ply: 5, command: GameCommand::Resign {}, .. }] =
        sent(&effects)[..]
    else {
        panic!("{effects:?}")
    };
    assert_ne!(again, cmd_id);
    // If the client has seen no newer ply, it must not repeat the command.
    let effects = received(&mut model, &refusal(again.as_str()));
    assert!(sent(&effects).is_empty());
    assert!(last_note(&model).starts_with("Your command was not carried out"));
}

#[test]
fn refused_and_stale_moves_are_reported() {
    let mut model = playing();
    for (code, start) in
        [("stale_ply", "Your command was not carried out. That was"), ("two_squares", "Two-squares rule: ")]
    {
        let effects = type_in(&mut model, "a5a6");
        let [ClientToServer::Command { cmd_id, .. }] = sent(&effects)[..] else { panic!("{effects:?}") };
        let refusal = format!(
            r#"{{"type":"refused","cmd_id":"{}","game":"0123456789ab","code":"{code}","message":"that was no","seq":7}}"#,
            cmd_id.as_str()
        );
        let effects = received(&mut model, &refusal);
        assert_eq!(effects, []);
        assert!(last_note(&model).starts_with(start), "{}", last_note(&model));
        assert!(model.connection.pending.is_empty());
    }
}

#[test]
fn a_superseded_client_is_read_only_and_does_not_take_the_seat_back() {
    let mut model = playing();
    received(&mut model, r#"{"type":"superseded","game":"0123456789ab"}"#);
    assert_eq!(sent(&type_in(&mut model, "a5a6")), [] as [&ClientToServer; 0]);
    assert!(last_note(&model).contains("read-only"), "{}", last_note(&model));
    received(&mut model, &event(8));
    assert_eq!(model.game.as_ref().expect("a game").seq, 8, "it still follows the game");
    let effects = lose(&mut model, None);
    assert_eq!(exit_code(&effects), Some(0));
}

#[test]
fn an_outage_is_announced_once_and_its_requests_are_repeated() {
    let mut model = playing();
    let told = |model: &Model| model.notes.iter().filter(|note| note.contains("reach")).count();
    for available in [false, false] {
        assert_eq!(received(&mut model, &format!(r#"{{"type":"store_state","available":{available}}}"#)), []);
    }
    assert_eq!(told(&model), 1);
    let notes = model.notes.len();
    let asked = sent(&type_in(&mut model, "a5a6")).into_iter().cloned().collect::<Vec<_>>();
    let cmd_id = model.connection.pending[0].cmd_id.as_str().to_owned();
    let refused = format!(
        r#"{{"type":"refused","cmd_id":"{cmd_id}","game":"0123456789ab","code":"store_unavailable","message":"no"}}"#
    );
    assert_eq!(received(&mut model, &refused), []);
    assert!(model.notes.len() <= notes + 1 && told(&model) == 1, "no error for each click");
    let effects = received(&mut model, r#"{"type":"store_state","available":true}"#);
    assert_eq!(sent(&effects), asked.iter().collect::<Vec<_>>());
    assert_eq!(told(&model), 2);
}

#[test]
fn while_a_part_of_the_store_is_away_only_its_games_keep_their_commands() {
    let mut model = playing();
    let state = |game: &str, available: bool| {
        format!(r#"{{"type":"store_state","available":{available},"game":"{game}"}}"#)
    };
    let notes = model.notes.len();
    for _ in 0..2 {
        received(&mut model, &state("0123456789ab", false));
    }
    assert_eq!(model.notes.len(), notes + 1, "once: {}", last_note(&model));
    let asked = sent(&type_in(&mut model, "a5a6")).into_iter().cloned().collect::<Vec<_>>();
    let cmd_id = model.connection.pending[0].cmd_id.as_str().to_owned();
    let refused = format!(
        r#"{{"type":"refused","cmd_id":"{cmd_id}","game":"0123456789ab","code":"store_unavailable","message":"no"}}"#
    );
    assert_eq!(received(&mut model, &refused), []);
    assert_eq!(received(&mut model, &state("ba9876543210", true)), [], "another game");
    let effects = received(&mut model, &state("0123456789ab", true));
    assert_eq!(sent(&effects), asked.iter().collect::<Vec<_>>());
    received(&mut model, &refused);
    assert!(model.connection.pending.is_empty(), "a refusal is final again");
}

#[test]
fn a_damaged_game_is_named_with_what_to_report() {
    let mut model = playing();
    received(&mut model, r#"{"type":"game_unavailable","game":"0123456789ab","message":"log is damaged"}"#);
    assert!(
        last_note(&model).contains("until an operator has looked at it"),
        "version 0.1: {}",
        last_note(&model)
    );
    received(
        &mut model,
        r#"{"type":"game_unavailable","game":"0123456789ab","code":"game_quarantined","message":"log is damaged","request":"6885d79e"}"#,
    );
    assert!(last_note(&model).ends_with("include the request's id, 6885d79e."), "{}", last_note(&model));
}

#[test]
fn failures_of_the_server_name_their_request_and_other_refusals_do_not() {
    let shown = |code| {
        crate::texts::server_refusal(&Code::new(code), &RefusalArgs::default(), "No.", Some("6885d79e"))
    };
    for code in [Code::INTERNAL, Code::STORE_UNAVAILABLE, Code::GAME_QUARANTINED, "timed_out"] {
        assert!(shown(code).ends_with("include the request's id, 6885d79e."), "{}", shown(code));
    }
    for code in ["lake", "stale_ply", Code::TOO_MANY, Code::STOPPING] {
        assert!(!shown(code).contains("6885d79e"), "{}", shown(code));
    }
}

#[test]
fn a_client_that_comes_back_while_the_store_is_away_tries_again() {
    let mut model = playing();
    model.game = None;
    lose(&mut model, None);
    update(&mut model, Message::Connected);
    let effects =
        received(&mut model, r#"{"type":"refused","code":"store_unavailable","message":"no store"}"#);
    assert_eq!(exit_code(&effects), None);
    let effects = lose(&mut model, Some(1013));
    assert!(matches!(effects[..], [Effect::Connect { .. }]), "{effects:?}");
}
