//! A server's tables, on a memory store with a manual clock.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use flagfall_base::delivery::Connections;
use flagfall_base::memory::{MemoryGuard, MemoryLimit};
use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_protocol::{GameCommand, Phase, Time};
use flagfall_store::{Key, Outage, Store as _, WallClock as _};
use flagfall_store_testing::{ManualClock, TestStore};

use super::client::REQUEST;
use super::store::{Faults, FaultyStore};
use super::{
    CLAIM_MS, Client, DEPLOY_MS, IDLE_HOUSE_MS, IDLE_MS, NotingFeatures, REST_MS, START, deploy, header,
    player,
};
use crate::{Asked, NewCommand, NewGame, Reply, TableHandle, TableInput, TableSettings, Tables};

/// Days per ply.
pub(crate) const DAYS: Time = Time::Correspondence { days: 2 };

pub(crate) struct TestServer {
    pub(crate) store: TestStore,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) faults: Arc<Faults>,
    pub(crate) connections: Connections,
    pub(crate) tables: Tables,
}

impl TestServer {
    pub(crate) async fn new() -> TestServer {
        let clock = Arc::new(ManualClock::new(START));
        TestServer::on(TestStore::new(clock.clone()), clock).await
    }

    pub(crate) async fn on(store: TestStore, clock: Arc<ManualClock>) -> TestServer {
        TestServer::with(store, clock, |_| {}).await
    }

    /// Starts a server with other settings.
    pub(crate) async fn with(
        store: TestStore,
        clock: Arc<ManualClock>,
        set: impl FnOnce(&mut TableSettings),
    ) -> TestServer {
        let (connections, faults) = (Connections::new(), Arc::<Faults>::default());
        let mut settings = settings(connections.clone());
        set(&mut settings);
        let faulty = Arc::new(FaultyStore { store: store.clone(), faults: faults.clone() });
        let tables = Tables::start(faulty, settings).await.unwrap();
        TestServer { store, clock, faults, connections, tables }
    }

    /// Starts two servers on one store that has announcements.
    pub(crate) async fn pair() -> (TestServer, TestServer) {
        let clock = Arc::new(ManualClock::new(START));
        let store = TestStore::announcing(clock.clone());
        (TestServer::on(store.clone(), clock.clone()).await, TestServer::on(store, clock).await)
    }

    pub(crate) fn clock_now(&self) -> Stamp {
        self.clock.now()
    }

    /// Makes the server die. Its tasks continue, but have no effect.
    pub(crate) fn die(self) {
        self.faults.is_dead.store(true, Ordering::SeqCst);
    }

    /// Simulates an outage of this length: no server reaches the store, and the store notes the
    /// outage.
    pub(crate) async fn outage(&self, ms: u64) {
        let since = self.clock_now();
        self.clock.advance_ms(ms);
        crate::note_outage(&self.store, since).await.unwrap();
        *self.faults.outage.lock().unwrap() = Some(Outage { since, until: self.clock_now() });
    }

    pub(crate) async fn restart(self) -> TestServer {
        self.store.heartbeat().await.unwrap();
        self.store.reopen();
        TestServer::on(self.store, self.clock).await
    }

    /// Creates a game between ana and bo.
    pub(crate) async fn game(&self, number: u8) -> TableHandle {
        self.create(new_game(number, ["ana", "bo"])).await
    }

    /// Creates a game and opens it.
    pub(crate) async fn create(&self, new: NewGame) -> TableHandle {
        let id = self.tables.create(new).await.unwrap().id;
        self.tables.find(id).await.unwrap()
    }

    /// Creates a game in which both players have deployed, but which no client has open.
    pub(crate) async fn playing(&self, number: u8, time: Time) -> GameId {
        let mut new = new_game(number, ["ana", "bo"]);
        new.terms.time = time;
        let table = self.create(new).await;
        deploy_both(&table).await;
        assert_eq!(table.summary().phase, Phase::Playing);
        table.id()
    }

    pub(crate) async fn advance(&self, ms: u64) {
        self.clock.advance_ms(ms);
        tokio::time::advance(Duration::from_millis(ms)).await;
        run_tasks().await;
    }
}

pub(crate) fn new_game(number: u8, players: [&str; 2]) -> NewGame {
    NewGame {
        id: GameId::from_random([number; 12]),
        terms: header("classic").terms,
        players: PerSide::new(player(players[0]), player(players[1])),
        secret: PerSide::default(),
        previous: None,
    }
}

/// Returns the settings of tables in these tests.
pub(crate) fn settings(connections: Connections) -> TableSettings {
    TableSettings {
        lag_quota: None,
        deploy_ms: DEPLOY_MS,
        claim_ms: CLAIM_MS,
        spectators_max: 10,
        games_per_player_max: 3,
        running_games_max: 1_000_000,
        memory: MemoryGuard::new(MemoryLimit::Off),
        idle_ms: IDLE_MS,
        idle_house_ms: IDLE_HOUSE_MS,
        rest_ms: REST_MS,
        is_relay: false,
        write_form: None,
        features: Arc::new(NotingFeatures),
        connections,
    }
}

/// Runs all tasks until each of them waits.
pub(crate) async fn run_tasks() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

pub(crate) async fn open(table: &TableHandle, client: &Client) {
    table.send(TableInput::Open(client.opener(None))).await.ok().unwrap();
}

pub(crate) async fn close(table: &TableHandle, client: &Client, is_on_purpose: bool) {
    let connection = client.outbox.connection();
    table.send(TableInput::Close { connection, is_on_purpose }).await.ok().unwrap();
    run_tasks().await;
}

/// Sends a command for ply 0.
pub(crate) async fn command(table: &TableHandle, client: &Client, id: &str, command: GameCommand) {
    command_at(table, client, id, 0, command).await;
}

pub(crate) async fn command_at(
    table: &TableHandle,
    client: &Client,
    id: &str,
    ply: u16,
    command: GameCommand,
) {
    let reply = Reply::Connection { outbox: client.outbox.clone(), request: REQUEST };
    let (player, cmd_id) = (client.player.id.clone(), id.parse().unwrap());
    let asked = Asked::new(reply, NewCommand { player, cmd_id, ply, command }, None);
    table.send(TableInput::Command(asked)).await.ok().unwrap();
}

pub(crate) async fn rematch(table: &TableHandle, client: &Client, id: &str) {
    let reply = Reply::Connection { outbox: client.outbox.clone(), request: REQUEST };
    let (player, cmd_id) = (client.player.clone(), id.parse().unwrap());
    table.send(TableInput::Rematch { reply, player, cmd_id }).await.ok().unwrap();
}

pub(crate) async fn deploy_both(table: &TableHandle) {
    for (player, side) in [("ana", Side::Red), ("bo", Side::Blue)] {
        command(table, &Client::new(player), "deploy", deploy("classic", side, 3)).await;
    }
    run_tasks().await;
}

/// Returns the keys in the store that begin with a prefix.
pub(crate) async fn keys(store: &TestStore, prefix: &str) -> Vec<String> {
    let records = store.scan(Key::new(prefix).unwrap(), None, 100).await.unwrap();
    records.into_iter().map(|(key, _)| String::from_utf8(key.as_bytes().to_vec()).unwrap()).collect()
}
