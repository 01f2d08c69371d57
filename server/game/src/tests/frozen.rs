//! A server that was suspended for a while. No player must lose time because of this.

use std::sync::Arc;
use std::time::Duration;

use flagfall_base::delivery::Connections;
use flagfall_protocol::{GameCommand, GameView, ServerToClient, Time};
use flagfall_store::{OUTAGES_KEY, Store as _};
use flagfall_store_testing::{ManualClock, TestStore};

use super::harness::{Client, START, command, deploy_both, new_game, open, run_tasks, settings};
use crate::{TableHandle, Tables};

const BASE_MS: u64 = 60_000;

/// A server whose tables use the clock of their store, with a game in which Red is to move.
struct Server {
    clock: Arc<ManualClock>,
    store: TestStore,
    tables: Tables,
    table: TableHandle,
}

impl Server {
    async fn new() -> Server {
        let clock = Arc::new(ManualClock::new(START));
        let store = TestStore::new(clock.clone());
        let tables = Tables::start(Arc::new(store.clone()), settings(Connections::new())).await.unwrap();
        store.heartbeat().await.unwrap();
        let mut new = new_game(1, ["ana", "bo"]);
        new.terms.time = Time::Fischer { base_s: 60, increment_s: 0 };
        let id = tables.create(new).await.unwrap().id;
        let table = tables.find(id).await.unwrap();
        deploy_both(&table).await;
        Server { clock, store, tables, table }
    }

    /// Lets time pass. Sends a heartbeat each second, as running servers do.
    async fn live(&self, seconds: u64) {
        for _ in 0..seconds {
            self.pass(1_000).await;
            self.store.heartbeat().await.unwrap();
        }
    }

    /// Lets time pass without heartbeats, because the server is suspended.
    async fn pass(&self, ms: u64) {
        self.clock.advance_ms(ms);
        tokio::time::advance(Duration::from_millis(ms)).await;
        run_tasks().await;
    }

    async fn view(&self) -> GameView {
        run_tasks().await;
        self.table.look(None).await.unwrap().2
    }

    async fn red_has_ms(&self) -> u64 {
        self.view().await.clock.unwrap().remaining_ms.red
    }

    async fn reasons(&self) -> Vec<String> {
        let mut reader = Client::new("cy");
        open(&self.table, &reader).await;
        let ServerToClient::Game { view, .. } = reader.next().await else { panic!("a game") };
        view.outcome.into_iter().map(|outcome| outcome.reason).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_frozen_for_twenty_seconds_costs_no_player_time() {
    let server = Server::new().await;
    server.live(50).await;
    assert_eq!(server.red_has_ms().await, BASE_MS - 50_000);
    let entries = server.store.head(server.table.id()).await.unwrap().seq;
    server.pass(20_000).await;
    server.store.heartbeat().await.unwrap();
    server.tables.wake_all();
    let view = server.view().await;
    assert!(view.outcome.is_none() && !view.paused);
    assert_eq!(view.clock.unwrap().remaining_ms.red, BASE_MS - 50_000);
    // The outage is in the log, and in the store for games at rest.
    assert_eq!(server.store.head(server.table.id()).await.unwrap().seq, entries + 2, "paused, resumed");
    let kept = server.store.get(flagfall_store::Key::new(OUTAGES_KEY).unwrap()).await.unwrap().unwrap();
    let since = START.plus_ms(50_000);
    assert_eq!(kept, format!("[[{},{}]]", since.0, since.plus_ms(20_000).0).into_bytes());
    // The remaining time runs out as usual.
    server.live(9).await;
    assert_eq!(server.reasons().await, Vec::<String>::new());
    server.live(2).await;
    assert_eq!(server.reasons().await, ["out_of_time"]);
}

#[tokio::test(start_paused = true)]
async fn a_move_that_was_on_its_way_when_the_server_froze_is_judged_when_clocks_are_right() {
    let server = Server::new().await;
    server.live(55).await;
    let mut ana = Client::new("ana");
    open(&server.table, &ana).await;
    run_tasks().await;
    ana.texts();
    let held = server.store.hold_appends().await;
    command(&server.table, &ana, "resign", GameCommand::Resign {}).await;
    server.store.wait_for_held(1).await;
    server.clock.advance_ms(20_000);
    drop(held);
    run_tasks().await;
    assert_eq!(server.reasons().await, ["resigned"], "not out of time");
}

#[tokio::test(start_paused = true)]
async fn a_wall_clock_set_by_an_hour_costs_no_player_time() {
    for wall in [START.plus_ms(3_600_000), START.minus_ms(600_000)] {
        let server = Server::new().await;
        server.live(10).await;
        server.clock.set(wall);
        assert_eq!(server.red_has_ms().await, BASE_MS - 10_000);
        server.live(40).await;
        let has_ms = server.red_has_ms().await;
        assert!(has_ms.abs_diff(BASE_MS - 50_000) <= 200, "{has_ms}: half a percent");
        server.live(9).await;
        assert_eq!(server.reasons().await, Vec::<String>::new());
        server.live(2).await;
        assert_eq!(server.reasons().await, ["out_of_time"]);
    }
}
