//! Tests that check which clients are admitted while the store is unavailable.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use crate::common::store_between::{Hands, NoAnswer, StoreBetween};
use crate::common::{Client, House, in_time, settings};
use flagfall_board::{GameId, Side};
use flagfall_protocol::{Accepted, ClientToServer, GameCommand, ServerToClient, Terms, Time};
use flagfall_services::settings::Settings;
use flagfall_store::{Key, Store, StoreError, SystemClock, Update, UpdateOutcome, Write};
use flagfall_store_testing::TestStore;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::sync::watch;

/// The link between a server and its store, which the test can switch off. The store itself keeps
/// running.
struct StoreSwitch(AtomicU8);

const UP: u8 = 0;
const DOWN: u8 = 1;
/// The link works until an update revokes a token. The store carries out that update, but its
/// answer is lost, and the link goes down.
const BREAKING: u8 = 2;

/// True for a write that announces a revoked token to other servers.
fn is_revocation(write: &Write) -> bool {
    matches!(write, Write::Put { key, .. } if key.as_bytes().starts_with(b"revoked/"))
}

impl StoreSwitch {
    fn to(store: &TestStore) -> Arc<StoreBetween<StoreSwitch>> {
        Arc::new(StoreBetween { store: store.clone(), hands: StoreSwitch(AtomicU8::new(UP)) })
    }

    fn set(&self, state: u8) {
        self.0.store(state, Ordering::SeqCst);
    }
}

impl Hands for StoreSwitch {
    async fn call<T: Send, E: NoAnswer>(
        &self,
        call: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        if self.0.load(Ordering::SeqCst) == DOWN { Err(E::of("the line is down")) } else { call.await }
    }

    async fn upkeep<T: Send, E: NoAnswer>(
        &self,
        call: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        self.call(call).await
    }

    async fn update(
        &self,
        update: &Update,
        call: impl Future<Output = Result<UpdateOutcome, StoreError>> + Send,
    ) -> Result<UpdateOutcome, StoreError> {
        let outcome = self.call(call).await?;
        let is_hit = update.writes.iter().any(is_revocation)
            && self.0.compare_exchange(BREAKING, DOWN, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        Ok(if is_hit { UpdateOutcome::Unknown } else { outcome })
    }
}

/// Returns settings with very frequent periodic work.
fn eager() -> Settings {
    let mut settings = settings();
    settings.times.heartbeat = Duration::from_millis(20);
    settings.times.revocation_interval = Duration::from_millis(20);
    // With this limit, the store counts as unavailable only after a failed heartbeat, not after a
    // slow one on a busy machine.
    settings.times.store_late = Duration::from_secs(60);
    settings
}

/// Returns a store for several servers, one server, and the link between the two.
async fn shared(settings: Settings) -> (TestStore, Arc<StoreBetween<StoreSwitch>>, House) {
    let store = TestStore::announcing(SystemClock);
    let line = StoreSwitch::to(&store);
    let house = House::open_over(line.clone(), store.clone(), settings).await;
    (store, line, house)
}

/// Connects a guest who receives messages about the availability of the store.
async fn witness(house: &House) -> Client {
    house.guest("witness").await.0
}

async fn told(client: &mut Client) -> bool {
    client
        .find(|message| match message {
            ServerToClient::StoreState { available, .. } => Some(available),
            _ => None,
        })
        .await
}

/// Says hello with this credential, which the server must refuse. Returns the code of the refusal
/// and the close code.
async fn sent_back(house: &House, credential: &str) -> (String, u16) {
    let mut client = house.connect().await;
    client.say(&format!(r#"{{"type":"hello","protocol":1,{credential}}}"#)).await;
    match client.next().await {
        ServerToClient::Refused { code, cmd_id: None, game: None, .. } => {
            (code.as_str().to_owned(), client.close_code().await)
        }
        other => panic!("{other:?}"),
    }
}

fn with(token: &str) -> String {
    format!(r#""token":"{token}""#)
}

fn later() -> (String, u16) {
    ("store_unavailable".to_owned(), 1013)
}

fn for_good() -> (String, u16) {
    ("bad_token".to_owned(), 4100)
}

/// Creates an account. Returns its token and the token's id.
async fn account(house: &House) -> (String, String) {
    let body = r#"{"name":"ana","password":"correct horse battery"}"#;
    let made = house.ask("POST", "/api/account", "", body).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let token = made.json()["token"].as_str().unwrap().to_owned();
    let listed: Value = house.ask("GET", "/api/tokens", &token, "").await.json();
    (token, listed["tokens"][0]["id"].as_str().unwrap().to_owned())
}

fn terms() -> Terms {
    Terms {
        ruleset: "barrage".to_owned(),
        time: Time::Unlimited {},
        private: true,
        secret: false,
        rated: false,
    }
}

async fn play_bot(client: &mut Client) -> GameId {
    let (cmd_id, bot) = ("1".parse().unwrap(), "random".to_owned());
    client.tell(&ClientToServer::PlayBot { cmd_id, bot, terms: terms(), side: Some(Side::Red) }).await;
    let game = client.find(|message| match message {
        ServerToClient::Accepted { outcome: Accepted::Started { game, .. }, .. } => Some(game),
        _ => None,
    });
    game.await
}

async fn open(client: &mut Client, game: GameId) {
    client.tell(&ClientToServer::OpenGame { game, since: None }).await;
    client
        .find(|message| match message {
            ServerToClient::Game { game: shown, .. } => (shown.id == game).then_some(()),
            other => panic!("the game was expected, not {other:?}"),
        })
        .await;
}

#[tokio::test]
async fn known_players_reconnect_and_watch_from_memory() {
    let (_store, line, house) = shared(eager()).await;
    let mut witness = witness(&house).await;
    let (mut ana, player, token) = house.guest("ana").await;
    let game = play_bot(&mut ana).await;
    open(&mut ana, game).await;
    line.hands.set(DOWN);
    assert!(!told(&mut witness).await);
    drop(ana);
    let mut ana = house.connect().await;
    ana.say(&format!(r#"{{"type":"hello","protocol":1,{}}}"#, with(&token))).await;
    let (again, new_token, games) = ana.welcome().await;
    assert_eq!((again, new_token), (player, None));
    assert_eq!(games.iter().map(|game| game.id).collect::<Vec<_>>(), [game]);
    assert_eq!(ana.next().await, ServerToClient::StoreState { available: false, game: None });
    // Without the store, players can still open their game, but actions that need the store are
    // refused.
    open(&mut ana, game).await;
    let cmd_id = "2".parse().unwrap();
    ana.tell(&ClientToServer::Command { cmd_id, game, ply: 0, epoch: None, command: GameCommand::Abort {} })
        .await;
    assert_eq!(ana.refused().await.0, "store_unavailable");
    assert_eq!(house.ask("GET", "/api/me", &token, "").await.status, 503);
    line.hands.set(UP);
    assert!(told(&mut ana).await && told(&mut witness).await);
    let cmd_id = "2".parse().unwrap();
    ana.tell(&ClientToServer::Command { cmd_id, game, ply: 0, epoch: None, command: GameCommand::Abort {} })
        .await;
    ana.find(|message| matches!(message, ServerToClient::Accepted { .. }).then_some(())).await;
    house.close().await;
}

#[tokio::test]
async fn memory_admits_players_before_the_outage_is_announced() {
    let mut settings = eager();
    settings.times.heartbeat = Duration::from_secs(3_600);
    let (_store, line, house) = shared(settings).await;
    let (_ana, player, token) = house.guest("ana").await;
    line.hands.set(DOWN);
    let mut again = house.connect().await;
    again.say(&format!(r#"{{"type":"hello","protocol":1,{}}}"#, with(&token))).await;
    assert_eq!(again.welcome().await.0, player);
    assert_eq!(sent_back(&house, &with(&"0".repeat(64))).await, later());
    assert_eq!(sent_back(&house, r#""name":"bo""#).await, later());
    house.close().await;
}

#[tokio::test]
async fn unknown_players_all_get_the_same_answer() {
    let (store, line, house) = shared(eager()).await;
    let other = House::open_over(StoreSwitch::to(&store), store, eager()).await;
    let mut witness = witness(&house).await;
    let (_elsewhere, _, token) = other.guest("bo").await;
    line.hands.set(DOWN);
    assert!(!told(&mut witness).await);
    assert_eq!(sent_back(&house, &with(&token)).await, later());
    assert_eq!(sent_back(&house, r#""name":"cat""#).await, later());
    assert_eq!(sent_back(&house, &with(&"0".repeat(64))).await, later());
    // A malformed token gets a permanent refusal even during an outage, because detecting it does
    // not need the store.
    assert_eq!(sent_back(&house, &with("nonsense")).await, for_good());
    other.close().await;
    house.close().await;
}

#[tokio::test]
async fn a_revoked_token_is_not_admitted_from_memory() {
    let (store, line, house) = shared(eager()).await;
    let other = House::open_over(StoreSwitch::to(&store), store, eager()).await;
    let mut witness = witness(&house).await;
    let (token, _) = account(&house).await;
    let mut tokens = Vec::new();
    for name in ["here", "elsewhere"] {
        let body = format!(r#"{{"name":"{name}"}}"#);
        let made = house.ask("POST", "/api/tokens", &token, &body).await.json();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        tokens.push((text(&made["token"]), text(&made["info"]["id"])));
    }
    for ((revoked, id), server) in tokens.iter().zip([&house, &other]) {
        let mut connected = house.again(revoked).await;
        assert_eq!(server.ask("DELETE", &format!("/api/tokens/{id}"), &token, "").await.status, 204);
        assert_eq!(connected.close_code().await, 4101);
    }
    drop(house.again(&token).await);
    line.hands.set(DOWN);
    assert!(!told(&mut witness).await);
    for (revoked, _) in &tokens {
        assert_eq!(sent_back(&house, &with(revoked)).await, later());
    }
    drop(house.again(&token).await);
    other.close().await;
    house.close().await;
}

#[tokio::test]
async fn tokens_revoked_elsewhere_are_closed_when_the_store_returns() {
    let (store, line, house) = shared(eager()).await;
    let other = House::open_over(StoreSwitch::to(&store), store, eager()).await;
    let mut witness = witness(&house).await;
    let (token, id) = account(&other).await;
    drop(house.again(&token).await);
    line.hands.set(DOWN);
    assert!(!told(&mut witness).await);
    assert_eq!(other.ask("DELETE", &format!("/api/tokens/{id}"), &token, "").await.status, 204);
    // Without the store, this server cannot find out about the revocation, so it admits the token
    // for now.
    let mut ana = house.again(&token).await;
    line.hands.set(UP);
    assert_eq!(ana.close_code().await, 4101);
    assert!(told(&mut witness).await);
    assert_eq!(sent_back(&house, &with(&token)).await, for_good());
    other.close().await;
    house.close().await;
}

#[tokio::test]
async fn a_token_with_an_uncertain_revocation_is_not_admitted_from_memory() {
    let (_store, line, house) = shared(eager()).await;
    let (token, id) = account(&house).await;
    let (mut witness, _connected) = (witness(&house).await, house.again(&token).await);
    line.hands.set(BREAKING);
    assert_eq!(house.ask("DELETE", &format!("/api/tokens/{id}"), &token, "").await.status, 503);
    assert!(!told(&mut witness).await);
    assert_eq!(sent_back(&house, &with(&token)).await, later());
    house.close().await;
}

#[tokio::test]
async fn a_server_without_memory_admits_no_one_in_an_outage() {
    let mut settings = eager();
    settings.times.visitor_memory = Duration::ZERO;
    let (_store, line, house) = shared(settings).await;
    let (mut ana, _, token) = house.guest("ana").await;
    line.hands.set(DOWN);
    assert!(!told(&mut ana).await);
    assert_eq!(sent_back(&house, &with(&token)).await, later());
    house.close().await;
}

#[tokio::test]
async fn an_emptied_store_does_not_invalidate_known_tokens() {
    let (store, _line, house) = shared(eager()).await;
    let (token, _) = account(&house).await;
    let _ana = house.again(&token).await;
    let tokens = store.scan(Key::new("tokens/".to_owned()).unwrap(), None, 10).await.unwrap();
    let writes = tokens.into_iter().map(|(key, _)| Write::Delete { key }).collect();
    store.update(Update { conditions: Vec::new(), writes }).await.unwrap();
    assert_eq!(sent_back(&house, &with(&token)).await, later());
    assert_eq!(sent_back(&house, &with(&"0".repeat(64))).await, for_good());
    house.close().await;
}

/// Lets calls pass until an update has planned a game, and then holds every call until the test
/// releases the calls.
struct Gate {
    is_reached: watch::Sender<bool>,
    is_open: watch::Sender<bool>,
}

impl Hands for Gate {
    async fn call<T: Send, E: NoAnswer>(
        &self,
        call: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        if *self.is_reached.borrow() {
            self.is_open.subscribe().wait_for(|is_open| *is_open).await.ok();
        }
        call.await
    }

    async fn update(
        &self,
        update: &Update,
        call: impl Future<Output = Result<UpdateOutcome, StoreError>> + Send,
    ) -> Result<UpdateOutcome, StoreError> {
        let outcome = self.call(call).await;
        let is_plan =
            |write: &Write| matches!(write, Write::Put { key, .. } if key.as_bytes().starts_with(b"plans/"));
        if update.writes.iter().any(is_plan) {
            self.is_reached.send_replace(true);
        }
        outcome
    }
}

#[tokio::test]
async fn a_planned_stop_completes_a_pending_acceptance() {
    let memory = TestStore::new(SystemClock);
    let hands = Gate { is_reached: watch::Sender::new(false), is_open: watch::Sender::new(false) };
    let between = Arc::new(StoreBetween { store: memory.clone(), hands });
    let house = House::open_over(between.clone(), memory.clone(), settings()).await;
    let ((mut ana, _, ana_token), (mut bo, _, bo_token)) =
        (house.guest("ana").await, house.guest("bo").await);
    let cmd_id = || "00000000-0000-7000-8000-000000000000".parse().unwrap();
    ana.tell(&ClientToServer::Seek { cmd_id: cmd_id(), terms: terms(), side: None, rating: None }).await;
    let seek = ana
        .find(|message| match message {
            ServerToClient::Accepted { outcome: Accepted::Seek { seek }, .. } => Some(seek),
            _ => None,
        })
        .await;
    bo.tell(&ClientToServer::AcceptSeek { cmd_id: cmd_id(), seek, secret: false }).await;
    let mut is_reached = between.hands.is_reached.subscribe();
    in_time("the plan", is_reached.wait_for(|is_reached| *is_reached)).await.unwrap();

    // At this point the offer has been taken, but its game does not exist yet. The server begins
    // to stop before the store answers.
    let address = house.address;
    let stop = tokio::spawn(house.close());
    in_time("the listener to close", async { while TcpStream::connect(address).await.is_ok() {} }).await;
    between.hands.is_open.send_replace(true);
    in_time("the stop", stop).await.unwrap();

    let started = ana.find(|message| match message {
        ServerToClient::GameStarted { game, .. } => Some(game.id),
        _ => None,
    });
    let accepted = bo.find(|message| match message {
        ServerToClient::Accepted { outcome: Accepted::Started { game, .. }, .. } => Some(game),
        _ => None,
    });
    let games = (started.await, accepted.await);
    assert_eq!(games.0, games.1);
    let house = House::open_on(memory, settings()).await;
    for token in [ana_token, bo_token] {
        let mut client = house.connect().await;
        client.say(&format!(r#"{{"type":"hello","protocol":1,{}}}"#, with(&token))).await;
        let (_, _, running) = client.welcome().await;
        assert_eq!(running.iter().map(|game| game.id).collect::<Vec<_>>(), [games.0]);
    }
    house.close().await;
}
