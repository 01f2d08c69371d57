//! Tests of waiting in the pool, and of aborted games.

use super::*;
use crate::status::pool_wait;

fn ping(waiting: u32) -> String {
    let since = START - 30_000;
    format!(
        r#"{{"type":"ping","id":1,"server_time":{START},"heads":[],"pool":{{"since":{since},"range":{{"min":1400,"max":1600}},"waiting":{waiting}}}}}"#
    )
}

const PING: &str = r#"{"type":"ping","id":2,"server_time":1764000000000,"heads":[]}"#;

fn waiting() -> Model {
    let mut model = seeking(Wish { how: How::Pool, ..Wish::default() });
    model.ui.page = Page::Waiting { headline: "Waiting in the pool".to_owned(), lines: Vec::new() };
    model
}

fn ended(abort: &str) -> String {
    format!(
        r#"{{"type":"event","game":"0123456789ab","seq":8,"event":{{"kind":"ended","outcome":{{"reason":"aborted"}},"opened":{{"red":null,"blue":null}}}},"change":{{}},"abort":{abort}}}"#
    )
}

#[test]
fn the_wait_counts_up_between_pings_and_ends_with_the_pool() {
    let mut model = waiting();
    assert_eq!(pool_wait(&model), None);
    received(&mut model, &ping(2));
    let shown = "You have waited 0:30. Opponents: 1400 to 1600. 1 other player is waiting.";
    assert_eq!(pool_wait(&model).as_deref(), Some(shown));
    model.clock.now += 61_000;
    assert!(pool_wait(&model).is_some_and(|line| line.starts_with("You have waited 1:31.")));
    received(&mut model, PING);
    assert_eq!(pool_wait(&model), None);
}

#[test]
fn plain_mode_reports_the_wait_every_half_minute() {
    let mut model = waiting();
    received(&mut model, &ping(1));
    assert_eq!(
        last_note(&model),
        "You have waited 0:30. Opponents: 1400 to 1600. No other player is waiting."
    );
    let told = model.notes.len();
    model.clock.now += 29_000;
    received(&mut model, &ping(4));
    assert_eq!(model.notes.len(), told);
    model.clock.now += 1_000;
    received(&mut model, &ping(4));
    assert_eq!(model.notes.len(), told + 1);
}

#[test]
fn an_abort_says_who_caused_it() {
    for (abort, said) in [
        (r#"{"called_off_by":"blue"}"#, "bob (Blue) aborted the game."),
        (r#"{"called_off_by":"red"}"#, "You aborted the game."),
        (r#"{"not_deployed":["blue"]}"#, "bob (Blue) did not deploy in time."),
        (r#"{"not_deployed":["red"]}"#, "You did not deploy in time."),
        (r#"{"not_deployed":["red","blue"]}"#, "Neither side deployed in time."),
        ("{}", "Nothing happened in the game for many days."),
    ] {
        let mut model = playing();
        received(&mut model, &ended(abort));
        assert!(model.notes.iter().any(|note| note == said), "{said}: {:?}", model.notes);
    }
    // A server of version 0.1 does not send the reason.
    let mut model = playing();
    received(&mut model, &ended("null"));
    assert!(model.notes.iter().any(|note| note == "The game was aborted."));
}

#[test]
fn a_player_returned_to_the_pool_is_shown_waiting() {
    let mut model = playing();
    model.goal = Goal::Play(Wish { how: How::Pool, ..Wish::default() });
    received(&mut model, &ended(r#"{"called_off_by":"blue"}"#));
    assert!(
        received(&mut model, PING).len() == 1 && model.game.is_some(),
        "the server says nothing of a pool"
    );
    let effects = received(&mut model, &ping(1));
    assert!(
        sent(&effects).iter().any(|message| matches!(message, ClientToServer::CloseGame { .. })),
        "{effects:?}"
    );
    assert!(model.game.is_none() && matches!(model.ui.page, Page::Waiting { .. }));
    // The opponent resigned before the game counted.
    let mut model = playing();
    model.goal = Goal::Play(Wish { how: How::Pool, ..Wish::default() });
    model.game.as_mut().unwrap().view.ply = 1;
    received(
        &mut model,
        &ended("null").replace(r#""reason":"aborted""#, r#""winner":"red","reason":"resigned""#),
    );
    received(&mut model, &ping(1));
    assert!(model.game.is_none() && matches!(model.ui.page, Page::Waiting { .. }));
    // A running game stays open, even if another client of this player waits in the pool.
    let mut model = playing();
    model.goal = Goal::Play(Wish { how: How::Pool, ..Wish::default() });
    received(&mut model, &ping(1));
    assert!(model.game.is_some());
}
