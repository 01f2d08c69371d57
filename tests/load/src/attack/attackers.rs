//! The attacks. Each comes from one address and is as fast as one core allows.

use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use flagfall_board::GameId;
use flagfall_protocol::{ClientToServer, GameCommand, Terms, Time};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{interval, timeout};

use crate::duel::{Pair, SETUP, Socket, ask, begin, connect_from, dial_from, enter, id, next, say};
use crate::error::LoadError;

/// The line that an attacker prints when it begins.
pub(super) const ATTACKING: &str = "attacking";
const SOURCE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// Handshakes per second.
const HANDSHAKES: u32 = 2_200;
/// The number of idle connections that the attack tries to open.
const IDLE: u32 = 15_000;
/// The number of guests that open seeks, and the number of seeks per guest.
const SEEKERS: u32 = 400;
const SEEKS_EACH: u32 = 3;
/// The number of simultaneous games against house players, and the number of guests that play
/// them.
const HOUSE_GAMES: u32 = 500;
const HOUSE_GUESTS: u32 = 25;
/// The number of pairs that move at full speed, and the number of moves in a game.
const PAIRS: u32 = 16;
const MOVES_A_GAME: u32 = 180;
/// The number of connections that send frames or fetch records.
const LINES: u32 = 16;
/// The number of plies of the game whose record is fetched.
const RECORD_PLIES: u32 = 190;
/// The time that attackers wait for an answer before they try again.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The pause after a refusal. An attacker who waits longer does less harm.
const AGAIN: Duration = Duration::from_millis(20);
/// The maximum duration of an attack that is not stopped.
const LIFE: Duration = Duration::from_secs(180);

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Attack {
    /// 2,200 WebSocket handshakes a second.
    Handshakes,
    /// Connections that are opened and left idle, until the server accepts no more.
    Idle,
    /// Guests that fill the lobby with open offers.
    Seeks,
    /// 500 games against the house, played as fast as the house answers.
    House,
    /// 16 pairs that play legal moves as fast as they can.
    Moves,
    /// Empty WebSocket fragments, as fast as possible.
    Fragments,
    /// The record of a long game, fetched again and again.
    Records,
    /// Connections to a closed port, with which each attack is compared.
    #[value(name = "closed-port")]
    ClosedPort,
}

impl Attack {
    /// All attacks, without the comparison run.
    pub(super) const ALL: [Attack; 7] = [
        Attack::Handshakes,
        Attack::Idle,
        Attack::Seeks,
        Attack::House,
        Attack::Moves,
        Attack::Fragments,
        Attack::Records,
    ];

    /// The name on the command line.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Attack::Handshakes => "handshakes",
            Attack::Idle => "idle",
            Attack::Seeks => "seeks",
            Attack::House => "house",
            Attack::Moves => "moves",
            Attack::Fragments => "fragments",
            Attack::Records => "records",
            Attack::ClosedPort => "closed-port",
        }
    }
}

/// The attacker's process.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Attacker {
    /// The attack.
    #[arg(value_enum)]
    attack: Attack,
    /// The server: `127.0.0.1:PORT`.
    address: String,
    /// The share of the attacker's core that the comparison run on a closed port uses.
    #[arg(long, default_value_t = 1.0)]
    share: f64,
}

impl Attacker {
    /// Attacks until the process is stopped.
    ///
    /// # Errors
    /// [`LoadError`] if the attack cannot begin. Later refusals by the server are expected.
    pub(crate) async fn run(self) -> Result<(), LoadError> {
        let address = self.address;
        let address: std::net::SocketAddr = address.parse().map_err(|_| LoadError::Silent)?;
        if !address.ip().is_loopback() {
            return Err(LoadError::Answer("only a loopback address is attacked".to_owned()));
        }
        let address = address.to_string();
        let attack = async {
            match self.attack {
                Attack::Handshakes => handshakes(&address).await,
                Attack::Idle => idle(&address).await,
                Attack::Seeks => seeks(&address).await,
                Attack::House => house(&address).await,
                Attack::Moves => moves(&address).await,
                Attack::Fragments => fragments(&address).await,
                Attack::Records => records(&address).await,
                Attack::ClosedPort => closed_port(self.share).await,
            }
        };
        timeout(LIFE, attack).await.unwrap_or(Ok(()))
    }
}

#[expect(clippy::print_stdout, reason = "the measurement waits for this line")]
fn begun() {
    println!("{ATTACKING}");
}

/// The HTTP request that upgrades to a WebSocket.
fn upgrade(address: &str) -> String {
    format!(
        "GET /ws HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
}

/// Opens a WebSocket by hand without sending a hello.
async fn shake(address: &str) -> Result<TcpStream, LoadError> {
    let mut stream = dial_from(SOURCE, address).await?;
    stream.write_all(upgrade(address).as_bytes()).await?;
    let mut answer = [0; 512];
    let bytes = stream.read(&mut answer).await?;
    if answer[..bytes].starts_with(b"HTTP/1.1 101") {
        Ok(stream)
    } else {
        Err(LoadError::Answer("no WebSocket".to_owned()))
    }
}

async fn handshakes(address: &str) -> Result<(), LoadError> {
    begun();
    // Every hundredth of a second, open the handshakes that are due.
    let mut ticks = interval(Duration::from_millis(10));
    let mut tasks = JoinSet::new();
    loop {
        ticks.tick().await;
        while tasks.try_join_next().is_some() {}
        for _ in 0..HANDSHAKES / 100 {
            if tasks.len() < HANDSHAKES as usize {
                let address = address.to_owned();
                tasks.spawn(async move { timeout(TIMEOUT, shake(&address)).await });
            }
        }
    }
}

/// A third of the connections send nothing, a third become WebSockets, and a third become guests.
async fn idle(address: &str) -> Result<(), LoadError> {
    begun();
    let (mut silent, mut sockets, mut guests) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let has_failed = match (silent.len() + sockets.len() + guests.len()) % 3 {
            _ if silent.len() + sockets.len() + guests.len() >= IDLE as usize => true,
            0 => keep(&mut silent, dial_from(SOURCE, address)).await,
            1 => keep(&mut sockets, shake(address)).await,
            _ => keep(&mut guests, guest(address)).await,
        };
        if has_failed {
            tokio::time::sleep(AGAIN).await;
            // Ignore errors, because the server may have closed some of the connections.
            silent.retain(is_open);
            sockets.retain(is_open);
        }
    }
}

/// Keeps the result of an attempt. Returns true if the attempt failed.
async fn keep<T>(kept: &mut Vec<T>, attempt: impl Future<Output = Result<T, LoadError>>) -> bool {
    match timeout(TIMEOUT, attempt).await {
        Ok(Ok(made)) => {
            kept.push(made);
            false
        }
        _ => true,
    }
}

fn is_open(stream: &TcpStream) -> bool {
    let mut buffer = [0; 256];
    !matches!(stream.try_read(&mut buffer), Ok(0))
}

async fn guest(address: &str) -> Result<Socket, LoadError> {
    let mut socket = connect_from(SOURCE, address).await?;
    enter(&mut socket, None, None).await?;
    Ok(socket)
}

fn terms() -> Terms {
    Terms { ruleset: "pbm".to_owned(), time: Time::Unlimited {}, private: false, secret: false, rated: false }
}

async fn seeks(address: &str) -> Result<(), LoadError> {
    begun();
    let mut sockets = Vec::new();
    let mut number = 0;
    loop {
        // Keep the sockets, because seeks end when the connections of their seekers close. Repeat
        // failed attempts.
        if sockets.len() < SEEKERS as usize {
            keep(&mut sockets, guest(address)).await;
        }
        let mut has_failed = sockets.is_empty();
        let mut at = 0;
        while at < sockets.len() {
            number += 1;
            let seek = ClientToServer::Seek {
                cmd_id: id(&format!("seek-{number}")),
                terms: terms(),
                side: None,
                rating: None,
            };
            let mut is_gone = false;
            for _ in 0..if at + 1 == sockets.len() { SEEKS_EACH } else { 1 } {
                match timeout(TIMEOUT, ask(&mut sockets[at], &seek)).await {
                    Ok(Ok(_)) => {}
                    Ok(Err(LoadError::Answer(text))) if text.contains("refused") => has_failed = true,
                    _ => is_gone = true,
                }
            }
            if is_gone {
                drop(sockets.swap_remove(at));
            } else {
                at += 1;
            }
            if has_failed {
                tokio::time::sleep(AGAIN / 4).await;
            }
        }
    }
}

async fn house(address: &str) -> Result<(), LoadError> {
    begun();
    let mut players = JoinSet::new();
    for guest in 0..HOUSE_GUESTS {
        let address = address.to_owned();
        players.spawn(async move {
            loop {
                // A guest that was refused or disconnected connects again.
                drop(play_house(&address, guest).await);
                tokio::time::sleep(AGAIN).await;
            }
        });
    }
    while players.join_next().await.is_some() {}
    Ok(())
}

/// Keeps starting games against house players, as many as a guest may have.
async fn play_house(address: &str, number: u32) -> Result<(), LoadError> {
    let mut socket = guest(address).await?;
    for game in 0..HOUSE_GAMES / HOUSE_GUESTS {
        let play = ClientToServer::PlayBot {
            cmd_id: id(&format!("house-{number}-{game}")),
            bot: "good".to_owned(),
            terms: terms(),
            side: Some(flagfall_board::Side::Red),
        };
        say(&mut socket, &play).await?;
    }
    loop {
        let text = next(&mut socket).await?;
        let Ok(message) = serde_json::from_str::<serde_json::Value>(&text) else { continue };
        match message["type"].as_str() {
            Some("game_started") => {
                let Some(game) = game_of(&message["game"]["id"]) else { continue };
                say(&mut socket, &ClientToServer::OpenGame { game, since: None }).await?;
                command(&mut socket, game, "deploy", 0, GameCommand::Deploy { setup: SETUP.to_owned() })
                    .await?;
            }
            Some("event") if message["change"]["turn"] == "red" => {
                let (Some(game), Some(seq)) = (game_of(&message["game"]), message["seq"].as_u64()) else {
                    continue;
                };
                // Three events precede the first ply: two deployments and the start.
                let ply = u16::try_from(seq.saturating_sub(3)).unwrap_or(0);
                let squares = if ply / 2 % 2 == 0 { "a4a5" } else { "a5a4" };
                if let Ok(squares) = squares.parse::<flagfall_protocol::Move>() {
                    command(&mut socket, game, &format!("move-{seq}"), ply, squares.into()).await?;
                }
            }
            _ => {}
        }
    }
}

fn game_of(value: &serde_json::Value) -> Option<GameId> {
    value.as_str()?.parse().ok()
}

async fn command(
    socket: &mut Socket,
    game: GameId,
    cmd_id: &str,
    ply: u16,
    command: GameCommand,
) -> Result<(), LoadError> {
    let cmd_id = id(cmd_id);
    say(socket, &ClientToServer::Command { cmd_id, game, ply, epoch: None, command }).await
}

async fn moves(address: &str) -> Result<(), LoadError> {
    begun();
    let mut pairs = JoinSet::new();
    for index in 0..PAIRS {
        let address = address.to_owned();
        pairs.spawn(async move {
            loop {
                drop(play_fast(&address, index).await);
                tokio::time::sleep(AGAIN).await;
            }
        });
    }
    while pairs.join_next().await.is_some() {}
    Ok(())
}

async fn play_fast(address: &str, index: u32) -> Result<(), LoadError> {
    let sockets = [guest(address).await?, guest(address).await?];
    let mut pair = Pair { sockets, game: None, index };
    for number in 0.. {
        pair.game = Some(begin(&mut pair.sockets, terms(), number).await?);
        for turn in 0..MOVES_A_GAME {
            pair.play(turn).await?;
        }
    }
    Ok(())
}

async fn fragments(address: &str) -> Result<(), LoadError> {
    begun();
    let mut lines = JoinSet::new();
    for _ in 0..LINES {
        let address = address.to_owned();
        lines.spawn(async move {
            loop {
                drop(send_fragments(&address).await);
                tokio::time::sleep(AGAIN).await;
            }
        });
    }
    while lines.join_next().await.is_some() {}
    Ok(())
}

/// Begins a text message that never ends and has no content.
async fn send_fragments(address: &str) -> Result<(), LoadError> {
    /// Client frames must be masked. This mask is all zeros.
    const MASKED_EMPTY: u8 = 0x80;
    let mut stream = shake(address).await?;
    stream.write_all(&[0x01, MASKED_EMPTY, 0, 0, 0, 0]).await?;
    let many: Vec<u8> = [0x00, MASKED_EMPTY, 0, 0, 0, 0].repeat(2_000);
    loop {
        stream.write_all(&many).await?;
        if !is_open(&stream) {
            return Ok(());
        }
    }
}

async fn records(address: &str) -> Result<(), LoadError> {
    let sockets = [guest(address).await?, guest(address).await?];
    let mut pair = Pair { sockets, game: None, index: 0 };
    let game = begin(&mut pair.sockets, terms(), 0).await?;
    pair.game = Some(game);
    for turn in 0..RECORD_PLIES {
        pair.play(turn).await?;
    }
    let resign = GameCommand::Resign {};
    let ply = u16::try_from(RECORD_PLIES).unwrap_or(0);
    let cmd_id = id("resign");
    ask(&mut pair.sockets[0], &ClientToServer::Command { cmd_id, game, ply, epoch: None, command: resign })
        .await?;
    begun();
    let request =
        format!("GET /api/games/{game}/record HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let mut lines = JoinSet::new();
    for _ in 0..LINES {
        let (address, request) = (address.to_owned(), request.clone());
        lines.spawn(async move {
            loop {
                if timeout(TIMEOUT, fetch(&address, &request)).await.is_err() {
                    tokio::time::sleep(AGAIN).await;
                }
            }
        });
    }
    while lines.join_next().await.is_some() {}
    Ok(())
}

async fn fetch(address: &str, request: &str) -> Result<(), LoadError> {
    let mut stream = dial_from(SOURCE, address).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut waste = vec![0; 64 * 1024];
    while stream.read(&mut waste).await? > 0 {}
    Ok(())
}

/// Keeps connecting to a closed port, using this share of the time.
async fn closed_port(share: f64) -> Result<(), LoadError> {
    let nobody = {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.local_addr()?.to_string()
    };
    begun();
    let began = Instant::now();
    let mut busy = Duration::ZERO;
    loop {
        let turn = Instant::now();
        for _ in 0..20 {
            drop(dial_from(SOURCE, &nobody).await);
        }
        busy += turn.elapsed();
        let due = busy.div_f64(share.clamp(0.01, 1.0));
        // Sleep until the share is right again. There is no sleep if the share is the whole core.
        let ahead = due.saturating_sub(began.elapsed());
        if ahead > Duration::from_millis(1) {
            tokio::time::sleep(ahead).await;
        } else {
            tokio::task::yield_now().await;
        }
    }
}
