//! Two servers' tables over one store that announces: games made, moved and ended on one of them.

use std::sync::Arc;

use flagfall_board::{GameId, PerSide, Side};
use flagfall_protocol::{Phase, ServerToClient};
use flagfall_store::{Announcement, ManualClock, MemoryStore};

use super::super::{NewGame, TableHandle, TableInput, TableSettings, Tables};
use super::harness::{Client, START, deploy, header, player};
use crate::gateway::{Connections, Registration};

struct Server {
    tables: Tables,
    connections: Connections,
}

impl Server {
    async fn start(store: &MemoryStore, clock: &Arc<ManualClock>) -> Server {
        let connections = Connections::new();
        let settings = TableSettings {
            deploy_ms: super::harness::DEPLOY_MS,
            spectators_max: 10,
            games_per_player_max: 3,
            connections: connections.clone(),
        };
        let tables = Tables::start_at(Arc::new(store.clone()), settings, clock.clone()).await.unwrap();
        let following = tables.clone();
        tokio::spawn(async move { following.follow().await });
        settle().await;
        Server { tables, connections }
    }

    fn connect(&self, client: &Client) -> Registration {
        let mut registration = self.connections.enter(client.outbox.clone());
        registration.identify(&client.player.id, "token", 8);
        registration
    }

    fn game(&self, id: GameId) -> TableHandle {
        self.tables.handle(id).expect("it has a table here")
    }
}

/// Lets every task do what it can do without waiting.
async fn settle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

async fn pair() -> (MemoryStore, Server, Server) {
    let clock = Arc::new(ManualClock::new(START));
    let store = MemoryStore::announcing(clock.clone());
    let (one, other) = (Server::start(&store, &clock).await, Server::start(&store, &clock).await);
    (store, one, other)
}

fn new_game(number: u8) -> NewGame {
    NewGame {
        id: GameId::from_random([number; 12]),
        terms: header("classic").terms,
        players: PerSide::new(player("ana"), player("bo")),
        secret: PerSide::default(),
        previous: None,
    }
}

async fn send(table: &TableHandle, client: &Client, id: &str, side: Side) {
    let (outbox, player) = (client.outbox.clone(), client.player.clone());
    let command = deploy("classic", side, 1);
    let cmd_id = id.parse().unwrap();
    table.send(TableInput::Command { outbox, player, cmd_id, ply: 0, command }).await.unwrap();
}

async fn open(table: &TableHandle, client: &Client) {
    let (outbox, player) = (client.outbox.clone(), client.player.clone());
    table.send(TableInput::Open { outbox, player, since: None }).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_player_is_told_once_of_a_game_that_another_server_made() {
    let (_store, one, other) = pair().await;
    let (mut ana, mut bo) = (Client::new("ana"), Client::new("bo"));
    let _connected = (one.connect(&ana), other.connect(&bo));
    let id = one.tables.create(new_game(1)).await.unwrap().id;
    settle().await;
    let told = bo.only();
    assert!(matches!(&told, ServerToClient::GameStarted { game, side: Side::Blue } if game.id == id));
    assert!(ana.texts().is_empty(), "whoever makes a game tells its own players");
    assert_eq!(other.game(id).summary().phase, Phase::Deploying);
    assert_eq!(other.tables.games_of("ana").await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn players_on_two_servers_play_one_game() {
    let (_store, one, other) = pair().await;
    let id = one.tables.create(new_game(1)).await.unwrap().id;
    settle().await;
    let (mut ana, mut bo) = (Client::new("ana"), Client::new("bo"));
    open(&one.game(id), &ana).await;
    open(&other.game(id), &bo).await;
    settle().await;
    ana.texts();
    bo.texts();
    send(&one.game(id), &ana, "red", Side::Red).await;
    send(&other.game(id), &bo, "blue", Side::Blue).await;
    settle().await;
    ana.accepted();
    bo.accepted();
    assert_eq!(one.game(id).summary().phase, Phase::Playing);
    assert_eq!(other.game(id).summary().phase, Phase::Playing);
}

#[tokio::test(start_paused = true)]
async fn what_was_not_announced_is_found_by_the_audit() {
    let clock = Arc::new(ManualClock::new(START));
    let store = MemoryStore::announcing(clock.clone());
    let one = Server::start(&store, &clock).await;
    let id = one.tables.create(new_game(1)).await.unwrap().id;
    // What came before a server listened is looked at when it begins to listen.
    let other = Server::start(&store, &clock).await;
    let watcher = Client::new("cy");
    open(&other.game(id), &watcher).await;
    settle().await;
    let ana = Client::new("ana");
    send(&one.game(id), &ana, "red", Side::Red).await;
    settle().await;
    store.announce(Announcement::Everything);
    settle().await;
    assert_eq!(one.game(id).head(), other.game(id).head());
}

#[tokio::test(start_paused = true)]
async fn a_game_that_one_server_paused_goes_on_at_the_other() {
    let (store, one, other) = pair().await;
    let id = one.tables.create(new_game(1)).await.unwrap().id;
    settle().await;
    let mut bo = Client::new("bo");
    open(&other.game(id), &bo).await;
    settle().await;
    bo.texts();
    one.tables.stop(false).await;
    settle().await;
    assert!(bo.texts().is_empty(), "one of two servers stops: nothing is paused");
    let third = Server::start(&store, &Arc::new(ManualClock::new(START))).await;
    third.tables.stop(true).await;
    settle().await;
    let told = bo.texts().join(" ");
    assert!(told.contains("paused") && told.contains("resumed"), "{told}");
}

/// A log that lost its end, after it was announced: it is looked for once, not without end.
#[tokio::test(start_paused = true)]
async fn what_was_announced_and_is_not_there_is_read_after_once() {
    let (store, one, _other) = pair().await;
    let id = one.tables.create(new_game(1)).await.unwrap().id;
    let watcher = Client::new("cy");
    open(&one.game(id), &watcher).await;
    settle().await;
    let before = store.reads();
    let seq = one.game(id).head() + 1_000;
    store.announce(Announcement::Appended { game: id, seq });
    settle().await;
    let after = store.reads();
    assert!(after > before, "somebody looks on: the hint is followed at once");
    settle().await;
    settle().await;
    assert_eq!(store.reads(), after, "and then no more");
}
