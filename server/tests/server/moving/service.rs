//! Moves a service from one Redis to a cluster and an archive in S3-compatible storage, by the
//! steps in `docs/operating/backup.md`. The service has real games of every ruleset, which the
//! server of version 0.1.0 has written, if `tests/older` has built it, and otherwise today's server
//! in the formats of 0.1. `compare.py` compares what people can read before and after, also from
//! the older server. It must find planted differences.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use flagfall_board::{GameId, PerSide, Side};
use flagfall_protocol::{Terms, Time};
use flagfall_rules::Ruleset;
use flagfall_tests::older_programs;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::play::{Ending, Pair, setups_of_people, terms};
use crate::archive_away::s3_server::Storage;
use crate::common::{Client, http};
use crate::storage::Running as PlainServer;
use crate::store::cluster::Cluster;
use crate::store::redis::RedisServer;
use crate::store::until;

const STEPS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/operating/backup.md");
const COMPARE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/server/moving/compare.py");
const HEADING: &str = "### From one Redis to a cluster and an archive in S3";
/// The number of plies to play in games that do not end by themselves.
const PLIES: u16 = 24;
const DEPLOYMENT: &str = "939492493956691S9575574BB7668B88BF7B88B9";

type Tokens = BTreeMap<&'static str, String>;

/// The place where commands run: a folder for files, and the environment variables of all commands.
struct Machine {
    folder: tempfile::TempDir,
    environment: Vec<(&'static str, String)>,
}

/// A server that was started by one of the documented commands.
struct Service {
    child: Child,
    address: SocketAddr,
}

impl Service {
    /// Stops the server cleanly.
    fn stop(mut self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", "TERM", &id]).status().unwrap().success());
        self.child.wait().unwrap();
    }

    async fn client(&self, token: &str) -> Client {
        let (socket, _) =
            tokio_tungstenite::connect_async(format!("ws://{}/ws", self.address)).await.unwrap();
        let mut client = Client { socket };
        client.say(&format!(r#"{{"type":"hello","protocol":1,"token":"{token}"}}"#)).await;
        client.welcome().await;
        client
    }

    async fn ask(&self, method: &str, path: &str, token: &str, body: &Value) -> Value {
        let (address, body) = (self.address, body.to_string());
        let token =
            if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\n{token}Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        let answer = http(self.address, &request).await;
        assert!((200..300).contains(&answer.status), "{method} {path}: {} {}", answer.status, answer.body);
        serde_json::from_str(&answer.body).unwrap_or_default()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // Ignore errors, because the server may already have ended.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Machine {
    /// Returns a machine whose commands reach this storage.
    fn new(storage: &Storage) -> Machine {
        let folder = tempfile::tempdir().unwrap();
        let programs = Path::new(env!("CARGO_BIN_EXE_flagfall-server")).parent().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let environment = vec![
            ("PATH", format!("{}:{path}", programs.display())),
            ("AWS_ACCESS_KEY_ID", "key".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "secret".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
            ("AWS_ENDPOINT_URL", format!("http://{}", storage.address)),
            ("FLAGFALL_LISTEN", "127.0.0.1:0".to_owned()),
            ("FLAGFALL_METRICS_LISTEN", "none".to_owned()),
            ("FLAGFALL_TRUSTED_NETWORK", "127.0.0.0/8".to_owned()),
            ("FLAGFALL_ARCHIVE_AFTER_MINUTES", "0".to_owned()),
            ("FLAGFALL_STORED_KIB_PER_PLAYER", "1000000".to_owned()),
            ("FLAGFALL_MESSAGES", "10000".to_owned()),
            // Version 0.1 knows no trusted networks.
            ("FLAGFALL_REQUESTS_PER_MINUTE", "1000000".to_owned()),
        ];
        Machine { folder, environment }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(format!("exec {line}")).env_clear().current_dir(self.folder.path());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        command
    }

    /// Runs a command to its end, which must succeed.
    fn run(&self, line: &str) -> String {
        let Output { status, stdout, stderr } = self.command(line).stderr(Stdio::piped()).output().unwrap();
        let said = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        assert!(status.success(), "{line}: {said}");
        said
    }

    /// Starts a server and waits until it listens.
    fn start(&self, line: &str) -> Service {
        let mut child = self.command(line).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let first = lines.next().expect("the first line");
        let address = first.strip_prefix("listening on http://").expect("an address").parse().unwrap();
        std::thread::spawn(move || lines.for_each(drop));
        Service { child, address }
    }

    fn python(words: &[&str]) -> Output {
        let python = std::env::var("FLAGFALL_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        Command::new(python).arg(COMPARE).args(words).output().unwrap()
    }

    /// Reads everything that players and strangers can read from the service, and saves it in a
    /// file.
    async fn read(&self, service: &Service, name: &str) -> PathBuf {
        let (url, players) = (format!("http://{}", service.address), self.file("players.json"));
        let reading =
            tokio::task::spawn_blocking(move || Machine::python(&["read", &url, players.to_str().unwrap()]));
        let Output { status, stdout, stderr } = reading.await.unwrap();
        assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
        let file = self.file(name);
        std::fs::write(&file, stdout).unwrap();
        file
    }

    /// Returns the differences between two readings.
    fn differences(how: &str, before: &Path, after: &Path) -> Vec<String> {
        let output = Machine::python(&[how, before.to_str().unwrap(), after.to_str().unwrap()]);
        let lines: Vec<String> =
            String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
        let (sum, differences) = lines.split_last().expect("a sum");
        eprintln!("{sum}");
        assert_eq!(output.status.code(), Some(i32::from(!differences.is_empty())), "{sum}");
        differences.to_vec()
    }
}

/// Returns the documented commands, with these addresses filled in.
fn steps(old: &str, new: &str) -> Vec<String> {
    let page = std::fs::read_to_string(STEPS).unwrap();
    let section = page.split(HEADING).nth(1).expect("the steps");
    let section = section.split("\n#").next().unwrap();
    let blocks = section.split("```\n").skip(1).step_by(2);
    let fill = |line: &str| {
        line.replace("redis+cluster://HOST:PORT,HOST:PORT,HOST:PORT", new)
            .replace("redis://HOST:PORT", old)
            .replace("s3://BUCKET/PREFIX", "s3://games/service")
    };
    blocks.flat_map(str::lines).map(fill).collect()
}

/// Creates accounts, and plays games of every ruleset.
async fn fill(service: &Service, redis: &RedisServer, machine: &Machine) -> (Tokens, Vec<GameId>, GameId) {
    let mut tokens = Tokens::new();
    for name in ["ann", "bob", "eve"] {
        let body = json!({ "name": name, "password": "correct horse battery" });
        let made = service.ask("POST", "/api/account", "", &body).await;
        tokens.insert(name, made["token"].as_str().unwrap().to_owned());
    }
    std::fs::write(machine.file("players.json"), serde_json::to_vec(&tokens).unwrap()).unwrap();
    let clients = PerSide::new(service.client(&tokens["ann"]).await, service.client(&tokens["bob"]).await);
    let mut pair = Pair { clients, commands: 0, setups: setups_of_people() };
    let mut games = Vec::new();
    for (number, ruleset) in Ruleset::all().iter().enumerate() {
        let loser = if number % 2 == 0 { Side::Blue } else { Side::Red };
        let rated = terms(ruleset, false, true);
        games.push(pair.play(ruleset, rated, PLIES, Ending::Resigned(loser)).await);
        let private = terms(ruleset, number % 2 == 0, false);
        games.push(pair.play(ruleset, private, PLIES / 2, Ending::Drawn).await);
    }
    for id in ["classic", "barrage"] {
        let ruleset = Ruleset::find(id).unwrap();
        games.push(pair.play(ruleset, terms(ruleset, false, true), 0, Ending::Natural).await);
    }
    let classic = Ruleset::find("classic").unwrap();
    games.push(pair.play(classic, terms(classic, false, true), 0, Ending::Aborted).await);
    let time = Time::Correspondence { days: 14 };
    let slow = Terms { time, ..terms(classic, false, true) };
    let running = pair.play(classic, slow, PLIES, Ending::Running).await;
    let deployment = json!({ "setup": DEPLOYMENT });
    service.ask("PUT", "/api/me/deployments/pbm/mine", &tokens["ann"], &deployment).await;
    service.ask("PUT", "/api/blocks/eve", &tokens["bob"], &json!({})).await;
    settled(redis).await;
    (tokens, games, running)
}

/// Waits until all games that are over are rated, listed and signed.
async fn settled(redis: &RedisServer) {
    until("ratings, histories and signatures", async || {
        let mut left = 0;
        for due in ["rating_due/", "played_due/", "proof_due/"] {
            let (from, to) = (format!("[{due}"), format!("({due}\u{7f}"));
            left += redis.ask::<u64>(&["ZLEXCOUNT", "flagfall:{flagfall}:names", &from, &to]).await;
        }
        (left == 0).then_some(())
    })
    .await;
}

/// Adds what version 0.1.0 does not have.
async fn add(service: &Service, tokens: &Tokens) {
    let dark = json!({ "preferences": { "theme": "dark" } });
    service.ask("PATCH", "/api/me/preferences", &tokens["ann"], &dark).await;
    service.ask("PUT", "/api/me/dump", &tokens["bob"], &json!({ "dump": "none" })).await;
}

/// Returns an export with three differences: another time of a move, another rating, and a game
/// that is missing in a history. Also returns what the comparison must report.
fn plant(export: &str, games: &[GameId]) -> (String, [String; 3]) {
    let mut lines: Vec<Value> = export.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (stamped, unlisted) = (games[0].to_string(), games[2].to_string());
    let entries = lines.iter_mut().filter_map(|line| line.get_mut("entry"));
    let entry = entries.filter(|entry| entry["game"] == stamped.as_str()).nth(6).expect("a move");
    entry["at"] = json!(entry["at"].as_u64().unwrap() + 1);
    let key = |line: &Value| line["record"]["key"].as_str().unwrap_or_default().to_owned();
    let rating = lines.iter_mut().find(|line| key(line).starts_with("ratings/")).expect("a rating");
    let mut record: Value = serde_json::from_str(rating["record"]["value"].as_str().unwrap()).unwrap();
    let (_, number) = record.as_object_mut().unwrap().iter_mut().find(|(name, _)| *name == "value").unwrap();
    *number = json!(number.as_f64().unwrap() + 10.0);
    rating["record"]["value"] = json!(record.to_string());
    let is_line = |line: &Value| key(line).starts_with("played/") && key(line).ends_with(&unlisted);
    let lost = lines.iter().position(is_line).expect("a line of a history");
    lines.remove(lost);
    let (end, lines) = lines.split_last_mut().unwrap();
    let mut text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let sum = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    end["end"]["sha256"] = json!(sum);
    end["end"]["records"] = json!(end["end"]["records"].as_u64().unwrap() - 1);
    text.push_str(&format!("{end}\n"));
    let record = format!("/api/games/{stamped}/record");
    (text, [record, "/ratings/0/now/rating".to_owned(), "/games?limit=50".to_owned()])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes more than a minute"]
async fn a_service_moves_by_the_written_steps_and_everything_reads_as_before() {
    let storage = Storage::start().await;
    let machine = Machine::new(&storage);
    let (redis, cluster) = (RedisServer::start(), Cluster::start().await);
    let (old, new) = (format!("redis://127.0.0.1:{}", redis.port()), cluster.address().to_string());
    // Run a server with a data folder for a moment, because such a server creates a signing key.
    let keys = machine.file("keys");
    PlainServer::start(&["--data", keys.to_str().unwrap()]).end("TERM");
    let key = keys.join("signing.key").to_str().unwrap().to_owned();
    let machine = Machine {
        environment: [machine.environment, vec![("FLAGFALL_SIGNING_KEY", key)]].concat(),
        ..machine
    };

    let source = format!("flagfall-server --store {old} --write-format 1");
    let older = older_programs().map(|older| format!("{} --store {old}", older.server.display()));
    let service = machine.start(older.as_ref().unwrap_or(&source));
    let (tokens, games, running) = fill(&service, &redis, &machine).await;
    let oldest = machine.read(&service, "oldest").await;
    service.stop();
    let service = machine.start(&source);
    add(&service, &tokens).await;
    let before = machine.read(&service, "before").await;
    let again = machine.read(&service, "again").await;
    assert_eq!(
        Machine::differences("compare", &before, &again),
        [""; 0],
        "the reading itself changes nothing"
    );
    service.stop();

    let steps = steps(&old, &new);
    let (mut service, mut commands) = (None, 0);
    for line in &steps {
        println!("{line}");
        if !line.contains(" store ") {
            service = Some(machine.start(line));
            continue;
        }
        machine.run(line);
        commands += 1;
        if line.ends_with("store archive") {
            // Only the running game stays in Redis.
            until("the archive", async || {
                let mut logs: Vec<String> = Vec::new();
                for node in &cluster.0 {
                    for pattern in ["*:log", "*:packed"] {
                        logs.extend(node.ask::<Vec<String>>(&["KEYS", pattern]).await);
                    }
                }
                logs.iter().all(|log| log.contains(&running.to_string())).then_some(())
            })
            .await;
        }
    }
    assert_eq!(commands, 6, "{steps:?}");
    let service = service.expect("a step that starts a server");
    let after = machine.read(&service, "after").await;

    // The comparison finds one changed stamp, one changed rating, and one missing line of a
    // history.
    let export = std::fs::read_to_string(machine.file("FILE")).unwrap();
    let (planted, expected) = plant(&export, &games);
    std::fs::write(machine.file("PLANTED"), planted).unwrap();
    let other = format!("flagfall-server --store {new} --redis-prefix flagfall-planted");
    machine.run(&format!("{other} store import PLANTED"));
    let wrong = machine.start(&other);
    let read = machine.read(&wrong, "wrong").await;
    wrong.stop();
    let of_older = older.map(|_| ("compare-older", &oldest));
    for (how, before) in [("compare", &before)].into_iter().chain(of_older) {
        let found = Machine::differences(how, before, &read);
        for place in &expected {
            assert!(found.iter().any(|line| line.contains(place)), "{place} is not in {found:#?}");
        }
        assert_eq!(Machine::differences(how, before, &after), [""; 0], "{how}");
    }
    service.stop();
}
