//! Games are opened for what is due in them, few at a time, no matter how many run.

use std::sync::Arc;

use flagfall_board::{Side, Stamp};
use flagfall_protocol::{Phase, Time};
use flagfall_store::{Key, ManualClock, MemoryStore, Store as _};

use super::super::rest::Round;
use super::super::search::read_all;
use super::super::{CreateError, TableInput};
use super::actor::{House, command, open, settle};
use super::harness::{Client, START, deploy, header, left_games, make_game, player};
use super::memory::id_of;
use super::rest::{keys, slow_game};
use flagfall_base::memory::{MemoryGuard, MemoryLimit};

fn games() -> u32 {
    std::env::var("FLAGFALL_TABLES").ok().and_then(|text| text.parse().ok()).unwrap_or(3_000)
}

#[tokio::test(start_paused = true)]
async fn a_start_opens_no_game_and_every_flag_falls_at_its_time() {
    const SECONDS: u32 = 100;
    let clock = Arc::new(ManualClock::new(START));
    let store = MemoryStore::new(clock.clone());
    let deadline = |number: u32| START.plus_ms(60_000 + u64::from(number % SECONDS) * 1_000);
    let mut header = header("classic");
    header.terms.time = Time::Fischer { base_s: 600, increment_s: 0 };
    for number in 0..games() {
        header.deploy_ms = deadline(number).ms_since(START);
        header.players = flagfall_board::PerSide::from_fn(|side: Side| player(&format!("{side:?}-{number}")));
        make_game(&store, id_of(number), &header);
    }
    let house = House::on(store, clock).await;
    let mut round = Round::default();
    while !house.tables.go_round(&mut round).await.unwrap() {}
    assert_eq!((house.tables.len(), house.tables.at_rest()), (0, games() as usize));
    house.advance(50_000).await;
    let mut most = 0;
    for _ in 0..SECONDS + 20 {
        house.tables.open_due().await.unwrap();
        settle().await;
        most = most.max(house.tables.len());
        house.advance(1_000).await;
    }
    assert!(most <= 8 * (games() / SECONDS + 1) as usize, "{most} tables at once");
    assert_eq!(house.tables.len(), 0);
    for number in 0..games() {
        let log = read_all(&house.store, id_of(number), 0).await.unwrap();
        assert_eq!(log.len(), 2, "one end");
        let late_ms = log[1].at.0.checked_sub(deadline(number).0 + 1).expect("not early");
        assert!(late_ms <= 1_000, "{late_ms} ms late");
    }
    house.tables.open_due().await.unwrap();
    for list in ["flags/", "live/", "seat/", "public/"] {
        assert!(keys(&house.store, list).await.is_empty(), "{list}");
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_start_house_players_move_a_few_at_a_time() {
    const GAMES: u32 = 300;
    let clock = Arc::new(ManualClock::new(START));
    let store = MemoryStore::new(clock.clone());
    let mut header = header("barrage");
    header.players.blue = player("house-random");
    for number in 0..GAMES {
        header.players.red = player(&format!("guest-{number}"));
        make_game(&store, id_of(number), &header);
    }
    let house = House::on(store, clock).await;
    assert!(house.tables.go_round(&mut Round::default()).await.unwrap());
    let waiting = async || house.store.scan(Key::new("house/").unwrap(), None, 1_000).await.unwrap().len();
    assert_eq!(waiting().await, GAMES as usize);
    let (mut after, mut most) = (None, 0);
    while waiting().await > 0 {
        house.tables.open_house_turns(&mut after).await.unwrap();
        most = most.max(house.tables.len());
        house.advance(1).await;
    }
    assert!((1..=128).contains(&most), "{most} tables at once");
    // Their lines are written meanwhile.
    house.advance(100).await;
    assert_eq!(house.tables.len(), 0, "they wait for their opponents");
    for number in 0..GAMES {
        assert_eq!(house.store.head(id_of(number)).await.unwrap().seq, 2, "deployed once");
    }
}

#[tokio::test(start_paused = true)]
async fn where_servers_share_a_store_the_one_that_took_a_ply_moves_the_house_player_first() {
    let clock = Arc::new(ManualClock::new(START));
    let store = MemoryStore::announcing(clock.clone());
    let mut header = header("barrage");
    header.players.blue = player("house-random");
    make_game(&store, id_of(1), &header);
    let other = House::on(store, clock).await;
    assert!(other.tables.go_round(&mut Round::default()).await.unwrap());
    other.tables.open_house_turns(&mut None).await.unwrap();
    assert_eq!(other.tables.len(), 0);
    other.advance(5_000).await;
    other.tables.open_house_turns(&mut None).await.unwrap();
    assert_eq!(other.tables.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_short_game_whose_players_have_gone_loses_by_its_flag_at_once() {
    let house = House::new().await;
    let id = slow_game(&house, 1, Time::Fischer { base_s: 60, increment_s: 0 }).await;
    let entries = house.store.head(id).await.unwrap().seq;
    house.advance(60_000).await;
    assert_eq!(house.store.head(id).await.unwrap().seq, entries, "the last moment is in time");
    house.advance(1).await;
    assert_eq!(house.store.head(id).await.unwrap().seq, entries + 1);
}

#[tokio::test(start_paused = true)]
async fn a_player_who_was_away_while_the_game_rested_has_left_it_when_their_flag_falls() {
    for stays_ms in [0, 560_000] {
        let house = House::new().await;
        let mut new = house.new_game(1, "classic", ["ana", "bo"]);
        new.terms.time = Time::Fischer { base_s: 600, increment_s: 0 };
        new.terms.rated = true;
        let id = house.tables.create(new).await.unwrap().id;
        let table = house.tables.find(id).await.unwrap();
        for (name, side) in [("ana", Side::Red), ("bo", Side::Blue)] {
            command(&table, &Client::new(name), "deploy", deploy("classic", side, 3)).await;
        }
        settle().await;
        let began = house.clock_now();
        let ana = Client::new("ana");
        open(&table, &ana).await;
        house.advance(stays_ms).await;
        let connection = ana.outbox.connection();
        table.send(TableInput::Close { connection, is_on_purpose: false }).await.unwrap();
        settle().await;
        drop(table);
        if stays_ms == 0 {
            house.advance(60_000).await;
            assert_eq!(house.tables.len(), 0, "it rests");
        }
        let flag = began.plus_ms(600_001);
        while house.clock_now() < flag {
            house.tables.open_due().await.unwrap();
            house.advance(1_000.min(flag.ms_since(house.clock_now()))).await;
        }
        assert_eq!(house.tables.find(id).await.unwrap().summary().phase, Phase::Over);
        assert_eq!(left_games(&house.store, "ana").await, 1, "{stays_ms}");
        assert_eq!(left_games(&house.store, "bo").await, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_look_opens_no_game_that_is_in_memory_and_moves_its_due_on_when_it_is_stale() {
    let house = House::new().await;
    let id = slow_game(&house, 1, Time::Fischer { base_s: 600, increment_s: 0 }).await;
    let table = house.tables.find(id).await.unwrap();
    let due = async |house: &House| {
        let keys = keys(&house.store, "flags/").await;
        assert_eq!(keys.len(), 1);
        keys[0].split('/').nth(1).unwrap().parse().map(Stamp).unwrap()
    };
    let first = due(&house).await;
    house.advance(first.ms_since(house.clock_now())).await;
    house.tables.open_due().await.unwrap();
    assert_eq!(due(&house).await, first, "its table lets the flag fall");
    house.advance(30_000).await;
    house.tables.open_due().await.unwrap();
    assert_eq!(due(&house).await, START.plus_ms(600_000), "never after the flag");
    assert!(table.is_running());
}

#[tokio::test(start_paused = true)]
async fn new_games_are_refused_beyond_the_limit_of_all_and_while_memory_runs_short() {
    let clock = Arc::new(ManualClock::new(START));
    let limited = |max| move |settings: &mut super::super::TableSettings| settings.running_games_max = max;
    let house = House::with(MemoryStore::new(clock.clone()), clock.clone(), limited(2)).await;
    let table = house.game(1).await;
    house.tables.create(house.new_game(2, "classic", ["cy", "di"])).await.unwrap();
    let third = || house.new_game(3, "classic", ["ed", "flo"]);
    assert_eq!(house.tables.create(third()).await, Err(CreateError::ServerFull(2)));
    // Running games go on, and one that ends makes room.
    command(&table, &Client::new("ana"), "end", flagfall_protocol::GameCommand::Abort {}).await;
    settle().await;
    assert!(house.tables.create(third()).await.is_ok());
    // Games that a start finds count as well.
    let house = House::with(house.store, clock.clone(), limited(2)).await;
    assert!(house.tables.go_round(&mut Round::default()).await.unwrap());
    assert_eq!(
        house.tables.create(house.new_game(4, "classic", ["gil", "hal"])).await,
        Err(CreateError::ServerFull(2))
    );
    let no_memory = |settings: &mut super::super::TableSettings| {
        settings.memory = MemoryGuard::new(MemoryLimit::Bytes(1));
    };
    let house = House::with(house.store, clock, no_memory).await;
    let refused = house.tables.create(house.new_game(4, "classic", ["gil", "hal"])).await;
    assert_eq!(refused, Err(CreateError::NoMemory));
    assert!(house.tables.find(id_of_game(2)).await.unwrap().is_running());
}

fn id_of_game(number: u8) -> flagfall_board::GameId {
    flagfall_board::GameId::from_random([number; 12])
}
