//! Choices after a strike (§Q4) at the table. They are secret and simultaneous, take time from
//! the clocks of both sides, and survive interruptions.

use flagfall_board::{PerSide, Rank, Side};
use flagfall_protocol::{GameCommand, GameEvent, Move, Presence, Running, ServerToClient};
use flagfall_rules::Viewer;
use flagfall_store::Outage;

use super::harness::{Client, Hand, deploy, header, player};
use crate::table::Input;

fn step(squares: &str) -> GameCommand {
    GameCommand::from(squares.parse::<Move>().unwrap())
}

fn choose(rank: Rank) -> GameCommand {
    GameCommand::Choose { rank }
}

/// Returns a game in which a coin has struck a coin, so that both sides have to choose. Red has
/// 45 s left and Blue has 55 s, plus the increments of their plies.
fn struck() -> (Hand, Client, Client, Client) {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("quantum"));
    let mut watcher = Client::new("cleo");
    hand.open(&watcher, None);
    hand.advance(10_000);
    hand.command(&ana, 0, step("a4a5"));
    hand.command(&bo, 1, step("a7a6"));
    hand.advance(10_000);
    hand.command(&ana, 2, step("a5a6"));
    for client in [&mut ana, &mut bo, &mut watcher] {
        client.texts();
    }
    (hand, ana, bo, watcher)
}

fn seqs(hand: &Hand) -> [u64; 3] {
    Viewer::ALL.map(|viewer| hand.seq(viewer))
}

#[test]
fn the_first_choice_is_sent_to_its_own_side_only() {
    for (first, side) in [("ana", Side::Red), ("bo", Side::Blue)] {
        let (mut hand, mut ana, mut bo, mut watcher) = struck();
        let before = seqs(&hand);
        let views = Viewer::ALL.map(|viewer| hand.view(viewer));
        let (chooser, other) = if side == Side::Red { (&mut ana, &mut bo) } else { (&mut bo, &mut ana) };
        assert_eq!(chooser.player.id, first);
        hand.command(chooser, 2, choose(Rank::Captain));
        assert!(other.texts().is_empty() && watcher.texts().is_empty(), "not a byte");
        let told = chooser.read();
        assert!(matches!(
            told[..],
            [
                ServerToClient::Event { event: GameEvent::Chosen { side: whose, rank: Rank::Captain }, .. },
                ServerToClient::Accepted { .. }
            ] if whose == side
        ));
        for (index, viewer) in Viewer::ALL.into_iter().enumerate() {
            let is_own = viewer.is_side(side);
            assert_eq!(hand.seq(viewer), before[index] + u64::from(is_own), "{viewer:?}");
            assert_eq!(hand.view(viewer) == views[index], !is_own, "{viewer:?}");
        }
        assert_eq!(hand.table.summary().ply, 2);
    }
}

#[test]
fn the_last_choice_resolves_the_strike_for_all_at_once() {
    let (mut hand, mut ana, mut bo, mut watcher) = struck();
    hand.command(&bo, 2, choose(Rank::Major));
    bo.texts();
    hand.advance(5_000);
    hand.command(&ana, 2, choose(Rank::Captain));
    for client in [&mut ana, &mut bo, &mut watcher] {
        let is_moved = |event: &GameEvent| matches!(event, GameEvent::Moved(seen) if seen.strike.is_some());
        let events = client.events();
        assert!(events.last().is_some_and(is_moved), "{events:?}");
    }
    let clocks = Viewer::ALL.map(|viewer| hand.view(viewer).clock.unwrap());
    assert!(clocks.iter().all(|clock| *clock == clocks[0]), "now both are in");
    assert_eq!(
        clocks[0].remaining_ms,
        PerSide::new(60_000 - 10_000 + 5_000 - 10_000 - 5_000 + 5_000, 65_000)
    );
    assert_eq!(clocks[0].running, Some(Running::Blue));
    assert_eq!(hand.table.summary().ply, 3);
}

#[test]
fn a_view_in_the_middle_of_a_choice_shows_each_side_its_own_alone() {
    let (mut hand, ana, _bo, _watcher) = struck();
    hand.command(&ana, 2, choose(Rank::Captain));
    hand.advance(7_000);
    let (mut again, mut other, mut public) = (Client::new("ana"), Client::new("bo"), Client::new("dora"));
    for (client, own) in [(&mut again, Some(Rank::Captain)), (&mut other, None), (&mut public, None)] {
        hand.open(client, None);
        let (_, view, _) = client.game();
        let strike = view.pending_strike.unwrap();
        assert_eq!((strike.owes, strike.own_choice), (PerSide::new(true, true), own));
        let clock = view.clock.unwrap();
        let is_own = own.is_some();
        assert_eq!(clock.running, Some(if is_own { Running::Blue } else { Running::Both }));
        assert_eq!(clock.remaining_ms.red, if is_own { 45_000 } else { 38_000 });
        assert_eq!(clock.remaining_ms.blue, 65_000 - 7_000);
    }
    // A client that resumes gets its own choice again, but not the opponent's.
    let mut resumed = Client::new("ana");
    let seq = hand.seq(Viewer::Player(Side::Red));
    hand.open(&resumed, Some(hand.position(seq - 1)));
    assert_eq!(resumed.game().2, [GameEvent::Chosen { side: Side::Red, rank: Rank::Captain }]);
}

#[test]
fn a_choice_survives_the_server_and_no_clock_runs_meanwhile() {
    let (mut hand, ana, _bo, _watcher) = struck();
    hand.command(&ana, 2, choose(Rank::Captain));
    let (outage, before) = (hand.now(), Viewer::ALL.map(|viewer| hand.view(viewer)));
    hand.advance(1_000_000);
    hand.reload();
    hand.recover(outage);
    hand.step(Input::Tick);
    for (viewer, before) in Viewer::ALL.into_iter().zip(before) {
        let after = hand.view(viewer);
        let (one, other) = (before.clock.unwrap(), after.clock.unwrap());
        assert_eq!((one.remaining_ms, one.running), (other.remaining_ms, other.running), "{viewer:?}");
        assert_eq!((before.pending_strike, before.pools), (after.pending_strike, after.pools), "{viewer:?}");
    }
    let mut bo = Client::new("bo");
    hand.command(&ana, 2, choose(Rank::Captain));
    hand.command(&bo, 2, choose(Rank::Major));
    bo.accepted();
    assert_eq!(hand.table.summary().ply, 3);
    assert_eq!(hand.view(Viewer::Public).captured.red[Rank::Captain], 1);
}

/// Returns what clients are told after a crash, if `act` happened between the last heartbeat and
/// the crash. The game stays in the memory of another server, or a server opens it afterwards.
fn told_after_crash(
    mut hand: Hand,
    clients: &mut [&mut Client],
    is_opened: bool,
    act: impl FnOnce(&mut Hand),
) -> Vec<Vec<String>> {
    hand.advance(2_000);
    let since = hand.now();
    hand.advance(400);
    act(&mut hand);
    hand.advance(20_000);
    let outage = Outage { since, until: hand.now() };
    if is_opened {
        hand.reload();
        hand.table.recover_from(&[outage].into_iter().collect());
        for client in &*clients {
            hand.open(client, None);
        }
    } else {
        hand.step(Input::Outage(outage));
    }
    hand.advance(1_000);
    for client in &*clients {
        hand.open(client, None);
    }
    clients.iter_mut().map(|client| client.texts()).collect()
}

#[test]
fn a_pause_after_a_crash_does_not_tell_when_something_hidden_happened() {
    for is_opened in [false, true] {
        let told = [false, true].map(|has_chosen| {
            let (hand, ana, mut bo, mut watcher) = struck();
            told_after_crash(hand, &mut [&mut bo, &mut watcher], is_opened, |hand| {
                if has_chosen {
                    hand.command(&ana, 2, choose(Rank::Captain));
                }
            })
        });
        assert!(told[0].iter().flatten().any(|text| text.contains("paused")), "{told:?}");
        assert_eq!(told[0], told[1], "a choice");
        let told = [false, true].map(|has_changed| {
            let mut hand = Hand::new(&header("classic"));
            let (ana, mut bo) = (Client::new("ana"), Client::new("bo"));
            hand.open(&bo, None);
            hand.command(&ana, 0, deploy("classic", Side::Red, 1));
            told_after_crash(hand, &mut [&mut bo], is_opened, |hand| {
                if has_changed {
                    hand.command(&ana, 0, deploy("classic", Side::Red, 2));
                }
            })
        });
        assert_eq!(told[0], told[1], "a changed deployment");
    }
}

#[test]
fn a_choice_that_is_sent_again_is_answered_again_and_another_one_is_refused() {
    let (mut hand, mut ana, mut bo, _watcher) = struck();
    hand.command_as(&ana, "choice", 2, choose(Rank::Captain));
    let seq = ana.accepted();
    hand.command_as(&ana, "choice", 2, choose(Rank::Captain));
    assert_eq!(ana.accepted(), seq);
    hand.command_as(&ana, "choice", 2, choose(Rank::Marshal));
    assert_eq!(ana.refusal().0, "cmd_id_reused");
    hand.command(&ana, 2, choose(Rank::Marshal));
    assert_eq!(ana.refusal().0, "choice_final");
    hand.command(&ana, 2, step("b4b5"));
    assert_eq!(ana.refusal().0, "choice_pending");
    // A refusal contains the sequence number of its recipient, which the opponent's hidden choice
    // does not change.
    let seq = hand.seq(Viewer::Player(Side::Blue));
    hand.command(&bo, 2, choose(Rank::Flag));
    assert_eq!(bo.refusal(), ("immovable".to_owned(), Some(seq)));
}

/// Lets time pass until the game ends because time is up.
fn wait_for_the_end(hand: &mut Hand) {
    for _ in 0..4 {
        if hand.table.is_over() {
            return;
        }
        hand.wake();
    }
    panic!("no flag fell");
}

#[test]
fn the_flag_of_the_side_that_still_owes_falls_and_the_choice_stays_unseen() {
    for (first, winner) in [("ana", Side::Red), ("bo", Side::Blue)] {
        let (mut hand, ana, bo, mut watcher) = struck();
        hand.command(if first == "ana" { &ana } else { &bo }, 2, choose(Rank::Captain));
        wait_for_the_end(&mut hand);
        let outcome = hand.table.summary().outcome.unwrap();
        assert_eq!((outcome.winner, outcome.reason.as_str()), (Some(winner), "out_of_time"));
        let texts = watcher.texts().concat();
        assert!(
            !texts.contains("chosen") && !texts.contains("own_choice") && !texts.contains("moved"),
            "{texts}"
        );
    }
}

#[test]
fn both_owe_and_the_first_clock_to_run_out_loses_equal_ones_draw() {
    let (mut hand, ..) = struck();
    wait_for_the_end(&mut hand);
    assert_eq!(hand.table.summary().outcome.unwrap().winner, Some(Side::Blue), "Red had less time");
    // Second case: no time has passed when the strike occurs, so both clocks show the same time,
    // and the game is drawn.
    let (mut hand, ana, bo) = Hand::playing(&header("quantum"));
    hand.command(&ana, 0, step("b4b5"));
    hand.command(&bo, 1, step("b7b6"));
    hand.command(&ana, 2, step("b5b6"));
    let clock = hand.view(Viewer::Public).clock.unwrap();
    assert_eq!((clock.remaining_ms.red, clock.remaining_ms.blue), (65_000, 65_000));
    wait_for_the_end(&mut hand);
    let outcome = hand.table.summary().outcome.unwrap();
    assert_eq!((outcome.winner, outcome.reason.as_str()), (None, "out_of_time"));
}

#[test]
fn a_choice_that_reaches_the_store_too_late_is_refused_and_the_flag_falls() {
    let (mut hand, mut ana, mut bo, _watcher) = struck();
    hand.command(&bo, 2, choose(Rank::Major));
    bo.texts();
    hand.is_holding = true;
    hand.command(&ana, 2, choose(Rank::Captain));
    // The store is slow, so its stamp is later than Red's deadline.
    hand.advance(60_000);
    hand.release();
    let told = ana.read();
    assert!(
        told.iter().any(|message| matches!(message, ServerToClient::Refused { code, .. } if code.as_str() == "out_of_time")),
        "{told:?}"
    );
    let outcome = hand.table.summary().outcome.unwrap();
    assert_eq!((outcome.winner, outcome.reason.as_str()), (Some(Side::Blue), "out_of_time"));
}

#[test]
fn resigning_during_a_choice_loses_and_shows_nothing() {
    for chosen in ["ana", "bo"] {
        let (mut hand, ana, bo, mut watcher) = struck();
        hand.command(if chosen == "ana" { &ana } else { &bo }, 2, choose(Rank::Captain));
        hand.command(&ana, 2, GameCommand::Resign {});
        assert_eq!(hand.table.summary().outcome.unwrap().winner, Some(Side::Blue));
        assert!(
            watcher
                .events()
                .iter()
                .all(|event| !matches!(event, GameEvent::Chosen { .. } | GameEvent::Moved(_)))
        );
        let record = crate::record::record(hand.id, &hand.log(), Viewer::Public).unwrap();
        let text = serde_json::to_string(&record).unwrap();
        assert!(text.contains("struck") && !text.contains("chosen"), "{text}");
    }
}

#[test]
fn the_record_of_a_game_that_is_over_tells_the_choices_of_resolved_strikes() {
    let (mut hand, ana, bo, _watcher) = struck();
    hand.command(&bo, 2, choose(Rank::Major));
    hand.command(&ana, 2, choose(Rank::Captain));
    let count = |hand: &Hand, viewer| {
        let record = crate::record::record(hand.id, &hand.log(), viewer).unwrap();
        record.events.iter().filter(|told| matches!(told.event, GameEvent::Chosen { .. })).count()
    };
    assert_eq!(Viewer::ALL.map(|viewer| count(&hand, viewer)), [1, 1, 0]);
    hand.command(&ana, 3, GameCommand::Resign {});
    assert_eq!(Viewer::ALL.map(|viewer| count(&hand, viewer)), [2, 2, 2]);
}

#[test]
fn leaving_during_a_choice_shows_only_that() {
    let (mut hand, ana, mut bo, mut watcher) = struck();
    hand.command(&ana, 2, choose(Rank::Captain));
    hand.close(&ana);
    for client in [&mut bo, &mut watcher] {
        let told = client.read();
        assert!(matches!(
            told[..],
            [
                ServerToClient::Presence { side: Side::Red, presence: Presence::Reconnecting, .. },
                ServerToClient::Claimable { gone: Side::Red, at: Some(_), .. }
            ]
        ));
    }
    // Red, who is absent but has already chosen, does not lose the game.
    hand.command(&bo, 2, choose(Rank::Major));
    assert_eq!(hand.table.summary().ply, 3);
}

#[test]
fn a_house_player_is_asked_to_choose_and_then_for_its_ply() {
    let mut seats = header("quantum");
    seats.players.blue = player("house-simple");
    let mut hand = Hand::new(&seats);
    let ana = Client::new("ana");
    hand.open(&ana, None);
    // A strike from afar shows that Red's coin is a Scout, so only Blue has to choose.
    hand.command(&ana, 0, step("a4a7"));
    assert_eq!(hand.house_turns, 1);
    let bo = Client::new("house-simple");
    hand.command(&bo, 0, choose(Rank::Miner));
    assert_eq!((hand.table.summary().ply, hand.house_turns), (1, 2));
}
