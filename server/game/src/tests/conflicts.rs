//! Conflicts between two servers on one store, and stores that do not say whether they wrote
//! something.

use flagfall_board::{Chance, Side};
use flagfall_protocol::{Code, GameCommand, ServerToClient};
use flagfall_rules::Viewer;
use flagfall_store_testing::WriteFault;

use super::harness::{Client, Hand, code, header};
use crate::table::{Health, Output};

#[test]
fn of_two_servers_one_is_first_and_both_go_on_alike() {
    let (mut one, mut ana, mut bo) = Hand::playing(&header("classic"));
    let mut other = one.twin();
    let mut second_ana = Client::new("ana");
    other.open(&second_ana, None);
    second_ana.texts();
    let entries = one.log().len();
    one.is_holding = true;
    other.is_holding = true;
    let mut chance = Chance::new(3);
    let (first, second) = (one.any_move(&mut chance).unwrap(), one.any_move(&mut chance).unwrap());
    one.command(&ana, 0, first);
    other.command(&second_ana, 0, second);
    other.release();
    one.release();
    assert_eq!(one.log().len(), entries + 1);
    second_ana.accepted();
    let messages = ana.read();
    let [ServerToClient::Event { .. }, ServerToClient::Refused { code, .. }] = &messages[..] else {
        panic!("{messages:?}")
    };
    assert_eq!(code.as_str(), "stale_ply");
    assert_eq!(bo.events().len(), 1);
    assert!(one.table.game == other.table.game && one.table.head == other.table.head);
}

#[test]
fn a_command_that_still_fits_after_a_conflict_is_carried_out() {
    let (mut one, mut ana, bo) = Hand::playing(&header("classic"));
    let mut other = one.twin();
    let mut second_bo = Client::new("bo");
    other.command(&second_bo, 0, GameCommand::OfferDraw {});
    second_bo.accepted();
    let command = one.any_move(&mut Chance::new(3)).unwrap();
    one.command(&ana, 0, command);
    ana.accepted();
    assert_eq!(one.log().len(), other.log().len());
    assert_eq!(one.table.accepted.known.len(), 4);
    drop(bo);
}

#[test]
fn the_same_command_at_two_servers_at_once_is_one_command() {
    let (mut one, mut ana, _bo) = Hand::playing(&header("classic"));
    let mut other = one.twin();
    let mut second_ana = Client::new("ana");
    one.is_holding = true;
    other.is_holding = true;
    let command = one.any_move(&mut Chance::new(3)).unwrap();
    let entries = one.log().len();
    one.command_as(&ana, "same", 0, command.clone());
    other.command_as(&second_ana, "same", 0, command);
    one.release();
    other.release();
    assert_eq!(ana.accepted(), second_ana.accepted());
    assert_eq!(one.log().len(), entries + 1);
}

#[test]
fn an_unknown_outcome_is_resolved_by_reading() {
    for (fault, is_written) in
        [(WriteFault::UnknownAfterWriting, true), (WriteFault::UnknownBeforeWriting, false)]
    {
        let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
        let entries = hand.log().len();
        let command = hand.any_move(&mut Chance::new(3)).unwrap();
        hand.store.fail_next(fault);
        hand.command_as(&ana, "doubtful", 0, command.clone());
        if is_written {
            ana.accepted();
        } else {
            assert_eq!(ana.refusal().0, code(Code::STORE_UNAVAILABLE));
            assert_eq!(hand.log().len(), entries, "never written again");
            hand.command_as(&ana, "doubtful", 0, command);
            ana.accepted();
        }
        assert_eq!(hand.log().len(), entries + 1);
        assert_eq!(bo.events().len(), 1);
    }
}

#[test]
fn an_unknown_outcome_that_cannot_be_read_is_neither_accepted_nor_refused_for_good() {
    let (mut hand, mut ana, _bo) = Hand::playing(&header("classic"));
    let command = hand.any_move(&mut Chance::new(3)).unwrap();
    hand.store.fail_next(WriteFault::UnknownAfterWriting);
    hand.is_holding = true;
    hand.command_as(&ana, "doubtful", 0, command.clone());
    hand.release_one();
    assert!(matches!(hand.held.remove(0), Output::Read { .. }));
    hand.is_holding = false;
    hand.step(crate::table::Input::ReadOn(Err(crate::error::TableError::Unavailable)));
    assert_eq!(ana.refusal().0, code(Code::STORE_UNAVAILABLE));
    hand.command_as(&ana, "doubtful", 0, command);
    ana.accepted();
}

#[test]
fn a_store_that_lost_acknowledged_entries_ends_the_replica() {
    for other_goes_on in [false, true] {
        let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
        hand.play(&mut ana, &mut bo, 6, &mut Chance::new(3));
        let entries = hand.log().len() as u64;
        hand.store.lose_tail(hand.id, entries - 2);
        if other_goes_on {
            let mut other = hand.twin();
            let (mut other_ana, mut other_bo) = (Client::new("ana"), Client::new("bo"));
            other.play(&mut other_ana, &mut other_bo, 5, &mut Chance::new(99));
        }
        hand.is_holding = true;
        hand.command(&ana, 6, GameCommand::OfferDraw {});
        hand.release_one();
        hand.release_one();
        assert!(hand.table.health == Health::Diverged);
        assert!(matches!(hand.held[..], [Output::Diverged]), "once, and nothing else");
        assert_eq!(ana.refusal().0, code(Code::STORE_UNAVAILABLE));
        assert!(bo.texts().is_empty(), "nothing of the other branch is shown on top of this one");
    }
}

#[test]
fn a_damaged_log_stops_this_game_and_says_so_to_all() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
    let mut cy = Client::new("cy");
    hand.open(&cy, None);
    cy.texts();
    let mut other = hand.twin();
    let offer = Client::new("bo");
    other.command(&offer, 0, GameCommand::OfferDraw {});
    let last = hand.log().len() as u64;
    hand.store.damage(hand.id, last);
    let command = hand.any_move(&mut Chance::new(3)).unwrap();
    hand.command(&ana, 0, command.clone());
    let messages = ana.read();
    assert!(
        matches!(&messages[..], [ServerToClient::Refused { .. }, ServerToClient::GameUnavailable { .. }]),
        "{messages:?}"
    );
    assert!(matches!(bo.only(), ServerToClient::GameUnavailable { .. }));
    assert!(matches!(cy.only(), ServerToClient::GameUnavailable { .. }));
    hand.command(&ana, 0, command);
    assert_eq!(ana.refusal().0, code(Code::GAME_QUARANTINED));
    hand.open(&bo, None);
    let ServerToClient::GameUnavailable { code: why, request, .. } = bo.only() else { panic!("damaged") };
    assert_eq!(why, Some(Code::new(Code::GAME_QUARANTINED)));
    assert!(request.is_some(), "the request to open the game, for a report");
    assert_eq!(hand.table.wake_at(), None);
}

#[test]
fn two_servers_let_one_flag_fall_once() {
    let (mut one, mut ana, _bo) = Hand::playing(&header("classic"));
    let mut other = one.twin();
    let entries = one.log().len();
    assert!(one.wake().is_some());
    other.step(crate::table::Input::Tick);
    assert_eq!(one.log().len(), entries + 1);
    assert_eq!(ana.events().len(), 1);
    assert!(one.table.game == other.table.game);
    assert_eq!(one.seq(Viewer::Player(Side::Red)), other.seq(Viewer::Player(Side::Red)));
}
