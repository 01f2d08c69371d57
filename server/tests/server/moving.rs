//! Tests of moving a service from one Redis to a Redis Cluster and back. Everything that people can
//! read stays the same. If something would be lost, the move is refused.

#[expect(clippy::print_stderr, reason = "the test says that it has no data")]
mod play;
#[expect(clippy::print_stderr, reason = "the test says what it compared")]
mod service;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::archive::{archive_in, noon};
use crate::archive_away::s3_server::Storage;
use crate::common::{House, settings};
use crate::histories::{Kind, Table, ask};
use crate::storage::{Running, run};
use crate::store::cluster::Cluster;
use crate::store::redis::RedisServer;
use flagfall_archive::{Archive, ArchiveStore, ArchivedStore, FolderStore, Settings as ArchiveSettings};
use flagfall_base::keys::{PROOF, VOLUMES};
use flagfall_board::{Chance, GameId, Side};
use flagfall_bots::random_setup;
use flagfall_protocol::{Accepted, ClientToServer, GameCommand, ServerToClient, Terms, Time};
use flagfall_rules::Ruleset;
use flagfall_services::archive::{Archived, Archiver};
use flagfall_services::proof::SigningKey;
use flagfall_store::redis::buckets::BUCKETS;
use flagfall_store::{EmbeddedOptions, EmbeddedStore, RedisOptions, Store, SystemClock, Transfer};
use flagfall_store_testing::{ManualClock, TestStore, import};
use flagfall_transfer::{TransferError, export, import_unfinished};

async fn open(store: Arc<dyn Store>, key: Option<SigningKey>) -> House {
    House::open_with_key(store, TestStore::new(SystemClock), settings(), key).await
}

/// Begins a game of a ruleset. Both players deploy their pieces. If `ends`, Blue resigns.
async fn play(table: &mut Table, ruleset: &'static Ruleset, ends: bool) -> GameId {
    let id = ruleset.id;
    let terms = Terms {
        ruleset: id.to_owned(),
        time: Time::Unlimited {},
        private: false,
        secret: false,
        rated: false,
    };
    let cmd = |name: &str| format!("{id}-{name}-{ends}").parse().unwrap();
    let asked = ClientToServer::Challenge { cmd_id: cmd("ask"), terms, side: Some(Side::Red) };
    let Accepted::Challenge { challenge, .. } = ask(&mut table.ann, asked).await else { panic!("{id}") };
    let taken = ClientToServer::AcceptChallenge { cmd_id: cmd("take"), challenge, secret: false };
    let Accepted::Started { game, .. } = ask(&mut table.bob, taken).await else { panic!("{id}") };
    for side in Side::BOTH {
        let setup = random_setup(ruleset, side, &mut Chance::new(5)).deploy(side, ruleset).unwrap();
        let command = GameCommand::Deploy { setup: setup.into_text() };
        let client = if side == Side::Red { &mut table.ann } else { &mut table.bob };
        let cmd_id = cmd(if side == Side::Red { "red" } else { "blue" });
        client.tell(&ClientToServer::Command { cmd_id, game, ply: 0, epoch: None, command }).await;
        // Some rulesets need no deployment.
        let is_answer = |message| {
            matches!(message, ServerToClient::Accepted { .. } | ServerToClient::Refused { .. }).then_some(())
        };
        client.find(is_answer).await;
    }
    if ends {
        let (cmd_id, command) = (cmd("resign"), GameCommand::Resign {});
        ask(&mut table.bob, ClientToServer::Command { cmd_id, game, ply: 0, epoch: None, command }).await;
        table.house.run_jobs("played_due").await;
    }
    game
}

/// Returns what players and strangers can read about finished games, ratings, histories and
/// accounts.
async fn readings(house: &House, tokens: &[String], games: &[GameId]) -> Vec<(String, String)> {
    let mut paths: Vec<String> = games.iter().map(|game| format!("/api/games/{game}/record")).collect();
    paths.extend(games.iter().map(|game| format!("/api/games/{game}/ratings")));
    let of_player = |name: &str| {
        ["", "/games?limit=100", "/ratings/classic/rapid", "/against/ann", "/against/bob"]
            .map(|path| format!("/api/players/{name}{path}"))
    };
    paths.extend(["ann", "bob"].iter().flat_map(|name| of_player(name)));
    paths
        .extend(["/api/keys", "/api/leaderboards/classic/rapid", "/api/games?phase=over"].map(str::to_owned));
    paths.extend(["/api/me", "/api/me/statistics", "/api/me/deployments", "/api/tokens"].map(str::to_owned));
    let mut read = Vec::new();
    for path in paths {
        for token in tokens.iter().map(String::as_str).chain([""]) {
            let answer = house.ask("GET", &path, token, "").await;
            // A refusal contains the id of its request.
            let body = if answer.status == 200 { answer.body } else { String::new() };
            read.push((format!("{path} {token}"), format!("{} {body}", answer.status)));
        }
    }
    read
}

async fn exported(store: &dyn Transfer) -> Vec<u8> {
    let mut bytes = Vec::new();
    export(store, &mut bytes, None, None, |_| {}).await.unwrap();
    bytes
}

/// Returns the lines of an export that must be the same in any store.
fn content(export: &[u8]) -> Vec<&str> {
    let lines = std::str::from_utf8(export).unwrap().lines();
    lines.skip(1).filter(|line| !line.starts_with(r#"{"end":"#)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_moves_from_one_redis_to_a_cluster_and_back() {
    let (first, last, cluster) = (RedisServer::start(), RedisServer::start(), Cluster::start().await);
    // No server runs while the data is moved, so the stores need no heartbeats of their own.
    let options = || RedisOptions { pulse: Duration::ZERO, ..RedisOptions::default() };
    let source = Arc::new(first.open(options()).await);
    let key = SigningKey::from_seed(&[5; 32]).unwrap();
    let mut table = Table::at(open(source.clone(), Some(key)).await).await;
    let mut games = Vec::new();
    for kind in [
        Kind { rated: true, ..Kind::default() },
        Kind { private: true, ..Kind::default() },
        Kind { is_called_off: true, ..Kind::default() },
        Kind { rated: true, ..Kind::default() },
    ] {
        games.push(table.play(kind).await);
    }
    for ruleset in Ruleset::all() {
        games.push(play(&mut table, ruleset, true).await);
    }
    let running = play(&mut table, Ruleset::all()[0], false).await;
    let before = readings(&table.house, &table.tokens, &games).await;
    assert!(before.iter().filter(|(_, answer)| answer.starts_with("200")).count() > 2 * games.len());
    let tokens = table.tokens;
    table.house.close().await;
    let moved = exported(&*source).await;
    let head = source.head(running).await.unwrap();

    let middle = Arc::new(cluster.open(options(), BUCKETS).await);
    import(&*middle, &moved).await.unwrap();
    assert!(middle.epoch().await.unwrap() > source.epoch().await.unwrap());
    assert_eq!(content(&exported(&*middle).await), content(&moved));
    assert_eq!(middle.head(running).await.unwrap(), head);
    let again = import(&*middle, &moved).await;
    assert!(matches!(again, Err(TransferError::NotEmpty)), "{again:?}");
    let house = open(middle.clone(), None).await;
    assert_eq!(readings(&house, &tokens, &games).await, before);
    house.close().await;

    let moved_back = exported(&*middle).await;
    let target = Arc::new(last.open(options()).await);
    import(&*target, &moved_back).await.unwrap();
    assert_eq!(content(&exported(&*target).await), content(&moved_back));
    let house = open(target, None).await;
    assert_eq!(readings(&house, &tokens, &games).await, before);
    house.close().await;
}

/// Returns a new data folder with the content of an export.
async fn imported(folder: &Path, export: &[u8], clock: &Arc<ManualClock>) -> Arc<EmbeddedStore> {
    let store = EmbeddedStore::open(folder, clock.clone(), &EmbeddedOptions::default()).unwrap();
    import(&store, export).await.unwrap();
    Arc::new(store)
}

/// Moves a service with an archive: without the archive, which is copied from its folder to S3, and
/// with it, so that the new store contains everything.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_moves_and_keeps_its_archive_or_takes_the_games_out_of_it() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), Arc::new(ManualClock::new(noon())));
    let place = |name: &str| folder.path().join(name);
    let open = async |store: Arc<dyn Store>, key| {
        House::open_with_key(store, TestStore::new(clock.clone()), settings(), key).await
    };
    let source = EmbeddedStore::open(&place("source"), clock.clone(), &EmbeddedOptions::default());
    let (source, archive) = (Arc::new(source.unwrap()), archive_in(&place("archive")).await);
    let over = Arc::new(ArchivedStore::new(source.clone(), archive.clone()));
    let key = SigningKey::from_seed(&[5; 32]).unwrap();
    let mut table = Table::at(open(over.clone(), Some(key)).await).await;
    let mut games = Vec::new();
    // There are enough games for a volume of each player's history.
    for number in 0..70 {
        games.push(table.play(Kind { rated: number % 8 == 0, ..Kind::default() }).await);
        clock.advance_ms(1_000);
    }
    table.house.run_jobs("proof_due").await;
    for (volume, _) in source.scan(VOLUMES.all().unwrap(), None, 10).await.unwrap() {
        over.archive_record(volume).await.unwrap();
    }
    let mut archiver = Archiver::new(source.clone(), archive, Duration::ZERO);
    assert_eq!(archiver.archive_due(true).await.unwrap(), Archived { games: 70, waiting: 0 });
    clock.advance_ms(61 * 60 * 1_000);
    archiver.remove_leftovers().await.unwrap();
    // Everything is in the archive only.
    assert_eq!(source.games().await, Ok(Vec::new()));
    for kind in [PROOF.all(), VOLUMES.all()] {
        assert_eq!(source.scan(kind.unwrap(), None, 1).await, Ok(Vec::new()));
    }
    assert!(over.archived_records(VOLUMES.all().unwrap()).await.unwrap().len() >= 2);
    games.truncate(3);
    let before = readings(&table.house, &table.tokens, &games).await;
    assert!(before[0].1.contains("\"signature\""), "{}", before[0].1);
    let tokens = table.tokens;
    table.house.close().await;

    let without = exported(&*source).await;
    let with = exported(&*over).await;
    let storage = Storage::start().await;
    let (from, to) = (FolderStore::to_read(place("archive")), storage.archive("s3://games/service"));
    for folder in std::fs::read_dir(place("archive")).unwrap() {
        let Ok(folder) = folder.unwrap().file_name().to_str().unwrap().parse() else { continue };
        for object in from.list(&folder).await.unwrap() {
            let length = from.length(&object).await.unwrap().unwrap();
            to.put_if_absent(&object, from.get(&object, 0..length).await.unwrap()).await.unwrap();
        }
    }
    let copy = Archive::open(Arc::new(to), ArchiveSettings::default()).await.unwrap();
    let kept = imported(&place("kept"), &without, &clock).await;
    let kept = Arc::new(ArchivedStore::new(kept, copy));
    let whole = imported(&place("whole"), &with, &clock).await;
    assert_eq!(content(&exported(&*kept).await), content(&with));
    assert_eq!(content(&exported(&*whole).await), content(&with));
    for store in [kept as Arc<dyn Store>, whole] {
        let house = open(store, None).await;
        assert_eq!(readings(&house, &tokens, &games).await, before);
        house.close().await;
    }
}

/// Starts a Redis and a Redis Cluster. Returns their addresses, and the values that keep them
/// running.
async fn both_layouts() -> ([String; 2], (RedisServer, Cluster)) {
    let (redis, cluster) = (RedisServer::start(), Cluster::start().await);
    let urls = [format!("redis://127.0.0.1:{}", redis.port()), cluster.address().to_string()];
    (urls, (redis, cluster))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_servers_use_is_not_exported_and_not_imported_into() {
    let (urls, _running) = both_layouts().await;
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let data = place("data");
    run(&["store", "export", "--data", &data, &place("empty")], 0, "exported to");
    for (number, url) in urls.iter().enumerate() {
        let server = Running::start(&["--store", url]);
        let why = "servers are running on this store: stop them all, and try again";
        let file = place(&format!("export-{number}"));
        run(&["--store", url, "store", "export", &file], 4, why);
        assert!(!Path::new(&file).exists(), "no half of an export");
        run(&["--store", url, "store", "import", &place("empty")], 4, why);
        server.end("KILL");
        run(&["--store", url, "store", "export", &file], 0, "exported to");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_refuse_a_store_whose_import_was_interrupted_until_it_is_repeated() {
    let (urls, (redis, cluster)) = both_layouts().await;
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (data, file, other) = (place("data"), place("file"), place("other"));
    let server = Running::start(&["--data", &data]);
    let token = server.hello(r#""name":"ana""#).await;
    server.end("TERM");
    run(&["store", "export", "--data", &data, &file], 0, "exported to");
    run(&["store", "export", "--data", &place("another"), &other], 0, "exported to");
    let options = || RedisOptions { pulse: Duration::ZERO, ..RedisOptions::default() };
    let exported = std::fs::read(&file).unwrap();
    import_unfinished(&redis.open(options()).await, &mut &exported[..], |_| {}).await.unwrap();
    import_unfinished(&cluster.open(options(), BUCKETS).await, &mut &exported[..], |_| {}).await.unwrap();
    for url in &urls {
        let start = ["--listen", "127.0.0.1:0", "--metrics-listen", "none", "--store", url];
        let why = "an import into this store is not complete: repeat `store import` with the same file";
        run(&start, 4, why);
        run(&["--store", url, "store", "import", &other], 4, "complete that one, or use an empty store");
        run(&["--store", url, "store", "import", &file], 0, "imported");
        run(&["--store", url, "store", "import", &file], 4, "the store is not empty");
        let server = Running::start(&["--store", url]);
        server.hello(&format!(r#""token":"{token}""#)).await;
        server.end("TERM");
    }
}
