//! Tests of events that a server does not control: it is frozen, its data folder is deleted, or
//! its Redis is emptied.

mod parts;

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Client, http};
use crate::store::cluster::Cluster;
use crate::store::redis::RedisServer;
use crate::store::small_disk::SmallDisk;
use flagfall_board::{Chance, GameId, Ply, Side};
use flagfall_bots::random_setup;
use flagfall_protocol::{Accepted, ClientToServer, GameCommand, GameView, ServerToClient, Terms, Time};
use flagfall_rules::Ruleset;

/// A running server, which is stopped on drop, even if the test fails.
struct Running {
    child: Child,
    address: SocketAddr,
}

impl Running {
    fn start(words: &[&str]) -> Running {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall-server"));
        command.env_clear().args(["--listen", "127.0.0.1:0", "--metrics-listen", "none"]).args(words);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let first = lines.next().expect("the first line");
        let address = first.strip_prefix("listening on http://").expect("an address").parse().unwrap();
        std::thread::spawn(move || lines.for_each(drop));
        Running { child, address }
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    /// Waits until the server exits by itself. Returns its exit code and error output.
    fn end(mut self) -> (Option<i32>, String) {
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }

    async fn hello(&self, credential: &str) -> (Client, String, Vec<GameId>) {
        let (socket, _) =
            tokio_tungstenite::connect_async(format!("ws://{}/ws", self.address)).await.unwrap();
        let mut client = Client { socket };
        client.say(&format!(r#"{{"type":"hello","protocol":1,{credential}}}"#)).await;
        let (_, token, games) = client.welcome().await;
        (client, token.unwrap_or_default(), games.into_iter().map(|game| game.id).collect())
    }

    async fn again(&self, token: &str) -> (Client, Vec<GameId>) {
        let (client, _, games) = self.hello(&format!(r#""token":"{token}""#)).await;
        (client, games)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Ignore errors from ending the server, because it may already have ended.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Returns a deployment in which the piece in column a can move in the first turn.
fn setup(side: Side) -> String {
    let ruleset = Ruleset::find("classic").unwrap();
    let setup =
        |seed| random_setup(ruleset, side, &mut Chance::new(seed)).deploy(side, ruleset).unwrap().into_text();
    let is_movable = |text: &String| {
        let row: Vec<char> = text.chars().filter(char::is_ascii_alphanumeric).take(10).collect();
        let on_a = if side == Side::Red { row[0] } else { row[9] };
        on_a != 'B' && on_a != 'F'
    };
    (0..100).map(setup).find(is_movable).unwrap()
}

/// Sends a command in a game and waits until it is accepted or refused.
async fn command(
    client: &mut Client,
    game: GameId,
    id: &str,
    ply: Ply,
    command: GameCommand,
) -> Result<(), String> {
    let cmd_id = id.parse().unwrap();
    client.tell(&ClientToServer::Command { cmd_id, game, ply, epoch: None, command }).await;
    client
        .find(|message| match message {
            ServerToClient::Accepted { cmd_id, .. } if cmd_id.as_str() == id => Some(Ok(())),
            ServerToClient::Refused { cmd_id: Some(cmd_id), code, message, .. } if cmd_id.as_str() == id => {
                Some(Err(format!("{}: {message}", code.as_str())))
            }
            _ => None,
        })
        .await
}

async fn step(client: &mut Client, game: GameId, ply: Ply, squares: &str) -> Result<(), String> {
    let ply_command = GameCommand::Move { squares: squares.parse().unwrap(), path: None, color: None };
    command(client, game, &format!("ply-{ply}"), ply, ply_command).await
}

async fn view(client: &mut Client, game: GameId) -> GameView {
    client.tell(&ClientToServer::OpenGame { game, since: None }).await;
    client
        .find(|message| match message {
            ServerToClient::Game { view, .. } => Some(view),
            _ => None,
        })
        .await
}

/// Starts a game between two guests, who both deploy. Returns Red's client and token, Blue's
/// client and token, and the game's id.
async fn game(server: &Running) -> (Client, String, Client, String, GameId) {
    let (mut red, red_token, _) = server.hello(r#""name":"ana""#).await;
    let (mut blue, blue_token, _) = server.hello(r#""name":"bo""#).await;
    let time = Time::Fischer { base_s: 600, increment_s: 0 };
    let terms = Terms { ruleset: "classic".to_owned(), time, private: true, secret: false, rated: false };
    red.tell(&ClientToServer::Challenge { cmd_id: "ask".parse().unwrap(), terms, side: Some(Side::Red) })
        .await;
    let challenge = red
        .find(|message| match message {
            ServerToClient::Accepted { outcome: Accepted::Challenge { challenge, .. }, .. } => {
                Some(challenge)
            }
            _ => None,
        })
        .await;
    let cmd_id = "take".parse().unwrap();
    blue.tell(&ClientToServer::AcceptChallenge { cmd_id, challenge, secret: false }).await;
    let game = blue
        .find(|message| match message {
            ServerToClient::Accepted { outcome: Accepted::Started { game, .. }, .. } => Some(game),
            _ => None,
        })
        .await;
    for (client, side) in [(&mut red, Side::Red), (&mut blue, Side::Blue)] {
        view(client, game).await;
        command(client, game, "deploy", 0, GameCommand::Deploy { setup: setup(side) }).await.unwrap();
    }
    (red, red_token, blue, blue_token, game)
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "nothing but time makes an outage of a stopped process")]
async fn a_server_that_was_stopped_for_some_seconds_takes_no_time_from_a_player() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(&["--data", folder.path().to_str().unwrap()]);
    let (mut red, _, mut blue, _, game) = game(&server).await;
    let left_ms = |view: GameView| view.clock.unwrap().remaining_ms.red;
    let begun = Instant::now();
    let before = left_ms(view(&mut red, game).await);
    server.signal("STOP");
    let stopped = Instant::now();
    // A pause of more than 2.5 s counts as an outage.
    std::thread::sleep(Duration::from_millis(3_500));
    let frozen = stopped.elapsed();
    server.signal("CONT");
    let after = left_ms(view(&mut red, game).await);
    let ran = Duration::from_millis(before.saturating_sub(after));
    assert!(ran + frozen <= begun.elapsed() + Duration::from_millis(50), "{ran:?} ran, {frozen:?} frozen");
    step(&mut red, game, 0, "a4a5").await.unwrap();
    step(&mut blue, game, 1, "a7a6").await.unwrap();
}

async fn is_store_available(client: &mut Client) -> bool {
    client
        .find(|message| match message {
            ServerToClient::StoreState { available, .. } => Some(available),
            _ => None,
        })
        .await
}

/// Waits until the store's pause counts as an outage. Before that, each view shows less remaining
/// time than the previous one. Once the pause counts as an outage, the clock is set back to the
/// start of the pause, so the remaining time is longer again.
async fn until_clocks_stand_still(client: &mut Client, game: GameId) {
    let mut polls = tokio::time::interval(Duration::from_millis(100));
    let mut shown_ms = u64::MAX;
    loop {
        polls.tick().await;
        let red_ms = view(client, game).await.clock.unwrap().remaining_ms.red;
        if red_ms > shown_ms {
            return;
        }
        shown_ms = red_ms;
    }
}

#[tokio::test]
async fn games_pause_while_the_disk_is_full_and_go_on_by_themselves() {
    const MIB: u64 = 1024 * 1024;
    let Some(disk) = SmallDisk::mount(256) else { return };
    let data = disk.data();
    let words = ["--data", data.to_str().unwrap()];
    let server = Running::start(&words);
    let (mut red, red_token, mut blue, _, game) = game(&server).await;
    let left_ms = |view: GameView| view.clock.unwrap().remaining_ms.red;
    // In the first round the disk is almost full, and in the second round it is full.
    for (ply, free) in [(0, 100 * MIB), (2, 0)] {
        let begun = Instant::now();
        let before = left_ms(view(&mut red, game).await);
        disk.leave(free);
        assert!(!is_store_available(&mut red).await);
        let full = Instant::now();
        let refused = step(&mut red, game, ply, if ply == 0 { "a4a5" } else { "a5a4" }).await;
        assert!(refused.as_ref().is_err_and(|why| why.starts_with("store_unavailable")), "{refused:?}");
        let health = format!("GET /health HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address);
        let health = http(server.address, &health).await;
        assert_eq!(health.status, 503);
        assert!(health.body.contains("the disk is full: games pause until there is room"), "{}", health.body);
        until_clocks_stand_still(&mut red, game).await;
        let stood = full.elapsed();
        disk.make_room();
        assert!(is_store_available(&mut red).await);
        let after = left_ms(view(&mut red, game).await);
        let ran = Duration::from_millis(before.saturating_sub(after));
        assert!(ran + stood <= begun.elapsed() + Duration::from_millis(50), "{ran:?} ran, {stood:?} stood");
        let (one, two) = if ply == 0 { ("a4a5", "a7a6") } else { ("a5a4", "a6a7") };
        // A command that was refused because of the full disk can be sent again with the same id.
        step(&mut red, game, ply, one).await.unwrap();
        step(&mut blue, game, ply + 1, two).await.unwrap();
    }
    server.signal("KILL");
    drop(server);
    disk.leave(100 * MIB);
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall-server"));
    command.env_clear().args(["--listen", "127.0.0.1:0", "--metrics-listen", "none"]).args(words);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("is almost full (100 MiB are free)") && said.contains("Make room"), "{said}");
    disk.make_room();
    let server = Running::start(&words);
    let (mut red, games) = server.again(&red_token).await;
    assert_eq!(games, [game]);
    assert_eq!(view(&mut red, game).await.ply, 4);
}

#[tokio::test]
async fn a_server_stops_when_its_data_folder_is_deleted() {
    for is_emptied in [false, true] {
        let place = tempfile::tempdir().unwrap();
        let data = place.path().join("data");
        let server = Running::start(&["--data", data.to_str().unwrap()]);
        let (mut red, _, _blue, _, game) = game(&server).await;
        if is_emptied {
            for entry in std::fs::read_dir(&data).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }
                    .unwrap();
            }
        } else {
            std::fs::remove_dir_all(&data).unwrap();
        }
        let deleted = Instant::now();
        // The command must not be accepted. It is refused, or the connection ends first.
        red.tell(&ClientToServer::Command {
            cmd_id: "late".parse().unwrap(),
            game,
            ply: 0,
            epoch: None,
            command: GameCommand::Resign {},
        })
        .await;
        let (code, said) = tokio::task::spawn_blocking(move || server.end()).await.unwrap();
        assert_eq!(code, Some(4), "{said}");
        assert!(said.contains("was deleted or replaced while the server ran"), "{said}");
        // The server notices the deletion within a second. The rest of the time is the shutdown,
        // which waits for this client.
        assert!(deleted.elapsed() < Duration::from_secs(20));
        while let Some(Ok(message)) = futures_util::StreamExt::next(&mut red.socket).await {
            let text = message.into_text().unwrap_or_default();
            assert!(!text.contains(r#""late""#) || text.contains("refused"), "{text}");
        }
        assert!(!data.join("log").exists(), "nothing is created there again");
    }
}

#[tokio::test]
async fn players_keep_their_seats_when_redis_is_emptied() {
    let redis = RedisServer::start();
    let url = format!("redis://127.0.0.1:{}", redis.port());
    let server = Running::start(&["--store", &url]);
    let (mut red, red_token, blue, blue_token, game) = game(&server).await;
    step(&mut red, game, 0, "a4a5").await.unwrap();
    // Empty Redis while Red is connected and Blue is not.
    drop(blue);
    let _: String = redis.ask(&["FLUSHALL"]).await;
    let (mut blue, games) = server.again(&blue_token).await;
    assert_eq!(games, [game]);
    drop(red);
    let (mut red, games) = server.again(&red_token).await;
    assert_eq!(games, [game]);
    view(&mut blue, game).await;
    step(&mut blue, game, 1, "a7a6").await.unwrap();
    view(&mut red, game).await;
    step(&mut red, game, 2, "a5a4").await.unwrap();
    // A new server can continue the game from the data in Redis alone.
    drop((red, blue));
    server.signal("KILL");
    drop(server);
    let server = Running::start(&["--store", &url]);
    let (mut blue, games) = server.again(&blue_token).await;
    assert_eq!(games, [game]);
    assert_eq!(view(&mut blue, game).await.ply, 3);
}

#[tokio::test]
async fn two_servers_share_a_game_on_a_cluster() {
    let cluster = Cluster::start().await;
    let url = cluster.address().to_string();
    let [one, other] = [(); 2].map(|()| Running::start(&["--store", &url]));
    let (mut red, red_token, blue, blue_token, game) = game(&one).await;
    step(&mut red, game, 0, "a4a5").await.unwrap();
    drop(blue);
    let (mut blue, games) = other.again(&blue_token).await;
    assert_eq!(games, [game]);
    view(&mut blue, game).await;
    step(&mut blue, game, 1, "a7a6").await.unwrap();
    drop(red);
    let (mut red, games) = other.again(&red_token).await;
    assert_eq!(games, [game]);
    view(&mut red, game).await;
    step(&mut red, game, 2, "a5a4").await.unwrap();
    // A new server finds the game in the cluster.
    drop((red, blue, one, other));
    let server = Running::start(&["--store", &url]);
    let (mut blue, games) = server.again(&blue_token).await;
    assert_eq!(games, [game]);
    assert_eq!(view(&mut blue, game).await.ply, 3);
}

#[test]
fn a_node_of_a_cluster_is_refused_at_start() {
    let redis = RedisServer::start_cluster_node();
    let url = format!("redis://127.0.0.1:{}", redis.port());
    for words in [&["--store", &url][..], &["--store", &url, "--accept-weak-redis"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall-server"));
        command.env_clear().args(["--listen", "127.0.0.1:0", "--metrics-listen", "none"]).args(words);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(
            said.contains("a node of a Redis Cluster (name nodes of the cluster with redis+cluster://"),
            "{said}"
        );
    }
}
