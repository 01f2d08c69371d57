use flagfall_board::GameId;

use super::connection::turned_back;
use super::*;
use crate::request::Request;

#[test]
fn a_fitting_offer_is_taken_and_else_one_is_made() {
    let mut model = seeking(Wish::default());
    let effects = received(&mut model, &lobby(&[("s0", "p1", "classic"), ("s1", "p2", "pbm")]));
    assert!(matches!(sent(&effects)[..], [ClientToServer::AcceptSeek { seek, .. }] if seek == "s1"));
    let wish = Wish { ruleset: Some("barrage".to_owned()), ..Wish::default() };
    let mut model = seeking(wish.clone());
    let effects = received(&mut model, &lobby(&[("s1", "p2", "pbm")]));
    assert!(matches!(sent(&effects)[..], [ClientToServer::Seek { terms, .. }] if terms.ruleset == "barrage"));
    // A random side does not match the wish for Red.
    let mut model = seeking(Wish { side: Some(Side::Red), ..wish });
    let effects = received(&mut model, &lobby(&[("s1", "p2", "barrage")]));
    assert!(matches!(sent(&effects)[..], [ClientToServer::Seek { side: Some(Side::Red), .. }]));
}

#[test]
fn of_two_equal_offers_the_newer_is_withdrawn() {
    let mut model = seeking(Wish::default());
    received(&mut model, &lobby(&[]));
    seek_stands(&mut model, "s2");
    let effects = received(&mut model, &lobby(&[("s2", "p1", "classic"), ("s3", "p2", "classic")]));
    assert_eq!(effects, [], "the older one waits");
    let effects = received(&mut model, &lobby(&[("s1", "p2", "classic"), ("s2", "p1", "classic")]));
    assert!(matches!(
        sent(&effects)[..],
        [ClientToServer::CancelSeek { .. }, ClientToServer::AcceptSeek { .. }]
    ));
}

#[test]
fn of_two_offers_the_one_whose_owner_would_take_the_other_gives_way() {
    // The owner of s3 insists on a side, so they would not accept this player's offer s2.
    let other = lobby(&[("s2", "p1", "classic"), ("s3", "p2", "classic")]);
    let sided = other.replace(r#""id":"s3""#, r#""side":"red","id":"s3""#);
    assert_ne!(other, sided);
    let mut model = seeking(Wish::default());
    received(&mut model, &lobby(&[]));
    seek_stands(&mut model, "s2");
    let effects = received(&mut model, &sided);
    assert!(
        matches!(sent(&effects)[..], [ClientToServer::CancelSeek { .. }, ClientToServer::AcceptSeek { seek, .. }] if seek == "s3"),
        "{effects:?}"
    );
}

#[test]
fn an_offer_that_went_with_the_connection_is_made_anew_and_one_that_stands_is_kept() {
    let mut model = seeking(Wish::default());
    received(&mut model, &lobby(&[]));
    seek_stands(&mut model, "s2");
    lose(&mut model, None);
    let effects = welcome(&mut model, "[]");
    assert_eq!(sent(&effects), [&ClientToServer::OPEN_LOBBY]);
    assert_eq!(received(&mut model, &lobby(&[("s2", "p1", "classic")])), []);
    lose(&mut model, None);
    welcome(&mut model, "[]");
    let effects = received(&mut model, &lobby(&[]));
    assert!(matches!(sent(&effects)[..], [ClientToServer::Seek { .. }]));
}

#[test]
fn a_game_that_began_while_the_connection_was_down_is_opened() {
    let mut model = seeking(Wish::default());
    received(&mut model, &lobby(&[]));
    seek_stands(&mut model, "s2");
    lose(&mut model, None);
    let effects = welcome(&mut model, &format!("[{SUMMARY}]"));
    assert!(matches!(sent(&effects)[..], [ClientToServer::OpenGame { since: None, .. }]));
}

#[test]
fn changes_of_the_lobby_are_followed_and_after_a_gap_the_lobby_is_asked_for_again() {
    let mut model = seeking(Wish { ruleset: Some("barrage".to_owned()), ..Wish::default() });
    lose(&mut model, None);
    let effects = welcome(&mut model, r#"[],"lobby_changes":true"#);
    let [ClientToServer::OpenLobby { changes: true, filter }] = sent(&effects)[..] else {
        panic!("{effects:?}")
    };
    assert_eq!((filter.ruleset.as_deref(), filter.speed, filter.rated), (Some("barrage"), None, Some(false)));
    received(&mut model, &lobby(&[]).replace("\"seeks\"", "\"number\":4,\"seeks\""));
    seek_stands(&mut model, "s2");
    let opened = lobby(&[("s1", "p2", "barrage")]);
    let opened = opened.trim_start_matches(r#"{"type":"lobby","seeks":["#).split_once("],").unwrap().0;
    let change = |number| {
        format!(
            r#"{{"type":"lobby_changed","number":{number},"players_online":2,"change":{{"added":[{opened}]}}}}"#
        )
    };
    let effects = received(&mut model, &change(6));
    assert!(matches!(sent(&effects)[..], [ClientToServer::OpenLobby { changes: true, .. }]), "{effects:?}");
    received(&mut model, &change(5));
    let listed = model.lobby.listed.as_ref().map(|listed| listed.seeks.len());
    assert_eq!((listed, model.lobby.number), (Some(1), Some(5)));
}

#[test]
fn a_taken_offer_returns_to_the_lobby_and_a_bad_code_ends_the_program() {
    let mut model = seeking(Wish::default());
    let effects = received(&mut model, &lobby(&[("s1", "p2", "classic")]));
    let [ClientToServer::AcceptSeek { cmd_id, .. }] = sent(&effects)[..] else { panic!("{effects:?}") };
    let refusal = format!(
        r#"{{"type":"refused","cmd_id":"{}","code":"no_such_seek","args":{{"reason":"taken"}},"message":"gone"}}"#,
        cmd_id.as_str()
    );
    assert_eq!(sent(&received(&mut model, &refusal)), [&ClientToServer::OPEN_LOBBY]);
    let why = "Somebody else has accepted this offer. Looking for another one.";
    assert!(model.notes.iter().any(|note| note.contains(why)), "{:?}", model.notes);
    // An answer to a command that is not pending must not change anything.
    assert_eq!(received(&mut model, &refusal), []);
    // The client ignores a refused offer that the list still contains.
    let effects = received(&mut model, &lobby(&[("s1", "p2", "classic")]));
    assert!(matches!(sent(&effects)[..], [ClientToServer::Seek { .. }]), "{effects:?}");

    let wish = Wish { how: How::Accept("nope".to_owned()), ..Wish::default() };
    let mut model = online(Goal::Play(wish));
    let effects = received(
        &mut model,
        r#"{"type":"refused","code":"no_such_challenge","args":{"reason":"other"},"message":"no such challenge"}"#,
    );
    assert_eq!(exit_code(&effects), Some(1));
    assert_eq!(
        model.last_words,
        [
            "This challenge is not open. It was accepted or withdrawn, it has expired, or its code was mistyped."
        ]
    );
}

#[test]
fn a_challenge_shows_its_terms_before_it_is_accepted() {
    let wish = Wish { how: How::Accept("k7m2q9".to_owned()), secret: true, ..Wish::default() };
    let mut model = online(Goal::Play(wish));
    let terms = format!(
        r#"{{"type":"challenge","challenge":"k7m2q9","challenger":{{"id":"p2","name":"bob","kind":"guest"}},"terms":{{"ruleset":"pbm","time":{{"kind":"unlimited"}}}},"expires":{}}}"#,
        START + 3_600_000
    );
    assert_eq!(received(&mut model, &terms), []);
    assert!(matches!(&model.ui.page, Page::Terms { lines, .. } if lines[0].contains("bob challenges you")));
    let effects = key(&mut model, Key::Char('y'));
    assert!(matches!(sent(&effects)[..], [ClientToServer::AcceptChallenge { secret: true, .. }]));
}

#[test]
fn an_acceptance_without_an_answer_is_repeated_and_its_challenge_not_looked_at_again() {
    let wish = Wish { how: How::Accept("k7m2q9".to_owned()), ..Wish::default() };
    let mut model = online(Goal::Play(wish));
    lose(&mut model, None);
    let effects = welcome(&mut model, "[]");
    assert!(matches!(sent(&effects)[..], [ClientToServer::ShowChallenge { .. }]));
    let terms = r#"{"type":"challenge","challenge":"k7m2q9","challenger":{"id":"p2","name":"bob","kind":"guest"},"terms":{"ruleset":"pbm","time":{"kind":"unlimited"}},"expires":1}"#;
    received(&mut model, terms);
    let first = key(&mut model, Key::Enter);
    lose(&mut model, None);
    let effects = welcome(&mut model, "[]");
    assert_eq!(sent(&effects), sent(&first));
}

#[test]
fn requests_wait_for_the_welcome() {
    let mut model = online(Goal::Watch(None));
    let lobby = format!(r#"{{"type":"lobby","seeks":[],"games":[{SUMMARY}],"players_online":2}}"#);
    received(&mut model, &lobby);
    assert!(matches!(&model.ui.page, Page::Choosing(choices) if choices.entries.len() == 1));
    lose(&mut model, None);
    assert_eq!(key(&mut model, Key::Enter), []);
    let effects = welcome(&mut model, "[]");
    assert!(matches!(sent(&effects)[..], [ClientToServer::OpenGame { since: None, .. }]));
}

#[test]
fn a_rematch_leaves_the_old_game_for_the_new_one() {
    let mut model = playing();
    let ended = r#"{"type":"event","game":"0123456789ab","seq":8,"event":{"kind":"ended","outcome":{"winner":"red","reason":"resigned"},"opened":{"red":null,"blue":null}},"change":{}}"#;
    received(&mut model, ended);
    assert!(matches!(sent(&key(&mut model, Key::Char('m')))[..], [ClientToServer::Rematch { .. }]));
    let effects =
        received(&mut model, &format!(r#"{{"type":"game_started","game":{SUMMARY},"side":"red"}}"#));
    assert!(matches!(
        sent(&effects)[..],
        [ClientToServer::CloseGame { .. }, ClientToServer::OpenGame { since: None, .. }]
    ));
}

#[test]
fn the_first_rematch_request_says_what_it_waits_for() {
    let mut model = playing();
    let ended = r#"{"type":"event","game":"0123456789ab","seq":8,"event":{"kind":"ended","outcome":{"winner":"red","reason":"resigned"},"opened":{"red":null,"blue":null}},"change":{}}"#;
    received(&mut model, ended);
    let effects = key(&mut model, Key::Char('m'));
    let [ClientToServer::Rematch { cmd_id, .. }] = sent(&effects)[..] else { panic!("{effects:?}") };
    received(&mut model, r#"{"type":"rematch_offered","game":"0123456789ab","side":"red"}"#);
    let accepted = serde_json::json!({"type":"accepted","cmd_id":cmd_id,"outcome":{"kind":"done"}});
    received(&mut model, &accepted.to_string());
    assert!(last_note(&model).starts_with("You have asked for a rematch"), "{}", last_note(&model));
}

#[test]
fn an_offer_of_a_rematch_that_was_withdrawn_is_no_longer_shown() {
    let mut model = playing();
    for (kind, sides) in [("offered", 1), ("withdrawn", 0)] {
        let told = format!(r#"{{"type":"rematch_{kind}","game":"0123456789ab","side":"blue"}}"#);
        received(&mut model, &told);
        assert_eq!(model.game.as_ref().unwrap().rematch.len(), sides);
    }
    assert_eq!(last_note(&model), "Blue no longer asks for a rematch.");
}

#[test]
fn leaving_takes_an_offer_back_and_says_how_to_go_on_with_a_game() {
    let mut model = seeking(Wish::default());
    received(&mut model, &lobby(&[]));
    seek_stands(&mut model, "s2");
    let effects = update(&mut model, Message::Stop);
    assert!(matches!(sent(&effects)[..], [ClientToServer::CancelSeek { .. }]));
    assert_eq!(exit_code(&effects), Some(0));
    let mut model = playing();
    key(&mut model, Key::Char('q'));
    assert_eq!(exit_code(&key(&mut model, Key::Char('y'))), Some(0));
    assert!(model.last_words[0].ends_with("flagfall play --game 0123456789ab"), "{:?}", model.last_words);
}

#[test]
fn the_ratings_of_accounts_are_looked_up_once_and_missed_in_silence() {
    let id: GameId = "0123456789ab".parse().expect("an id");
    let mut model = online(Goal::Play(Wish { how: How::Game(id), ..Wish::default() }));
    let game = turned_back(1)
        .replace(r#"{"kind":"unlimited"}"#, r#"{"kind":"fischer","base_s":600,"increment_s":5}"#)
        .replace(r#""kind":"guest""#, r#""kind":"account""#);
    let effects = received(&mut model, &game);
    let requests: Vec<Request> = effects
        .into_iter()
        .filter_map(|effect| match effect {
            Effect::Request(request) => Some(request),
            _ => None,
        })
        .collect();
    let [red, blue] = &requests[..] else { panic!("{requests:?}") };
    assert_eq!((red.path().as_str(), blue.path().as_str()), ("/api/players/ann", "/api/players/bob"));
    let profile = r#"{"player":{"id":"p2","name":"bob","kind":"account"},"created":1,"ratings":[{"ruleset":"classic","speed":"rapid","now":{"rating":1523,"deviation":80,"provisional":false},"games":3,"last":1}]}"#;
    let notes = model.notes.len();
    update(&mut model, Message::Answered { request: blue.clone(), answer: Ok(profile.into()) });
    update(&mut model, Message::Answered { request: red.clone(), answer: Err("gone".to_owned()) });
    let open = model.game.as_ref().expect("a game");
    assert_eq!(open.ratings.blue.map(|point| point.rating), Some(1523));
    assert_eq!((open.ratings.red, model.notes.len()), (None, notes));
    let effects = received(&mut model, &game);
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Request(_))), "{effects:?}");
}
