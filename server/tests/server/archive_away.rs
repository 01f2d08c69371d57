//! Tests of an archive that is out of reach or damaged.

#[path = "../../archive/tests/archive/s3_server.rs"]
#[allow(dead_code, reason = "this test does not need everything that the server can do")]
pub(crate) mod s3_server;

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use flagfall_archive::{
    Archive, ArchiveStore, ArchivedStore, Check, FolderStore, Settings as ArchiveSettings,
};
use flagfall_board::GameId;
use flagfall_protocol::{ClientToServer, ServerToClient};
use flagfall_server::server::Server;
use flagfall_services::archive::{Archived, Archiver};
use flagfall_store::{Head, Store, SystemClock};
use flagfall_store_testing::TestStore;

use self::s3_server::{Mode, Storage};
use crate::common::{House, http, in_time, settings};
use crate::histories::{Kind, Table};

/// How long a server waits for the archive in these tests.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(10);

/// Opens an archive that reads every game from its objects.
async fn open(objects: Arc<dyn ArchiveStore>) -> Archive {
    let settings = ArchiveSettings { cache_bytes: 0, ..ArchiveSettings::default() };
    Archive::open(objects, settings).await.unwrap()
}

fn store_over(store: &TestStore, archive: &Archive) -> Arc<dyn Store> {
    Arc::new(ArchivedStore::new(Arc::new(store.clone()), archive.clone()).with_patience(PATIENCE))
}

async fn serve(store: &TestStore, archive: &Archive, does_archive: bool) -> House {
    let mut settings = settings();
    (settings.times.archive_after, settings.times.archive_look) = (Duration::ZERO, PAUSE);
    let mut server = Server::start(settings, store_over(store, archive), None).await.unwrap();
    if does_archive {
        server = server.with_archive(archive.clone(), Arc::new(store.clone()));
    }
    House::serve(server, store.clone()).await
}

/// The players go to a new server, which has no game in memory.
async fn go_to(table: &mut Table, house: House) {
    (table.ann, table.bob) = (house.again(&table.tokens[0]).await, house.again(&table.tokens[1]).await);
    std::mem::replace(&mut table.house, house).close().await;
}

async fn is_archived(store: &TestStore, game: GameId) {
    in_time("the game to be archived", async {
        while store.head(game).await != Ok(Head::START) {
            tokio::time::sleep(PAUSE).await;
        }
    })
    .await;
}

fn path(game: GameId) -> String {
    format!("/api/games/{game}/record")
}

/// Returns the public record of a game, as soon as the server can read it.
async fn record(house: &House, game: GameId) -> String {
    in_time("the record", async {
        loop {
            let answer = house.get(&path(game)).await;
            match answer.status {
                200 => return answer.body,
                status => assert_eq!(status, 503, "{}", answer.body),
            }
            tokio::time::sleep(PAUSE).await;
        }
    })
    .await
}

/// Waits until the server reports that this many games wait for the archive.
async fn are_waiting(house: &House, count: usize) {
    let line = format!("flagfall_archive_waiting {count}");
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", house.metrics);
    in_time("the metric", async {
        while !http(house.metrics, &request).await.body.lines().any(|found| found == line) {
            tokio::time::sleep(PAUSE).await;
        }
    })
    .await;
}

/// Plays games while the archive is away, and checks that all of them are archived when it is
/// back.
async fn games_go_on(objects: Arc<dyn ArchiveStore>, is_counted: bool, go: impl Fn(), come_back: impl Fn()) {
    play_on(objects, (is_counted, false), go, come_back).await;
}

/// Like [`games_go_on`], but can plant a fault: the logs of games that end in the meantime may
/// leave the store.
async fn play_on(
    objects: Arc<dyn ArchiveStore>,
    (is_counted, is_planted): (bool, bool),
    go: impl Fn(),
    come_back: impl Fn(),
) {
    let (store, archive) = (TestStore::new(SystemClock), open(objects).await);
    let mut table = Table::at(serve(&store, &archive, true).await).await;
    let old = table.play(Kind { rated: true, ..Kind::default() }).await;
    is_archived(&store, old).await;
    let before = record(&table.house, old).await;
    go_to(&mut table, serve(&store, &archive, true).await).await;

    go();
    let away = table.house.get(&path(old)).await;
    assert!(away.head.contains("retry-after: 2\r\n"), "{}", away.head);
    let (status, refusal) = away.refusal();
    assert_eq!((status, &refusal["code"]), (503, &"store_unavailable".into()));
    table.ann.tell(&ClientToServer::OpenGame { game: old, since: None }).await;
    assert_eq!(table.ann.refused().await.0, "store_unavailable");
    let mut played = vec![old];
    for waiting in 1..3 {
        played.push(table.play(Kind { rated: true, ..Kind::default() }).await);
        // Other tests in this process set the same metric. So this check works only if the archive
        // fails immediately, because the server then sets the metric often.
        if is_counted {
            are_waiting(&table.house, waiting).await;
        }
    }
    for game in &played[1..] {
        if is_planted {
            store.delete_log(*game).await.unwrap();
        }
        assert_ne!(store.head(*game).await, Ok(Head::START), "the game is nowhere else");
        record(&table.house, *game).await;
    }
    let ratings = table.house.get("/api/players/ann").await.json()["ratings"].clone();
    assert_eq!(ratings[0]["games"], 3, "{ratings}");

    come_back();
    for game in &played {
        is_archived(&store, *game).await;
        record(&table.house, *game).await;
    }
    assert_eq!(record(&table.house, old).await, before);
    table.ann.tell(&ClientToServer::OpenGame { game: old, since: None }).await;
    table.ann.find(|message| matches!(message, ServerToClient::Game { .. }).then_some(())).await;
    table.house.close().await;
}

#[tokio::test]
async fn games_go_on_while_the_folder_of_the_archive_is_gone() {
    for is_empty in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let [root, elsewhere] = ["archive", "elsewhere"].map(|name| folder.path().join(name));
        let go = || {
            fs::rename(&root, &elsewhere).unwrap();
            if is_empty {
                fs::create_dir(&root).unwrap();
            }
        };
        let come_back = || {
            if is_empty {
                fs::remove_dir(&root).unwrap();
            }
            fs::rename(&elsewhere, &root).unwrap();
        };
        games_go_on(Arc::new(FolderStore::open(&root).unwrap()), true, go, come_back).await;
    }
}

#[tokio::test]
async fn a_log_that_leaves_the_store_while_the_archive_is_away_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let [root, elsewhere] = ["archive", "elsewhere"].map(|name| folder.path().join(name));
    let objects = Arc::new(FolderStore::open(&root).unwrap());
    let go = move || fs::rename(&root, &elsewhere).unwrap();
    let failed = tokio::spawn(play_on(objects, (false, true), go, || ())).await.unwrap_err().into_panic();
    let why = failed.downcast_ref::<String>().unwrap();
    assert!(why.contains("the game is nowhere else"), "{why}");
}

#[tokio::test]
async fn games_go_on_while_the_storage_of_the_archive_refuses() {
    let storage = Storage::start().await;
    let objects = Arc::new(storage.archive("s3://games"));
    games_go_on(objects, false, || storage.set(Mode::Refuses), || storage.set(Mode::Works)).await;
}

#[tokio::test]
async fn games_go_on_while_the_storage_of_the_archive_is_silent() {
    let storage = Storage::start().await;
    let objects = Arc::new(storage.archive("s3://games"));
    games_go_on(objects, false, || storage.set(Mode::IsSilent), || storage.set(Mode::Works)).await;
}

#[tokio::test]
async fn a_damaged_segment_is_named_and_its_games_come_back_with_it() {
    let (folder, store) = (tempfile::tempdir().unwrap(), TestStore::new(SystemClock));
    let objects = Arc::new(FolderStore::open(folder.path()).unwrap());
    let archive = open(objects.clone()).await;
    let mut table = Table::at(serve(&store, &archive, false).await).await;
    let inner: Arc<dyn Store> = Arc::new(store.clone());
    let mut archiver = Archiver::new(inner, archive.clone(), Duration::ZERO);
    let mut games = Vec::new();
    for _ in 0..2 {
        games.push(table.play(Kind { rated: true, ..Kind::default() }).await);
        assert_eq!(archiver.archive_due(true).await.unwrap(), Archived { games: 1, waiting: 0 });
    }
    go_to(&mut table, serve(&store, &archive, false).await).await;
    let segments = objects.list(&"segments".parse().unwrap()).await.unwrap();
    let segment = folder.path().join(segments[0].as_str());
    let whole = fs::read(&segment).unwrap();
    for damage in [&[][..], &whole[..60], &vec![0; whole.len()]] {
        fs::write(&segment, damage).unwrap();
        // Only the game's players may know that it exists. The server knows them from their
        // histories.
        let told = [(table.tokens[0].as_str(), (410, "game_quarantined")), ("", (404, "no_such_game"))];
        for (token, (expected, code)) in told {
            let (status, refusal) = table.house.ask("GET", &path(games[0]), token, "").await.refusal();
            assert_eq!((status, &refusal["code"]), (expected, &code.into()));
            assert_eq!(table.house.ask("GET", &path(games[1]), token, "").await.status, 200);
        }
        table.ann.tell(&ClientToServer::OpenGame { game: games[0], since: None }).await;
        assert_eq!(table.ann.refused().await.0, "game_quarantined");
        let report = archive.check(Check::All, |_, _| ()).await.unwrap();
        assert_eq!(report.damage.len(), 1, "{report:?}");
        assert_eq!((&report.damage[0].object, &report.damage[0].games[..]), (&segments[0], &games[..1]));
        games.push(table.play(Kind::default()).await);
        assert_eq!(archiver.archive_due(true).await.unwrap(), Archived { games: 1, waiting: 0 });
    }
    // An operator restores the object, from a backup or from an earlier version that the bucket has
    // kept.
    fs::write(&segment, &whole).unwrap();
    for game in games {
        assert_eq!(table.house.get(&path(game)).await.status, 200);
    }
    table.house.close().await;
}
