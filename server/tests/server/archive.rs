//! Tests that archiving a finished game does not change what players and strangers can read about
//! it.

#[path = "../../archive/tests/archive/played.rs"]
#[allow(dead_code, reason = "this test uses one of the helpers")]
mod played;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use flagfall_archive::{Archive, ArchivedStore, Check, FolderStore, Settings as ArchiveSettings};
use flagfall_base::keys::{ERASING, PROOF, RATED};
use flagfall_board::{GameId, Side, Stamp};
use flagfall_protocol::{
    Accepted, ClientToServer, GameCommand, HexBytes, Player, PlayerKind, RecordSignature, ServerToClient,
};
use flagfall_rules::rulesets::{BARRAGE, CLASSIC};
use flagfall_services::archive::{Archived, Archiver};
use flagfall_services::dump::{Dump, Month};
use flagfall_services::operator::{Deed, Operator, acts};
use flagfall_services::proof::SigningKey;
use flagfall_store::{
    Append, AppendOutcome, EmbeddedOptions, EmbeddedStore, Head, Store, SystemClock, Transfer, WallClock,
};
use flagfall_store_testing::{ManualClock, TestStore, WriteFault};
use ring::signature::{ED25519, UnparsedPublicKey};
use sha2::{Digest as _, Sha256};

use crate::common::{House, http, settings};
use crate::histories::{Kind, Table, ask};
use crate::storage::{Running, lines, run};

pub(crate) async fn archive_in(folder: &Path) -> Archive {
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
            // Ignore the time in a view and the request id in a refusal.
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
    // Both players want a rematch of the first game, so that this game links to another
    // one.
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
    let mut archiver = Archiver::new(inner, archive_in(folder.path()).await, Duration::ZERO);
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
    // The archived game still links to its rematch.
    let mut ann = house.again(&tokens[0]).await;
    let found = ask(&mut ann, want()).await;
    assert!(matches!(found, Accepted::Started { game, .. } if game == rematch), "{found:?}");
    house.close().await;
}

#[tokio::test]
async fn an_erased_game_is_gone_for_everybody_and_its_result_stays() {
    let (folder, store) = (tempfile::tempdir().unwrap(), TestStore::announcing(SystemClock));
    let archive = archive_in(folder.path()).await;
    let inner: Arc<dyn Store> = Arc::new(store.clone());
    let over = Arc::new(ArchivedStore::new(inner.clone(), archive.clone()));
    let mut settings = settings();
    settings.times.revocation_interval = Duration::from_millis(10);
    let house = House::open_with_key(over.clone(), store.clone(), settings, None).await;
    let mut table = Table::at(house).await;
    let mut archiver = Archiver::new(inner, archive.clone(), Duration::ZERO);
    let archived = table.play(Kind { rated: true, ..Kind::default() }).await;
    assert_eq!(archiver.archive_due(true).await.unwrap(), Archived { games: 1, waiting: 0 });
    let stored = table.play(Kind::default()).await;
    let kept = table.play(Kind::default()).await;
    let want = |game| ClientToServer::Rematch { cmd_id: format!("want-{game}").parse().unwrap(), game };
    assert_eq!(ask(&mut table.ann, want(kept)).await, Accepted::Done {});
    let Accepted::Started { game: running, .. } = ask(&mut table.bob, want(kept)).await else { panic!() };
    let ratings = table.house.ask("GET", "/api/players/ann", "", "").await.body;

    let operator = Operator::new(&*over, "a court order").unwrap();
    let refused = operator.erase(running).await.unwrap_err().to_string();
    assert_eq!(refused, "this game is not over: only finished games can be erased");
    let refused = operator.erase(GameId::from_random([1; 12])).await.unwrap_err().to_string();
    assert_eq!(refused, "there is no game with this id");
    for game in [archived, stored] {
        assert_eq!(operator.erase(game).await, Ok(true));
        assert_eq!(operator.erase(game).await, Ok(false), "repeating it does no harm");
    }

    for game in [archived, stored] {
        // Wait until the server has dropped the game from memory.
        let path = format!("/api/games/{game}");
        crate::common::in_time("the table is forgotten", async {
            while table.house.ask("GET", &path, "", "").await.status != 404 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
        for token in ["", &table.tokens[0]] {
            for path in [path.clone(), format!("{path}/record"), format!("{path}/record?as=all")] {
                let (status, body) = table.house.ask("GET", &path, token, "").await.refusal();
                assert_eq!((status, &body["code"]), (404, &"no_such_game".into()), "{path}");
            }
        }
        table.ann.tell(&want(game)).await;
        assert_eq!(table.ann.refused().await.0, "no_such_game");
    }
    for path in ["/api/players/ann/games", "/api/players/bob/against/ann"] {
        let lines = table.house.ask("GET", path, "", "").await.json()["games"].clone();
        let lines = lines.as_array().unwrap().iter();
        let found: Vec<_> = lines.map(|line| (line["game"].clone(), line["erased"] == true)).collect();
        let wanted = [(kept, false), (stored, true), (archived, true)];
        assert_eq!(found, wanted.map(|(game, is_erased)| (game.as_str().into(), is_erased)), "{path}");
    }
    let latest = table.house.ask("GET", "/api/games?phase=over", "", "").await.json()["games"].clone();
    let latest: Vec<_> = latest.as_array().unwrap().iter().map(|game| game["id"].clone()).collect();
    assert_eq!(latest, [kept.as_str()]);
    assert_eq!(table.house.ask("GET", "/api/players/ann", "", "").await.body, ratings);
    let deeds = acts(&store).await.unwrap().into_iter().map(|act| (act.deed, act.reason));
    let erased = |game| (Deed::Erased { game }, "a court order".to_owned());
    assert_eq!(deeds.collect::<Vec<_>>(), [erased(archived), erased(stored)]);

    // The archive overwrites the bytes of the erased game, and a round of archiving does
    // not bring the game back.
    assert_eq!(archive.tidy(0).await.unwrap().rewritten_segments, 1);
    assert_eq!(archiver.archive_due(true).await.unwrap(), Archived { games: 1, waiting: 0 });
    let report = archive.check(Check::All, |_, _| ()).await.unwrap();
    assert_eq!((report.games, report.damage), (1, Vec::new()));
    table.house.close().await;
}

#[tokio::test]
async fn an_interrupted_erasure_is_completed_by_a_server() {
    let mut interrupted = 0;
    for writes in 1..10 {
        let fault = [WriteFault::Unavailable, WriteFault::UnknownAfterWriting][writes % 2];
        let what = format!("{fault:?} after {writes} writes");
        let (folder, store) = (tempfile::tempdir().unwrap(), TestStore::new(SystemClock));
        let mut table = Table::at(open(&store, folder.path()).await).await;
        let game = table.play(Kind::default()).await;
        table.house.run_jobs("proof_due").await;
        table.house.close().await;
        let over = ArchivedStore::new(Arc::new(store.clone()), archive_in(folder.path()).await);
        let operator = Operator::new(&over, "a test").unwrap();
        store.fail_after(writes, fault);
        let outcome = operator.erase(game).await;
        store.stop_failing();
        let house = open(&store, folder.path()).await;
        if outcome.is_err() {
            interrupted += 1;
            house.run_jobs("erasing").await;
        }
        assert_eq!(store.head(game).await, Ok(Head::START), "{what}");
        assert_eq!(store.get(ERASING.key([&game]).unwrap()).await, Ok(None), "{what}");
        let lines = house.ask("GET", "/api/players/ann/games", "", "").await.json();
        assert_eq!(lines["games"][0]["erased"], true, "{what}");
        assert_eq!(operator.erase(game).await, Ok(false), "{what}");
        assert_eq!(acts(&store).await.unwrap().len(), 1, "{what}");
        house.close().await;
    }
    assert!(interrupted > 3, "{interrupted}");
}

#[tokio::test]
async fn an_archived_game_leaves_no_records_and_its_effect_can_still_be_undone() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::new(noon())));
    let store = TestStore::new(clock.clone());
    let archive = archive_in(folder.path()).await;
    let over = Arc::new(ArchivedStore::new(Arc::new(store.clone()), archive.clone()));
    let key = SigningKey::from_seed(&[5; 32]).unwrap();
    let house = House::open_with_key(over.clone(), store.clone(), settings(), Some(key)).await;
    let mut table = Table::at(house).await;
    let kind = Kind { rated: true, ..Kind::default() };
    let game = table.play(kind).await;
    clock.advance_ms(1_000);
    // When the players' next game is recorded, the rating change of their first game
    // becomes a part of that game's line in the history.
    table.play(kind).await;
    table.house.run_jobs("proof_due").await;
    let history = "/api/players/ann/ratings/classic/rapid";
    let paths =
        [format!("/api/games/{game}/ratings"), format!("/api/games/{game}/record"), history.to_owned()];
    let read = async || {
        let mut answers = Vec::new();
        for path in &paths {
            let answer = table.house.ask("GET", path, "", "").await;
            answers.push((answer.status, answer.body));
        }
        answers
    };
    let before = read().await;
    assert!(before.iter().all(|(status, _)| *status == 200) && before[1].1.contains("\"signature\""));
    let inner: Arc<dyn Store> = Arc::new(store.clone());
    let mut archiver = Archiver::new(inner, archive, Duration::ZERO);
    assert_eq!(archiver.archive_due(true).await.unwrap().waiting, 0);
    assert_eq!(archiver.remove_leftovers().await.unwrap(), 0, "the guards are there");
    clock.advance_ms(61 * 60 * 1_000);
    archiver.remove_leftovers().await.unwrap();
    for key in [RATED.key([&game]), PROOF.key([&game])] {
        assert_eq!(store.get(key.unwrap()).await, Ok(None));
    }
    assert_eq!(read().await, before);

    let operator = Operator::new(&*over, "a cheat").unwrap();
    let change = operator.undo(game).await.unwrap();
    assert_eq!(serde_json::to_string(&change).unwrap(), before[0].1);
    assert!(operator.undo(game).await.is_err(), "only once");
    let lines = table.house.ask("GET", history, "", "").await.json()["games"].clone();
    assert_eq!((&lines[0]["undone"], &lines[1]["undone"]), (&serde_json::Value::Null, &true.into()));
    assert_eq!(operator.undo_all("ann").await, Ok(1));
    table.house.close().await;
}

/// Returns noon of the current day, so that the day does not end during a test.
pub(crate) fn noon() -> Stamp {
    const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
    Stamp(SystemClock.now().0 / DAY_MS * DAY_MS + DAY_MS / 2)
}

#[tokio::test]
async fn each_line_of_a_dump_is_what_a_stranger_reads() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::new(noon())));
    let store = TestStore::new(clock.clone());
    let archive = archive_in(folder.path()).await;
    let over = Arc::new(ArchivedStore::new(Arc::new(store.clone()), archive.clone()));
    let key = SigningKey::from_seed(&[5; 32]).unwrap();
    let house = House::open_with_key(over, store.clone(), settings(), Some(key)).await;
    let mut table = Table::at(house).await;
    let mut games = Vec::new();
    for kind in [
        Kind::default(),
        Kind { private: true, ..Kind::default() },
        Kind { is_called_off: true, ..Kind::default() },
        Kind { rated: true, ..Kind::default() },
    ] {
        let game = table.play(kind).await;
        if !kind.private && !kind.is_called_off {
            games.push(game);
        }
        clock.advance_ms(1_000);
    }
    table.house.run_jobs("proof_due").await;
    let month: Month = clock.now().utc()[..7].parse().unwrap();
    let inner: Arc<dyn Store> = Arc::new(store.clone());
    let mut archiver = Archiver::new(inner, archive.clone(), Duration::ZERO);
    assert_eq!(archiver.archive_due(true).await.unwrap().waiting, 0);

    let listed =
        async || Dump::new(&store, &archive, month.clone()).await.unwrap().games(|_| ()).await.unwrap();
    assert!(listed().await.is_empty(), "they were over only a moment ago");
    clock.advance_ms(7 * 24 * 60 * 60 * 1_000);
    let candidates = listed().await;
    assert_eq!(candidates.len(), 4, "{candidates:?}");
    let dump = async || {
        let mut dump = Dump::new(&store, &archive, month.clone()).await.unwrap();
        let mut lines = Vec::new();
        for game in &candidates {
            let log = archive.read(*game).await.unwrap().unwrap();
            let line = dump.line(&log).await.unwrap();
            lines.extend(line.map(|line| String::from_utf8(line).unwrap()));
        }
        lines
    };
    let set = async |token: &str, choice: &str| {
        let body = serde_json::json!({ "dump": choice }).to_string();
        table.house.ask("PUT", "/api/me/dump", token, &body).await.status
    };
    let (_, _, guest) = table.house.guest("eve").await;
    assert_eq!(set(&guest, "name").await, 403);
    let shown = table.house.ask("GET", "/api/me/dump", &table.tokens[0], "").await.json();
    assert_eq!(shown, serde_json::json!({ "dump": "pseudonym" }));

    let mut records = Vec::new();
    for game in &games {
        records.push(table.house.ask("GET", &format!("/api/games/{game}/record"), "", "").await.json());
    }
    let bob = records[0]["players"]["blue"]["id"].as_str().unwrap().to_owned();
    // Ann chooses to be listed by name.
    assert_eq!(set(&table.tokens[0], "name").await, 204);
    let lines = dump().await;
    assert_eq!(lines.len(), games.len());
    for (line, record) in lines.iter().zip(&records) {
        assert!(!line.contains(&bob) && !line.contains("\"bob\""), "{line}");
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let mut wanted = record.clone();
        wanted["players"]["blue"] = line["players"]["blue"].clone();
        // A line with a pseudonym has no signature, because a signature covers the players' ids.
        assert!(wanted.as_object_mut().unwrap().remove("signature").is_some());
        assert_eq!(line, wanted);
        let pseudonym = &line["players"]["blue"];
        assert_eq!((&pseudonym["id"], pseudonym["kind"].as_str()), (&pseudonym["name"], Some("account")));
    }
    assert_eq!(set(&table.tokens[1], "name").await, 204);
    for (line, record) in dump().await.iter().zip(&records) {
        assert_eq!(&serde_json::from_str::<serde_json::Value>(line).unwrap(), record);
    }
    assert_eq!(set(&table.tokens[1], "none").await, 204);
    let export = table.house.ask("GET", "/api/account", &table.tokens[1], "").await.json();
    assert_eq!((&export["dump"], dump().await), (&"none".into(), Vec::new()));
    table.house.close().await;
}

#[tokio::test]
async fn the_program_writes_a_dump_with_its_checksums() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (data, dumps) = (place("data"), place("dumps"));
    std::fs::create_dir(&data).unwrap();
    // Write a game with today's date, which also sets the store's clock.
    data_folder_with_a_game(data.as_ref()).await;
    let game = {
        let mut games = (1_000..).map(|seed| played::game_of(&CLASSIC, seed, 20));
        let game = games.find(|game| !game.header.terms.private).unwrap();
        let store = EmbeddedStore::open(data.as_ref(), SystemClock, &EmbeddedOptions::default()).unwrap();
        // All games from `game_of` have the same id, so use a different one.
        let id = GameId::from_random([11; 12]);
        let taken = store.take_over(id, Head::START, game.log).await.unwrap();
        assert!(matches!(taken, AppendOutcome::Ok { .. }), "{taken:?}");
        id
    };
    run(&["store", "archive", "--data", &data], 0, "archived: 1 game;");
    let (mut record, _) = served_record(&["--data", &data], game).await;
    let created = Stamp(record["created"].as_u64().unwrap()).utc();
    let month = &created[..7];
    run(&["archive", "dump", "--data", &data, month, &dumps], 0, "wrote 1 game to");
    run(&["archive", "dump", "--data", &data, month, &dumps], 4, "already exists");
    run(&["archive", "dump", "--data", &data, "2020-13", &dumps], 2, "a month must have");

    let file = |ending: &str| std::fs::read(format!("{dumps}/flagfall-{month}.{ending}")).unwrap();
    let packed = file("jsonl.zst");
    let text = String::from_utf8(zstd::decode_all(&packed[..]).unwrap()).unwrap();
    let mut line: serde_json::Value = serde_json::from_str(text.trim_end_matches('\n')).unwrap();
    assert_eq!(text.lines().count(), 1);
    for players in [&mut line["players"], &mut record["players"]] {
        players.take();
    }
    record.as_object_mut().unwrap().remove("signature");
    assert_eq!(line, record);
    let about: serde_json::Value = serde_json::from_slice(&file("json")).unwrap();
    let sum = |bytes: &[u8]| HexBytes(Sha256::digest(bytes).into()).to_string();
    assert_eq!((&about["games"], &about["bytes"]), (&1.into(), &packed.len().into()));
    assert_eq!(
        (&about["sha256"], &about["lines_sha256"]),
        (&sum(&packed).into(), &sum(text.as_bytes()).into())
    );
    let sums = String::from_utf8(file("sha256")).unwrap();
    assert_eq!(sums, format!("{}  flagfall-{month}.jsonl.zst\n", sum(&packed)));
    let key = SigningKey::of_folder(data.as_ref()).unwrap();
    let signed = format!("flagfall-dump-1\0{month} 1 {}", sum(&packed));
    let signature: RecordSignature = serde_json::from_value(about["signature"].clone()).unwrap();
    let public = UnparsedPublicKey::new(&ED25519, key.public.0);
    assert!(public.verify(signed.as_bytes(), &signature.value.0).is_ok());
    assert_eq!(signature.key, key.id);
}

#[tokio::test]
async fn archived_games_of_guests_are_pruned() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    std::fs::create_dir(&data).unwrap();
    // This game is not archived, because it has just ended.
    data_folder_with_a_game(data.as_ref()).await;
    let is_guest = |player: &Player| player.kind == PlayerKind::Guest;
    let mut games = (0..).map(|seed| played::game_of(&BARRAGE, seed, 6));
    let is_of_guests = |game: &played::Played| {
        !game.header.terms.rated && Side::BOTH.iter().all(|side| is_guest(&game.header.players[*side]))
    };
    let game = games.find(is_of_guests).unwrap();
    let store = EmbeddedStore::open(data.as_ref(), SystemClock, &EmbeddedOptions::default()).unwrap();
    store.take_over(GameId::from_random([11; 12]), Head::START, game.log).await.unwrap();
    drop(store);
    run(&["store", "archive", "--data", &data], 0, "archived: 1 game;");
    let command = ["store", "prune", "--data", &data, "--guest-game-days", "1"];
    let prune = |words: &[&str], said| run(&[&command, words].concat(), 0, said);
    prune(&["--dry-run"], "to be deleted: 1 finished casual game of guests");
    prune(&[], "deleted: 1 finished casual game of guests");
    prune(&["--dry-run"], "to be deleted: 0 finished casual games of guests");
    run(&["store", "check", "--data", &data], 0, "no errors found");
}

/// Writes a finished game into a new data folder, as an earlier version did.
pub(crate) async fn data_folder_with_a_game(data: &Path) -> GameId {
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
async fn served_record(words: &[&str], game: GameId) -> (serde_json::Value, [String; 2]) {
    let server = Running::start(words);
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
    let (record, names) = served_record(&["--data", &data], game).await;
    assert_eq!(names, ["Anastasia", "Bonaventura"]);
    // Archiving loses the names, because the archive keeps none and the store has no records of
    // these players.
    let record = (record, ["deleted", "deleted"].map(str::to_owned));

    let archive = ["store", "archive", "--data", &data, "--archive-after-minutes", "0"];
    run(&archive, 0, "archived: 1 game; still in the store: 0");
    run(&archive, 0, "archived: 0 games; still in the store: 0");
    assert_eq!(served_record(&["--data", &data], game).await, record);
    run(
        &["store", "check", "--data", &data, "--all"],
        0,
        "1 game in 1 segment, 1 part of the index; replayed 1 game",
    );

    run(&["store", "backup", "--data", &data, &backup], 0, "backed up the archive");
    run(&["store", "backup", "--data", &data, &backup], 0, "backed up the archive: 0 files were new");
    run(&["store", "restore", "--data", &restored, &backup], 0, "restored the archive");
    assert_eq!(served_record(&["--data", &restored], game).await, record);

    run(&["store", "export", "--data", &data, &file], 0, "exported to");
    assert!(lines(file.as_ref()).iter().any(|line| line.contains(game.as_str())));
    // An export without the archive is for a store that will have the same archive.
    let (moved, without) = (place("moved"), place("without"));
    let export = ["store", "export", "--data", &data, "--archive", "off", "--accept-other-archive", &without];
    run(&export, 0, "exported to");
    assert!(!lines(without.as_ref()).iter().any(|line| line.starts_with(r#"{"entry""#)));
    run(&["store", "import", "--data", &moved, &without], 0, "imported");
    let archive = place("data/archive");
    assert_eq!(served_record(&["--data", &moved, "--archive", &archive], game).await, record);
    run(&["store", "archive", "--data", &data, "--archive", "off"], 4, "--archive off is no archive");

    run(&["store", "check", "--data", &backup], 0, "1 game in 1 segment");
    let segments = std::fs::read_dir(Path::new(&backup).join("archive/segments/0000000")).unwrap();
    let segment = segments.map(|entry| entry.unwrap().path()).next().unwrap();
    let mut bytes = std::fs::read(&segment).unwrap();
    bytes[60..90].fill(0);
    std::fs::write(&segment, bytes).unwrap();
    run(&["store", "check", "--data", &backup], 1, &format!("game {game}"));
    // Even if the segment's list of games is lost, the export names the game.
    std::fs::File::options().write(true).open(&segment).unwrap().set_len(50).unwrap();
    let (archive, file) = (place("backup/archive"), place("damaged"));
    let said = format!("game {game} is damaged");
    run(&["store", "export", "--data", &data, "--archive", &archive, &file], 1, &said);
    let line = format!(r#"{{"quarantine":{{"game":"{game}","#);
    assert!(lines(file.as_ref()).iter().any(|other| other.starts_with(&line)));

    run(&["operator", "erase", game.as_str(), "--data", &data, "--reason", "a test"], 0, "is erased");
    run(&["operator", "erase", game.as_str(), "--data", &data, "--reason", "a test"], 0, "was erased before");
    run(&["operator", "log", "--data", &data], 0, &format!("erased game {game}: a test"));
    run(&["store", "check", "--data", &data], 0, "no errors found");

    let log = Path::new(&data).join("log/00000001.seg");
    let mut bytes = std::fs::read(&log).unwrap();
    bytes[60..90].fill(0);
    std::fs::write(&log, bytes).unwrap();
    let again = place("again");
    for _ in 0..2 {
        run(&["store", "backup", "--data", &data, &backup], 1, "damage in the store");
    }
    run(&["store", "restore", "--data", &again, &backup], 4, "--accept-lost-tail");
    let (other, no_folder) = (place("other"), format!("{file}/archive"));
    let said = "The archive is not restored: delete it and the data folder";
    run(&["store", "restore", "--data", &other, "--archive", &no_folder, &backup], 4, said);
    assert!(Path::new(&again).join("archive/manifest").is_dir(), "the data folder is complete");
}
