//! Lag compensation: a side loses time to the network, and gets part of it back.

use std::time::Duration;

use flagfall_board::{Chance, Side};
use flagfall_protocol::{GameEvent, LagQuota};
use flagfall_rules::Viewer;

use super::harness::{Client, Hand, header};
use crate::header::GameHeader;
use crate::record::record;

/// Returns the header of a game with 60 s per side and 5 s per move.
fn lagging(quota: Option<LagQuota>) -> GameHeader {
    GameHeader { lag_quota: quota, ..header("classic") }
}

const QUOTA: Option<LagQuota> = Some(LagQuota { per_ply_ms: 500, stock_ms: 1_200 });

fn measure(client: &Client, round_trip_ms: u64) {
    for _ in 0..2 {
        client.outbox.note_round_trip(Duration::from_millis(round_trip_ms));
    }
}

/// Returns the remaining time of a side, in milliseconds.
fn left(hand: &Hand, side: Side) -> u64 {
    hand.view(Viewer::Public).clock.unwrap().remaining_ms[side]
}

fn move_after(hand: &mut Hand, client: &Client, ms: u64) {
    let command = hand.any_move(&mut Chance::new(3)).unwrap();
    let ply = hand.table.game.ply();
    hand.advance(ms);
    hand.command(client, ply, command);
}

#[test]
fn a_round_trip_is_given_back_and_the_log_says_so_to_every_server() {
    let (mut hand, ana, bo) = Hand::playing(&lagging(QUOTA));
    measure(&ana, 300);
    move_after(&mut hand, &ana, 10_000);
    assert_eq!(left(&hand, Side::Red), 60_000 - 10_000 + 300 + 5_000);
    // Bo gets nothing back, because no round trip was measured on bo's connection.
    move_after(&mut hand, &bo, 10_000);
    assert_eq!(left(&hand, Side::Blue), 60_000 - 10_000 + 5_000);

    let twin = hand.twin();
    assert_eq!(
        (left(&twin, Side::Red), left(&twin, Side::Blue)),
        (left(&hand, Side::Red), left(&hand, Side::Blue))
    );
    let told = record(hand.id, &hand.log(), Viewer::Public).unwrap();
    assert_eq!(told.lag_quota, QUOTA);
    let lags: Vec<u32> = told.events.iter().map(|told| told.lag_ms).filter(|lag_ms| *lag_ms > 0).collect();
    assert_eq!(lags, [300]);
}

#[test]
fn lag_gains_no_time() {
    let (mut hand, ana, _bo) = Hand::playing(&lagging(QUOTA));
    measure(&ana, 300);
    move_after(&mut hand, &ana, 100);
    assert_eq!(left(&hand, Side::Red), 60_000 + 5_000);
}

#[test]
fn a_single_late_pong_is_worth_nothing() {
    let (mut hand, ana, _bo) = Hand::playing(&lagging(QUOTA));
    measure(&ana, 40);
    ana.outbox.note_round_trip(Duration::from_secs(9));
    move_after(&mut hand, &ana, 1_000);
    assert_eq!(left(&hand, Side::Red), 60_000 - 1_000 + 40 + 5_000);
}

#[test]
fn the_quota_limits_lag_compensation() {
    let (mut hand, ana, bo) = Hand::playing(&lagging(QUOTA));
    measure(&ana, 1_000);
    let mut given_back = Vec::new();
    for _ in 0..4 {
        let before = left(&hand, Side::Red);
        move_after(&mut hand, &ana, 4_000);
        given_back.push(left(&hand, Side::Red) + 4_000 - 5_000 - before);
        move_after(&mut hand, &bo, 1_000);
    }
    // The time that can be given back is 1.2 s at first, and grows by half a second with every
    // ply.
    assert_eq!(given_back, [1_000, 700, 500, 500]);
}

#[test]
fn a_move_that_was_under_way_when_the_time_ran_out_is_in_time() {
    for (round_trip_ms, late_ms, is_in_time) in
        [(300, 300, true), (300, 301, false), (0, 1, false), (900, 500, true)]
    {
        let (mut hand, mut ana, mut bo) = Hand::playing(&lagging(QUOTA));
        measure(&ana, round_trip_ms);
        move_after(&mut hand, &ana, 60_000 + late_ms);
        if is_in_time {
            ana.accepted();
            // The side gets the delay back, and the increment is added as usual.
            assert_eq!(left(&hand, Side::Red), round_trip_ms - late_ms + 5_000);
            continue;
        }
        assert_eq!(ana.refusal().0, "out_of_time");
        assert!(bo.events().is_empty(), "the flag has not fallen yet");
        assert_eq!(hand.wake(), Some(501 - late_ms));
        assert!(
            matches!(&bo.events()[..], [GameEvent::Ended { outcome, .. }] if outcome.reason == "out_of_time")
        );
    }
}

#[test]
fn a_flag_waits_on_every_server_and_no_longer_than_the_quota_lets_it() {
    let (mut hand, ana, bo) = Hand::playing(&lagging(QUOTA));
    for client in [&ana, &bo] {
        hand.close(client);
    }
    let mut twin = hand.twin();
    assert_eq!(twin.wake(), Some(60_501));
    assert!(twin.table.is_over());

    let (mut hand, _ana, _bo) = Hand::playing(&lagging(None));
    assert_eq!(hand.wake(), Some(60_001));
}

#[test]
fn an_event_that_ends_no_turn_gives_no_lag_compensation() {
    let (mut hand, mut ana, _bo) = Hand::playing(&lagging(QUOTA));
    measure(&ana, 300);
    hand.advance(2_000);
    hand.command(&ana, 0, flagfall_protocol::GameCommand::OfferDraw {});
    ana.accepted();
    assert_eq!(left(&hand, Side::Red), 58_000);
    // A resignation gets no lag compensation, although a move would.
    hand.advance(58_100);
    hand.command(&ana, 0, flagfall_protocol::GameCommand::Resign {});
    assert_eq!(ana.refusal().0, "out_of_time");
}
