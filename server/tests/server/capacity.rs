//! Tests a server with little memory. Clients start games until the server refuses one, and then
//! the server is restarted.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::common::{Client, http};
use flagfall_protocol::{Accepted, ClientToServer, ServerToClient, Terms, Time};

const MIB: u64 = 1 << 20;
/// The number of games that each guest plays against house players.
const GAMES_PER_GUEST: usize = 10;
/// More games than fit into the allowed memory.
const GAMES_MAX: usize = 20_000;

/// A running program. It is killed on drop, even if the test fails.
struct Running {
    child: Child,
    address: SocketAddr,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _has_ended = self.child.kill();
        let _status = self.child.wait();
    }
}

impl Running {
    fn start(data: &Path, memory_limit: u64) -> Running {
        let mut child = Command::new(env!("CARGO_BIN_EXE_flagfall-server"))
            .env_clear()
            .args(["--listen", "127.0.0.1:0", "--metrics-listen", "none", "--log", "error", "--data"])
            .arg(data)
            .args(["--trusted-network", "127.0.0.0/8", "--memory-limit", &memory_limit.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("listening on http://").unwrap().parse().unwrap();
        Running { child, address }
    }

    /// Returns the resident memory of the program in bytes.
    fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap() * 1_024
    }

    async fn guest(&self) -> Client {
        let url = format!("ws://{}/ws", self.address);
        let (socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
        let mut client = Client { socket };
        client.say(r#"{"type":"hello","protocol":1}"#).await;
        client.welcome().await;
        client
    }
}

/// Starts a game against a house player. The error is the code of the refusal.
async fn play_house(client: &mut Client, number: usize) -> Result<(), String> {
    let terms = Terms {
        ruleset: "barrage".to_owned(),
        time: Time::Fischer { base_s: 900, increment_s: 10 },
        private: false,
        secret: false,
        rated: false,
    };
    let (cmd_id, bot) = (format!("game-{number}").parse().unwrap(), "random".to_owned());
    client.tell(&ClientToServer::PlayBot { cmd_id, bot, terms, side: None }).await;
    client
        .find(|message| match message {
            ServerToClient::Accepted { outcome: Accepted::Started { .. }, .. } => Some(Ok(())),
            ServerToClient::Refused { code, .. } => Some(Err(code.as_str().to_owned())),
            _ => None,
        })
        .await
}

#[tokio::test]
async fn games_are_refused_before_memory_runs_out_and_a_start_opens_none() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // Measure the memory that a server needs without games, because it differs between builds and
    // machines.
    let empty = Running::start(&folder.path().join("empty"), 1 << 40).resident();
    // At the start, the server reads the data folder, which takes up to 25 MiB for a while,
    // regardless of the number of games. The limit leaves about twice as much memory for games.
    let limit = (empty + 48 * MIB) * 4 / 3;
    let server = Running::start(&folder.path().join("data"), limit);
    let (mut clients, mut games) = (Vec::new(), 0);
    let refused = 'made: loop {
        let mut client = server.guest().await;
        for number in 0..GAMES_PER_GUEST {
            match play_house(&mut client, number).await {
                Ok(()) => games += 1,
                Err(code) => break 'made code,
            }
        }
        clients.push(client);
        assert!(games < GAMES_MAX, "nothing was refused with {} bytes resident", server.resident());
    };
    assert_eq!(refused, "server_full", "after {games} games");
    assert!(server.resident() < limit, "{} of {limit}", server.resident());
    let health = http(server.address, "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert_eq!(health.await.status, 200);
    println!("{games} games, {} of {limit} bytes resident", server.resident());
    drop(server);
    for _ in 0..2 {
        let server = Running::start(&folder.path().join("data"), limit);
        println!("{} bytes resident after a start", server.resident());
        assert!(server.resident() < limit * 3 / 4, "{} of {limit}", server.resident());
        assert_eq!(play_house(&mut server.guest().await, 0).await, Ok(()));
    }
}
