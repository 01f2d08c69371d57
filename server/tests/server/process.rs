//! Tests of the program itself: its flags, its first output, and its exit.

use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use crate::common::{Client, http, in_time};

const PROGRAM: &str = env!("CARGO_BIN_EXE_flagfall-server");

fn program(data: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .env_clear()
        .args(["--listen", "127.0.0.1:0", "--metrics-listen", "none", "--data"])
        .arg(data)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[track_caller]
fn ends_with(mut command: Command, code: i32, word: &str) -> String {
    let Output { status, stderr, .. } = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&stderr).into_owned();
    assert_eq!(status.code(), Some(code), "{stderr}");
    assert!(stderr.contains(word), "{word:?} is not in {stderr:?}");
    stderr
}

/// A running program, which is stopped on drop, even if the test fails.
struct Running {
    child: Child,
    stdout: BufReader<ChildStdout>,
    address: SocketAddr,
}

impl Running {
    fn start(mut command: Command) -> Running {
        let mut child = command.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let address =
            line.trim_end().strip_prefix("listening on http://").expect("the first line").to_owned();
        Running { child, stdout, address: address.parse().unwrap() }
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    fn end(self) -> Option<i32> {
        self.end_and_tell().0
    }

    fn end_and_tell(mut self) -> (Option<i32>, String) {
        let code = self.child.wait().unwrap().code();
        let mut said = String::new();
        self.stdout.read_to_string(&mut said).unwrap();
        if let Some(mut stderr) = self.child.stderr.take() {
            stderr.read_to_string(&mut said).unwrap();
        }
        (code, said)
    }

    async fn hello(&self, credential: &str) -> (Client, String) {
        let url = format!("ws://{}/ws", self.address);
        let (socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
        let mut client = Client { socket };
        client.say(&format!(r#"{{"type":"hello","protocol":1,{credential}}}"#)).await;
        let (_, token, _) = client.welcome().await;
        (client, token.unwrap_or_default())
    }
}

#[test]
fn wrong_flags_and_wrong_environment_name_the_flag() {
    let folder = tempfile::tempdir().unwrap();
    let mut flag = program(folder.path());
    flag.args(["--deploy-seconds", "soon"]);
    ends_with(flag, 2, "--deploy-seconds");
    let mut environment = program(folder.path());
    environment.env("FLAGFALL_MESSAGES", "many");
    ends_with(environment, 2, "--messages");
    let mut together = program(folder.path());
    together.args(["--ping-seconds", "20"]);
    ends_with(together, 2, "--pong-seconds (10) must be more than --ping-seconds (20)");
}

#[test]
fn a_configuration_can_be_looked_at_without_a_start() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut command = program(&data);
    command.arg("--check-config");
    let output = command.output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("# The configuration is valid."));
    assert!(!data.exists());
}

#[test]
fn the_environment_wins_over_the_file_and_loses_to_flags() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("server.toml");
    std::fs::write(&file, "[games]\nlag-ms = 1\nlag-ms-per-ply = 1\nclaim-seconds = 1\n").unwrap();
    let mut command = program(folder.path());
    command
        .env("FLAGFALL_CONFIG", &file)
        .env("FLAGFALL_LAG_MS", "2")
        .env("FLAGFALL_LAG_MS_PER_PLY", "2")
        .args(["--lag-ms-per-ply", "3", "--check-config"]);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    for line in [
        format!("claim-seconds = 1  # {}:4", file.display()),
        "lag-ms = 2  # FLAGFALL_LAG_MS".to_owned(),
        "lag-ms-per-ply = 3  # flag".to_owned(),
    ] {
        assert!(said.lines().any(|said| said == line), "{line}: {said}");
    }
    std::fs::write(&file, "[games]\nlag-ms = -1\n").unwrap();
    let mut wrong = program(folder.path());
    wrong.env("FLAGFALL_CONFIG", &file);
    ends_with(wrong, 2, &format!("{}:2: invalid value '-1' for '--lag-ms", file.display()));
}

#[test]
fn a_port_in_use_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let mut command = Command::new(PROGRAM);
    command
        .args(["--store", "memory", "--metrics-listen", "none", "--listen", &address])
        .current_dir(&folder);
    ends_with(command, 3, &format!("cannot listen on {address} (--listen)"));
}

/// While a server reads its games, it refuses connections, so that clients can try another server
/// instead of waiting.
#[test]
fn no_connection_is_accepted_before_the_store_answers() {
    // The test's Redis accepts connections but never answers. The server gets its own IP address,
    // on which no other process uses its port.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let store = format!("redis://{}", silent.local_addr().unwrap());
    let address = TcpListener::bind("127.0.71.71:0").unwrap().local_addr().unwrap();
    let mut command = Command::new(PROGRAM);
    command.args(["--store", &store, "--metrics-listen", "none", "--listen", &address.to_string()]);
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let connected = silent.accept().unwrap();
    let dialed = TcpStream::connect(address).map_err(|error| error.kind());
    child.kill().unwrap();
    child.wait().unwrap();
    drop(connected);
    assert_eq!(dialed.map(drop), Err(ErrorKind::ConnectionRefused));
}

#[test]
fn a_data_folder_in_use_or_unusable_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(program(folder.path()));
    let said = ends_with(program(folder.path()), 4, "in use by another process");
    assert!(said.contains(&running.child.id().to_string()), "{said}");
    running.signal("TERM");
    assert_eq!(running.end(), Some(0));

    let file = folder.path().join("file");
    std::fs::write(&file, "no folder").unwrap();
    ends_with(program(&file), 2, "exists but is not a folder");
    ends_with(program(&file.join("below")), 4, "cannot be opened");
}

#[tokio::test]
async fn both_signals_stop_the_server_and_notify_clients() {
    let folder = tempfile::tempdir().unwrap();
    let mut credential = r#""name":"ana""#.to_owned();
    for name in ["TERM", "INT"] {
        let running = Running::start(program(folder.path()));
        let (mut client, token) = running.hello(&credential).await;
        running.signal(name);
        assert_eq!(client.close_code().await, 4000, "{name}");
        drop(client);
        let (code, said) = running.end_and_tell();
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("--bot") && said.contains("data in /"), "{said}");
        if !token.is_empty() {
            assert!(!said.contains(&token), "a token was written to a log");
            credential = format!(r#""token":"{token}""#);
        }
    }
}

#[tokio::test]
async fn a_guest_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(program(folder.path()));
    let (_client, token) = running.hello(r#""name":"ana""#).await;
    running.signal("KILL");
    assert_eq!(running.end(), None);
    let running = Running::start(program(folder.path()));
    running.hello(&format!(r#""token":"{token}""#)).await;
    running.signal("TERM");
    assert_eq!(running.end(), Some(0));
}

#[tokio::test]
async fn the_most_talkative_log_holds_no_message() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = program(folder.path());
    command.args(["--log", "trace", "--log-format", "json"]);
    // The log goes to a file, because a pipe that is not read would fill up.
    let log = folder.path().join("trace");
    command.stderr(std::fs::File::create(&log).unwrap());
    let running = Running::start(command);
    let (mut client, token) = running.hello(r#""name":"ana""#).await;
    client.say(r#"{"type":"show_challenge","challenge":"THISISMYSECRET"}"#).await;
    assert_eq!(client.refused().await.0, "no_such_challenge");
    let health = format!("GET /health HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", running.address);
    assert_eq!(in_time("health", http(running.address, &health)).await.status, 200);
    drop(client);
    running.signal("TERM");
    assert_eq!(running.end(), Some(0));
    let said = std::fs::read_to_string(&log).unwrap();
    assert!(said.contains(r#""message":"welcome""#), "{said}");
    for secret in ["THISISMYSECRET", &token] {
        assert!(!said.contains(secret), "{secret} was written to the log");
    }
}
