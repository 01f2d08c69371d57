//! Tests of guests and accounts that the server does not recognize.

use super::*;

fn greeting(goal: Goal, file: &str) -> Model {
    let mut model = Model::new(options(), goal, Random::Seeded(Chance::new(1)));
    model.options.credential_file = file.to_owned();
    model.login.token = Some(Secret::new("old"));
    update(&mut model, Message::Started);
    update(&mut model, Message::Connected);
    model
}

const UNKNOWN: &str = r#"{"type":"refused","code":"bad_token","message":"this token is unknown"}"#;

#[test]
fn a_guest_the_server_does_not_know_becomes_a_new_one_and_goes_on() {
    let goals = [
        Goal::Play(Wish::default()),
        Goal::Play(Wish { how: How::Pool, ..Wish::default() }),
        Goal::Watch(None),
        Goal::Games,
        Goal::Next,
        Goal::Mail,
    ];
    for goal in goals {
        for is_told in [true, false] {
            let mut model = greeting(goal.clone(), "default-guest.json");
            // The server refuses the hello and closes the connection. An old server may send only
            // the close code.
            let effects = if is_told { received(&mut model, UNKNOWN) } else { lose(&mut model, Some(4100)) };
            assert_eq!(effects, [Effect::SetGuestAside, Effect::Connect { delay_ms: 0 }], "{goal:?}");
            assert_eq!(
                last_note(&model),
                "The server no longer knows the guest that was saved on this machine. You are now a new guest."
            );
            let effects = update(&mut model, Message::Connected);
            assert!(matches!(sent(&effects)[..], [ClientToServer::Hello { token: None, .. }]), "{effects:?}");
            let effects = welcome(&mut model, "[]");
            assert!(
                effects.iter().any(|effect| matches!(effect, Effect::Send(_) | Effect::Request(_))),
                "the command goes on: {goal:?} {effects:?}"
            );
        }
    }
}

#[test]
fn a_server_that_takes_no_new_guest_either_is_not_asked_for_ever() {
    let mut model = greeting(Goal::Games, "default-guest.json");
    received(&mut model, UNKNOWN);
    update(&mut model, Message::Connected);
    let effects = received(&mut model, UNKNOWN);
    assert_eq!(exit_code(&effects), Some(1), "{effects:?}");
}

#[test]
fn an_expired_login_asks_to_log_in_and_deletes_nothing() {
    for is_told in [true, false] {
        let mut model = greeting(Goal::Play(Wish::default()), "account-ann.json");
        let effects = if is_told { received(&mut model, UNKNOWN) } else { lose(&mut model, Some(4101)) };
        assert_eq!(exit_code(&effects), Some(1));
        assert!(!effects.contains(&Effect::SetGuestAside));
        let word = &model.last_words[0];
        assert!(word.starts_with("Your saved login has expired. Log in again: flagfall login"), "{word}");
    }
}

#[test]
fn an_unknown_guest_in_a_game_learns_that_the_seat_is_gone() {
    let mut model = playing();
    lose(&mut model, None);
    update(&mut model, Message::Connected);
    let effects = received(&mut model, UNKNOWN);
    assert_eq!(exit_code(&effects), Some(1));
    assert!(model.last_words[0].contains("your seat in game 0123456789ab is gone"), "{:?}", model.last_words);
}

#[test]
fn a_seat_that_is_not_saved_is_never_promised() {
    let mut model = playing();
    let effects = update(&mut model, Message::Unsaved { why: "No space left on device".to_owned() });
    assert_eq!(effects, []);
    assert!(
        last_note(&model).contains("you cannot come back to your game if this client ends"),
        "{}",
        last_note(&model)
    );
    key(&mut model, Key::Char('q'));
    let Some(Prompt::Leave(words)) = &model.ui.prompt else { panic!("a question: {:?}", model.ui.prompt) };
    assert!(words.contains("you cannot come back"), "{words}");
    key(&mut model, Key::Char('y'));
    assert!(!model.last_words[0].contains("To go on"), "{:?}", model.last_words);
    // An account's games can be found by its name, regardless of the files on this machine.
    let mut model = playing();
    model.options.credential_file = "account-ann.json".to_owned();
    update(&mut model, Message::Unsaved { why: "full".to_owned() });
    assert_eq!(model.login.unsaved, None);
    // Once files can be written again, the client saves the credential and the seat.
    let mut model = playing();
    update(&mut model, Message::Unsaved { why: "full".to_owned() });
    model.clock.now += 15_000;
    let effects = update(&mut model, Message::Tick);
    assert!(matches!(effects[..], [Effect::SaveToken { .. }, Effect::SaveSeat { .. }]), "{effects:?}");
    update(&mut model, Message::Saved);
    assert!(last_note(&model).contains("saved now"), "{}", last_note(&model));
    update(&mut model, Message::Stop);
    assert!(model.last_words[0].contains("To go on: flagfall play --game 0123456789ab"));
}
