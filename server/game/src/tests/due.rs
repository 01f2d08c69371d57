//! Games are opened when something is due in them. Only a few are open at a time, however many
//! games are running.

use std::sync::Arc;

use flagfall_base::memory::{MemoryGuard, MemoryLimit};
use flagfall_board::{PerSide, Side, Stamp};
use flagfall_protocol::{Phase, Time};
use flagfall_store::{Key, Store as _};
use flagfall_store_testing::{ManualClock, TestStore};

use super::harness::{
    Client, START, TestServer, close, command, deploy, header, keys, left_games, make_game, new_game, open,
    player, run_tasks,
};
use super::memory::id_of;
use crate::rest::Round;
use crate::search::read_all;
use crate::{CreateError, TableSettings};

fn games() -> u32 {
    std::env::var("FLAGFALL_TABLES").ok().and_then(|text| text.parse().ok()).unwrap_or(3_000)
}

#[tokio::test(start_paused = true)]
async fn a_start_opens_no_game_and_every_flag_falls_at_its_time() {
    const SECONDS: u32 = 100;
    let clock = Arc::new(ManualClock::new(START));
    let store = TestStore::new(clock.clone());
    let deadline = |number: u32| START.plus_ms(60_000 + u64::from(number % SECONDS) * 1_000);
    let mut header = header("classic");
    header.terms.time = Time::Fischer { base_s: 600, increment_s: 0 };
    for number in 0..games() {
        header.deploy_ms = deadline(number).ms_since(START);
        header.players = PerSide::from_fn(|side: Side| player(&format!("{side:?}-{number}")));
        make_game(&store, id_of(number), &header);
    }
    let server = TestServer::on(store, clock).await;
    let mut round = Round::default();
    while !server.tables.go_round(&mut round).await.unwrap() {}
    assert_eq!((server.tables.len(), server.tables.at_rest()), (0, games() as usize));
    server.advance(50_000).await;
    let mut most = 0;
    for _ in 0..SECONDS + 20 {
        server.tables.open_due().await.unwrap();
        run_tasks().await;
        most = most.max(server.tables.len());
        server.advance(1_000).await;
    }
    assert!(most <= 8 * (games() / SECONDS + 1) as usize, "{most} tables at once");
    assert_eq!(server.tables.len(), 0);
    for number in 0..games() {
        let log = read_all(&server.store, id_of(number), 0).await.unwrap();
        assert_eq!(log.len(), 2, "one end");
        let late_ms = log[1].at.0.checked_sub(deadline(number).0 + 1).expect("not early");
        assert!(late_ms <= 1_000, "{late_ms} ms late");
    }
    server.tables.open_due().await.unwrap();
    for list in ["flags/", "live/", "seat/", "public/"] {
        assert!(keys(&server.store, list).await.is_empty(), "{list}");
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_start_house_players_move_a_few_at_a_time() {
    const GAMES: u32 = 300;
    let clock = Arc::new(ManualClock::new(START));
    let store = TestStore::new(clock.clone());
    let mut header = header("barrage");
    header.players.blue = player("house-random");
    for number in 0..GAMES {
        header.players.red = player(&format!("guest-{number}"));
        make_game(&store, id_of(number), &header);
    }
    let server = TestServer::on(store, clock).await;
    assert!(server.tables.go_round(&mut Round::default()).await.unwrap());
    let waiting = async || server.store.scan(Key::new("house/").unwrap(), None, 1_000).await.unwrap().len();
    assert_eq!(waiting().await, GAMES as usize);
    let (mut after, mut most) = (None, 0);
    while waiting().await > 0 {
        server.tables.open_house_turns(&mut after).await.unwrap();
        most = most.max(server.tables.len());
        server.advance(1).await;
    }
    assert!((1..=128).contains(&most), "{most} tables at once");
    // Give the server time to write the games' lines.
    server.advance(100).await;
    assert_eq!(server.tables.len(), 0, "they wait for their opponents");
    for number in 0..GAMES {
        assert_eq!(server.store.head(id_of(number)).await.unwrap().seq, 2, "deployed once");
    }
}

#[tokio::test(start_paused = true)]
async fn where_servers_share_a_store_the_one_that_took_a_ply_moves_the_house_player_first() {
    let clock = Arc::new(ManualClock::new(START));
    let store = TestStore::announcing(clock.clone());
    let mut header = header("barrage");
    header.players.blue = player("house-random");
    make_game(&store, id_of(1), &header);
    let other = TestServer::on(store, clock).await;
    assert!(other.tables.go_round(&mut Round::default()).await.unwrap());
    other.tables.open_house_turns(&mut None).await.unwrap();
    assert_eq!(other.tables.len(), 0);
    other.advance(5_000).await;
    other.tables.open_house_turns(&mut None).await.unwrap();
    assert_eq!(other.tables.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_short_game_whose_players_have_gone_loses_by_its_flag_at_once() {
    let server = TestServer::new().await;
    let id = server.playing(1, Time::Fischer { base_s: 60, increment_s: 0 }).await;
    let entries = server.store.head(id).await.unwrap().seq;
    server.advance(60_000).await;
    assert_eq!(server.store.head(id).await.unwrap().seq, entries, "the last moment is in time");
    server.advance(1).await;
    assert_eq!(server.store.head(id).await.unwrap().seq, entries + 1);
}

#[tokio::test(start_paused = true)]
async fn a_player_who_was_away_while_the_game_rested_has_left_it_when_their_flag_falls() {
    for stays_ms in [0, 560_000] {
        let server = TestServer::new().await;
        let mut new = new_game(1, ["ana", "bo"]);
        new.terms.time = Time::Fischer { base_s: 600, increment_s: 0 };
        new.terms.rated = true;
        let table = server.create(new).await;
        let id = table.id();
        for (name, side) in [("ana", Side::Red), ("bo", Side::Blue)] {
            command(&table, &Client::new(name), "deploy", deploy("classic", side, 3)).await;
        }
        run_tasks().await;
        let began = server.clock_now();
        let ana = Client::new("ana");
        open(&table, &ana).await;
        server.advance(stays_ms).await;
        close(&table, &ana, false).await;
        drop(table);
        if stays_ms == 0 {
            server.advance(60_000).await;
            assert_eq!(server.tables.len(), 0, "it rests");
        }
        let flag = began.plus_ms(600_001);
        while server.clock_now() < flag {
            server.tables.open_due().await.unwrap();
            server.advance(1_000.min(flag.ms_since(server.clock_now()))).await;
        }
        assert_eq!(server.tables.find(id).await.unwrap().summary().phase, Phase::Over);
        assert_eq!(left_games(&server.store, "ana").await, 1, "{stays_ms}");
        assert_eq!(left_games(&server.store, "bo").await, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_look_opens_no_game_that_is_in_memory_and_moves_its_due_on_when_it_is_stale() {
    let server = TestServer::new().await;
    let id = server.playing(1, Time::Fischer { base_s: 600, increment_s: 0 }).await;
    let table = server.tables.find(id).await.unwrap();
    let due = async |server: &TestServer| {
        let keys = keys(&server.store, "flags/").await;
        assert_eq!(keys.len(), 1);
        keys[0].split('/').nth(1).unwrap().parse().map(Stamp).unwrap()
    };
    let first = due(&server).await;
    server.advance(first.ms_since(server.clock_now())).await;
    server.tables.open_due().await.unwrap();
    assert_eq!(due(&server).await, first, "its table lets the flag fall");
    server.advance(30_000).await;
    server.tables.open_due().await.unwrap();
    assert_eq!(due(&server).await, START.plus_ms(600_000), "never after the flag");
    assert!(table.is_running());
}

#[tokio::test(start_paused = true)]
async fn new_games_are_refused_beyond_the_limit_of_all_and_while_memory_runs_short() {
    let clock = Arc::new(ManualClock::new(START));
    let limited = |max| move |settings: &mut TableSettings| settings.running_games_max = max;
    let server = TestServer::with(TestStore::new(clock.clone()), clock.clone(), limited(2)).await;
    let table = server.game(1).await;
    server.tables.create(new_game(2, ["cy", "di"])).await.unwrap();
    let third = || new_game(3, ["ed", "flo"]);
    assert_eq!(server.tables.create(third()).await, Err(CreateError::ServerFull(2)));
    // When a running game ends, there is room for another.
    command(&table, &Client::new("ana"), "end", flagfall_protocol::GameCommand::Abort {}).await;
    run_tasks().await;
    assert!(server.tables.create(third()).await.is_ok());
    // Running games that a server finds when it starts are also counted.
    let server = TestServer::with(server.store, clock.clone(), limited(2)).await;
    assert!(server.tables.go_round(&mut Round::default()).await.unwrap());
    assert_eq!(server.tables.create(new_game(4, ["gil", "hal"])).await, Err(CreateError::ServerFull(2)));
    let no_memory = |settings: &mut TableSettings| {
        settings.memory = MemoryGuard::new(MemoryLimit::Bytes(1));
    };
    let server = TestServer::with(server.store, clock, no_memory).await;
    let refused = server.tables.create(new_game(4, ["gil", "hal"])).await;
    assert_eq!(refused, Err(CreateError::NoMemory));
    assert!(server.tables.find(id_of_game(2)).await.unwrap().is_running());
}

fn id_of_game(number: u8) -> flagfall_board::GameId {
    flagfall_board::GameId::from_random([number; 12])
}
