//! Tests that a store knows its archive, and that a server starts while the archive is out of
//! reach.

use std::fs;
use std::path::Path;

use flagfall_base::keys::KNOWN_ARCHIVE;
use flagfall_base::transact::delete;
use flagfall_board::GameId;
use flagfall_store::{EmbeddedOptions, EmbeddedStore, SystemClock};

use crate::archive::data_folder_with_a_game;
use crate::common::http;
use crate::storage::{Running, lines, run};

const ACCEPT: &str = "--accept-other-archive";
const START: [&str; 4] = ["--listen", "127.0.0.1:0", "--metrics-listen", "none"];

/// A data folder with one archived game, and other places.
struct Site {
    folder: tempfile::TempDir,
    game: GameId,
}

impl Site {
    async fn new() -> Site {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        fs::create_dir(&data).unwrap();
        let site = Site { game: data_folder_with_a_game(&data).await, folder };
        site.run(&["store", "archive", "--archive-after-minutes", "0"], 0, "archived: 1 game;");
        site
    }

    fn place(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn run(&self, words: &[&str], code: i32, word: &str) -> String {
        let data = self.place("data");
        run(&[words, &["--data", &data]].concat(), code, word)
    }

    /// Returns the id of the archive in this folder.
    fn archive(&self, words: &[&str]) -> String {
        let said =
            self.run(&[&["store", "check"][..], words].concat(), 4, "finished games of this store are in");
        said.split_once("are in archive ").unwrap().1[..16].to_owned()
    }

    async fn status(&self, server: &Running) -> (u16, String) {
        let game = self.game;
        let request =
            format!("GET /api/games/{game}/record HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let answer = http(server.address, &request).await;
        (answer.status, answer.body)
    }
}

#[tokio::test]
async fn a_store_refuses_every_archive_but_its_own() {
    let site = Site::new().await;
    let (archive, empty, file) = (site.place("data/archive"), site.place("empty"), site.place("file"));
    let known = site.archive(&["--archive", &empty]);
    let no_archive = format!("--archive {empty} is no archive");
    let off = "--archive off is no archive";
    for (flag, said) in [(empty.as_str(), no_archive.as_str()), ("off", off)] {
        for words in [
            &["store", "check"][..],
            &["store", "export", &file],
            &["store", "archive"],
            &["operator", "log"],
            &START,
        ] {
            let said = site.run(&[words, &["--archive", flag]].concat(), 4, said);
            assert!(said.contains(&known) && said.contains(&archive) && said.contains(ACCEPT), "{said}");
        }
    }
    assert!(!Path::new(&empty).exists() && !Path::new(&file).exists());

    // The folder is empty, for example because its file system is not mounted.
    let elsewhere = site.place("elsewhere");
    fs::rename(&archive, &elsewhere).unwrap();
    fs::create_dir(&archive).unwrap();
    site.run(&START, 4, "is no archive");
    assert_eq!(fs::read_dir(&archive).unwrap().count(), 0);
    // The archive may be at another place.
    site.run(&["store", "check", "--archive", &elsewhere], 0, "1 game in 1 segment");
    site.run(&["operator", "log", "--archive", &elsewhere], 0, "");

    // An operator who means it begins a new archive, and the store then knows that one.
    site.run(&["store", "archive", "--archive", &empty, ACCEPT], 0, "archived: 0 games");
    let said =
        site.run(&["store", "check", "--archive", &elsewhere], 4, "finished games of this store are in");
    assert!(said.contains(&empty) && said.contains(&format!("is archive {known}")), "{said}");
    site.run(&["store", "check", "--archive", &empty], 0, "no errors found");
    site.run(&["store", "archive", "--archive", &elsewhere, ACCEPT], 0, "archived: 0 games");
    site.run(&["store", "check", "--archive", &elsewhere], 0, "no errors found");
}

#[tokio::test]
async fn an_earlier_store_learns_its_archive_when_it_starts() {
    let site = Site::new().await;
    let data = site.place("data");
    let store = EmbeddedStore::open(data.as_ref(), SystemClock, &EmbeddedOptions::default()).unwrap();
    delete(&store, vec![KNOWN_ARCHIVE.key([]).unwrap()]).await.unwrap();
    drop(store);
    site.run(&["store", "check", "--archive", "off"], 0, "no errors found");
    Running::start(&["--data", &data]).end("TERM");
    site.run(&["store", "check", "--archive", "off"], 4, "--archive off is no archive");
}

#[tokio::test]
async fn an_export_keeps_the_archive_or_has_its_games() {
    let site = Site::new().await;
    let (whole, rest) = (site.place("whole"), site.place("rest"));
    let (first, second) = (site.place("first"), site.place("second"));
    let has_game = |file: &str| {
        lines(file.as_ref())
            .iter()
            .any(|line| line.contains(site.game.as_str()) && line.contains("\"entry\""))
    };
    site.run(&["store", "export", &whole], 0, "exported to");
    site.run(&["store", "export", "--archive", "off", ACCEPT, &rest], 0, "exported to");
    assert!(has_game(&whole) && !has_game(&rest));
    run(&["store", "import", "--data", &first, &whole], 0, "imported");
    run(&["store", "check", "--data", &first], 0, "no errors found");
    assert_eq!(site.status(&Running::start(&["--data", &first])).await.0, 200);
    run(&["store", "import", "--data", &second, &rest], 0, "imported");
    run(&[&START[..], &["--data", &second]].concat(), 4, "is no archive");
    let archive = site.place("data/archive");
    assert_eq!(site.status(&Running::start(&["--data", &second, "--archive", &archive])).await.0, 200);
}

#[tokio::test]
async fn a_server_starts_while_its_archive_is_out_of_reach() {
    let site = Site::new().await;
    let (data, archive, elsewhere) =
        (site.place("data"), site.place("data/archive"), site.place("elsewhere"));
    fs::rename(&archive, &elsewhere).unwrap();
    // A file at the place of the folder cannot be read as a folder.
    fs::write(&archive, "").unwrap();
    site.run(&["operator", "log"], 0, "the archive is out of reach");
    for words in [&["store", "export", &site.place("file")][..], &["store", "archive"], &["store", "check"]] {
        site.run(words, 4, "the archive cannot be opened");
    }
    let server = Running::start(&["--data", &data, "--archive-after-minutes", "0"]);
    let (status, body) = site.status(&server).await;
    assert_eq!(status, 503, "{body}");
    assert!(body.contains("store_unavailable"), "{body}");
    fs::remove_file(&archive).unwrap();
    fs::rename(&elsewhere, &archive).unwrap();
    assert_eq!(site.status(&server).await.0, 200);
    server.end("TERM");
}
