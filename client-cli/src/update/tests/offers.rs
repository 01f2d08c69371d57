//! Tests of offers for players within rating ranges, and of challenges from other players.

use flagfall_protocol::{Accepted, Player, PlayerKind, RatingWish, ServerToClient};

use super::*;
use crate::request::Request;

const CODE: &str = "7hqz2m4kx0ab";

/// Returns an account that looks for a game.
fn account(wish: Wish) -> Model {
    let mut model = seeking(wish);
    if let Some(player) = &mut model.login.player {
        player.kind = PlayerKind::Account;
    }
    model
}

/// Returns a lobby with these offers: id, player, the player's rating, and the offer's range.
fn ranged(seeks: &[(&str, &str, u32, &str)]) -> String {
    let seeks: Vec<String> = seeks
        .iter()
        .map(|(id, player, rating, range)| {
            format!(
                r#"{{"id":"{id}","seeker":{{"id":"{player}","name":"{player}","kind":"account"}},"terms":{{"ruleset":"classic","time":{{"kind":"fischer","base_s":600,"increment_s":5}}}},"seeker_rating":{{"rating":{rating},"deviation":60}}{range}}}"#
            )
        })
        .collect();
    format!(r#"{{"type":"lobby","seeks":[{}],"games":[],"players_online":2}}"#, seeks.join(","))
}

const HIGH: &str = r#","rating":{"min":1800}"#;
const WIDE: &str = r#","rating":{"min":1400,"max":1600}"#;

fn challenged(model: &mut Model) {
    let text = format!(
        r#"{{"type":"challenged","invitation":{{"challenge":"{CODE}","challenger":{{"id":"p2","name":"bob","kind":"bot"}},"terms":{{"ruleset":"pbm","time":{{"kind":"correspondence","days":3}}}},"your_side":"blue","expires":{}}}}}"#,
        START + 60_000
    );
    received(model, &text);
}

fn line(model: &mut Model, line: &str) -> Vec<Effect> {
    update(model, Message::Line(line.to_owned()))
}

#[test]
fn an_offer_says_that_it_is_in_the_lobby_when_the_server_has_taken_it() {
    let mut model = seeking(Wish::default());
    received(&mut model, &lobby(&[]));
    assert!(!model.notes.iter().any(|note| note.contains("in the lobby")), "{:?}", model.notes);
    seek_stands(&mut model, "s2");
    assert!(model.notes.iter().any(|note| note.contains("Your offer is in the lobby")), "{:?}", model.notes);
}

#[test]
fn a_rating_range_is_sent_with_an_offer_and_filters_those_of_others() {
    let rating = RatingWish::Between { min: Some(1_400), max: Some(1_600) };
    let wish = || Wish { rating: Some(rating), ..Wish::default() };
    let effects = received(&mut account(wish()), &ranged(&[("s1", "p2", 1_700, "")]));
    assert!(
        matches!(sent(&effects)[..], [ClientToServer::Seek { rating: Some(sought), .. }] if *sought == rating)
    );
    let effects = received(&mut account(wish()), &ranged(&[("s1", "p2", 1_600, "")]));
    assert!(matches!(sent(&effects)[..], [ClientToServer::AcceptSeek { .. }]));
    // The range is relative to the player's own rating, which the client does not know yet.
    let around = RatingWish::Around { below: Some(100), above: Some(100) };
    let wish = Wish { rating: Some(around), ..Wish::default() };
    let mut model = account(wish);
    let effects = received(&mut model, &ranged(&[("s1", "p2", 1_550, "")]));
    assert!(matches!(sent(&effects)[..], [ClientToServer::Seek { .. }]));
    seek_stands(&mut model, "s2");
    let both = ranged(&[("s1", "p2", 1_550, ""), ("s2", "p1", 1_500, WIDE)]);
    let effects = received(&mut model, &both);
    assert!(
        matches!(sent(&effects)[..], [ClientToServer::CancelSeek { .. }, ClientToServer::AcceptSeek { .. }]),
        "{effects:?}"
    );
}

#[test]
fn an_offer_for_other_ratings_is_asked_for_once_and_left_alone_where_that_is_known() {
    let mut model = account(Wish::default());
    let high = ranged(&[("s1", "p2", 1_900, HIGH)]);
    let effects = received(&mut model, &high);
    let [ClientToServer::AcceptSeek { cmd_id, .. }] = sent(&effects)[..] else { panic!("{effects:?}") };
    let refusal = format!(
        r#"{{"type":"refused","cmd_id":"{}","code":"outside_rating_range","message":"this offer is for players rated 1800 or more"}}"#,
        cmd_id.as_str()
    );
    let effects = received(&mut model, &refusal);
    assert_eq!(sent(&effects), [&ClientToServer::OPEN_LOBBY]);
    assert_eq!(exit_code(&effects), None);
    assert!(model.notes.iter().any(|note| note.contains("1800 or more")), "{:?}", model.notes);
    let effects = received(&mut model, &high);
    assert!(matches!(sent(&effects)[..], [ClientToServer::Seek { .. }]));
    // A guest has no rating, and a bot's rating is on a separate list.
    let effects = received(&mut seeking(Wish::default()), &ranged(&[("s1", "p2", 1_500, WIDE)]));
    assert!(matches!(sent(&effects)[..], [ClientToServer::Seek { .. }]));
    let mut model = account(Wish::default());
    model.login.player = Some(Player { kind: PlayerKind::Bot, ..model.login.player.unwrap() });
    let effects = received(&mut model, &ranged(&[("s1", "p2", 1_500, WIDE)]));
    assert!(matches!(sent(&effects)[..], [ClientToServer::Seek { .. }]));
}

#[test]
fn the_full_screen_lists_every_offer_with_whose_it_is() {
    let mut model = online(Goal::Play(Wish::default()));
    received(&mut model, &ranged(&[("s1", "p2", 1_900, HIGH)]));
    let Page::Choosing(choices) = &model.ui.page else { panic!("{:?}", model.ui.page) };
    let (entry, _) = &choices.entries[0];
    assert!(entry.contains("(rated 1900): Classic, 10+5, for players rated 1800 or higher"), "{entry}");
}

#[test]
fn a_challenge_is_shown_at_once_with_what_to_type() {
    for mut model in [seeking(Wish::default()), online(Goal::Mail), playing()] {
        model.options.face = crate::model::Face::Lines;
        challenged(&mut model);
        let note = model.notes.iter().rev().nth(1).unwrap_or_default();
        assert!(note.contains("bob (bot) challenges you") && note.contains("You would play Blue"), "{note}");
        // The commands are on a separate line, so that no line break prevents copying them.
        assert_eq!(last_note(&model), format!("Type accept {CODE} or reject {CODE}."));
        let effects = line(&mut model, &format!("accept {CODE}"));
        let accepted = sent(&effects);
        assert!(
            matches!(accepted[..], [ClientToServer::AcceptChallenge { challenge, .. }] if challenge == CODE),
            "{effects:?}"
        );
    }
}

#[test]
fn a_script_that_waits_for_its_game_may_answer_a_challenge() {
    let mut model = seeking(Wish::default());
    model.options.face = crate::model::Face::Script;
    challenged(&mut model);
    let effects = line(&mut model, &format!("reject {CODE}"));
    assert!(
        effects.contains(&Effect::Request(Request::Decline { challenge: CODE.to_owned() })),
        "{effects:?}"
    );
}

#[test]
fn keys_answer_challenges_and_withdraw_own_offers() {
    let mut model = online(Goal::Play(Wish::default()));
    key(&mut model, Key::Char('J'));
    assert_eq!(model.ui.prompt, None, "no challenge waits for an answer");
    received(&mut model, &lobby(&[]));
    seek_stands(&mut model, "s2");
    challenged(&mut model);
    assert!(last_note(&model).ends_with("Press J to answer."), "{}", last_note(&model));
    key(&mut model, Key::Char('J'));
    key(&mut model, Key::Escape);
    key(&mut model, Key::Char('J'));
    let effects = key(&mut model, Key::Char('y'));
    assert!(
        matches!(
            sent(&effects)[..],
            [ClientToServer::CancelSeek { .. }, ClientToServer::AcceptChallenge { .. }]
        ),
        "{effects:?}"
    );
    // During a game, the player can decline a challenge. The game then continues.
    let mut model = playing();
    challenged(&mut model);
    key(&mut model, Key::Char('J'));
    let effects = key(&mut model, Key::Char('n'));
    assert_eq!(effects, [Effect::Request(Request::Decline { challenge: CODE.to_owned() })]);
    assert!(model.game.is_some());
}

#[test]
fn accepting_a_challenge_leaves_the_pool() {
    let mut model = seeking(Wish { how: How::Pool, ..Wish::default() });
    let effects = line(&mut model, &format!("accept {CODE}"));
    assert!(
        matches!(
            sent(&effects)[..],
            [ClientToServer::LeavePool { .. }, ClientToServer::AcceptChallenge { .. }]
        ),
        "{effects:?}"
    );
}

#[test]
fn the_challenger_learns_the_answer() {
    let answered = |accepted: bool| {
        format!(
            r#"{{"type":"challenge_answered","challenge":"{CODE}","by":{{"id":"p2","name":"bob","kind":"account"}},"accepted":{accepted}}}"#
        )
    };
    let mut model = online(Goal::Mail);
    received(&mut model, &answered(true));
    assert_eq!(last_note(&model), "bob accepts your challenge. The game begins.");
    assert_eq!(exit_code(&received(&mut model, &answered(false))), None);
    assert_eq!(last_note(&model), "bob declines your challenge.");
    // A client that waits only for this answer ends.
    let mut model = seeking(Wish { how: How::Challenge, ..Wish::default() });
    model.challenges.own = Some(CODE.to_owned());
    assert_eq!(exit_code(&received(&mut model, &answered(false))), Some(1));
}

#[test]
fn a_challenge_that_is_open_no_more_is_not_asked_about_any_longer() {
    let because = |code: &str, reason: &str| {
        format!(
            r#"{{"type":"challenge_gone","challenge":"{code}","challenger":{{"id":"p2","name":"bob","kind":"account"}}{reason}}}"#
        )
    };
    let gone = |code: &str| because(code, "");
    let mut model = playing();
    challenged(&mut model);
    key(&mut model, Key::Char('J'));
    received(&mut model, &gone("anothercode1"));
    assert!(model.ui.prompt.is_some() && model.challenges.received.is_some(), "of another challenge");
    received(&mut model, &gone(CODE));
    assert_eq!(last_note(&model), "The challenge of bob is no longer open.");
    assert!(model.ui.prompt.is_none() && model.challenges.received.is_none());
    key(&mut model, Key::Char('J'));
    assert_eq!(model.ui.prompt, None);
    received(&mut model, &because(CODE, r#","reason":"taken""#));
    assert_eq!(last_note(&model), "Somebody else has accepted the challenge of bob.");
}

#[test]
fn a_challenge_has_a_link_if_the_address_of_the_page_is_known() {
    let links = |page_url: &str| {
        let mut model = seeking(Wish { how: How::Challenge, ..Wish::default() });
        lose(&mut model, None);
        let effects = welcome(&mut model, &format!(r#"[],"page_url":"{page_url}""#));
        let [ClientToServer::Challenge { cmd_id, .. }] = sent(&effects)[..] else { panic!("{effects:?}") };
        let outcome = Accepted::Challenge { challenge: CODE.to_owned(), expires: START + 1 };
        let accepted = ServerToClient::Accepted { cmd_id: cmd_id.clone(), outcome };
        update(&mut model, Message::Received(Box::new(accepted)));
        let Page::Waiting { lines, .. } = &model.ui.page else { panic!("{:?}", model.ui.page) };
        lines.iter().filter(|line| line.contains("/challenge#")).cloned().collect::<Vec<_>>()
    };
    assert_eq!(links("https://play.example.org"), [format!("  https://play.example.org/challenge#{CODE}")]);
    assert!(links("javascript:alert(1)").is_empty() && links(r"https://a\u001b[2J").is_empty());
}

#[test]
fn a_key_goes_to_the_next_game() {
    let mut model = playing();
    let effects = key(&mut model, Key::Char('G'));
    assert_eq!(effects, [Effect::Request(Request::Next)]);
}
