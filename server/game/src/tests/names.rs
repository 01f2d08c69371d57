//! Names of players are not in logs, and games show them nevertheless.

use std::sync::Arc;

use flagfall_base::keys::{LIVE, PLAYERS};
use flagfall_board::{GameId, Side};
use flagfall_protocol::{GameCommand, GameSummary};
use flagfall_store::record::Form;
use flagfall_store::{Store as _, Update, Write};
use flagfall_store_testing::{ManualClock, TestStore};

use super::harness::{Client, START, TestServer, command, deploy_both, new_game, run_tasks};
use crate::relist;
use crate::search::read_all;

async fn write(store: &TestStore, write: Write) {
    store.update(Update { conditions: Vec::new(), writes: vec![write] }).await.unwrap();
}

/// Gives a player a record with this name.
async fn name(store: &TestStore, id: &str, name: &str) {
    let record = serde_json::json!({ "player": { "id": id, "name": name, "kind": "guest" } });
    let (key, value) = (PLAYERS.key([&id]).unwrap(), record.to_string().into_bytes());
    write(store, Write::Put { key, value, expires: None }).await;
}

fn names(game: &GameSummary) -> [&str; 2] {
    Side::BOTH.map(|side| &*game.players[side].name)
}

/// Checks the names that a server shows in the summary and in the record of a game.
async fn assert_shown(server: &TestServer, game: GameId, expected: [&str; 2]) {
    let table = server.tables.find(game).await.unwrap();
    assert_eq!(names(&table.summary()), expected);
    let record = table.record(&server.tables.host.background, None, None).await.unwrap();
    assert_eq!(Side::BOTH.map(|side| &*record.players[side].name), expected);
}

#[tokio::test(start_paused = true)]
async fn logs_that_version_0_1_need_not_read_have_no_names_and_games_show_them() {
    for (form, in_log) in [(None, false), (Some(Form::Json), true)] {
        let clock = Arc::new(ManualClock::new(START));
        let set = |settings: &mut crate::TableSettings| settings.write_form = form;
        let server = TestServer::with(TestStore::new(clock.clone()), clock, set).await;
        let mut new = new_game(1, ["ana", "bo"]);
        new.players.red.name = "Anastasia".to_owned();
        new.players.blue.name = "Bonaventura".to_owned();
        let table = server.create(new).await;
        let game = table.id();
        deploy_both(&table).await;
        assert_shown(&server, game, ["Anastasia", "Bonaventura"]).await;

        // A server that has just started, without the records of the players.
        let server = server.restart().await;
        assert_shown(&server, game, ["Anastasia", "Bonaventura"]).await;
        name(&server.store, "ana", "Ana").await;
        server.store.take_away(&["players/"]);
        let server = server.restart().await;
        assert_shown(&server, game, ["Anastasia", "Bonaventura"]).await;
        server.store.take_away(&[]);
        let server = server.restart().await;
        assert_shown(&server, game, ["Ana", "Bonaventura"]).await;

        command(&server.tables.find(game).await.unwrap(), &Client::new("bo"), "end", GameCommand::Resign {})
            .await;
        run_tasks().await;
        assert_shown(&server, game, ["Ana", "Bonaventura"]).await;
        let server = server.restart().await;
        assert_shown(&server, game, ["Ana", if in_log { "Bonaventura" } else { "deleted" }]).await;

        let log = read_all(&server.store, game, 0).await.unwrap();
        let bytes: Vec<u8> = log.iter().flat_map(|entry| entry.body.expose()).copied().collect();
        let has = |name: &str| bytes.windows(name.len()).any(|part| part == name.as_bytes());
        assert!(log.len() > 3 && has("classic"));
        assert_eq!(["Anastasia", "Bonaventura"].map(has), [in_log; 2]);
        assert_eq!(server.store.get(LIVE.key([&game]).unwrap()).await, Ok(None));
    }
}

#[tokio::test(start_paused = true)]
async fn a_rebuilt_list_of_games_has_the_names_that_the_store_knows() {
    let server = TestServer::new().await;
    let game = server.game(1).await.id();
    name(&server.store, "ana", "Ana").await;
    write(&server.store, Write::Delete { key: LIVE.key([&game]).unwrap() }).await;
    assert_eq!(relist(&server.store, &[game]).await, Ok(1));
    let server = server.restart().await;
    assert_shown(&server, game, ["Ana", "deleted"]).await;
    server.tables.read_public_games(true).await.unwrap();
    assert_eq!(names(&server.tables.running(1)[0]), ["Ana", "deleted"]);
    server.store.take_away(&["players/"]);
    let server = server.restart().await;
    assert_shown(&server, game, ["Ana", "deleted"]).await;
}
