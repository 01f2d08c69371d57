//! Outages, planned stops, and rematches.

use std::sync::Arc;

use flagfall_board::{Chance, GameId, Side, Stamp};
use flagfall_protocol::{Accepted, Code, GameCommand, GameEvent, ServerToClient, Time};
use flagfall_rules::Viewer;
use flagfall_store::Outage;
use flagfall_store_testing::WriteFault;

use super::harness::{Client, DEPLOY_MS, Hand, IDLE_MS, START, code, deploy, header};
use crate::table::{Input, Output};

/// Restarts a server whose last heartbeat was at `since`.
fn restart(hand: &mut Hand, since: Stamp) {
    hand.reload();
    hand.recover(since);
    hand.step(Input::Tick);
}

fn remaining(hand: &Hand, side: Side) -> u64 {
    hand.view(Viewer::Public).clock.unwrap().remaining_ms[side]
}

#[test]
fn clocks_stand_still_from_the_last_sign_of_life_to_the_return() {
    let (mut hand, _ana, _bo) = Hand::playing(&header("classic"));
    hand.advance(10_000);
    let since = hand.now();
    hand.advance(3_600_000);
    restart(&mut hand, since);
    assert_eq!(remaining(&hand, Side::Red), 50_000);
    hand.advance(1_000);
    assert_eq!(remaining(&hand, Side::Red), 49_000);
    assert!(!hand.table.game.is_paused());
}

#[test]
fn views_before_the_outage_is_recorded_show_no_time_lost() {
    let (mut hand, mut ana, _bo) = Hand::playing(&header("classic"));
    hand.advance(10_000);
    let since = hand.now();
    hand.advance(3_600_000);
    hand.reload();
    hand.is_holding = true;
    hand.recover(since);
    hand.step(Input::Tick);
    hand.open(&ana, None);
    let (_, view, _) = ana.game();
    assert_eq!(view.clock.unwrap().remaining_ms[Side::Red], 50_000);
    hand.release();
    hand.advance(1_000);
    assert_eq!(remaining(&hand, Side::Red), 49_000);
}

#[test]
fn the_time_to_deploy_stands_still_too() {
    let mut hand = Hand::new(&header("classic"));
    hand.advance(100_000);
    let since = hand.now();
    hand.advance(DEPLOY_MS);
    restart(&mut hand, since);
    let deadline = hand.view(Viewer::Public).deploy_deadline;
    assert_eq!(deadline, Some(START.plus_ms(2 * DEPLOY_MS)));
    assert_eq!(hand.wake(), Some(DEPLOY_MS - 100_000 + 1));
    assert!(hand.table.is_over());
}

#[test]
fn the_outage_is_not_forgotten_while_the_store_cannot_take_its_end() {
    for fault in [WriteFault::Unavailable, WriteFault::UnknownBeforeWriting, WriteFault::UnknownAfterWriting]
    {
        let (mut hand, mut ana, _bo) = Hand::playing(&header("classic"));
        let since = hand.now();
        hand.advance(3_600_000);
        hand.store.fail_next(fault);
        restart(&mut hand, since);
        if fault != WriteFault::UnknownAfterWriting {
            // Time that passes while no server is running does not count when a command is judged.
            hand.open(&ana, None);
            ana.texts();
            let command = hand.any_move(&mut Chance::new(3)).unwrap();
            hand.command(&ana, 0, command);
            assert_eq!(ana.refusal().0, code(Code::STORE_UNAVAILABLE));
            assert_eq!(hand.wake(), Some(1_000));
        }
        assert!(!hand.table.outage.is_unrecorded());
        assert_eq!(remaining(&hand, Side::Red), 60_000, "{fault:?}");
        assert_eq!(hand.log().len(), 1 + 3 + 2);
    }
}

#[test]
fn an_outage_that_begins_before_the_end_of_another_is_confirmed_is_recorded_too() {
    for is_opened_again in [false, true] {
        let (mut hand, _ana, _bo) = Hand::playing(&header("classic"));
        let since = hand.now();
        hand.advance(5_000);
        let first = Outage { since, until: hand.now() };
        hand.store.fail_next(WriteFault::UnknownAfterWriting);
        hand.is_holding = true;
        if is_opened_again {
            hand.reload();
            hand.table.recover_from(&[first].into_iter().collect());
            hand.step(Input::Tick);
        } else {
            hand.step(Input::Outage(first));
        }
        hand.release_one();
        assert_eq!(hand.log().len(), 1 + 3 + 2, "the log has it, but the server does not know");
        hand.advance(300);
        let since = hand.now();
        hand.advance(7_000);
        hand.step(Input::Outage(Outage { since, until: hand.now() }));
        hand.release();
        assert!(!hand.table.outage.is_unrecorded());
        assert_eq!(remaining(&hand, Side::Red), 60_000 - 300, "{is_opened_again}");
        assert_eq!(hand.log().len(), 1 + 3 + 4);
    }
}

#[test]
fn one_outage_is_recorded_once_whichever_player_returns_first() {
    let (mut hand, _ana, _bo) = Hand::playing(&header("classic"));
    let since = hand.now();
    hand.advance(5_000);
    let (mut one, mut other) = (hand.twin(), hand.twin());
    for server in [&mut one, &mut other] {
        server.is_holding = true;
        restart(server, since);
        server.is_holding = true;
    }
    one.release();
    other.release();
    assert_eq!(hand.log().len(), 1 + 3 + 2);
    assert!(one.table.game == other.table.game);
    restart(&mut hand, since);
    assert_eq!(hand.log().len(), 1 + 3 + 2, "the next server to open it finds the outage in the log");
}

#[test]
fn a_planned_stop_is_a_pause_in_the_log_and_takes_no_more_commands() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
    hand.advance(10_000);
    hand.is_holding = true;
    let command = hand.any_move(&mut Chance::new(3)).unwrap();
    hand.command(&ana, 0, command);
    hand.step(Input::Stop { is_last: true });
    hand.command(&bo, 1, GameCommand::OfferDraw {});
    hand.release_one();
    ana.accepted();
    assert_eq!(bo.read().len(), 2);
    hand.release_one();
    assert!(matches!(hand.held[..], [Output::Stopped]), "not before the pause is in the log");
    assert!(matches!(&bo.events()[..], [GameEvent::Paused { .. }]));
    hand.command(&bo, 1, GameCommand::Resign {});
    assert_eq!(bo.refusal().0, code(Code::STOPPING));
    assert_eq!(hand.table.wake_at(), None);
    hand.advance(77_000);
    let since = hand.now();
    hand.held.clear();
    hand.is_holding = false;
    restart(&mut hand, since);
    assert!(!hand.table.game.is_paused());
    assert_eq!((remaining(&hand, Side::Red), remaining(&hand, Side::Blue)), (55_000, 60_000));
}

#[test]
fn a_stop_ends_even_when_the_store_does_not_take_the_pause() {
    for fault in [WriteFault::Unavailable, WriteFault::UnknownBeforeWriting, WriteFault::UnknownAfterWriting]
    {
        let (mut hand, _ana, _bo) = Hand::playing(&header("classic"));
        hand.is_holding = true;
        hand.store.fail_next(fault);
        hand.step(Input::Stop { is_last: true });
        while !matches!(hand.held[..], [Output::Stopped]) {
            hand.release_one();
        }
        assert!(hand.table.is_stopped());
        hand.advance(100_000);
        assert_eq!(hand.table.wake_at(), None, "no busy loop over a flag that must not fall");
    }
}

#[test]
fn a_stop_before_the_outage_is_recorded_counts_the_outage() {
    let (mut hand, _ana, _bo) = Hand::playing(&header("classic"));
    hand.advance(10_000);
    let since = hand.now();
    hand.advance(3_600_000);
    hand.store.fail_next(WriteFault::Unavailable);
    restart(&mut hand, since);
    hand.step(Input::Stop { is_last: true });
    let since = hand.now();
    hand.advance(3_600_000);
    restart(&mut hand, since);
    assert_eq!(remaining(&hand, Side::Red), 50_000);
}

#[test]
fn an_append_under_way_is_no_pause() {
    let (mut hand, _ana, _bo) = Hand::playing(&header("classic"));
    hand.advance(60_001);
    hand.is_holding = true;
    hand.step(Input::Tick);
    hand.step(Input::Stop { is_last: true });
    hand.release_one();
    assert!(hand.table.is_over() && hand.table.is_stopped(), "a game that is over needs no pause");

    let (mut hand, _ana, _bo) = Hand::playing(&header("classic"));
    let since = hand.now();
    hand.reload();
    hand.is_holding = true;
    hand.recover(since);
    hand.step(Input::Tick);
    hand.step(Input::Stop { is_last: true });
    hand.release_one();
    assert!(!hand.table.is_stopped());
    hand.release_one();
    assert!(hand.table.is_stopped() && hand.table.game.is_paused());
}

#[test]
fn house_players_are_asked_once_and_again_when_the_store_failed_them() {
    let mut terms = header("classic");
    terms.players.blue = super::harness::player("house-random");
    let mut hand = Hand::new(&terms);
    hand.step(Input::Tick);
    hand.step(Input::Tick);
    assert_eq!(hand.house_turns, 1);
    let asked = |hand: &Hand| {
        Box::new(crate::table::Asked {
            reply: crate::reply::Reply::Discard,
            author: crate::table::Author::Player("house-random".to_owned()),
            cmd_id: "deploy-0-Blue".parse().unwrap(),
            ply: hand.table.game.ply(),
            epoch: None,
            command: deploy("classic", Side::Blue, 2),
            entropy: flagfall_rules::Entropy([1; 32]),
            is_new: false,
            is_current: false,
        })
    };
    for (fault, turns) in [(WriteFault::Unavailable, 2), (WriteFault::UnknownBeforeWriting, 3)] {
        hand.store.fail_next(fault);
        let input = Input::Player(crate::table::TableInput::Command(asked(&hand)));
        hand.step(input);
        assert_eq!(hand.wake(), Some(1_000));
        assert_eq!(hand.house_turns, turns);
    }
    let input = Input::Player(crate::table::TableInput::Command(asked(&hand)));
    hand.step(input);
    assert!(hand.table.game.is_ready(Side::Blue));
}

#[test]
fn a_relay_appends_only_what_a_command_needs() {
    let (mut hand, ana, _bo) = Hand::playing(&header("classic"));
    Arc::make_mut(&mut hand.table.settings).is_relay = true;
    let entries = hand.log().len();
    hand.advance(60_001);
    hand.step(Input::Tick);
    assert_eq!((hand.log().len(), hand.table.wake_at()), (entries, None), "the flag is left to others");
    let mut twin = hand.twin();
    Arc::make_mut(&mut twin.table.settings).is_relay = true;
    twin.recover(Stamp(hand.now().0 - 60_001));
    twin.step(Input::Tick);
    assert_eq!(twin.log().len(), entries, "the outage is left to others");
    let command = twin.any_move(&mut Chance::new(3)).unwrap();
    twin.command(&ana, 0, command.clone());
    assert_eq!((twin.table.game.ply(), twin.log().len()), (1, entries + 3), "judged after the outage");
    let (mut hand, ana, _bo) = Hand::playing(&header("classic"));
    Arc::make_mut(&mut hand.table.settings).is_relay = true;
    hand.advance(60_001);
    hand.command(&ana, 0, command);
    assert!(hand.table.is_over(), "judged after the flag has fallen");

    let mut terms = header("classic");
    terms.players.blue = super::harness::player("house-random");
    let mut hand = Hand::new(&terms);
    Arc::make_mut(&mut hand.table.settings).is_relay = true;
    hand.step(Input::Tick);
    assert_eq!(hand.house_turns, 0);
}

fn over(terms: &crate::header::GameHeader) -> (Hand, Client, Client) {
    let (mut hand, mut ana, mut bo) = Hand::playing(terms);
    hand.command(&ana, 0, GameCommand::Resign {});
    ana.texts();
    bo.texts();
    (hand, ana, bo)
}

#[test]
fn a_rematch_wants_both_and_is_answered_when_it_is_made() {
    let (mut hand, mut ana, mut bo) = over(&header("classic"));
    hand.rematch(&ana, "again");
    let messages = ana.read();
    assert!(
        matches!(
            &messages[..],
            [
                ServerToClient::RematchOffered { side: Side::Red, .. },
                ServerToClient::Accepted { outcome: Accepted::Done {}, .. }
            ]
        ),
        "{messages:?}"
    );
    hand.rematch(&ana, "again");
    assert!(matches!(ana.only(), ServerToClient::Accepted { outcome: Accepted::Done {}, .. }));
    bo.texts();
    hand.is_holding = true;
    hand.rematch(&bo, "yes");
    hand.rematch(&bo, "yes");
    assert!(matches!(bo.only(), ServerToClient::RematchOffered { side: Side::Blue, .. }), "not made yet");
    assert_eq!(hand.held.len(), 1, "made once");
    assert!(!hand.table.is_idle());
    hand.release();
    for message in bo.read() {
        let ServerToClient::Accepted { outcome: Accepted::Started { side, .. }, .. } = message else {
            panic!("{message:?}")
        };
        assert_eq!(side, Side::Red, "sides are swapped");
    }
    ana.texts();
    hand.rematch(&ana, "again");
    assert!(matches!(
        ana.only(),
        ServerToClient::Accepted { outcome: Accepted::Started { side: Side::Blue, .. }, .. }
    ));
}

#[test]
fn a_rematch_that_cannot_be_made_is_refused_and_may_be_tried_again() {
    let (mut hand, ana, mut bo) = over(&header("classic"));
    hand.rematch(&ana, "again");
    hand.is_holding = true;
    hand.rematch(&bo, "yes");
    bo.texts();
    hand.held.clear();
    hand.step(Input::RematchMade(Err(flagfall_base::refusals::store_unclear())));
    let told = bo.read();
    let [ServerToClient::RematchWithdrawn { side: Side::Blue, .. }, ServerToClient::Refused { code, .. }] =
        &told[..]
    else {
        panic!("{told:?}")
    };
    assert_eq!(code.as_str(), Code::STORE_UNAVAILABLE);
    hand.rematch(&bo, "yes");
    assert!(matches!(hand.held[..], [Output::MakeRematch]));
}

#[test]
fn an_offer_of_a_rematch_lapses_when_its_player_leaves_or_is_away() {
    let (mut hand, ana, mut bo) = over(&header("classic"));
    let is_withdrawn = |client: &mut Client, of: Side| {
        let is_it =
            |message: &_| matches!(message, ServerToClient::RematchWithdrawn { side, .. } if *side == of);
        client.read().iter().any(is_it)
    };
    hand.rematch(&ana, "again");
    hand.leave(&ana);
    assert!(is_withdrawn(&mut bo, Side::Red));
    hand.is_holding = true;
    hand.rematch(&bo, "yes");
    assert!(hand.held.is_empty(), "bo would play alone");
    hand.is_holding = false;
    let mut ana = Client::new("ana");
    hand.open(&ana, None);
    let ServerToClient::Game { rematch, .. } = ana.only() else { panic!("no game") };
    assert_eq!(rematch, [Side::Blue]);
    hand.close(&bo);
    assert!(!is_withdrawn(&mut ana, Side::Blue), "bo may come back");
    assert_eq!(hand.wake(), Some(30_000));
    assert!(is_withdrawn(&mut ana, Side::Blue));
    // A player who does not have the game open has half a minute to open it.
    hand.rematch(&bo, "once-more");
    assert!(!is_withdrawn(&mut ana, Side::Blue));
    assert_eq!(hand.wake(), Some(30_000));
    assert!(is_withdrawn(&mut ana, Side::Blue));
}

#[test]
fn a_house_player_wants_every_rematch_and_an_existing_one_is_found_after_a_reload() {
    let mut terms = header("classic");
    terms.players.blue = super::harness::player("house-random");
    let mut hand = Hand::new(&terms);
    let mut ana = Client::new("ana");
    hand.command(&ana, 0, GameCommand::Abort {});
    ana.texts();
    hand.rematch(&ana, "again");
    let started = Accepted::Started { game: GameId::from_random([9; 12]), side: Side::Blue };
    let only = |client: &mut Client| match client.only() {
        ServerToClient::Accepted { outcome, .. } => outcome,
        other => panic!("{other:?}"),
    };
    assert_eq!(only(&mut ana), started);
    hand.reload();
    hand.table.rematch.set_game(GameId::from_random([9; 12]));
    hand.rematch(&ana, "again");
    assert_eq!(only(&mut ana), started);
}

#[test]
fn there_is_no_rematch_of_a_game_that_goes_on() {
    let (mut hand, mut ana, _bo) = Hand::playing(&header("classic"));
    hand.rematch(&ana, "again");
    assert_eq!(ana.refusal().0, code(Code::NOT_OVER));
}

#[test]
fn a_game_without_a_clock_waits_only_for_its_own_end() {
    let mut terms = header("classic");
    terms.terms.time = Time::Unlimited {};
    let (hand, _ana, _bo) = Hand::playing(&terms);
    assert_eq!(hand.table.wake_at(), Some(START.plus_ms(IDLE_MS + 1)));
}
