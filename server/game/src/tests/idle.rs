//! Games without a clock end when nothing has happened in them for many days.

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_protocol::{Abort, GameCommand, Phase, ServerToClient, Time};
use flagfall_store::{Key, Store as _, Update, Write};
use flagfall_store_testing::{ManualClock, TestStore};

use super::harness::{
    Client, DEPLOY_MS, IDLE_HOUSE_MS, IDLE_MS, START, TestServer, command, deploy, keys, left_games,
    make_game, new_game, open, player, run_tasks,
};
use super::memory::id_of;
use super::rest::DAY_MS;
use crate::rest::Round;

/// Returns the due times in the store, earliest first.
async fn due_times(server: &TestServer) -> Vec<Stamp> {
    let keys = keys(&server.store, "flags/").await;
    keys.iter().map(|key| Stamp(key.split('/').nth(1).unwrap().parse().unwrap())).collect()
}

/// Waits until this time, and opens the games that are due then.
async fn wait_until(server: &TestServer, at: Stamp) {
    server.advance(at.ms_since(server.clock_now())).await;
    server.tables.open_due().await.unwrap();
    run_tasks().await;
}

async fn reason(server: &TestServer, game: GameId) -> Option<String> {
    let table = server.tables.find(game).await.unwrap();
    run_tasks().await;
    table.summary().outcome.map(|outcome| outcome.reason)
}

#[tokio::test(start_paused = true)]
async fn a_game_without_a_clock_ends_when_nothing_has_happened_for_long() {
    for (opponent, idle_ms) in [("bo", IDLE_MS), ("house-random", IDLE_HOUSE_MS)] {
        let mut server = TestServer::new().await;
        let mut new = new_game(1, ["ana", opponent]);
        new.terms.time = Time::Unlimited {};
        let table = server.create(new).await;
        let (id, ana) = (table.id(), Client::new("ana"));
        command(&table, &ana, "deploy", deploy("classic", Side::Red, 3)).await;
        if opponent == "bo" {
            command(&table, &Client::new("bo"), "deploy", deploy("classic", Side::Blue, 3)).await;
        }
        // A house player thinks on another thread.
        while table.summary().phase == Phase::Deploying {
            tokio::task::yield_now().await;
        }
        run_tasks().await;
        drop(table);
        // The due time of the deployment is followed by that of the end.
        wait_until(&server, START.plus_ms(DEPLOY_MS + 30_000)).await;
        assert_eq!(due_times(&server).await, [START.plus_ms(idle_ms)]);
        // Looks, outages and restarts do not put the end off.
        wait_until(&server, START.plus_ms(idle_ms / 2)).await;
        server.outage(60_000).await;
        server = server.restart().await;
        let table = server.tables.find(id).await.unwrap();
        let mut eve = Client::new("eve");
        open(&table, &eve).await;
        run_tasks().await;
        drop(table);
        wait_until(&server, START.plus_ms(idle_ms)).await;
        assert_eq!(reason(&server, id).await, None);
        wait_until(&server, START.plus_ms(idle_ms + 1)).await;
        assert_eq!(reason(&server, id).await.as_deref(), Some("aborted"));
        let aborts = eve.read().into_iter().filter_map(|message| match message {
            ServerToClient::Event { abort, .. } => abort,
            _ => None,
        });
        assert_eq!(aborts.collect::<Vec<_>>(), [Abort::default()], "no side is named");
        assert_eq!(left_games(&server.store, "ana").await, 0);
        wait_until(&server, START.plus_ms(idle_ms + 60_000)).await;
        for list in ["flags/", "live/", "seat/", "public/", "pool_returns/"] {
            assert!(keys(&server.store, list).await.is_empty(), "{list}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_act_puts_the_end_off() {
    let server = TestServer::new().await;
    let id = server.playing(1, Time::Unlimited {}).await;
    wait_until(&server, START.plus_ms(IDLE_MS - DAY_MS)).await;
    let table = server.tables.find(id).await.unwrap();
    command(&table, &Client::new("ana"), "draw", GameCommand::OfferDraw {}).await;
    run_tasks().await;
    drop(table);
    wait_until(&server, START.plus_ms(IDLE_MS + 1)).await;
    assert_eq!(reason(&server, id).await, None);
    assert_eq!(due_times(&server).await, [START.plus_ms(2 * IDLE_MS - DAY_MS)]);
    wait_until(&server, START.plus_ms(2 * IDLE_MS - DAY_MS + 1)).await;
    assert_eq!(reason(&server, id).await.as_deref(), Some("aborted"));
}

#[tokio::test(start_paused = true)]
async fn games_of_earlier_versions_end_too_but_not_all_at_once() {
    const GAMES: u32 = 40;
    let clock = std::sync::Arc::new(ManualClock::new(START));
    let store = TestStore::new(clock.clone());
    let mut header = super::harness::header("quantum");
    header.terms.time = Time::Unlimited {};
    for number in 0..GAMES {
        header.players = PerSide::from_fn(|side: Side| player(&format!("{side:?}-{number}")));
        make_game(&store, id_of(number), &header);
        // Earlier versions stored no due time for such a game.
        let key = Key::new(format!("live/{}", id_of(number))).unwrap();
        let value = format!("{{\"created\":{}}}", START.0).into_bytes();
        let writes = vec![Write::Put { key, value, expires: None }];
        store.update(Update { conditions: Vec::new(), writes }).await.unwrap();
    }
    clock.advance_ms(2 * IDLE_MS);
    let server = TestServer::on(store, clock).await;
    assert!(server.tables.go_round(&mut Round::default()).await.unwrap());
    assert_eq!(server.tables.len(), 0);
    let due = due_times(&server).await;
    assert_eq!(due.len(), GAMES as usize);
    let now = server.clock_now();
    assert!(due[0] > now.plus_ms(60_000) && due[39] < now.plus_ms(DAY_MS + 60_001), "{due:?}");
    assert!(due[39].ms_since(due[0]) > DAY_MS / 2, "{due:?}");
    wait_until(&server, due[19]).await;
    server.advance(10_000).await;
    let ended = 40 - keys(&server.store, "live/").await.len();
    assert!((20..25).contains(&ended), "{ended}");
    // Another round changes nothing.
    let left = due_times(&server).await;
    assert!(server.tables.go_round(&mut Round::default()).await.unwrap());
    assert_eq!(due_times(&server).await, left);
}
