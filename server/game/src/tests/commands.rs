//! Commands are judged, appended and answered. A repeated command gets the same answer.

use flagfall_board::{Chance, Side};
use flagfall_protocol::{Code, GameCommand, GameEvent, ServerToClient, Time};
use flagfall_rules::Viewer;
use flagfall_store_testing::WriteFault;

use super::harness::{Client, Hand, code, deploy, header};

#[test]
fn the_start_shows_all_the_same_commitments_and_hides_the_other_side() {
    let mut hand = Hand::new(&header("classic"));
    let (mut ana, mut bo, mut cy) = (Client::new("ana"), Client::new("bo"), Client::new("cy"));
    for client in [&ana, &bo, &cy] {
        hand.open(client, None);
    }
    for client in [&mut ana, &mut bo, &mut cy] {
        client.texts();
    }
    hand.command(&ana, 0, deploy("classic", Side::Red, 1));
    assert_eq!(bo.events(), [GameEvent::Ready { side: Side::Red }]);
    assert_eq!(cy.events(), [GameEvent::Ready { side: Side::Red }]);
    assert!(matches!(&ana.events()[..], [GameEvent::Deployed { .. }]));
    hand.command(&bo, 0, deploy("classic", Side::Blue, 2));
    let started = |events: Vec<GameEvent>| match events.last() {
        Some(GameEvent::Started { commitments }) => *commitments,
        other => panic!("{other:?}"),
    };
    let commitments = started(ana.events());
    assert!(commitments.red.is_some() && commitments.blue.is_some() && commitments.red != commitments.blue);
    assert_eq!(started(bo.events()), commitments);
    assert_eq!(started(cy.events()), commitments);
}

#[test]
fn the_events_up_to_the_start_can_be_sent_again() {
    let mut hand = Hand::new(&header("classic"));
    let mut clients = ["ana", "bo", "cy"].map(Client::new);
    for client in &mut clients {
        hand.open(client, None);
        client.texts();
    }
    for (player, side, seed) in [(0, Side::Red, 1), (0, Side::Red, 2), (1, Side::Blue, 3)] {
        hand.command(&clients[player], 0, deploy("classic", side, seed));
    }
    for (client, count) in clients.iter_mut().zip([4, 3, 3]) {
        let (seen, start) = (client.events(), hand.position(0));
        assert_eq!(seen.len(), count);
        hand.open(client, Some(start));
        assert_eq!(client.game().2, seen);
    }
}

#[test]
fn others_receive_the_same_bytes_for_any_deployment() {
    let bytes_for = |seed: u64, redeployments: u64| {
        let mut hand = Hand::new(&header("barrage"));
        let (ana, mut bo, mut cy) = (Client::new("ana"), Client::new("bo"), Client::new("cy"));
        for client in [&ana, &bo, &cy] {
            hand.open(client, None);
        }
        for extra in 0..=redeployments {
            hand.command(&ana, 0, deploy("barrage", Side::Red, seed + extra));
        }
        hand.command_as(&bo, "offer", 0, GameCommand::OfferDraw {});
        (bo.texts(), cy.texts())
    };
    let reference = bytes_for(1, 0);
    assert!(reference.0.len() >= 3);
    for (seed, redeployments) in [(2, 0), (3, 0), (4, 5)] {
        assert_eq!(bytes_for(seed, redeployments), reference);
    }
}

/// Sends a command, and returns the code of the refusal if it is refused.
fn refused(hand: &mut Hand, client: &mut Client, command: GameCommand) -> Option<String> {
    let ply = hand.table.game.ply();
    client.texts();
    hand.command(client, ply, command);
    client.read().into_iter().find_map(|message| match message {
        ServerToClient::Refused { code, .. } => Some(code.as_str().to_owned()),
        _ => None,
    })
}

#[test]
fn a_deployment_can_be_changed_only_so_often() {
    let mut hand = Hand::new(&header("barrage"));
    let (mut ana, mut bo) = (Client::new("ana"), Client::new("bo"));
    for seed in 0..=50 {
        assert_eq!(refused(&mut hand, &mut ana, deploy("barrage", Side::Red, seed)), None, "{seed}");
    }
    for _ in 0..2 {
        let again = refused(&mut hand, &mut ana, deploy("barrage", Side::Red, 99));
        assert_eq!(again.as_deref(), Some("deployment_final"));
        hand.reload();
    }
    assert_eq!(hand.log().len(), 52);
    // The other side is not affected, and the game starts.
    assert_eq!(refused(&mut hand, &mut bo, deploy("barrage", Side::Blue, 1)), None);
    assert_eq!(refused(&mut hand, &mut ana, GameCommand::OfferDraw {}), None);
}

#[test]
fn draws_can_be_offered_only_so_often_at_one_ply() {
    let mut quiet = header("classic");
    quiet.terms.time = Time::Unlimited {};
    let (mut hand, mut ana, mut bo) = Hand::playing(&quiet);
    let entries = hand.log().len();
    let mut refusals = Vec::new();
    for _ in 0..20 {
        refusals.extend(refused(&mut hand, &mut ana, GameCommand::OfferDraw {}));
        refusals.extend(refused(&mut hand, &mut bo, GameCommand::DeclineDraw {}));
        refusals.extend(refused(&mut hand, &mut bo, GameCommand::OfferDraw {}));
        refusals.extend(refused(&mut hand, &mut ana, GameCommand::DeclineDraw {}));
        hand.reload();
    }
    assert_eq!(hand.log().len() - entries, 20);
    assert!(refusals.iter().any(|code| code == "draw_offered_recently"), "{refusals:?}");
    // With the next ply, both may offer again.
    hand.play(&mut ana, &mut bo, 1, &mut Chance::new(1));
    assert_eq!(refused(&mut hand, &mut ana, GameCommand::OfferDraw {}), None);
}

#[test]
fn nothing_is_sent_before_the_log_has_it() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
    let mut cy = Client::new("cy");
    hand.open(&cy, None);
    cy.texts();
    hand.is_holding = true;
    let command = hand.any_move(&mut Chance::new(3)).unwrap();
    hand.command(&ana, 0, command);
    for client in [&mut ana, &mut bo, &mut cy] {
        assert!(client.texts().is_empty());
    }
    hand.release();
    let messages = ana.read();
    assert!(
        matches!(&messages[..], [ServerToClient::Event { .. }, ServerToClient::Accepted { .. }]),
        "{messages:?}"
    );
    assert_eq!((bo.read().len(), cy.read().len()), (1, 1));
}

#[test]
fn refusals_go_to_the_asker_alone_with_their_sequence_number() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
    hand.command(&bo, 0, GameCommand::from("a7a6".parse::<flagfall_protocol::Move>().unwrap()));
    let seq = hand.seq(Viewer::Player(Side::Blue));
    assert_eq!(bo.refusal(), ("not_your_turn".to_owned(), Some(seq)));
    hand.command(&ana, 3, GameCommand::OfferDraw {});
    assert_eq!(ana.refusal().0, "stale_ply");
    assert!(bo.texts().is_empty());
}

#[test]
fn a_repeated_command_returns_its_outcome_on_any_connection_and_after_a_reload() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
    let command = hand.any_move(&mut Chance::new(3)).unwrap();
    hand.command_as(&ana, "twice", 0, command.clone());
    let seq = ana.accepted();
    let entries = hand.log().len();
    hand.command_as(&ana, "twice", 0, command.clone());
    assert_eq!(ana.accepted(), seq);
    let mut second = Client::new("ana");
    hand.command_as(&second, "twice", 0, command.clone());
    assert_eq!(second.accepted(), seq);
    hand.reload();
    hand.command_as(&second, "twice", 0, command);
    assert_eq!(second.accepted(), seq);
    assert_eq!(hand.log().len(), entries);
    assert_eq!(bo.events().len(), 1);
}

#[test]
fn a_command_so_old_that_only_the_log_knows_it_returns_its_outcome_too() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
    let mut chance = Chance::new(3);
    let first = hand.any_move(&mut chance).unwrap();
    hand.command_as(&ana, "first", 0, first.clone());
    let seq = ana.accepted();
    hand.play(&mut ana, &mut bo, 80, &mut chance);
    for _ in 0..2 {
        assert!(hand.table.accepted.recent.len() < hand.table.accepted.known.len());
        hand.command_as(&ana, "first", 0, first.clone());
        assert_eq!(ana.accepted(), seq);
        hand.reload();
    }
}

#[test]
fn the_same_id_with_other_content_is_refused_however_old_it_is_and_even_if_it_could_be_done() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
    let mut chance = Chance::new(3);
    let first = hand.any_move(&mut chance).unwrap();
    hand.command_as(&ana, "first", 0, first);
    ana.texts();
    hand.command_as(&ana, "first", 1, GameCommand::OfferDraw {});
    assert_eq!(ana.refusal().0, code(Code::CMD_ID_REUSED));
    hand.play(&mut ana, &mut bo, 81, &mut chance);
    let entries = hand.log().len();
    let ply = hand.table.game.ply();
    hand.command_as(&ana, "first", ply, GameCommand::OfferDraw {});
    assert_eq!(ana.refusal().0, code(Code::CMD_ID_REUSED));
    assert_eq!(hand.log().len(), entries);
    // The opponent may use the same command id.
    hand.command_as(&bo, "first", ply, GameCommand::OfferDraw {});
    bo.accepted();
}

#[test]
fn an_accepted_command_is_never_refused_because_the_log_cannot_be_read() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
    let mut chance = Chance::new(3);
    let first = hand.any_move(&mut chance).unwrap();
    hand.command_as(&ana, "first", 0, first.clone());
    hand.play(&mut ana, &mut bo, 80, &mut chance);
    hand.is_holding = true;
    hand.command_as(&ana, "first", 0, first);
    let crate::table::Output::Search { asked } = hand.held.remove(0) else { panic!("a search") };
    let found = Err(crate::error::TableError::Unavailable);
    hand.step(crate::table::Input::Searched { asked, found });
    assert_eq!(ana.refusal().0, code(Code::STORE_UNAVAILABLE));
}

#[test]
fn commands_behind_a_search_keep_their_order() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
    let mut chance = Chance::new(3);
    hand.play(&mut ana, &mut bo, 80, &mut chance);
    ana.texts();
    // A command with a new id is accepted even if its remembered bits match those of an earlier
    // id. The log is searched for the new id first.
    hand.table.accepted.known.push(crate::table::CommandKey::new(Side::Red, "twin").bits());
    hand.is_holding = true;
    let ply = hand.table.game.ply();
    hand.command_as(&ana, "twin", ply, GameCommand::OfferDraw {});
    hand.command_as(&ana, "after", ply, GameCommand::Resign {});
    hand.release();
    let accepted = ana.read();
    let events: Vec<&GameEvent> = accepted
        .iter()
        .filter_map(|message| match message {
            ServerToClient::Event { event, .. } => Some(event),
            _ => None,
        })
        .collect();
    assert!(matches!(events[..], [GameEvent::DrawOffered { .. }, GameEvent::Ended { .. }]), "{events:?}");
}

#[test]
fn one_player_cannot_crowd_the_other_out_of_the_line() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
    hand.is_holding = true;
    let command = hand.any_move(&mut Chance::new(3)).unwrap();
    hand.command(&ana, 0, command);
    for _ in 0..9 {
        hand.command(&bo, 0, GameCommand::OfferDraw {});
    }
    assert_eq!(bo.refusal().0, code(Code::TOO_MANY));
    hand.command(&ana, 1, GameCommand::OfferDraw {});
    assert!(ana.texts().is_empty());
    hand.release();
    ana.accepted_twice();
}

#[test]
fn strangers_stand_in_no_line_and_learn_nothing_of_a_private_game() {
    let (mut hand, ..) = Hand::playing(&header("classic"));
    let mut cy = Client::new("cy");
    hand.is_holding = true;
    for _ in 0..40 {
        hand.command(&cy, 0, GameCommand::Resign {});
    }
    assert!(hand.held.is_empty() && hand.table.work.queue.is_empty());
    assert!(cy.texts().iter().all(|text| text.contains(Code::NOT_YOUR_GAME)));

    let mut private = header("classic");
    private.terms.private = true;
    let mut hand = Hand::new(&private);
    let nothing = |text: &String| text.contains(Code::NO_SUCH_GAME) && !text.contains("seat in this");
    hand.open(&cy, None);
    hand.command(&cy, 0, GameCommand::Resign {});
    hand.rematch(&cy, "again");
    let texts = cy.texts();
    assert_eq!(texts.len(), 3);
    assert!(texts.iter().all(nothing), "{texts:?}");
    let mut anonymous = Client::anonymous();
    hand.open(&anonymous, None);
    assert_eq!(anonymous.texts(), texts[..1]);
    hand.store.damage(hand.id, 1);
    hand.step(crate::table::Input::ReadOn(Err(crate::error::TableError::Quarantined)));
    hand.open(&cy, None);
    hand.command(&cy, 0, GameCommand::Resign {});
    assert!(cy.texts().iter().all(nothing));
}

#[test]
fn legal_commands_give_their_message_back_and_repetitions_do_not() {
    let (mut hand, ana, _bo) = Hand::playing(&header("classic"));
    let mut ana = ana;
    ana.credit();
    hand.command_as(&ana, "once", 0, GameCommand::OfferDraw {});
    assert_eq!(ana.credit(), 1);
    hand.command_as(&ana, "once", 0, GameCommand::OfferDraw {});
    hand.command(&ana, 0, GameCommand::OfferDraw {});
    assert_eq!(ana.credit(), 0);
}

#[test]
fn stored_bytes_count_for_the_connection_and_refused_commands_store_none() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
    ana.stored();
    bo.stored();
    hand.command_as(&ana, "once", 0, GameCommand::OfferDraw {});
    let stored = ana.stored();
    assert!((10..2_000).contains(&stored), "{stored}");
    hand.command_as(&ana, "once", 0, GameCommand::OfferDraw {});
    hand.command(&ana, 0, GameCommand::OfferDraw {});
    assert_eq!((ana.stored(), bo.stored()), (0, 0));
}

#[test]
fn a_store_that_is_away_loses_nothing_and_is_tried_again() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
    let command = hand.any_move(&mut Chance::new(3)).unwrap();
    hand.store.fail_next(WriteFault::Unavailable);
    hand.command_as(&ana, "move", 0, command.clone());
    assert_eq!(ana.refusal().0, code(Code::STORE_UNAVAILABLE));
    assert!(bo.texts().is_empty());
    hand.command_as(&ana, "move", 0, command);
    ana.accepted();
    assert_eq!(bo.events().len(), 1);
}

#[test]
fn a_move_that_came_in_time_and_was_written_too_late_falls_to_the_flag() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
    hand.is_holding = true;
    let command = hand.any_move(&mut Chance::new(3)).unwrap();
    hand.advance(59_999);
    hand.command(&ana, 0, command);
    hand.advance(2);
    hand.release();
    let messages = ana.read();
    let [ServerToClient::Refused { code, .. }, ServerToClient::Event { event: GameEvent::Ended { .. }, .. }] =
        &messages[..]
    else {
        panic!("{messages:?}")
    };
    assert_eq!(code.as_str(), "out_of_time");
    assert!(
        matches!(&bo.events()[..], [GameEvent::Ended { outcome, .. }] if outcome.reason == "out_of_time")
    );
}

#[test]
fn a_move_in_the_last_millisecond_is_in_time() {
    let (mut hand, mut ana, _bo) = Hand::playing(&header("classic"));
    hand.advance(60_000);
    let command = hand.any_move(&mut Chance::new(3)).unwrap();
    hand.command(&ana, 0, command);
    ana.accepted();
}

#[test]
fn the_flag_falls_by_itself_and_without_a_busy_loop_while_the_store_is_away() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
    assert_eq!(hand.wake(), Some(60_001), "one beyond the deadline");
    assert_eq!(bo.events().len(), 1);
    assert_eq!(ana.events().len(), 1);
    assert_eq!(hand.wake(), None, "a game that is over waits for nothing");

    for fault in [WriteFault::Unavailable, WriteFault::UnknownBeforeWriting] {
        let (mut hand, mut ana, _bo) = Hand::playing(&header("classic"));
        for _ in 0..3 {
            hand.store.fail_next(fault);
        }
        assert_eq!(hand.wake(), Some(60_001));
        for _ in 0..3 {
            assert!(ana.texts().is_empty());
            assert_eq!(hand.wake(), Some(1_000), "{fault:?}");
        }
        assert_eq!(ana.events().len(), 1);
    }
}

#[test]
fn a_missed_deployment_ends_the_game_and_opens_nothing() {
    let mut hand = Hand::new(&header("classic"));
    let (mut ana, bo, mut cy) = (Client::new("ana"), Client::new("bo"), Client::new("cy"));
    hand.open(&ana, None);
    hand.open(&bo, None);
    hand.open(&cy, None);
    hand.command(&bo, 0, deploy("classic", Side::Blue, 2));
    ana.texts();
    cy.texts();
    assert_eq!(hand.wake(), Some(super::harness::DEPLOY_MS + 1));
    for client in [&mut ana, &mut cy] {
        let events = client.events();
        let [GameEvent::Ended { outcome, opened }] = &events[..] else { panic!("{events:?}") };
        assert_eq!((outcome.winner, outcome.reason.as_str()), (None, "aborted"));
        assert!(opened.red.is_none() && opened.blue.is_none());
    }
}

#[test]
fn a_superseded_connection_cannot_act_until_it_opens_the_game_again() {
    let (mut hand, mut ana, _bo) = Hand::playing(&header("classic"));
    let mut second = Client::new("ana");
    hand.open(&second, None);
    assert!(matches!(ana.only(), ServerToClient::Superseded { .. }));
    second.texts();
    hand.command(&ana, 0, GameCommand::OfferDraw {});
    assert_eq!(ana.refusal().0, code(Code::SUPERSEDED));
    hand.command(&second, 0, GameCommand::OfferDraw {});
    second.accepted();
    assert_eq!(ana.events().len(), 1, "it reads on");
    hand.open(&ana, None);
    ana.texts();
    assert!(matches!(second.only(), ServerToClient::Superseded { .. }));
    let command = hand.any_move(&mut Chance::new(3)).unwrap();
    hand.command(&ana, 0, command);
    ana.accepted();
}

impl Client {
    fn accepted_twice(&mut self) {
        let accepted =
            self.read().into_iter().filter(|m| matches!(m, ServerToClient::Accepted { .. })).count();
        assert_eq!(accepted, 2);
    }
}

/// A table without connections or commands wakes when the flag falls, for each kind of clock.
#[test]
fn flags_fall_by_every_kind_of_clock() {
    const DAY_MS: u64 = 86_400_000;
    for (time, falls_after_ms) in [
        (Time::Fischer { base_s: 60, increment_s: 5 }, 60_000),
        (Time::Delay { base_s: 60, free_s: 5 }, 65_000),
        (Time::Correspondence { days: 3 }, 3 * DAY_MS),
    ] {
        let mut terms = header("classic");
        terms.terms.time = time;
        let (mut hand, ana, bo) = Hand::playing(&terms);
        hand.close(&ana);
        hand.close(&bo);
        hand.reload();
        // The table wakes a millisecond after the deadline, because a move exactly at the
        // deadline is in time.
        assert_eq!(hand.wake(), Some(falls_after_ms + 1), "{time:?}");
        assert!(hand.table.is_over(), "{time:?}");
    }
}
