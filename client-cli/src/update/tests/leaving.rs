//! Tests of leaving a running game and of giving up a game.

use super::*;

#[test]
fn q_in_a_running_game_asks_first_and_mentions_the_clock() {
    let mut model = playing();
    assert_eq!(key(&mut model, Key::Char('q')), []);
    let Some(Prompt::Leave(words)) = &model.ui.prompt else { panic!("a question: {:?}", model.ui.prompt) };
    assert_eq!(words, "Your clock keeps running. bob can claim the game in about 30 seconds.");
    assert_eq!(key(&mut model, Key::Char('n')), []);
    assert_eq!(last_note(&model), "The game goes on.");
    key(&mut model, Key::Char('q'));
    assert_eq!(exit_code(&key(&mut model, Key::Char('y'))), Some(0));
    assert_eq!(
        model.last_words,
        [
            "You left. Your clock keeps running. bob can claim the game in about 30 seconds. To go on: flagfall play --game 0123456789ab"
        ]
    );
}

#[test]
fn the_claim_wait_of_the_server_is_shown() {
    let mut model = playing();
    let welcome = r#"{"type":"welcome","protocol":1,"server":"test","player":{"id":"p1","name":"ann","kind":"guest"},"server_time":0,"claim_seconds":20,"games":[]}"#;
    update(&mut model, Message::Received(Box::new(serde_json::from_str(welcome).unwrap())));
    key(&mut model, Key::Char('q'));
    let Some(Prompt::Leave(words)) = &model.ui.prompt else { panic!("a question: {:?}", model.ui.prompt) };
    assert!(words.ends_with("in about 10 seconds."), "{words}");
}

#[test]
fn leaving_without_a_loss_asks_nothing() {
    let mut over = playing();
    over.game.as_mut().expect("a game").view.phase = flagfall_protocol::Phase::Over;
    let watching = game("classic", "public", &classic_view("public"));
    let mut mail = playing();
    let days = flagfall_protocol::Time::Correspondence { days: 3 };
    mail.game.as_mut().expect("a game").summary.terms.time = days;
    for mut model in [over, watching, mail] {
        assert_eq!(exit_code(&key(&mut model, Key::Char('q'))), Some(0));
    }
}

#[test]
fn leaving_during_the_deployment_says_what_follows() {
    let mut model = game("classic", "red", &deploying_view(START + 60_000));
    key(&mut model, Key::Char('q'));
    let Some(Prompt::Leave(words)) = &model.ui.prompt else { panic!("a question: {:?}", model.ui.prompt) };
    assert_eq!(words, "If you do not deploy within 1:00, the game is aborted and counts against you.");
    // Games with days per move never count.
    let mut model = game("classic", "red", &deploying_view(START + 60_000));
    model.game.as_mut().unwrap().summary.terms.time = flagfall_protocol::Time::Correspondence { days: 3 };
    key(&mut model, Key::Char('q'));
    let Some(Prompt::Leave(words)) = &model.ui.prompt else { panic!("a question: {:?}", model.ui.prompt) };
    assert_eq!(words, "If you do not deploy within 1:00, the game is aborted.");
}

fn plain() -> Model {
    let mut model = playing();
    model.options.face = crate::model::Face::Lines;
    model.notes.take_unprinted();
    model
}

fn line(model: &mut Model, line: &str) -> Vec<Effect> {
    update(model, Message::Line(line.to_owned()))
}

#[test]
fn resign_abort_and_quit_ask_in_lines_too() {
    for (word, command) in [("resign", GameCommand::Resign {}), ("abort", GameCommand::Abort {})] {
        let mut model = plain();
        assert_eq!(line(&mut model, word), [], "asked first");
        assert!(last_note(&model).contains("Type “yes”"), "{}", last_note(&model));
        assert_eq!(line(&mut model, "no"), []);
        assert_eq!(last_note(&model), "The game goes on.");
        line(&mut model, word);
        let effects = line(&mut model, "Yes");
        let [ClientToServer::Command { command: sent, .. }] = sent(&effects)[..] else {
            panic!("{effects:?}")
        };
        assert_eq!(*sent, command);
        // Scripts can give the command and the confirmation on one line.
        assert_eq!(super::sent(&line(&mut plain(), &format!("{word} yes"))).len(), 1);
        // A different line cancels the question, and is then carried out.
        let mut model = plain();
        line(&mut model, word);
        let effects = line(&mut model, "a5a6");
        assert!(
            matches!(
                super::sent(&effects)[..],
                [ClientToServer::Command { command: GameCommand::Move { .. }, .. }]
            ),
            "{effects:?}"
        );
    }
    let mut model = plain();
    assert_eq!(line(&mut model, "quit"), []);
    assert!(last_note(&model).contains("Your clock keeps running."), "{}", last_note(&model));
    assert_eq!(exit_code(&line(&mut model, "yes")), Some(0));
    assert_eq!(exit_code(&line(&mut plain(), "quit yes")), Some(0));
}

#[test]
fn a_script_that_resigns_without_a_yes_has_not_resigned_and_learns_it() {
    let mut model = plain();
    model.options.face = crate::model::Face::Script;
    assert_eq!(line(&mut model, "resign"), []);
    assert_eq!(exit_code(&update(&mut model, Message::InputEnded)), Some(1));
    let mut model = plain();
    model.options.face = crate::model::Face::Script;
    line(&mut model, "resign");
    assert_eq!(sent(&line(&mut model, "yes")).len(), 1);
    assert_eq!(exit_code(&line(&mut plain(), "quit")), None);
    let mut model = plain();
    model.options.face = crate::model::Face::Script;
    assert_eq!(exit_code(&line(&mut model, "quit")), Some(0), "a script that ends is not asked");
}

#[test]
fn unknown_words_after_a_slash_are_never_sent() {
    let mut model = playing();
    key(&mut model, Key::Char(';'));
    assert_eq!(type_in(&mut model, "/mut"), []);
    assert!(last_note(&model).contains("Not sent, because there is no command /mut. Did you mean /mute?"));
    assert_eq!(model.ui.prompt, Some(Prompt::Say("/mut".to_owned())), "to be corrected");
    for typed in ["say /resign", "say /msg bob hello", "say /"] {
        let mut model = plain();
        assert_eq!(line(&mut model, typed), [], "{typed}");
        assert!(last_note(&model).starts_with("Not sent"), "{}", last_note(&model));
    }
    let mut model = plain();
    assert_eq!(sent(&line(&mut model, "say 1/2 a point?")).len(), 1);
    assert_eq!(sent(&line(&mut plain(), "say /report they insult me")).len(), 1);
}

#[test]
fn an_opponent_who_left_is_told_from_one_who_lost_the_connection() {
    let presence = |presence: &str, left: &str| {
        format!(r#"{{"type":"presence","game":"0123456789ab","side":"blue","presence":"{presence}"{left}}}"#)
    };
    let mut model = playing();
    received(&mut model, &presence("reconnecting", r#","left":true"#));
    assert_eq!(last_note(&model), "bob (Blue) left.");
    let notes = model.notes.len();
    received(&mut model, &presence("away", r#","left":true"#));
    assert_eq!(model.notes.len(), notes, "told once");
    update(&mut model, Message::Line("status".to_owned()));
    assert!(last_note(&model).contains("Last:") || model.notes.iter().any(|note| note.contains("bob, left")));
    received(&mut model, &presence("present", ""));
    assert_eq!(last_note(&model), "bob (Blue) is here.");
    received(&mut model, &presence("reconnecting", ""));
    assert_eq!(last_note(&model), "bob (Blue) lost the connection and may be back in a moment.");
}
