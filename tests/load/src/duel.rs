//! The loop: two clients a game, a move at a time.

use std::path::Path;
use std::time::Instant;

use flagfall_board::{GameId, Side};
use flagfall_protocol::{
    Accepted, ClientToServer, GameCommand, MoveText, PROTOCOL_VERSION, ServerToClient, Terms, Time,
};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::process::Measured;

/// Bytes of the server's messages for a move, which the relay sends as well.
const UPDATE_BYTES: usize = 270;
const ACKNOWLEDGEMENT_BYTES: usize = 95;
/// A deployment whose Scouts stand at the front's edge squares.
const SETUP: &str = "9394924939 56691S9575 574BB7668B 88BF7B88B9";

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Who is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rival {
    /// A bare axum relay.
    Relay,
    /// The server, in memory.
    Memory,
    /// The server with its durable store.
    Embedded,
}

impl Rival {
    /// The relay first: the others are measured against it.
    pub(crate) const ALL: [Rival; 3] = [Rival::Relay, Rival::Memory, Rival::Embedded];

    /// For the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Rival::Relay => "bare axum relay",
            Rival::Memory => "server in memory",
            Rival::Embedded => "server, embedded store",
        }
    }
}

/// What a round cost.
pub(crate) struct Cost {
    /// Processor time of the server's process per move, in microseconds.
    pub(crate) cpu_us: f64,
    /// Moves a second.
    pub(crate) per_second: f64,
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// The program cannot be started.
    #[error("{0} cannot be started ({1}); build it: cargo build --release -p flagfall-server")]
    Start(String, std::io::Error),
    /// The child said nothing sensible.
    #[error("the server under measurement did not say where it listens, or is gone")]
    Silent,
    /// Input or output.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The socket.
    #[error("a socket failed: {0}")]
    Socket(Box<tokio_tungstenite::tungstenite::Error>),
    /// An answer that does not fit.
    #[error("the server answered something else: {0}")]
    Answer(String),
    /// What came of the pool is not as it must be; what, is printed.
    #[error("the pool has faults")]
    Faults,
    /// A client's task failed.
    #[error("a client failed: {0}")]
    Task(#[from] tokio::task::JoinError),
}

impl From<tokio_tungstenite::tungstenite::Error> for Trouble {
    fn from(error: tokio_tungstenite::tungstenite::Error) -> Trouble {
        Trouble::Socket(Box::new(error))
    }
}

/// One game's two connections.
struct Pair {
    sockets: [Socket; 2],
    game: Option<GameId>,
}

/// One round.
pub(crate) async fn run(rival: Rival, games: u32, moves: u32, server: &Path) -> Result<Cost, Trouble> {
    let folder = tempfile::tempdir()?;
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let measured = match rival {
        Rival::Relay => {
            let sizes = [UPDATE_BYTES.to_string(), ACKNOWLEDGEMENT_BYTES.to_string()];
            Measured::start(&std::env::current_exe()?, &words(&["relay", &sizes[0], &sizes[1]])).await?
        }
        Rival::Memory | Rival::Embedded => {
            let store = if rival == Rival::Memory { "memory" } else { "embedded" };
            let data = folder.path().join("data").display().to_string();
            let fixed = ["--listen", "127.0.0.1:0", "--metrics-listen", "none", "--log", "warn"];
            let mut arguments = words(&fixed);
            arguments.extend(words(&[
                "--store",
                store,
                "--data",
                &data,
                "--new-guests-per-minute",
                "1000000",
            ]));
            arguments.extend(words(&["--ping-seconds", "60", "--pong-seconds", "300"]));
            Measured::start(server, &arguments).await?
        }
    };
    let mut pairs = Vec::new();
    for index in 0..games {
        pairs.push(match rival {
            Rival::Relay => pair_of_relay(&measured.address, index).await?,
            Rival::Memory | Rival::Embedded => pair_of_server(&measured.address, index).await?,
        });
    }
    let (cpu, started) = (measured.cpu_seconds()?, Instant::now());
    let mut tasks = JoinSet::new();
    for pair in pairs {
        tasks.spawn(play(pair, moves));
    }
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    let (cpu, seconds) = (measured.cpu_seconds()? - cpu, started.elapsed().as_secs_f64());
    let made = f64::from(games) * f64::from(moves) * 2.0;
    Ok(Cost { cpu_us: cpu * 1e6 / made, per_second: made / seconds })
}

async fn connect(url: String) -> Result<Socket, Trouble> {
    let (socket, _response) = tokio_tungstenite::connect_async(url).await?;
    Ok(socket)
}

async fn pair_of_relay(address: &str, index: u32) -> Result<Pair, Trouble> {
    let red = connect(format!("ws://{address}/ws/{index}/0")).await?;
    let blue = connect(format!("ws://{address}/ws/{index}/1")).await?;
    Ok(Pair { sockets: [red, blue], game: None })
}

async fn pair_of_server(address: &str, index: u32) -> Result<Pair, Trouble> {
    let mut red = guest(address, index * 2).await?;
    let mut blue = guest(address, index * 2 + 1).await?;
    let terms = Terms {
        ruleset: "pbm".to_owned(),
        time: Time::Unlimited {},
        private: true,
        secret: false,
        rated: false,
    };
    let offer = ClientToServer::Challenge { cmd_id: id("offer"), terms, side: Some(Side::Red) };
    let Accepted::Challenge { challenge, .. } = ask(&mut red, &offer).await? else {
        return Err(Trouble::Answer("no challenge".to_owned()));
    };
    let accept = ClientToServer::AcceptChallenge { cmd_id: id("accept"), challenge, secret: false };
    let Accepted::Started { game, .. } = ask(&mut blue, &accept).await? else {
        return Err(Trouble::Answer("no game".to_owned()));
    };
    for socket in [&mut red, &mut blue] {
        say(socket, &ClientToServer::OpenGame { game, since: None }).await?;
        let command = GameCommand::Deploy { setup: SETUP.to_owned() };
        ask(socket, &ClientToServer::Command { cmd_id: id("deploy"), game, ply: 0, command }).await?;
    }
    // Blue's acknowledgement came after the start; Red has yet to read of it.
    until(&mut red, |text| text.contains(r#""kind":"started""#)).await?;
    Ok(Pair { sockets: [red, blue], game: Some(game) })
}

async fn guest(address: &str, index: u32) -> Result<Socket, Trouble> {
    let mut socket = connect(format!("ws://{address}/ws")).await?;
    let name = Some(format!("load-{index}"));
    say(&mut socket, &ClientToServer::Hello { protocol: PROTOCOL_VERSION, token: None, name, client: None })
        .await?;
    until(&mut socket, |text| text.starts_with(r#"{"type":"welcome""#)).await?;
    Ok(socket)
}

fn id(text: &str) -> flagfall_protocol::CommandId {
    // The ids here are made of the few letters that are allowed.
    text.parse().unwrap_or_else(|_| unreachable!("{text} is a command id"))
}

async fn say(socket: &mut Socket, message: &ClientToServer) -> Result<(), Trouble> {
    let text = serde_json::to_string(message).map_err(|error| Trouble::Answer(error.to_string()))?;
    Ok(socket.send(Message::text(text)).await?)
}

async fn next(socket: &mut Socket) -> Result<String, Trouble> {
    match socket.next().await {
        Some(Ok(Message::Text(text))) => Ok(text.as_str().to_owned()),
        other => Err(Trouble::Answer(format!("{other:?}"))),
    }
}

async fn until(socket: &mut Socket, is_it: impl Fn(&str) -> bool) -> Result<String, Trouble> {
    loop {
        let text = next(socket).await?;
        if is_it(&text) {
            return Ok(text);
        }
        if text.starts_with(r#"{"type":"refused""#) {
            return Err(Trouble::Answer(text));
        }
    }
}

async fn ask(socket: &mut Socket, message: &ClientToServer) -> Result<Accepted, Trouble> {
    say(socket, message).await?;
    let text = until(socket, |text| text.starts_with(r#"{"type":"accepted""#)).await?;
    match serde_json::from_str(&text) {
        Ok(ServerToClient::Accepted { outcome, .. }) => Ok(outcome),
        _ => Err(Trouble::Answer(text)),
    }
}

/// The Scouts on the edge go forth and back.
async fn play(pair: Pair, moves: u32) -> Result<(), Trouble> {
    let Pair { sockets: [mut red, mut blue], game } = pair;
    let squares = [["a4a5", "a5a4"], ["j7j6", "j6j7"]];
    for turn in 0..moves * 2 {
        let (side, own) = ((turn % 2) as usize, (turn / 2 % 2) as usize);
        let squares: MoveText =
            squares[side][own].parse().map_err(|_| Trouble::Answer("no move".to_owned()))?;
        let (mover, other) = if side == 0 { (&mut red, &mut blue) } else { (&mut blue, &mut red) };
        // The relay reads a text of the same length.
        let sent_game = game.unwrap_or_else(|| GameId::from_random([0; 12]));
        let command = GameCommand::from(squares);
        let ply = u16::try_from(turn).unwrap_or(u16::MAX);
        let cmd_id = id(&format!("move-{turn}"));
        say(mover, &ClientToServer::Command { cmd_id, game: sent_game, ply, command }).await?;
        if game.is_some() {
            until(mover, |text| text.starts_with(r#"{"type":"accepted""#)).await?;
            until(other, |text| text.starts_with(r#"{"type":"event""#)).await?;
        } else {
            next(mover).await?;
            next(mover).await?;
            next(other).await?;
        }
    }
    Ok(())
}
