//! Commands that were made in one epoch and are sent again in a later one.

use flagfall_board::{Chance, ChipColor, PerSide, Rank, Side};
use flagfall_protocol::{ClaimedResult, GameCommand, Move, Phase};
use flagfall_rules::{Ruleset, Start, Viewer};
use flagfall_store::Store as _;

use super::harness::{Client, Hand, deploy, header, now};
use crate::error::TableError;
use crate::table::{Input, Output};

/// Loses the last entries of the log, and restarts the server with the remaining entries.
fn lose(hand: &mut Hand, entries: usize) -> [Client; 2] {
    let kept = hand.log().len() - entries;
    hand.store.lose_tail(hand.id, kept as u64);
    now(hand.store.bump_epoch()).unwrap();
    hand.reload();
    let mut clients = ["ana", "bo"].map(Client::new);
    clients.iter().for_each(|client| hand.open(client, None));
    clients.iter_mut().for_each(|client| drop(client.texts()));
    clients
}

/// Returns one command of each kind, except a deployment.
fn of_every_kind() -> Vec<GameCommand> {
    let square = "a4".parse().unwrap();
    vec![
        GameCommand::from("a4a5".parse::<Move>().unwrap()),
        GameCommand::Remove { square },
        GameCommand::Place { square, rank: Rank::Scout, labeled: false, color: None },
        GameCommand::Color { color: ChipColor::Red },
        GameCommand::Choose { rank: Rank::Scout },
        GameCommand::OfferDraw {},
        GameCommand::AcceptDraw {},
        GameCommand::DeclineDraw {},
        GameCommand::Resign {},
        GameCommand::Abort {},
        GameCommand::Claim { result: ClaimedResult::Win },
        GameCommand::Claim { result: ClaimedResult::Draw },
    ]
}

#[test]
fn a_move_of_a_lost_branch_is_not_made_though_the_log_would_take_it() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
    hand.play(&mut ana, &mut bo, 5, &mut Chance::new(3));
    let epoch = hand.table.epoch;
    // Bo has an answer to Ana's last move, but the connection drops before it is sent.
    // The store loses Ana's move and other entries.
    let [mut ana, mut bo] = lose(&mut hand, 3);
    hand.play(&mut ana, &mut bo, 3, &mut Chance::new(4));
    let (ply, answer) = (hand.table.game.ply(), hand.any_move(&mut Chance::new(5)).unwrap());
    assert_eq!((ply, hand.table.game.turn()), (5, Some(Side::Blue)));
    let entries = hand.log().len();
    hand.command_in(&bo, "answer", ply, Some(epoch), answer.clone());
    let seq = hand.seq(Viewer::Player(Side::Blue));
    assert_eq!(bo.refusal(), ("stale_epoch".to_owned(), Some(seq)));
    assert!(ana.texts().is_empty() && hand.log().len() == entries, "nothing has changed");
    // After bo has looked at the game in the new epoch, the move is accepted.
    let again = hand.table.epoch;
    hand.command_in(&bo, "again", ply, Some(again), answer);
    bo.accepted();
    assert_eq!(hand.log().len(), entries + 1);
}

#[test]
fn a_command_of_a_lost_branch_is_refused_whichever_it_is_and_in_every_ruleset() {
    for ruleset in Ruleset::all() {
        let (mut hand, ..) = Hand::playing(&header(ruleset.id));
        let epoch = hand.table.epoch;
        let [ana, bo] = lose(&mut hand, 0);
        let entries = hand.log().len();
        let mut clients = PerSide::new(ana, bo);
        let legal = hand.any_move(&mut Chance::new(3)).unwrap();
        for (number, command) in of_every_kind().into_iter().chain([legal]).enumerate() {
            for side in Side::BOTH {
                let id = format!("{side:?}-{number}");
                hand.command_in(&clients[side], &id, 0, Some(epoch), command.clone());
                assert_eq!(clients[side].refusal().0, "stale_epoch", "{}: {command:?}", ruleset.id);
                assert!(clients[side.opponent()].texts().is_empty());
            }
        }
        assert_eq!(hand.log().len(), entries, "{}", ruleset.id);
    }
}

#[test]
fn a_deployment_is_accepted_after_entries_of_the_log_were_lost() {
    for ruleset in Ruleset::all().iter().filter(|ruleset| ruleset.start == Start::Deployments) {
        let mut hand = Hand::new(&header(ruleset.id));
        let epoch = hand.table.epoch;
        let ana = Client::new("ana");
        hand.command_in(&ana, "deploy", 0, Some(epoch), deploy(ruleset.id, Side::Red, 1));
        let [mut ana, mut bo] = lose(&mut hand, 1);
        assert_eq!(hand.table.game.phase(), Phase::Deploying);
        hand.command_in(&ana, "deploy", 0, Some(epoch), deploy(ruleset.id, Side::Red, 1));
        ana.accepted();
        assert_eq!(bo.events().len(), 1, "{}: one is ready", ruleset.id);
    }
}

#[test]
fn a_command_in_the_log_is_accepted_again_in_any_epoch() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
    let mut chance = Chance::new(3);
    let (epoch, first) = (hand.table.epoch, hand.any_move(&mut chance).unwrap());
    hand.command_in(&ana, "first", 0, Some(epoch), first.clone());
    let seq = ana.accepted();
    bo.texts();
    let [mut ana, mut bo] = lose(&mut hand, 0);
    hand.command_in(&ana, "first", 0, Some(epoch), first.clone());
    assert_eq!(ana.accepted(), seq);
    hand.play(&mut ana, &mut bo, 40, &mut chance);
    let [mut ana, _bo] = lose(&mut hand, 0);
    let entries = hand.log().len();
    assert!(hand.table.accepted.recent.len() < hand.table.accepted.known.len());
    hand.command_in(&ana, "first", 0, Some(epoch), first.clone());
    assert_eq!(ana.accepted(), seq);
    // The epoch is not part of the command, so a repeat without the epoch gets the same answer.
    hand.command_in(&ana, "first", 0, None, first);
    assert_eq!(ana.accepted(), seq);
    assert_eq!(hand.log().len(), entries);
}

#[test]
fn a_command_that_another_server_accepted_is_accepted_again() {
    let (mut one, mut ana, _bo) = Hand::playing(&header("classic"));
    one.table.share(PerSide::default());
    now(one.store.bump_epoch()).unwrap();
    let mut other = one.twin();
    other.table.share(PerSide::default());
    assert!(one.table.epoch < other.table.epoch);
    let mut again = Client::new("ana");
    other.open(&again, None);
    again.texts();
    let (epoch, command) = (one.table.epoch, one.any_move(&mut Chance::new(3)).unwrap());
    one.command_in(&ana, "once", 0, Some(epoch), command.clone());
    let seq = ana.accepted();
    let entries = one.log().len();
    other.command_in(&again, "once", 0, Some(epoch), command);
    assert_eq!(again.accepted(), seq);
    assert_eq!(one.log().len(), entries);
}

#[test]
fn commands_without_an_epoch_or_with_a_later_one_are_judged_by_the_log() {
    let (mut hand, mut ana, _bo) = Hand::playing(&header("classic"));
    let epoch = hand.table.epoch;
    let mut chance = Chance::new(3);
    let command = hand.any_move(&mut chance).unwrap();
    hand.command_in(&ana, "later", 0, Some(epoch + 1), command);
    ana.accepted();
    let [_ana, mut bo] = lose(&mut hand, 0);
    let command = hand.any_move(&mut chance).unwrap();
    hand.command_in(&bo, "none", 1, None, command);
    bo.accepted();
}

#[test]
fn a_refusal_for_the_epoch_waits_until_the_replica_is_known_to_be_the_log() {
    let (mut hand, ..) = Hand::playing(&header("classic"));
    let epoch = hand.table.epoch;
    let [mut ana, _bo] = lose(&mut hand, 0);
    hand.is_holding = true;
    hand.command_in(&ana, "stale", 0, Some(epoch), GameCommand::Resign {});
    assert!(ana.texts().is_empty() && matches!(hand.held[..], [Output::Read { .. }]));
    hand.held.clear();
    hand.step(Input::ReadOn(Err(TableError::Unavailable)));
    assert_eq!(ana.refusal().0, "store_unavailable", "it may be in the log");
}
