//! Tests of the pool: players who wait are paired exactly once, even if connections or servers
//! are lost.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::common::{Client, House, settings};
use flagfall_board::GameId;
use flagfall_protocol::{ClientToServer, GameCommand, ServerToClient, Terms, Time};
use flagfall_services::settings::Settings;
use flagfall_store::{Key, Store, Update, Write};
use serde_json::json;

fn terms(rated: bool) -> Terms {
    Terms {
        ruleset: "barrage".to_owned(),
        time: Time::Fischer { base_s: 600, increment_s: 5 },
        private: false,
        secret: false,
        rated,
    }
}

/// Returns settings with which a server starts only its first wave of pairings by itself. The tests
/// start all other waves.
fn slow() -> Settings {
    let mut settings = settings();
    settings.times.pool_wave = Duration::from_secs(3_600);
    settings
}

async fn account(house: &House, name: &str) -> String {
    let body = json!({ "name": name, "password": "correct horse battery" }).to_string();
    let made = house.ask("POST", "/api/account", "", &body).await;
    assert_eq!(made.status, 201, "{}", made.body);
    made.json()["token"].as_str().unwrap().to_owned()
}

fn cmd(id: &str) -> flagfall_protocol::CommandId {
    id.parse().unwrap()
}

/// Returns `Ok` if the command was accepted, or the code of the refusal.
async fn answer(client: &mut Client, id: &str) -> Result<(), String> {
    let id = cmd(id);
    client
        .find(|message| match message {
            ServerToClient::Accepted { cmd_id, .. } if cmd_id == id => Some(Ok(())),
            ServerToClient::Refused { cmd_id, code, .. } if cmd_id.as_ref() == Some(&id) => {
                Some(Err(code.as_str().to_owned()))
            }
            _ => None,
        })
        .await
}

async fn enter(client: &mut Client, id: &str, terms: Terms) -> Result<(), String> {
    client.tell(&ClientToServer::EnterPool { cmd_id: cmd(id), terms }).await;
    answer(client, id).await
}

async fn leave(client: &mut Client, id: &str) -> Result<(), String> {
    client.tell(&ClientToServer::LeavePool { cmd_id: cmd(id) }).await;
    answer(client, id).await
}

async fn started(client: &mut Client) -> GameId {
    client
        .find(|message| match message {
            ServerToClient::GameStarted { game, .. } => Some(game.id),
            _ => None,
        })
        .await
}

async fn only_game(client: &mut Client) -> GameId {
    client.tell(&ClientToServer::MyGames {}).await;
    let games = client.find(|message| match message {
        ServerToClient::MyGames { games } => Some(games),
        _ => None,
    });
    let games = games.await;
    assert_eq!(games.len(), 1, "{games:?}");
    games[0].id
}

#[tokio::test]
async fn matching_players_are_paired_once_while_they_play() {
    let house = House::open(slow()).await;
    let (ana, bo) = (account(&house, "ana").await, account(&house, "bo").await);
    let (mut ana, mut bo) = (house.again(&ana).await, house.again(&bo).await);
    enter(&mut ana, "1", terms(true)).await.unwrap();
    enter(&mut bo, "1", terms(true)).await.unwrap();
    house.lobby.hold_wave().await.unwrap();
    let game = started(&mut ana).await;
    assert_eq!(started(&mut bo).await, game);
    for client in [&mut ana, &mut bo] {
        assert_eq!(enter(client, "2", terms(true)).await, Err("already_paired".to_owned()));
        assert_eq!(leave(client, "3").await, Err("already_paired".to_owned()));
    }
    // When the game is over, both players may enter the pool again.
    let abort = ClientToServer::Command {
        cmd_id: cmd("4"),
        game,
        ply: 0,
        epoch: None,
        command: GameCommand::Abort {},
    };
    ana.tell(&abort).await;
    answer(&mut ana, "4").await.unwrap();
    enter(&mut ana, "5", terms(true)).await.unwrap();
    enter(&mut bo, "5", terms(true)).await.unwrap();
    house.lobby.hold_wave().await.unwrap();
    assert_ne!(started(&mut ana).await, game);
    house.close().await;
}

#[tokio::test]
async fn players_who_left_or_want_other_terms_are_not_paired() {
    let house = House::open(slow()).await;
    let (mut ana, ..) = house.guest("ana").await;
    let (mut bo, ..) = house.guest("bo").await;
    let (mut cy, ..) = house.guest("cy").await;
    assert_eq!(enter(&mut ana, "0", terms(true)).await, Err("not_rated".to_owned()));
    let other = Terms { ruleset: "classic".to_owned(), ..terms(false) };
    enter(&mut bo, "1", other).await.unwrap();
    enter(&mut ana, "1", terms(false)).await.unwrap();
    house.lobby.hold_wave().await.unwrap();
    leave(&mut ana, "2").await.unwrap();
    enter(&mut cy, "1", terms(false)).await.unwrap();
    // Bo enters again with other terms, which replaces the first entry, because a player can wait
    // for only one kind of game.
    enter(&mut bo, "2", terms(false)).await.unwrap();
    house.lobby.hold_wave().await.unwrap();
    let game = started(&mut cy).await;
    assert_eq!(started(&mut bo).await, game);
    assert_eq!(leave(&mut ana, "3").await, Err("not_in_pool".to_owned()));
    house.close().await;
}

#[tokio::test]
async fn a_short_disconnection_keeps_the_place_and_absent_players_are_not_paired() {
    let mut settings = slow();
    settings.times.pool_grace = Some(Duration::from_secs(3_600));
    let house = House::open(settings).await;
    let (mut ana, _, token) = house.guest("ana").await;
    enter(&mut ana, "1", terms(false)).await.unwrap();
    drop(ana);
    let mut ana = house.again(&token).await;
    let (mut bo, ..) = house.guest("bo").await;
    enter(&mut bo, "1", terms(false)).await.unwrap();
    house.lobby.hold_wave().await.unwrap();
    let game = started(&mut bo).await;
    assert_eq!(started(&mut ana).await, game);
    house.close().await;

    let mut settings = slow();
    settings.times.pool_grace = Some(Duration::ZERO);
    let house = House::open(settings).await;
    let (mut ana, ..) = house.guest("ana").await;
    enter(&mut ana, "1", terms(false)).await.unwrap();
    assert_eq!(leave(&mut ana, "2").await, Err("not_in_pool".to_owned()), "their time is over at once");
    house.close().await;
}

#[tokio::test]
async fn a_place_survives_the_server() {
    let house = House::open(slow()).await;
    let (mut ana, _, ana_token) = house.guest("ana").await;
    let (mut bo, _, bo_token) = house.guest("bo").await;
    enter(&mut ana, "1", terms(false)).await.unwrap();
    enter(&mut bo, "1", terms(false)).await.unwrap();
    let store = house.store.clone();
    house.abandon();
    let house = House::open_on(store, slow()).await;
    let (mut ana, mut bo) = (house.again(&ana_token).await, house.again(&bo_token).await);
    // The client repeats the command because it got no answer. It succeeds again, but the player
    // does not enter the pool twice.
    enter(&mut ana, "1", terms(false)).await.unwrap();
    house.lobby.hold_wave().await.unwrap();
    // The players may have been paired before or after they came back. In either case, both are
    // in the same single game.
    let games = [only_game(&mut ana).await, only_game(&mut bo).await];
    assert_eq!(games[0], games[1]);
    house.close().await;
}

#[tokio::test]
async fn many_on_two_servers_are_each_in_one_game() {
    const PLAYERS: usize = 40;
    let house = House::open(slow()).await;
    let other = House::open_on(house.store.clone(), slow()).await;
    let mut clients = Vec::new();
    for number in 0..PLAYERS {
        let at = if number % 2 == 0 { &house } else { &other };
        let (mut client, ..) = at.guest(&format!("player{number}")).await;
        enter(&mut client, "1", terms(false)).await.unwrap();
        clients.push(client);
    }
    // Both servers pair players at the same time, several times. Each server notifies its own
    // players.
    for _ in 0..5 {
        let (one, two) = tokio::join!(house.lobby.hold_wave(), other.lobby.hold_wave());
        assert!(one.is_ok() && two.is_ok());
    }
    let mut games: BTreeMap<String, usize> = BTreeMap::new();
    for client in &mut clients {
        *games.entry(started(client).await.to_string()).or_default() += 1;
        only_game(client).await;
    }
    assert_eq!(games.len(), PLAYERS / 2);
    assert!(games.values().all(|players| *players == 2), "{games:?}");
    other.close().await;
    house.close().await;
}

#[tokio::test]
async fn a_wave_reads_thousands_of_waiting_players() {
    let house = House::open(slow()).await;
    let (mut ana, ..) = house.guest("ana").await;
    let (mut bo, ..) = house.guest("bo").await;
    enter(&mut ana, "1", terms(false)).await.unwrap();
    let (_, record) = house.store.scan(Key::new("pool/").unwrap(), None, 1).await.unwrap().remove(0);
    // Adds more records than one read returns. Their ids all come before the ids of real players,
    // and no two of them can be paired.
    for chunk in (0..5_000_u32).collect::<Vec<_>>().chunks(50) {
        let write = |number: &u32| {
            let mut record: serde_json::Value = serde_json::from_slice(&record).unwrap();
            record["player"]["id"] = json!(format!("!{number}"));
            record["terms"]["time"]["base_s"] = json!(10_000 + number);
            let key = Key::new(format!("pool/!{number}")).unwrap();
            Write::Put { key, value: record.to_string().into_bytes(), expires: None }
        };
        let writes = chunk.iter().map(write).collect();
        house.store.update(Update { conditions: Vec::new(), writes }).await.unwrap();
    }
    enter(&mut bo, "1", terms(false)).await.unwrap();
    house.lobby.hold_wave().await.unwrap();
    let game = started(&mut ana).await;
    assert_eq!(started(&mut bo).await, game);
    house.close().await;
}

#[tokio::test]
async fn pairings_are_kept_for_a_few_waves_and_delay_no_one() {
    let mut settings = slow();
    let house = House::open(settings.clone()).await;
    let (mut ana, ..) = house.guest("ana").await;
    let (mut bo, ..) = house.guest("bo").await;
    // Adds more pairings of another server than one read returns. They are recent, and all of
    // them come before the id of the next game.
    let key = |number: usize| Key::new(format!("paired/0{number:011}")).unwrap();
    for chunk in (0..5_000).collect::<Vec<_>>().chunks(50) {
        let write = |number: &usize| Write::Put { key: key(*number), value: b"{}".to_vec(), expires: None };
        let writes = chunk.iter().map(write).collect();
        house.store.update(Update { conditions: Vec::new(), writes }).await.unwrap();
    }
    enter(&mut ana, "1", terms(false)).await.unwrap();
    enter(&mut bo, "1", terms(false)).await.unwrap();
    house.lobby.hold_wave().await.unwrap();
    let game = started(&mut ana).await;
    assert_eq!(started(&mut bo).await, game);
    let record = Key::new(format!("paired/{game}")).unwrap();
    assert!(
        house.store.get(record.clone()).await.unwrap().is_some(),
        "others may have to tell their players"
    );
    let store = house.store.clone();
    house.close().await;

    // A server with short waves soon considers these pairings complete and removes them.
    settings.times.pool_wave = Duration::from_millis(1);
    let house = House::open_on(store, settings).await;
    while house.store.get(record.clone()).await.unwrap().is_some() {
        house.lobby.hold_wave().await.unwrap();
    }
    house.close().await;
}

#[tokio::test]
async fn repeatedly_leaving_games_blocks_the_pool_for_a_stated_time() {
    let house = House::open(slow()).await;
    let (ana_token, bo) = (account(&house, "ana").await, account(&house, "bo").await);
    let (mut ana, mut bo) = (house.again(&ana_token).await, house.again(&bo).await);
    for round in 0..2 {
        enter(&mut ana, &format!("a{round}"), terms(true)).await.unwrap();
        enter(&mut bo, &format!("a{round}"), terms(true)).await.unwrap();
        house.lobby.hold_wave().await.unwrap();
        let game = started(&mut ana).await;
        assert_eq!(started(&mut bo).await, game);
        let id = format!("b{round}");
        let command = GameCommand::Abort {};
        ana.tell(&ClientToServer::Command { cmd_id: cmd(&id), game, ply: 0, epoch: None, command }).await;
        answer(&mut ana, &id).await.unwrap();
    }
    ana.tell(&ClientToServer::EnterPool { cmd_id: cmd("c"), terms: terms(true) }).await;
    let (code, message) = ana
        .find(|message| match message {
            ServerToClient::Refused { code, message, .. } => Some((code.as_str().to_owned(), message)),
            _ => None,
        })
        .await;
    assert_eq!(code, "left_games");
    assert!(message.starts_with("You recently left 2 games"), "{message}");
    assert!(message.contains("After 1"), "two minutes, less what has gone: {message}");
    // A rated seek is refused as well, but a casual seek is allowed.
    ana.tell(&ClientToServer::Seek { cmd_id: cmd("d"), terms: terms(true), side: None, rating: None }).await;
    assert_eq!(answer(&mut ana, "d").await, Err("left_games".to_owned()));
    ana.tell(&ClientToServer::Seek { cmd_id: cmd("e"), terms: terms(false), side: None, rating: None }).await;
    answer(&mut ana, "e").await.unwrap();
    // The player whose opponents left does not have to wait.
    enter(&mut bo, "c", terms(true)).await.unwrap();
    let me = house.ask("GET", "/api/me", &ana_token, "").await.json();
    assert_eq!(me["conduct"]["left_games"], 2);
    let export = house.ask("GET", "/api/account", &ana_token, "").await.json();
    assert_eq!(export["conduct"]["left_games"], 2);
    assert!((1..=120).contains(&me["conduct"]["wait_s"].as_u64().unwrap()), "{me}");
    house.close().await;
}
