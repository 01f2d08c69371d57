//! Lists of public games show games that are not in memory, and are the same on every server.

use flagfall_protocol::{GameCommand, GameSummary, Phase, Time};
use flagfall_store::{Key, Store as _};
use flagfall_store_testing::WriteFault;

use super::harness::{
    Client, DAYS, REST_MS, TestServer, close, command, deploy_both, keys, new_game, open, run_tasks,
};

/// Returns the games that a server lists after it has read the lines of games at rest.
async fn listed(server: &TestServer) -> Vec<GameSummary> {
    server.tables.read_public_games(true).await.unwrap();
    server.tables.running(10)
}

/// Returns the line of the only game in the store.
async fn line(server: &TestServer) -> GameSummary {
    let lines = server.store.scan(Key::new("public/").unwrap(), None, 10).await.unwrap();
    assert_eq!(lines.len(), 1);
    serde_json::from_slice(&lines[0].1).unwrap()
}

#[tokio::test(start_paused = true)]
async fn lists_show_games_at_rest_on_every_server_and_open_none() {
    let (one, two) = TestServer::pair().await;
    let mut ids = Vec::new();
    for (number, time) in [(1, DAYS), (2, Time::Unlimited {}), (3, DAYS)] {
        ids.push(one.playing(number, time).await);
        one.advance(1_000).await;
    }
    let in_memory = one.tables.running(10);
    assert_eq!(in_memory.iter().map(|game| game.id).collect::<Vec<_>>(), [ids[2], ids[1], ids[0]]);
    assert!(in_memory.iter().all(|game| game.phase == Phase::Playing));
    one.advance(REST_MS).await;
    assert_eq!((one.tables.len(), two.tables.len()), (0, 0));
    assert_eq!(one.tables.running(10), in_memory, "at once, before anything is read");
    let reads = one.store.reads();
    for server in [&one, &two] {
        assert_eq!(listed(server).await, in_memory);
        assert_eq!(server.tables.running(2), in_memory[..2]);
        assert_eq!(server.tables.len(), 0);
    }
    assert_eq!(one.store.reads(), reads, "no log was read");
    // A server that has only just started shows the same list.
    let three = TestServer::on(one.store.clone(), one.clock.clone()).await;
    assert_eq!(three.tables.running(10), in_memory);
}

#[tokio::test(start_paused = true)]
async fn a_private_game_is_in_no_list() {
    let server = TestServer::new().await;
    let mut new = new_game(1, ["ana", "bo"]);
    (new.terms.time, new.terms.private) = (Time::Unlimited {}, true);
    let id = server.tables.create(new).await.unwrap().id;
    deploy_both(&server.tables.find(id).await.unwrap()).await;
    server.advance(REST_MS).await;
    server.tables.write_lines().await;
    assert_eq!(server.tables.len(), 0, "it rests as any other");
    assert!(listed(&server).await.is_empty() && keys(&server.store, "public/").await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_game_that_ends_leaves_every_list() {
    let (one, two) = TestServer::pair().await;
    let id = one.playing(1, DAYS).await;
    one.advance(REST_MS).await;
    assert_eq!((listed(&one).await.len(), listed(&two).await.len()), (1, 1));
    let table = two.tables.find(id).await.unwrap();
    command(&table, &Client::new("bo"), "end", GameCommand::Resign {}).await;
    run_tasks().await;
    assert!(keys(&two.store, "public/").await.is_empty());
    assert!(two.tables.running(10).is_empty(), "in memory, and over");
    assert!(listed(&one).await.is_empty() && listed(&two).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn lists_of_other_servers_show_the_progress_of_an_open_game() {
    let (one, two) = TestServer::pair().await;
    let mut new = new_game(1, ["ana", "bo"]);
    new.terms.time = DAYS;
    let table = one.create(new).await;
    let ana = Client::new("ana");
    open(&table, &ana).await;
    one.tables.write_lines().await;
    assert_eq!(line(&one).await.phase, Phase::Deploying);
    deploy_both(&table).await;
    assert_eq!(listed(&two).await[0].phase, Phase::Deploying, "it stays open: a ply writes nothing");
    one.tables.write_lines().await;
    assert_eq!(listed(&two).await, one.tables.running(10));
    assert_eq!(listed(&two).await[0].phase, Phase::Playing);
}

#[tokio::test(start_paused = true)]
async fn a_game_stays_in_memory_until_lists_know_how_far_it_is() {
    let server = TestServer::new().await;
    let mut new = new_game(1, ["ana", "bo"]);
    new.terms.time = Time::Unlimited {};
    let table = server.create(new).await;
    let id = table.id();
    let ana = Client::new("ana");
    run_tasks().await;
    open(&table, &ana).await;
    deploy_both(&table).await;
    server.store.fail_next(WriteFault::Unavailable);
    close(&table, &ana, true).await;
    drop(table);
    assert_eq!(line(&server).await.phase, Phase::Deploying, "the store did not take it");
    server.store.fail_next(WriteFault::Unavailable);
    server.advance(REST_MS).await;
    assert_eq!(server.tables.len(), 1, "nor now");
    server.advance(1_000).await;
    server.advance(1_000).await;
    assert_eq!(server.tables.len(), 0);
    assert_eq!(line(&server).await.phase, Phase::Playing);
    assert_eq!((server.tables.running(10), line(&server).await.id), (vec![line(&server).await], id));
}
