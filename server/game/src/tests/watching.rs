//! Clients open, resume, watch and leave games.

use std::sync::Arc;

use flagfall_board::{Chance, Side};
use flagfall_protocol::{
    Code, EventPosition, GameCommand, GameEvent, GameView, Phase, Presence, ServerToClient,
};
use flagfall_rules::{Ruleset, Viewer};

use super::harness::{Client, Hand, code, deploy, header};

#[test]
fn events_since_a_position_come_along_when_they_are_at_hand_and_else_none() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
    let mut chance = Chance::new(3);
    hand.play(&mut ana, &mut bo, 40, &mut chance);
    let head = hand.seq(Viewer::Player(Side::Red));
    let mut back = Client::new("ana");
    let mut since = |position: Option<EventPosition>| {
        hand.open(&back, position);
        let (seq, view, events) = back.game();
        assert_eq!((seq, view.ply), (head, 40));
        events.len()
    };
    let epoch = hand_epoch(&mut since);
    assert_eq!(since(Some(EventPosition { epoch, seq: head })), 0);
    assert_eq!(since(Some(EventPosition { epoch, seq: head - 3 })), 3);
    assert_eq!(since(Some(EventPosition { epoch, seq: 0 })), 0, "too old");
    assert_eq!(since(Some(EventPosition { epoch, seq: head + 1 })), 0, "never shown");
    assert_eq!(since(Some(EventPosition { epoch, seq: u64::MAX })), 0);
    assert_eq!(since(Some(EventPosition { epoch: epoch + 1, seq: head - 3 })), 0, "another epoch");
}

/// The epoch of a store in these tests is the time at which the store was created.
fn hand_epoch(_: &mut impl FnMut(Option<EventPosition>) -> usize) -> u64 {
    super::harness::START.0
}

#[test]
fn events_since_are_the_same_after_a_reload() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("barrage"));
    hand.play(&mut ana, &mut bo, 12, &mut Chance::new(3));
    let position = hand.position(hand.seq(Viewer::Public) - 5);
    let mut cy = Client::new("cy");
    hand.open(&cy, Some(position));
    let before = cy.game();
    hand.reload();
    hand.open(&cy, Some(position));
    assert_eq!(cy.game(), before);
    assert_eq!(before.2.len(), 5);
}

#[test]
fn the_view_with_all_events_applied_is_the_view_of_a_newcomer_for_each_audience_and_ruleset() {
    for ruleset in Ruleset::all() {
        for seed in 1..6 {
            follow(ruleset.id, seed);
        }
    }
}

fn follow(ruleset: &str, seed: u64) {
    let mut hand = Hand::new(&header(ruleset));
    let mut clients = ["ana", "bo", "cy"].map(Client::new);
    let mut views: Vec<(u64, GameView)> = Vec::new();
    for client in &mut clients {
        hand.open(client, None);
    }
    for client in &mut clients {
        views.push(client.read().into_iter().find_map(game_of).unwrap());
    }
    let mut chance = Chance::new(seed);
    let setups = [(0, deploy(ruleset, Side::Red, seed)), (0, deploy(ruleset, Side::Red, seed + 50))];
    for (_, setup) in setups {
        hand.command(&clients[0], 0, setup);
    }
    hand.command(&clients[1], 0, deploy(ruleset, Side::Blue, seed));
    for step in 0..400 {
        hand.advance(7);
        if hand.table.game.turn().is_some() {
            let side = hand.table.game.position().actor();
            let mover = if side == Side::Red { &clients[0] } else { &clients[1] };
            let ply = hand.table.game.ply();
            if step % 37 == 5 {
                hand.command(mover, ply, GameCommand::OfferDraw {});
            }
            if step == 390 {
                hand.command(mover, ply, GameCommand::Resign {});
            } else {
                let command = hand.any_move(&mut chance).unwrap();
                hand.command(mover, ply, command);
            }
        }
        for (client, (seq, view)) in clients.iter_mut().zip(&mut views) {
            for message in client.read() {
                if let ServerToClient::Event { seq: next, event, change, .. } = message {
                    assert_eq!(next, *seq + 1, "no gap");
                    *seq = next;
                    view.apply(&event, &change);
                }
            }
        }
        if step % 20 == 0 || step > 388 {
            for (viewer, (seq, view)) in Viewer::ALL.into_iter().zip(&views) {
                let mut fresh = hand.view(viewer);
                assert_eq!(*seq, hand.seq(viewer));
                // Leave out the clocks, because they depend on the time of each look.
                fresh.clock = view.clock;
                assert_eq!(*view, fresh, "{ruleset} seed {seed} step {step}");
            }
        }
    }
    assert_eq!(hand.table.game.phase(), Phase::Over);
}

fn game_of(message: ServerToClient) -> Option<(u64, GameView)> {
    match message {
        ServerToClient::Game { seq, view, .. } => Some((seq, view)),
        _ => None,
    }
}

#[test]
fn a_player_is_reconnecting_at_once_away_after_half_a_minute_and_present_on_return() {
    let mut quiet = header("classic");
    quiet.terms.time = flagfall_protocol::Time::Unlimited {};
    let (mut hand, ana, mut bo) = Hand::playing(&quiet);
    // Read only the first message, because messages about claims may follow.
    let presence = |client: &mut Client| match client.read().first() {
        Some(ServerToClient::Presence { side: Side::Red, presence, .. }) => *presence,
        other => panic!("{other:?}"),
    };
    hand.close(&ana);
    assert_eq!(presence(&mut bo), Presence::Reconnecting);
    hand.advance(29_999);
    hand.step(crate::table::Input::Tick);
    assert!(bo.texts().is_empty());
    assert_eq!(hand.wake(), Some(1));
    assert_eq!(presence(&mut bo), Presence::Away);
    assert!(bo.texts().is_empty());
    let back = Client::new("ana");
    hand.open(&back, None);
    assert_eq!(presence(&mut bo), Presence::Present);
    // Opening and closing a second connection changes nothing.
    let second = Client::new("ana");
    hand.open(&second, None);
    hand.close(&second);
    assert!(bo.texts().is_empty());
}

#[test]
fn a_connection_that_ended_without_a_word_is_noticed() {
    let (mut hand, ana, mut bo) = Hand::playing(&header("classic"));
    drop(ana);
    hand.step(crate::table::Input::Tick);
    assert!(matches!(bo.read()[0], ServerToClient::Presence { presence: Presence::Reconnecting, .. }));
    // If a connection ends before its request to open the game is handled, its player is not
    // counted as present.
    let late = Client::new("ana");
    let opener = late.opener(None);
    drop(late);
    hand.step(crate::table::Input::Player(crate::table::TableInput::Open(opener)));
    assert!(bo.texts().is_empty());
}

#[test]
fn a_player_gets_only_their_own_view_in_any_request() {
    let (hand, _ana, _bo) = Hand::playing(&header("classic"));
    let header = &hand.table.header;
    assert_eq!(header.viewer(Some("ana")), Some(Viewer::Player(Side::Red)));
    assert_eq!(header.viewer(Some("bo")), Some(Viewer::Player(Side::Blue)));
    for stranger in [Some("cy"), Some(""), None] {
        assert_eq!(header.viewer(stranger), Some(Viewer::Public));
    }
}

#[test]
fn spectators_are_limited_and_reopening_takes_no_second_place() {
    let (mut hand, _ana, _bo) = Hand::playing(&header("classic"));
    Arc::make_mut(&mut hand.table.settings).spectators_max = 2;
    let mut watchers = ["cy", "di", "ed"].map(Client::new);
    for watcher in &watchers {
        hand.open(watcher, None);
    }
    assert_eq!(watchers[2].refusal().0, code(Code::TOO_MANY));
    hand.open(&watchers[0], None);
    assert_eq!(watchers[0].read().len(), 2);
    let [_, second, third] = &mut watchers;
    hand.close(second);
    hand.open(third, None);
    third.game();
    // A spectator's place is also free if the connection ended without a message.
    let last = Client::new("fi");
    *second = last;
    let [first, ..] = watchers;
    drop(first);
    let mut late = Client::new("gu");
    hand.open(&late, None);
    late.game();
}

#[test]
fn a_slow_spectator_gets_the_newest_view_instead_of_every_event_and_ends_equal() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("barrage"));
    let mut cy = Client::new("cy");
    hand.open(&cy, None);
    hand.play(&mut ana, &mut bo, 60, &mut Chance::new(3));
    let ply = hand.table.game.ply();
    hand.close(&bo);
    hand.command(&ana, ply, GameCommand::Resign {});
    assert!(!cy.outbox.is_closed(), "the send queue stays short");
    let missed = cy.read();
    assert!(missed.len() <= 18, "{}", missed.len());
    // The table checks the spectator's queue by itself, although the game is over and no more
    // messages come.
    assert_eq!(hand.wake(), Some(200));
    let (seq, view, _) = cy.game();
    assert_eq!((seq, view), (hand.seq(Viewer::Public), hand.view(Viewer::Public)));
    assert_eq!(hand.table.audiences.behind, 0);
}

#[test]
fn a_slow_player_is_sent_every_event_until_the_send_queue_is_full() {
    let (mut hand, ana, bo) = Hand::playing(&header("barrage"));
    let (mut ana, mut chance) = (ana, Chance::new(3));
    for _ in 0..70 {
        let Some(side) = hand.table.game.turn() else { break };
        let (ply, command) = (hand.table.game.ply(), hand.any_move(&mut chance).unwrap());
        let fresh = Client::new("bo");
        let mover = if side == Side::Red { &ana } else { &fresh };
        hand.command(mover, ply, command);
        ana.texts();
    }
    let mut bo = bo;
    assert_eq!(bo.close_code(), Some(flagfall_protocol::CloseCode::Slow));
}

#[test]
fn secrecy_covers_the_deployment_for_the_public_alone() {
    let mut secret = header("barrage");
    secret.secret.red = true;
    let (mut hand, mut ana, mut bo) = Hand::playing(&secret);
    let mut cy = Client::new("cy");
    hand.open(&cy, None);
    hand.command(&bo, 0, GameCommand::Resign {});
    let opened = |client: &mut Client| match client.events().pop() {
        Some(GameEvent::Ended { opened, .. }) => (opened.red.is_some(), opened.blue.is_some()),
        other => panic!("{other:?}"),
    };
    assert_eq!(opened(&mut ana), (true, true));
    assert_eq!(opened(&mut bo), (true, true));
    assert_eq!(opened(&mut cy), (false, true));
    let view = hand.view(Viewer::Public);
    let red = view.pieces.iter().filter(|piece| piece.side == Side::Red);
    assert!(red.into_iter().all(|piece| piece.identity == flagfall_rules::Identity::Hidden));
}
