//! Tests of finished games in the archive: everything that anybody can read of them stays the
//! same.

#[path = "../../archive/tests/archive/played.rs"]
#[allow(dead_code, reason = "this test uses one of the helpers")]
mod played;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use flagfall_archive::{Archive, ArchivedStore, FolderStore, Settings as ArchiveSettings};
use flagfall_board::GameId;
use flagfall_protocol::{Accepted, ClientToServer, GameCommand, ServerToClient};
use flagfall_rules::rulesets::CLASSIC;
use flagfall_services::archive::{Archived, Archiver};
use flagfall_services::proof::SigningKey;
use flagfall_store::{Append, AppendOutcome, EmbeddedOptions, EmbeddedStore, Head, Store, SystemClock};
use flagfall_store_testing::TestStore;

use crate::common::{House, http, settings};
use crate::histories::{Kind, Table, ask};
use crate::storage::{Running, lines, run};

async fn archive_in(folder: &Path) -> Archive {
    let objects = Arc::new(FolderStore::open(folder).unwrap());
    Archive::open(objects, ArchiveSettings::default()).await.unwrap()
}

/// Opens a new server, which has no game in memory.
async fn open(store: &TestStore, folder: &Path) -> House {
    let over = Arc::new(ArchivedStore::new(Arc::new(store.clone()), archive_in(folder).await));
    let key = SigningKey::from_seed(&[5; 32]).unwrap();
    House::open_with_key(over, store.clone(), settings(), Some(key)).await
}

/// Returns everything that the players and a stranger can read of the games over HTTP.
async fn read_all(house: &House, games: &[GameId], tokens: &[String; 2]) -> Vec<String> {
    let mut paths =
        ["/api/players/ann/games", "/api/players/bob/games", "/api/players/ann", "/api/games?phase=over"]
            .map(str::to_owned)
            .to_vec();
    for game in games {
        let of_game = ["", "?as=red", "?as=blue", "?as=public", "?as=all"];
        paths.extend(of_game.map(|query| format!("/api/games/{game}/record{query}")));
        paths.push(format!("/api/games/{game}"));
    }
    let mut answers = Vec::new();
    for token in ["", &tokens[0], &tokens[1]] {
        for path in &paths {
            let answer = house.ask("GET", path, token, "").await;
            let mut body = answer.body.clone();
            // A view says what time it is, and a refusal has a number.
            if !(answer.status == 200 && path.contains("/record")) {
                let mut json = answer.json();
                json.as_object_mut().unwrap().remove("request");
                if let Some(clock) = json.pointer_mut("/view/clock") {
                    clock.as_object_mut().unwrap().remove("at");
                }
                body = json.to_string();
            }
            answers.push(format!("{path} {} {body}", answer.status));
        }
    }
    answers
}

/// Sends Bob's resignation of a game again. Returns the answer.
async fn resign_again(house: &House, token: &str, game: GameId, cmd_id: &str) -> Accepted {
    let mut bob = house.again(token).await;
    bob.tell(&ClientToServer::OpenGame { game, since: None }).await;
    bob.find(|message| matches!(message, ServerToClient::Game { .. }).then_some(())).await;
    let cmd_id = cmd_id.parse().unwrap();
    let command = GameCommand::Resign {};
    ask(&mut bob, ClientToServer::Command { cmd_id, game, ply: 2, epoch: None, command }).await
}

#[tokio::test]
async fn everything_of_a_game_reads_the_same_from_the_archive() {
    let (folder, store) = (tempfile::tempdir().unwrap(), TestStore::new(SystemClock));
    let mut table = Table::at(open(&store, folder.path()).await).await;
    let mut games = Vec::new();
    let mut resignations = Vec::new();
    for kind in [Kind::default(), Kind { private: true, rated: true, ..Kind::default() }] {
        let game = table.play(kind).await;
        resignations.push((game, format!("c{}", table.commands)));
        games.push(game);
    }
    // Both want a rematch of the first game, so its page links to another game.
    let want = || ClientToServer::Rematch { cmd_id: "rematch".parse().unwrap(), game: games[0] };
    assert_eq!(ask(&mut table.ann, want()).await, Accepted::Done {});
    let started = ask(&mut table.bob, want()).await;
    let Accepted::Started { game: rematch, .. } = started else { panic!("{started:?}") };
    table.house.run_jobs("proof_due").await;
    let tokens = table.tokens.clone();
    table.house.close().await;

    let house = open(&store, folder.path()).await;
    let before = read_all(&house, &games, &tokens).await;
    assert!(before.iter().any(|answer| answer.contains("\"signature\"")));
    let mut outcomes = Vec::new();
    for (game, cmd_id) in &resignations {
        outcomes.push(resign_again(&house, &tokens[1], *game, cmd_id).await);
    }
    house.close().await;

    let inner: Arc<dyn Store> = Arc::new(store.clone());
    let mut archiver =
        Archiver::new(inner, archive_in(folder.path()).await, "one".to_owned(), Duration::ZERO);
    assert_eq!(archiver.archive_due(true).await.unwrap(), Archived { games: 2, waiting: 0 });
    for game in &games {
        assert_eq!(store.head(*game).await, Ok(Head::START));
    }
    assert_ne!(store.head(rematch).await, Ok(Head::START), "a running game stays");

    let house = open(&store, folder.path()).await;
    for (after, before) in read_all(&house, &games, &tokens).await.iter().zip(&before) {
        assert_eq!(after, before);
    }
    for ((game, cmd_id), outcome) in resignations.iter().zip(&outcomes) {
        assert_eq!(&resign_again(&house, &tokens[1], *game, cmd_id).await, outcome);
    }
    // The link to the rematch is there for those who open the old game.
    let mut ann = house.again(&tokens[0]).await;
    let found = ask(&mut ann, want()).await;
    assert!(matches!(found, Accepted::Started { game, .. } if game == rematch), "{found:?}");
    house.close().await;
}

/// Writes a finished game into a new data folder, as an earlier version did.
async fn data_folder_with_a_game(data: &Path) -> GameId {
    let mut games = (0..).map(|seed| played::game_of(&CLASSIC, seed, 20));
    let game = games.find(|game| !game.header.terms.private).unwrap();
    let store = EmbeddedStore::open(data, SystemClock, &EmbeddedOptions::default()).unwrap();
    let mut expected = Head::START;
    for entry in game.log {
        let (bodies, writes) = (vec![entry.body], Vec::new());
        let append = Append { game: game.id, expected, deadline: None, not_before: None, bodies, writes };
        let outcome = store.append(append).await.unwrap();
        let AppendOutcome::Ok { head, .. } = outcome else { panic!("{outcome:?}") };
        expected = head;
    }
    game.id
}

/// Starts the program and returns the public record of a game, and the names of its players.
async fn served_record(data: &str, game: GameId) -> (serde_json::Value, [String; 2]) {
    let server = Running::start(&["--data", data]);
    let request =
        format!("GET /api/games/{game}/record HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let answer = http(server.address, &request).await;
    server.end("TERM");
    assert_eq!(answer.status, 200, "{}", answer.body);
    let mut record = answer.json();
    let named = |side: &str| record["players"][side]["name"].as_str().unwrap().to_owned();
    let names = ["red", "blue"].map(named);
    for side in ["red", "blue"] {
        record["players"][side].as_object_mut().unwrap().remove("name");
    }
    (record, names)
}

#[tokio::test]
async fn games_of_a_data_folder_are_archived_backed_up_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (data, backup, restored, file) = (place("data"), place("backup"), place("restored"), place("file"));
    std::fs::create_dir(&data).unwrap();
    let game = data_folder_with_a_game(data.as_ref()).await;
    let (record, names) = served_record(&data, game).await;
    assert_eq!(names, ["Anastasia", "Bonaventura"]);
    // The store has no records of these players, and the archive keeps no names.
    let record = (record, ["deleted", "deleted"].map(str::to_owned));

    let archive = ["store", "archive", "--data", &data, "--archive-after-minutes", "0"];
    run(&archive, 0, "archived: 1 games; 0 stay in the store");
    run(&archive, 0, "archived: 0 games; 0 stay in the store");
    assert_eq!(served_record(&data, game).await, record);
    run(&["store", "check", "--data", &data], 0, "read: 0 games");

    run(&["store", "backup", "--data", &data, &backup], 0, "backed up the archive");
    run(&["store", "restore", "--data", &restored, &backup], 0, "restored the archive");
    assert_eq!(served_record(&restored, game).await, record);

    run(&["store", "export", "--data", &data, &file], 0, "exported to");
    assert!(lines(file.as_ref()).iter().any(|line| line.contains(game.as_str())));
    run(&["store", "archive", "--data", &data, "--archive", "off"], 4, "there is no archive");
}
