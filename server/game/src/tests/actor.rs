//! Tests of the tasks that run tables, with a store that hangs or panics, and a manual clock.

use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use flagfall_base::background::Background;
use flagfall_base::jobs::JobError;
use flagfall_board::{GameId, PerSide, Side};
use flagfall_protocol::{Accepted, CloseCode, Code, GameCommand, Phase, ServerToClient};
use flagfall_store::{Key, Outage, Store as _, Update, Write};
use flagfall_store_testing::WriteFault;
use tokio::sync::oneshot;

use super::harness::{
    Client, DEPLOY_MS, TestServer, close, command, deploy, deploy_both, new_game, open, player, rematch,
    run_tasks,
};
use crate::rest::Round;
use crate::{CreateError, NewCommand, TableError, relist};

#[tokio::test(start_paused = true)]
async fn a_table_shows_itself_and_takes_commands_while_the_store_hangs() {
    let server = TestServer::new().await;
    let table = server.game(1).await;
    let (mut ana, mut cy) = (Client::new("ana"), Client::new("cy"));
    let held = server.store.hold_appends().await;
    command(&table, &ana, "deploy", deploy("classic", Side::Red, 1)).await;
    run_tasks().await;
    open(&table, &cy).await;
    assert!(matches!(cy.next().await, ServerToClient::Game { .. }));
    assert!(table.look(None).await.is_ok());
    assert!(table.record(&Background::new("test", 1), None, None).await.is_ok());
    assert!(ana.texts().is_empty());
    drop(held);
    assert!(matches!(ana.next().await, ServerToClient::Accepted { .. }));
    assert!(matches!(cy.next().await, ServerToClient::Event { .. }));
}

#[tokio::test(start_paused = true)]
async fn a_defect_ends_one_table_and_its_game_goes_on_from_the_log() {
    let server = TestServer::new().await;
    let (table, other) = (server.game(1).await, server.game(2).await);
    let (mut ana, mut bo, mut cy) = (Client::new("ana"), Client::new("bo"), Client::new("cy"));
    open(&table, &ana).await;
    command(&table, &ana, "one", deploy("classic", Side::Red, 1)).await;
    open(&table, &cy).await;
    run_tasks().await;
    let mut elsewhere = Client::new("bo");
    open(&other, &elsewhere).await;
    server.faults.breaks.store(true, Ordering::SeqCst);
    command(&table, &bo, "two", deploy("classic", Side::Blue, 2)).await;
    for client in [&mut ana, &mut bo, &mut cy] {
        assert_eq!(client.closed().await, CloseCode::Shutdown, "comes back");
    }
    assert!(elsewhere.close_code().is_none());
    run_tasks().await;
    // Like real clients, the players reconnect and repeat commands that are in doubt.
    let (ana, mut bo) = (Client::new("ana"), Client::new("bo"));
    let table = server.tables.find(table.id()).await.unwrap();
    open(&table, &ana).await;
    command(&table, &bo, "two", deploy("classic", Side::Blue, 2)).await;
    assert!(matches!(bo.next().await, ServerToClient::Accepted { .. }));
    assert_eq!(table.summary().phase, Phase::Playing);
}

#[tokio::test(start_paused = true)]
async fn a_caller_learns_that_the_table_met_a_defect() {
    let server = TestServer::new().await;
    let table = server.game(1).await;
    server.faults.breaks.store(true, Ordering::SeqCst);
    let command = NewCommand {
        player: player("ana").id,
        cmd_id: "one".parse().unwrap(),
        ply: 0,
        command: deploy("classic", Side::Red, 1),
    };
    let refusal = server.tables.command(table.id(), command).await.unwrap_err();
    assert_eq!(refusal.code.as_str(), Code::INTERNAL);
    run_tasks().await;
    assert_eq!(table.look(None).await.unwrap_err(), TableError::Failed);
    assert!(matches!(JobError::from(TableError::Failed), JobError::Later(_)));
}

#[tokio::test(start_paused = true)]
async fn a_game_whose_table_met_a_defect_is_opened_again_for_its_flag_to_fall() {
    let server = TestServer::new().await;
    let table = server.game(1).await;
    server.faults.breaks.store(true, Ordering::SeqCst);
    command(&table, &Client::new("ana"), "one", deploy("classic", Side::Red, 1)).await;
    run_tasks().await;
    assert_eq!(server.tables.len(), 0);
    server.advance(1_000).await;
    assert_eq!(server.tables.len(), 1);
    server.advance(DEPLOY_MS + 1).await;
    let summary = server.tables.find(table.id()).await.unwrap().summary();
    assert_eq!(summary.outcome.unwrap().reason, "aborted");
}

#[tokio::test(start_paused = true)]
async fn the_flag_falls_by_itself_and_an_unused_table_leaves() {
    let server = TestServer::new().await;
    let table = server.game(1).await;
    assert_eq!(server.tables.games_of("ana").await.len(), 1);
    assert_eq!(server.tables.running(10).len(), 1);
    server.advance(DEPLOY_MS).await;
    assert!(table.is_running());
    server.advance(1).await;
    assert!(!table.is_running());
    assert!(server.tables.games_of("ana").await.is_empty() && server.tables.running(10).is_empty());
    let (id, cy) = (table.id(), Client::new("cy"));
    open(&table, &cy).await;
    close(&table, &cy, true).await;
    drop(table);
    run_tasks().await;
    server.advance(29_999).await;
    assert_eq!(server.tables.len(), 1, "a client had it open a moment ago");
    server.advance(1).await;
    assert_eq!(server.tables.len(), 0);
    assert_eq!(server.tables.find(id).await.unwrap().summary().phase, Phase::Over);
    run_tasks().await;
    server.advance(5_000).await;
    assert_eq!(server.tables.len(), 0, "it was only looked at");
}

#[tokio::test(start_paused = true)]
async fn a_table_does_not_leave_while_a_handle_exists() {
    let server = TestServer::new().await;
    let table = server.game(1).await;
    server.advance(DEPLOY_MS + 1).await;
    server.advance(600_000).await;
    let mut cy = Client::new("cy");
    open(&table, &cy).await;
    assert!(matches!(cy.next().await, ServerToClient::Game { .. }));
    close(&table, &cy, false).await;
    server.advance(600_000).await;
    server.advance(600_000).await;
    assert_eq!(server.tables.len(), 1);
    drop(table);
    server.advance(1_000).await;
    assert_eq!(server.tables.len(), 0);
}

/// Looks at games the way the registry does when a client opens the lobby or asks for metrics.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_can_be_read_while_its_end_waits_for_the_index() {
    const TIMEOUT: Duration = Duration::from_secs(10);
    let server = TestServer::new().await;
    let table = server.game(1).await;
    let (lock, locked) = oneshot::channel();
    let (release, released) = mpsc::sync_channel::<()>(0);
    let tables = server.tables.clone();
    let holder = thread::spawn(move || {
        let index = tables.residents().index.lock();
        lock.send(()).unwrap();
        released.recv().unwrap_err();
        drop(index);
    });
    locked.await.unwrap();
    command(&table, &Client::new("ana"), "one", GameCommand::Abort {}).await;
    let (tell, told) = oneshot::channel();
    let looker = thread::spawn(move || {
        while table.is_running() {
            thread::yield_now();
        }
        tell.send(()).ok();
    });
    let is_seen = tokio::time::timeout(TIMEOUT, told).await.is_ok();
    drop(release);
    holder.join().unwrap();
    looker.join().unwrap();
    assert!(is_seen, "the game waits for the index and cannot be read meanwhile");
}

#[tokio::test(start_paused = true)]
async fn views_show_clocks_at_the_start_of_the_stores_silence() {
    let server = TestServer::new().await;
    let table = server.game(1).await;
    for (client, side) in [("ana", Side::Red), ("bo", Side::Blue)] {
        command(&table, &Client::new(client), "deploy", deploy("classic", side, 1)).await;
    }
    let remaining = async || table.look(None).await.unwrap().2.clock.unwrap().remaining_ms;
    let (since, stood) = (server.clock_now(), remaining().await);
    server.clock.advance_ms(4_800);
    assert_ne!(remaining().await, stood);
    *server.faults.silent_since.lock().unwrap() = Some(since);
    assert_eq!(remaining().await, stood);
    *server.faults.silent_since.lock().unwrap() = None;
    assert_ne!(remaining().await, stood, "another server could write");
    // The table asks about silence first and about outages second, and the silence ends
    // between the two questions. In the opposite order, the table would notice neither.
    let (since, stood) = (server.clock_now(), remaining().await);
    server.clock.advance_ms(4_800);
    *server.faults.silent_since.lock().unwrap() = Some(since);
    *server.faults.heard.lock().unwrap() = Some(Outage { since, until: server.clock_now() });
    assert_eq!(remaining().await, stood);
}

#[tokio::test(start_paused = true)]
async fn a_game_is_created_once_for_repeated_requests() {
    let server = TestServer::new().await;
    for number in 1..=3 {
        server.game(number).await;
    }
    let refused = server.tables.create(new_game(4, ["ana", "cy"])).await;
    assert_eq!(refused, Err(CreateError::TooManyGames(3)));
    let again = server.tables.create(new_game(3, ["ana", "bo"])).await.unwrap();
    assert_eq!(again.id, GameId::from_random([3; 12]));
    assert_eq!(server.tables.games_of("ana").await.len(), 3);
    assert!(server.tables.games_of("cy").await.is_empty());
    // A creation can also be repeated if the store did not answer.
    for fault in [WriteFault::UnknownAfterWriting, WriteFault::UnknownBeforeWriting] {
        server.store.fail_next(fault);
        let number = 5 + fault as u8;
        let made = server.tables.create(new_game(number, ["di", "ed"])).await;
        let again = server.tables.create(new_game(number, ["di", "ed"])).await.unwrap();
        assert!(made.is_err() || made.unwrap() == again);
    }
    assert_eq!(server.tables.games_of("di").await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_planned_stop_and_a_return_cost_no_time() {
    let server = TestServer::new().await;
    let table = server.game(1).await;
    let (ana, bo) = (Client::new("ana"), Client::new("bo"));
    command(&table, &ana, "one", deploy("classic", Side::Red, 1)).await;
    command(&table, &bo, "one", deploy("classic", Side::Blue, 2)).await;
    run_tasks().await;
    server.advance(10_000).await;
    server.tables.stop(true).await;
    server.tables.stop(true).await;
    assert_eq!(server.tables.create(new_game(2, ["cy", "di"])).await, Err(CreateError::Stopping));
    server.advance(500_000).await;
    let server = server.restart().await;
    assert_eq!(server.tables.len(), 0, "opened on demand");
    let opened = server.tables.find(table.id()).await.unwrap();
    run_tasks().await;
    assert_eq!(opened.id(), table.id());
    let (_, _, view) = server.tables.find(table.id()).await.unwrap().look(None).await.unwrap();
    assert_eq!(view.clock.unwrap().remaining_ms, PerSide::new(50_000, 60_000));
    assert!(!view.paused);
}

#[tokio::test(start_paused = true)]
async fn a_damaged_game_does_not_stop_a_start_and_counts_for_no_player() {
    let server = TestServer::new().await;
    let (one, other) = (server.game(1).await, server.game(2).await);
    server.store.damage(one.id(), 1);
    let server = server.restart().await;
    assert_eq!(server.tables.len(), 0);
    assert!(matches!(server.tables.find(one.id()).await, Err(TableError::Quarantined)));
    assert!(server.tables.find(other.id()).await.is_ok());
    assert_eq!(server.tables.games_of("ana").await.len(), 1);
    // A game is found to be damaged while it is being played.
    let table = server.tables.find(other.id()).await.unwrap();
    run_tasks().await;
    let entries = server.store.head(other.id()).await.unwrap().seq;
    server.store.damage(other.id(), entries);
    let _found = server.store.read(other.id(), 0, 100).await;
    let mut ana = Client::new("ana");
    open(&table, &ana).await;
    command(&table, &ana, "one", deploy("classic", Side::Red, 1)).await;
    run_tasks().await;
    assert!(ana.texts().iter().any(|text| text.contains("game_unavailable")));
    assert!(!table.is_running() && server.tables.games_of("ana").await.is_empty());
    assert!(server.tables.running(10).is_empty());
}

/// Returns the errors that a player of a game, another player and a visitor without a token get
/// when they ask for the game.
async fn told_of(server: &TestServer, game: GameId) -> [Option<TableError>; 3] {
    let ask = async |player| server.tables.find_for(player, game).await.err();
    [ask(Some("ana")).await, ask(Some("eve")).await, ask(None).await]
}

#[tokio::test(start_paused = true)]
async fn a_damaged_game_is_named_to_its_players_and_to_others_only_if_it_is_public() {
    let damaged = Some(TableError::Quarantined);
    let not_found = Some(TableError::NotFound);
    for is_private in [false, true] {
        let server = TestServer::new().await;
        let mut new = new_game(1, ["ana", "bo"]);
        new.terms.private = is_private;
        let game = server.create(new).await.id();
        deploy_both(&server.tables.find(game).await.unwrap()).await;
        server.store.damage(game, 2);
        let server = server.restart().await;
        let strangers = if is_private { not_found } else { damaged };
        assert_eq!(told_of(&server, game).await, [damaged, strangers, strangers]);
        // Without the log's first entry, the server cannot tell whether the game is private.
        server.store.damage(game, 1);
        assert_eq!(told_of(&server, game).await, [damaged, not_found, not_found]);
        server.store.lose_tail(game, 0);
        assert_eq!(told_of(&server, game).await, [damaged, not_found, not_found]);
    }
}

#[tokio::test(start_paused = true)]
async fn running_games_that_are_missing_in_the_list_are_listed_again() {
    let server = TestServer::new().await;
    let (one, other) = (server.game(1).await, server.game(2).await);
    let ana = Client::new("ana");
    open(&other, &ana).await;
    command(&other, &ana, "one", GameCommand::Abort {}).await;
    run_tasks().await;
    let games = [one.id(), other.id()];
    assert_eq!(relist(&server.store, &games).await, Ok(0));
    let key = Key::new(format!("live/{}", one.id())).unwrap();
    let update = Update { conditions: Vec::new(), writes: vec![Write::Delete { key: key.clone() }] };
    server.store.update(update).await.unwrap();
    assert_eq!(relist(&server.store, &games).await, Ok(1));
    assert_eq!(server.store.get(key).await, Ok(Some(Vec::new())));
    let server = server.restart().await;
    assert!(server.tables.go_round(&mut Round::default()).await.unwrap());
    assert_eq!(server.tables.running_count(), 1, "the game that was aborted is not listed");
}

#[tokio::test(start_paused = true)]
async fn a_rematch_is_announced_to_both_and_found_after_a_restart() {
    let server = TestServer::new().await;
    let table = server.game(1).await;
    let mut ana = Client::new("ana");
    let bo = Client::new("bo");
    let mut registration = server.connections.enter(ana.outbox.clone(), None);
    registration.identify("ana", "t", 8);
    command(&table, &ana, "end", GameCommand::Abort {}).await;
    run_tasks().await;
    ana.texts();
    for (client, id) in [(&ana, "again"), (&bo, "yes")] {
        rematch(&table, client, id).await;
    }
    run_tasks().await;
    let messages = ana.read();
    let made = messages.iter().find_map(|message| match message {
        ServerToClient::GameStarted { game, side: Side::Blue } => Some(game.id),
        _ => None,
    });
    let made = made.unwrap_or_else(|| panic!("{messages:?}"));
    let server = server.restart().await;
    let table = server.tables.find(table.id()).await.unwrap();
    let mut back = Client::new("ana");
    rematch(&table, &back, "again").await;
    let answer = back.next().await;
    let ServerToClient::Accepted { outcome: Accepted::Started { game, .. }, .. } = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(game, made);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_lost_events_begins_a_new_epoch_and_the_game_goes_on_as_it_has_it() {
    let server = TestServer::new().await;
    let table = server.game(1).await;
    let mut ana = Client::new("ana");
    open(&table, &ana).await;
    command(&table, &ana, "one", deploy("classic", Side::Red, 1)).await;
    run_tasks().await;
    ana.texts();
    server.advance(5).await;
    server.store.lose_tail(table.id(), 1);
    let epoch = server.store.epoch().await.unwrap();
    command(&table, &ana, "two", deploy("classic", Side::Red, 2)).await;
    assert_eq!(ana.closed().await, CloseCode::Shutdown);
    run_tasks().await;
    assert!(server.store.epoch().await.unwrap() > epoch);
    let mut back = Client::new("ana");
    open(&server.tables.find(table.id()).await.unwrap(), &back).await;
    let ServerToClient::Game { epoch: told, view, .. } = back.next().await else { panic!("a game") };
    assert!(told > epoch && !view.ready.red);
}
