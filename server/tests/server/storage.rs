//! Tests of the program's store in Redis, and of its commands on stores.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use crate::archive::data_folder_with_a_game;
use crate::common::Client;
use crate::store::redis::RedisServer;
use flagfall_protocol::ServerToClient;
use flagfall_store::{EmbeddedOptions, EmbeddedStore, Key, Store, SystemClock, Update, Write};

fn program(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall-server"));
    command.env_clear().args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program until it ends, checks its exit code and output, and returns the output.
#[track_caller]
pub(crate) fn run(words: &[&str], code: i32, word: &str) -> String {
    let Output { status, stdout, stderr } = program(words).output().unwrap();
    let said = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert_eq!(status.code(), Some(code), "{words:?}: {said}");
    assert!(said.contains(word), "{word:?} is not in {said:?}");
    said
}

/// A running server, which is stopped on drop, even if the test fails.
pub(crate) struct Running {
    child: Child,
    pub(crate) address: SocketAddr,
    said: Vec<String>,
}

impl Running {
    pub(crate) fn start(words: &[&str]) -> Running {
        let mut command =
            program(&[&["--listen", "127.0.0.1:0", "--metrics-listen", "none"], words].concat());
        let mut child = command.stderr(Stdio::inherit()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let first = lines.next().expect("the first line");
        let address = first.strip_prefix("listening on http://").expect("an address").parse().unwrap();
        // The program prints these lines, which name the location of the data, before the
        // instructions for playing.
        let said = lines.by_ref().take_while(|line| !line.starts_with("to play")).collect();
        Running { child, address, said }
    }

    /// Says hello and returns the token in the welcome. Also creates a challenge, so that the
    /// guest is stored.
    pub(crate) async fn hello(&self, credential: &str) -> String {
        let (socket, _) =
            tokio_tungstenite::connect_async(format!("ws://{}/ws", self.address)).await.unwrap();
        let mut client = Client { socket };
        client.say(&format!(r#"{{"type":"hello","protocol":1,{credential}}}"#)).await;
        let token = client.welcome().await.1.unwrap_or_default();
        let terms = r#"{"ruleset":"classic","time":{"kind":"unlimited"},"private":false,"secret":false}"#;
        client.say(&format!(r#"{{"type":"challenge","cmd_id":"1","terms":{terms}}}"#)).await;
        let is_accepted = |message| matches!(message, ServerToClient::Accepted { .. }).then_some(());
        client.find(is_accepted).await;
        token
    }

    /// Ends the server with a signal: KILL ends it immediately, and TERM lets it stop cleanly.
    pub(crate) fn end(mut self, signal: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        self.child.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Ignore errors from ending the server, because it may already have ended.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

pub(crate) fn lines(file: &Path) -> Vec<String> {
    std::fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_store_moves_from_the_data_folder_to_redis_with_everybody_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (data, first, second) = (place("data"), place("first"), place("second"));
    let redis = RedisServer::start();
    let url = format!("redis://127.0.0.1:{}", redis.port());
    let running = Running::start(&["--data", &data]);
    let token = running.hello(r#""name":"ana""#).await;
    run(&["store", "check", "--data", &data], 4, "in use by another process");
    running.end("KILL");

    run(&["store", "check", "--data", &data], 0, "no errors found");
    run(&["store", "export", "--data", &data, &first], 0, "exported to");
    run(&["store", "export", "--data", &data, &first], 4, "exists");
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&first).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    run(&["--store", &url, "store", "import", &first], 0, "imported");
    run(&["--store", &url, "store", "check"], 0, "survives a kill of Redis and a power cut");
    run(&["--store", &url, "store", "export", &second], 0, "exported to");
    let is_same = |line: &&String| line.contains("\"record\"") && !line.contains("outages");
    let (first, second) = (lines(Path::new(&first)), lines(Path::new(&second)));
    assert!(first.iter().filter(is_same).eq(second.iter().filter(is_same)) && first.len() > 3);

    let running = Running::start(&["--store", &url]);
    assert!(
        running.said.iter().any(|line| line.contains(&url) && line.contains("a power cut")),
        "{:?}",
        running.said
    );
    running.hello(&format!(r#""token":"{token}""#)).await;
    running.end("TERM");
}

#[tokio::test]
async fn a_backup_of_a_running_server_is_restored_with_everybody_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (data, backup, new) = (place("data"), place("backup"), place("new"));
    let running = Running::start(&["--data", &data]);
    let token = running.hello(r#""name":"ana""#).await;
    let said = run(&["store", "backup", "--data", &data, &backup], 0, "backed up to");
    assert!(said.contains("2 files with"), "a segment and the signing key: {said}");
    run(&["store", "check", "--data", &backup], 0, "no errors found");
    run(&["store", "backup", "--data", &data, &data], 4, "lies in it");
    run(&["store", "restore", "--data", &data, &backup], 4, "is not empty");
    running.end("KILL");

    run(&["store", "restore", "--data", &new, &backup], 0, "all changes after");
    let key = |data: &str| std::fs::read(Path::new(data).join("signing.key")).unwrap();
    assert_eq!(key(&new), key(&data));
    run(&["store", "check", "--data", &new], 0, "no errors found");
    let store = EmbeddedStore::open(Path::new(&new), SystemClock, &EmbeddedOptions::default()).unwrap();
    let outages = store.get(Key::new(flagfall_store::OUTAGES_KEY).unwrap()).await.unwrap();
    assert_eq!(flagfall_store::OutageList::parse(outages.as_deref()).len(), 1, "since the backup");
    drop(store);
    let running = Running::start(&["--data", &new]);
    running.hello(&format!(r#""token":"{token}""#)).await;
    running.end("TERM");

    let copy = std::fs::read_dir(Path::new(&backup).join("log")).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&copy).unwrap();
    bytes[100] ^= 1;
    std::fs::write(&copy, bytes).unwrap();
    run(&["store", "check", "--data", &backup], 1, "is not as it was written");
    run(&["store", "restore", "--data", &place("third"), &backup], 4, "is damaged");
}

#[tokio::test]
async fn a_check_of_a_backup_reads_its_games_and_histories() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (data, backup) = (place("data"), place("backup"));
    std::fs::create_dir(&data).unwrap();
    data_folder_with_a_game(data.as_ref()).await;
    let back_up = || run(&["store", "backup", "--data", &data, &backup], 0, "backed up to");
    back_up();
    run(&["store", "check", "--data", &backup], 0, "read: 1 game with");
    let store = EmbeddedStore::open(data.as_ref(), SystemClock, &EmbeddedOptions::default()).unwrap();
    let (key, value) = (Key::new("history/ana").unwrap(), b"damaged".to_vec());
    let writes = vec![Write::Put { key, value, expires: None }];
    store.update(Update { conditions: Vec::new(), writes }).await.unwrap();
    drop(store);
    back_up();
    run(&["store", "check", "--data", &backup], 1, "the history of player ana is damaged");
}

#[tokio::test]
async fn a_guest_in_redis_survives_a_kill() {
    let redis = RedisServer::start();
    let url = format!("redis://127.0.0.1:{}", redis.port());
    let running = Running::start(&["--store", &url]);
    let token = running.hello(r#""name":"ana""#).await;
    running.end("KILL");
    let running = Running::start(&["--store", &url]);
    running.hello(&format!(r#""token":"{token}""#)).await;
    running.end("TERM");
}

/// Returns the records of a guest from version 0.1, which stored guests when they said hello.
fn guest_of_0_1(id: &str) -> Update {
    let player = format!(r#"{{"id":"{id}","name":"{id}","kind":"guest"}}"#);
    let record = format!(r#"{{"player":{player},"name_key":"{id}","created":1000,"tokens":[]}}"#);
    let put = |key: String, value: &str| Write::Put {
        key: Key::new(key).unwrap(),
        value: value.as_bytes().to_vec(),
        expires: None,
    };
    let writes = vec![put(format!("players/{id}"), &record), put(format!("names/{id}"), id)];
    Update { conditions: Vec::new(), writes }
}

#[tokio::test]
async fn prune_counts_and_then_deletes_guests_who_never_played() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    let store = EmbeddedStore::open(Path::new(&data), SystemClock, &EmbeddedOptions::default()).unwrap();
    store.update(guest_of_0_1("old")).await.unwrap();
    drop(store);
    let running = Running::start(&["--data", &data]);
    running.hello(r#""name":"ana""#).await;
    running.end("TERM");
    let prune = |words: &[&str], word| run(&[&["store", "prune", "--data", &data], words].concat(), 0, word);
    prune(&["--dry-run"], "to be deleted: 1 guest who never played (2 days)");
    prune(&["--new-guest-days", "0"], "deleted: 0 guests who never played (kept forever)");
    let said = prune(&[], "deleted: 1 guest who never played (2 days)");
    assert!(said.contains("deleted: 0 finished casual games of guests (90 days)"), "{said}");
    prune(&[], "deleted: 0 guests");
    let store = EmbeddedStore::open(Path::new(&data), SystemClock, &EmbeddedOptions::default()).unwrap();
    assert_eq!(store.get(Key::new("players/old").unwrap()).await, Ok(None));
    assert!(store.get(Key::new("names/ana").unwrap()).await.unwrap().is_some(), "ana is new");
}

#[tokio::test]
async fn prune_works_on_redis_while_a_server_runs() {
    let redis = RedisServer::start();
    let url = format!("redis://127.0.0.1:{}", redis.port());
    redis.open(flagfall_store::RedisOptions::default()).await.update(guest_of_0_1("old")).await.unwrap();
    let running = Running::start(&["--store", &url]);
    let token = running.hello(r#""name":"ana""#).await;
    run(&["--store", &url, "store", "prune"], 0, "deleted: 1 guest who never played");
    running.hello(&format!(r#""token":"{token}""#)).await;
    running.end("TERM");
}

#[test]
fn a_weak_redis_is_refused_at_start_unless_that_is_agreed_to() {
    let redis = RedisServer::start_with(&["--appendonly", "yes", "--appendfsync", "everysec"]);
    let url = format!("redis://:secret@127.0.0.1:{}", redis.port());
    let words = ["--listen", "127.0.0.1:0", "--metrics-listen", "none", "--store"];
    // A Redis without a password refuses connections with a password.
    let said = run(&[&words[..], &[&url]].concat(), 4, "password");
    assert!(!said.contains("secret"), "{said}");
    let url = format!("redis://127.0.0.1:{}", redis.port());
    let said = run(&[&words[..], &[&url]].concat(), 4, "set appendfsync always");
    assert!(said.contains("--accept-weak-redis"), "{said}");
    Running::start(&["--store", &url, "--accept-weak-redis"]).end("TERM");
    run(&["--store", &url, "store", "check"], 1, "set appendfsync always");
}

#[test]
fn impossible_store_commands_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("nothing");
    let data = data.to_str().unwrap();
    run(&["store", "check", "--data", data], 4, "there is no store in it");
    run(&["--store", "memory", "store", "check"], 4, "--store memory keeps no data");
    run(&["--store", "memory", "store", "export", "-"], 4, "--store memory keeps no data");
    run(&["store", "backup", "--data", data, "b"], 4, "there is no store in");
    run(&["store", "restore", "--data", data, "b"], 4, "there is no complete backup in b");
    run(&["--store", "redis://a", "store", "backup", "b"], 4, "deploy/backup");
    run(&["--store", "memory", "store", "backup", "b"], 4, "--store memory keeps no data");
    run(&["store", "import", "--data", data, "/dev/null"], 4, "the file ends too early");
    assert!(!Path::new(data).exists(), "nothing was created");
    let said = run(&["--store", "rediss://:secret@a/#insecure"], 2, "--store");
    assert!(said.contains("protects nothing") && !said.contains("secret"), "{said}");
    let said =
        run(&["--store", "redis://:secret@a", "--redis-ca", "/dev/null", "--check-config"], 2, "--redis-ca");
    assert!(said.contains("need TLS") && !said.contains("secret"), "{said}");
}
