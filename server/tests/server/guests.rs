//! Tests of guests. A guest is stored together with their first action that is stored, and
//! deleted when no data refers to them.

use std::sync::Arc;
use std::time::Duration;

use crate::common::{Client, House, settings};
use flagfall_board::{GameId, Side};
use flagfall_protocol::{Accepted, ClientToServer, GameCommand, Player, ServerToClient, Terms, Time};
use flagfall_services::proof::SigningKey;
use flagfall_services::prune::{Lifetimes, Pruned, Run, prune_all, prune_due};
use flagfall_store::{EmbeddedOptions, EmbeddedStore, Head, Key, Store, SystemClock, Update, Write};
use flagfall_store_testing::{TestStore, WriteFault};
use serde_json::json;

const SETUP: &str = "939492493956691S9575574BB7668B88BF7B88B9";

fn terms() -> Terms {
    let time = Time::Fischer { base_s: 600, increment_s: 5 };
    Terms { ruleset: "classic".to_owned(), time, private: false, secret: false, rated: false }
}

fn id(text: &str) -> flagfall_protocol::CommandId {
    text.parse().unwrap()
}

fn seek(cmd_id: &str) -> ClientToServer {
    ClientToServer::Seek { cmd_id: id(cmd_id), terms: terms(), side: Some(Side::Red), rating: None }
}

async fn ask(client: &mut Client, message: ClientToServer) -> Accepted {
    client.tell(&message).await;
    client
        .find(|message| match message {
            ServerToClient::Accepted { outcome, .. } => Some(outcome),
            ServerToClient::Refused { code, message, .. } => panic!("{code}: {message}"),
            _ => None,
        })
        .await
}

/// Returns all keys of the store that contain `part`.
async fn keys(store: &TestStore, part: &str) -> Vec<String> {
    let mut keys = Vec::new();
    for letter in b'a'..=b'z' {
        let prefix = Key::new(char::from(letter).to_string()).unwrap();
        for (key, _) in store.scan(prefix, None, 4_096).await.unwrap() {
            keys.push(String::from_utf8(key.as_bytes().to_vec()).unwrap());
        }
    }
    keys.retain(|key| key.contains(part));
    keys
}

async fn is_stored(store: &TestStore, player: &Player) -> bool {
    store.get(Key::new(format!("players/{}", player.id)).unwrap()).await.unwrap().is_some()
}

#[tokio::test]
async fn an_idle_guest_is_not_stored_and_reconnects_after_a_crash() {
    let store = TestStore::new(SystemClock);
    let house = House::open_on(store.clone(), settings()).await;
    let (mut client, ana, token) = house.guest("Ana").await;
    client.tell(&ClientToServer::OPEN_LOBBY).await;
    client.tell(&ClientToServer::MyGames {}).await;
    client.find(|message| matches!(message, ServerToClient::MyGames { .. }).then_some(())).await;
    assert_eq!(house.ask("GET", "/api/me", &token, "").await.json()["player"]["name"], "Ana");
    assert_eq!(keys(&store, &ana.id).await, Vec::<String>::new());
    let all = keys(&store, "").await;
    assert!(all.iter().all(|key| ["lists_whole", "secrets/guest_tokens"].contains(&&**key)), "{all:?}");
    house.abandon();
    let house = House::open_on(store.clone(), settings()).await;
    let me = house.ask("GET", "/api/me", &token, "").await.json();
    assert_eq!((me["player"]["id"].as_str(), me["player"]["name"].as_str()), (Some(&*ana.id), Some("Ana")));
    let mut client = house.again(&token).await;
    ask(&mut client, seek("1")).await;
    assert!(is_stored(&store, &ana).await);
    house.close().await;
}

#[tokio::test]
async fn every_act_stores_its_guest_in_the_same_update() {
    let store = TestStore::new(SystemClock);
    let house = House::open_on(store.clone(), settings()).await;
    let acts = [
        seek("1"),
        ClientToServer::Challenge { cmd_id: id("1"), terms: terms(), side: None },
        ClientToServer::EnterPool { cmd_id: id("1"), terms: terms() },
        ClientToServer::PlayBot { cmd_id: id("1"), bot: "random".to_owned(), terms: terms(), side: None },
    ];
    for act in acts {
        let (mut client, player, _) = house.guest("ana").await;
        // The store refuses the one update that contains both the action and the guest, so
        // neither is stored.
        store.fail_next(WriteFault::Unavailable);
        client.tell(&act).await;
        let is_refusal = |message| matches!(message, ServerToClient::Refused { .. }).then_some(());
        client.find(is_refusal).await;
        assert_eq!(keys(&store, &player.id).await, Vec::<String>::new(), "{act:?}");
        ask(&mut client, act).await;
        assert!(is_stored(&store, &player).await);
    }
    let (mut seeker, red, _) = house.guest("red").await;
    let Accepted::Seek { seek } = ask(&mut seeker, seek("1")).await else { panic!("no seek") };
    let (mut taker, blue, token) = house.guest("blue").await;
    ask(&mut taker, ClientToServer::AcceptSeek { cmd_id: id("1"), seek, secret: false }).await;
    assert!(is_stored(&store, &red).await && is_stored(&store, &blue).await);
    let (_, eve, eves) = house.guest("eve").await;
    assert_eq!(house.ask("DELETE", "/api/blocks/red", &eves, "").await.status, 204);
    assert!(!is_stored(&store, &eve).await, "unblocking stores no guest");
    assert_eq!(house.ask("PUT", "/api/blocks/red", &eves, "").await.status, 204);
    assert!(is_stored(&store, &eve).await);
    assert_eq!(house.ask("PUT", "/api/blocks/red", &token, "").await.status, 204);
    house.close().await;
}

#[tokio::test]
async fn a_guest_who_has_done_nothing_can_be_challenged_by_name() {
    let house = House::open(settings()).await;
    let (mut bo, bo_player, _) = house.guest("Bo").await;
    let (mut ana, _, token) = house.guest("ana").await;
    let terms = Terms { time: Time::Unlimited {}, ..terms() };
    let challenge = ClientToServer::Challenge { cmd_id: id("1"), terms, side: None };
    let Accepted::Challenge { challenge, .. } = ask(&mut ana, challenge).await else { panic!("none") };
    let body = json!({ "challenge": challenge, "name": "bo" }).to_string();
    let answer = house.ask("POST", "/api/me/challenges", &token, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let accept = ClientToServer::AcceptChallenge { cmd_id: id("1"), challenge, secret: false };
    ask(&mut bo, accept).await;
    assert!(is_stored(&house.store, &bo_player).await);
    let body = json!({ "challenge": "x".repeat(12), "name": "nobody" }).to_string();
    assert_eq!(house.ask("POST", "/api/me/challenges", &token, &body).await.status, 404);
    house.close().await;
}

#[tokio::test]
async fn the_later_of_two_guests_with_one_name_gets_another() {
    let store = TestStore::announcing(SystemClock);
    let (here, there) =
        (House::open_on(store.clone(), settings()).await, House::open_on(store.clone(), settings()).await);
    let (mut first, one, _) = here.guest("ana").await;
    let (mut second, other, token) = there.guest("Ana").await;
    assert_eq!((&*one.name, &*other.name), ("ana", "Ana"));
    ask(&mut first, seek("1")).await;
    ask(&mut second, seek("1")).await;
    assert_eq!(second.close_code().await, 4005, "the client must come back to learn its name");
    let me = there.ask("GET", "/api/me", &token, "").await.json();
    let name = me["player"]["name"].as_str().unwrap();
    assert!(name.starts_with("Ana-"), "{name}");
    let number = name.trim_start_matches("Ana-");
    let seeks = keys(&store, "names/").await;
    assert_eq!(seeks, ["names/ana".to_owned(), format!("names/ana-{number}")]);
    here.close().await;
    there.close().await;
}

/// Plays a game that ends when Blue resigns.
async fn play(house: &House, red: &mut Client, blue: &mut Client) -> GameId {
    let Accepted::Seek { seek } = ask(red, seek("s")).await else { panic!("no seek") };
    let accept = ClientToServer::AcceptSeek { cmd_id: id("a"), seek, secret: false };
    let Accepted::Started { game, .. } = ask(blue, accept).await else { panic!("no game") };
    let command = |cmd_id: &str, ply, command| ClientToServer::Command {
        cmd_id: id(cmd_id),
        game,
        ply,
        epoch: None,
        command,
    };
    let deploy = || GameCommand::Deploy { setup: SETUP.to_owned() };
    let moving = |squares: &str| serde_json::from_value(json!({ "kind": "move", "move": squares })).unwrap();
    ask(red, command("1", 0, deploy())).await;
    ask(blue, command("1", 0, deploy())).await;
    ask(red, command("2", 0, moving("a4a5"))).await;
    ask(blue, command("2", 1, moving("j7j6"))).await;
    ask(blue, command("3", 2, GameCommand::Resign {})).await;
    house.run_jobs("played_due").await;
    game
}

const AT_ONCE: Lifetimes = Lifetimes { new_guest: Some(Duration::ZERO), guest_game: Some(Duration::ZERO) };

#[tokio::test]
async fn pruning_a_guests_game_deletes_everything_about_it() {
    let store = TestStore::new(SystemClock);
    let key = SigningKey::from_seed(&[7; 32]).unwrap();
    let house = House::open_with_key(Arc::new(store.clone()), store.clone(), settings(), Some(key)).await;
    let ((mut red, one, _), (mut blue, other, _)) = (house.guest("red").await, house.guest("blue").await);
    let game = play(&house, &mut red, &mut blue).await;
    assert!(house.get(&format!("/api/games/{game}/record")).await.json()["signature"].is_object());
    let never = Lifetimes { new_guest: None, guest_game: None };
    assert_eq!(prune_due(&store, never, 10).await, Ok(Pruned::default()));
    let long = Lifetimes { guest_game: Some(Duration::from_secs(60)), ..never };
    assert_eq!(prune_due(&store, long, 10).await, Ok(Pruned::default()), "it is not old enough");
    assert_eq!(prune_due(&store, AT_ONCE, 10).await, Ok(Pruned { guests: 0, games: 1 }));
    // Two lists contain each new game for a while. Apart from the entries there, no key may contain
    // the game's id any more.
    let mut left = keys(&store, &game.to_string()).await;
    left.retain(|key| !key.starts_with("flags/") && !key.starts_with("news/"));
    assert_eq!(left, Vec::<String>::new());
    assert_eq!(house.get("/api/players/red/games").await.json()["games"], json!([]));
    assert!(is_stored(&store, &one).await && is_stored(&store, &other).await, "guests who have played stay");
    assert_eq!(prune_due(&store, AT_ONCE, 10).await, Ok(Pruned::default()));
    house.close().await;
    let house = House::open_on(store, settings()).await;
    assert_eq!(house.get(&format!("/api/games/{game}/record")).await.status, 404);
    house.close().await;
}

#[tokio::test]
async fn games_with_an_account_are_not_pruned() {
    let store = TestStore::new(SystemClock);
    let house = House::open_on(store.clone(), settings()).await;
    let ((mut red, ..), (mut blue, _, token)) = (house.guest("red").await, house.guest("blue").await);
    let game = play(&house, &mut red, &mut blue).await;
    let body = json!({ "name": "bluebird", "password": "correct horse battery" }).to_string();
    assert_eq!(house.ask("POST", "/api/account", &token, &body).await.status, 201);
    assert_eq!(prune_due(&store, AT_ONCE, 10).await, Ok(Pruned::default()));
    assert_eq!(house.get(&format!("/api/games/{game}/record")).await.status, 200);
    assert_eq!(house.get("/api/players/bluebird/games").await.json()["games"][0]["game"], game.as_str());
    house.close().await;
}

#[tokio::test]
async fn a_game_with_a_dead_history_job_is_not_pruned() {
    let store = TestStore::new(SystemClock);
    let house = House::open_on(store.clone(), settings()).await;
    let ((mut red, ..), (mut blue, ..)) = (house.guest("red").await, house.guest("blue").await);
    let game = play(&house, &mut red, &mut blue).await;
    let key = |kind: &str| Key::new(format!("dead_jobs/{kind}/{game}")).unwrap();
    let put = |kind: &str| Write::Put { key: key(kind), value: Vec::new(), expires: None };
    let change = async |write| {
        store.update(Update { conditions: Vec::new(), writes: vec![write] }).await.unwrap();
    };
    change(put("played_due")).await;
    change(put("turn_due")).await;
    assert_eq!(prune_due(&store, AT_ONCE, 10).await, Ok(Pruned::default()));
    change(Write::Delete { key: key("played_due") }).await;
    assert_eq!(prune_due(&store, AT_ONCE, 10).await, Ok(Pruned { guests: 0, games: 1 }));
    assert_eq!(keys(&store, "dead_jobs/").await, Vec::<String>::new());
    house.close().await;
}

#[tokio::test]
async fn a_reported_game_is_not_pruned() {
    let store = TestStore::new(SystemClock);
    let house = House::open_on(store.clone(), settings()).await;
    let ((mut red, ..), (mut blue, ..)) = (house.guest("red").await, house.guest("blue").await);
    let game = play(&house, &mut red, &mut blue).await;
    ask(&mut red, ClientToServer::Report { cmd_id: id("r"), game, reason: "rude".to_owned() }).await;
    assert_eq!(prune_due(&store, AT_ONCE, 10).await, Ok(Pruned::default()));
    assert_eq!(house.get(&format!("/api/games/{game}/record")).await.status, 200);
    house.close().await;
}

#[tokio::test]
async fn the_whole_store_is_pruned_in_a_data_folder_and_a_dry_run_deletes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(folder.path(), SystemClock, &EmbeddedOptions::default()).unwrap();
    let store = Arc::new(store);
    let unused = TestStore::new(SystemClock);
    let house = House::open_over(store.clone(), unused, settings()).await;
    let ((mut red, ..), (mut blue, ..)) = (house.guest("red").await, house.guest("blue").await);
    let game = play(&house, &mut red, &mut blue).await;
    let (mut idle, ..) = house.guest("idle").await;
    let Accepted::Seek { seek: open } = ask(&mut idle, seek("1")).await else { panic!("no seek") };
    ask(&mut idle, ClientToServer::CancelSeek { cmd_id: id("2"), seek: open }).await;
    house.close().await;
    let expected = Pruned { guests: 1, games: 1 };
    assert_eq!(prune_all(&*store, AT_ONCE, Run::Dry, |_, _| {}).await, Ok(expected));
    assert_eq!(prune_all(&*store, AT_ONCE, Run::Real, |_, _| {}).await, Ok(expected));
    assert_eq!(prune_all(&*store, AT_ONCE, Run::Real, |_, _| {}).await, Ok(Pruned::default()));
    assert_eq!(store.head(game).await, Ok(Head::START));
}

#[tokio::test]
async fn guests_who_never_played_are_pruned_unless_something_is_open() {
    let store = TestStore::new(SystemClock);
    let house = House::open_on(store.clone(), settings()).await;
    let (mut client, ana, token) = house.guest("ana").await;
    let Accepted::Seek { seek: open } = ask(&mut client, seek("1")).await else { panic!("no seek") };
    let (mut waiting, bo, _) = house.guest("bo").await;
    ask(&mut waiting, ClientToServer::EnterPool { cmd_id: id("1"), terms: terms() }).await;
    assert_eq!(prune_due(&store, AT_ONCE, 10).await, Ok(Pruned::default()), "both have something open");
    assert!(is_stored(&store, &ana).await && is_stored(&store, &bo).await);
    ask(&mut client, ClientToServer::CancelSeek { cmd_id: id("2"), seek: open }).await;
    assert_eq!(prune_due(&store, AT_ONCE, 10).await, Ok(Pruned { guests: 1, games: 0 }));
    assert!(!is_stored(&store, &ana).await);
    assert!(keys(&store, "names/ana").await.is_empty());
    // The guest's token is still valid, and their connection is still open. Their next action
    // stores them again.
    let me = house.ask("GET", "/api/me", &token, "").await.json();
    assert_eq!((me["player"]["id"].as_str(), me["player"]["name"].as_str()), (Some(&*ana.id), Some("ana")));
    ask(&mut client, seek("3")).await;
    assert!(is_stored(&store, &ana).await);
    house.close().await;
}
