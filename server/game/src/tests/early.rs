//! A server whose clock is ahead of the store's clock. If time is up by its own clock, the server
//! must wait for the store's clock.

use flagfall_board::{Chance, Side};
use flagfall_rules::Viewer;

use super::harness::{Hand, header};

/// The time by which the server's clock is ahead, in milliseconds.
const AHEAD_MS: i64 = 2_000;
/// The time that a side has for its first move, in milliseconds.
const BASE_MS: u64 = 60_000;

/// Returns a game in which the side to move has one second left by the store's clock, but none by
/// the server's clock.
fn nearly_out() -> (Hand, super::harness::Client, super::harness::Client) {
    let (mut hand, ana, bo) = Hand::playing(&header("classic"));
    hand.advance(BASE_MS - 1_000);
    hand.ahead_ms = AHEAD_MS;
    (hand, ana, bo)
}

#[test]
fn no_flag_falls_before_the_time_is_up_by_the_store() {
    let (mut hand, _ana, _bo) = nearly_out();
    hand.step(crate::table::Input::Tick);
    assert!(!hand.table.is_over(), "a second is left");
    let mut waits = 0;
    while !hand.table.is_over() {
        assert!(hand.wake().expect("it waits for the store's clock") > 0, "not again at once");
        waits += 1;
    }
    assert_eq!(waits, 1, "the store said how much is missing");
    let ended = hand.log().last().unwrap().at;
    let started = hand.log()[3].at;
    assert_eq!(ended.ms_since(started), BASE_MS + 1);
}

#[test]
fn a_move_that_is_in_time_by_the_store_is_taken() {
    let (mut hand, mut ana, _bo) = nearly_out();
    let command = hand.any_move(&mut Chance::new(3)).unwrap();
    hand.command(&ana, 0, command);
    assert_eq!(hand.table.game.ply(), 1, "{:?}", ana.texts());
    hand.ahead_ms = 0;
    assert_eq!(hand.view(Viewer::Public).clock.unwrap().remaining_ms[Side::Red], 1_000 + 5_000);
}

#[test]
fn the_wait_for_the_stores_clock_ends_with_the_next_move() {
    let (mut hand, ana, _bo) = nearly_out();
    hand.step(crate::table::Input::Tick);
    let command = hand.any_move(&mut Chance::new(3)).unwrap();
    hand.command(&ana, 0, command);
    hand.ahead_ms = 0;
    assert_eq!(hand.wake(), Some(BASE_MS + 1), "the other side has all its time");
    assert!(hand.table.is_over());
}
