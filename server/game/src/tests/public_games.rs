//! What lists show of games that are not in memory, on every server.

use flagfall_board::Side;
use flagfall_protocol::{GameCommand, GameSummary, Phase, Time};
use flagfall_store::memory::Fault;
use flagfall_store::{Key, ManualClock, MemoryStore, Store as _};

use super::super::TableHandle;
use super::actor::{House, command, open, settle};
use super::harness::{Client, REST_MS, START, deploy};
use super::rest::{DAYS, close, keys, slow_game};

async fn two_servers() -> (House, House) {
    let clock = std::sync::Arc::new(ManualClock::new(START));
    let store = MemoryStore::announcing(clock.clone());
    (House::on(store.clone(), clock.clone()).await, House::on(store, clock).await)
}

/// What a server lists after it has read the lines of games at rest.
async fn listed(house: &House) -> Vec<GameSummary> {
    house.tables.read_public_games(true).await.unwrap();
    house.tables.running(10)
}

async fn deploy_both(table: &TableHandle) {
    for (player, side) in [("ana", Side::Red), ("bo", Side::Blue)] {
        command(table, &Client::new(player), "deploy", deploy("classic", side, 3)).await;
    }
    settle().await;
}

/// The line of a game in the store.
async fn line(house: &House) -> GameSummary {
    let lines = house.store.scan(Key::new("public/").unwrap(), None, 10).await.unwrap();
    assert_eq!(lines.len(), 1);
    serde_json::from_slice(&lines[0].1).unwrap()
}

#[tokio::test(start_paused = true)]
async fn lists_show_games_at_rest_on_every_server_and_open_none() {
    let (one, two) = two_servers().await;
    let mut ids = Vec::new();
    for (number, time) in [(1, DAYS), (2, Time::Unlimited {}), (3, DAYS)] {
        ids.push(slow_game(&one, number, time).await);
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
    // A server that starts now shows the same.
    let three = House::on(one.store.clone(), one.clock.clone()).await;
    assert_eq!(three.tables.running(10), in_memory);
}

#[tokio::test(start_paused = true)]
async fn a_private_game_is_in_no_list() {
    let house = House::new().await;
    let mut new = house.new_game(1, "classic", ["ana", "bo"]);
    (new.terms.time, new.terms.private) = (Time::Unlimited {}, true);
    let id = house.tables.create(new).await.unwrap().id;
    deploy_both(&house.tables.find(id).await.unwrap()).await;
    house.advance(REST_MS).await;
    house.tables.note_lines().await;
    assert_eq!(house.tables.len(), 0, "it rests as any other");
    assert!(listed(&house).await.is_empty() && keys(&house.store, "public/").await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_game_that_ends_leaves_every_list() {
    let (one, two) = two_servers().await;
    let id = slow_game(&one, 1, DAYS).await;
    one.advance(REST_MS).await;
    assert_eq!((listed(&one).await.len(), listed(&two).await.len()), (1, 1));
    let table = two.tables.find(id).await.unwrap();
    command(&table, &Client::new("bo"), "end", GameCommand::Resign {}).await;
    settle().await;
    assert!(keys(&two.store, "public/").await.is_empty());
    assert!(two.tables.running(10).is_empty(), "in memory, and over");
    assert!(listed(&one).await.is_empty() && listed(&two).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn lists_of_other_servers_hear_how_far_a_game_is_that_somebody_looks_at() {
    let (one, two) = two_servers().await;
    let mut new = one.new_game(1, "classic", ["ana", "bo"]);
    new.terms.time = DAYS;
    let id = one.tables.create(new).await.unwrap().id;
    let table = one.tables.find(id).await.unwrap();
    let ana = Client::new("ana");
    open(&table, &ana).await;
    one.tables.note_lines().await;
    assert_eq!(line(&one).await.phase, Phase::Deploying);
    deploy_both(&table).await;
    assert_eq!(listed(&two).await[0].phase, Phase::Deploying, "it stays open: a ply writes nothing");
    one.tables.note_lines().await;
    assert_eq!(listed(&two).await, one.tables.running(10));
    assert_eq!(listed(&two).await[0].phase, Phase::Playing);
}

#[tokio::test(start_paused = true)]
async fn a_game_stays_in_memory_until_lists_know_how_far_it_is() {
    let house = House::new().await;
    let mut new = house.new_game(1, "classic", ["ana", "bo"]);
    new.terms.time = Time::Unlimited {};
    let id = house.tables.create(new).await.unwrap().id;
    let table = house.tables.find(id).await.unwrap();
    let ana = Client::new("ana");
    settle().await;
    open(&table, &ana).await;
    deploy_both(&table).await;
    house.store.fail_next(Fault::Unavailable);
    close(&table, &ana).await;
    drop(table);
    assert_eq!(line(&house).await.phase, Phase::Deploying, "the store did not take it");
    house.store.fail_next(Fault::Unavailable);
    house.advance(REST_MS).await;
    assert_eq!(house.tables.len(), 1, "nor now");
    house.advance(1_000).await;
    house.advance(1_000).await;
    assert_eq!(house.tables.len(), 0);
    assert_eq!(line(&house).await.phase, Phase::Playing);
    assert_eq!((house.tables.running(10), line(&house).await.id), (vec![line(&house).await], id));
}
