//! The measured loop: in each game, two clients make one move at a time.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use flagfall_board::{GameId, Side};
use flagfall_protocol::{
    Accepted, ClientToServer, GameCommand, Move, PROTOCOL_VERSION, Secret, ServerToClient, Terms, Time,
};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::error::LoadError;
use crate::stand::{Bench, Rival, Stand, relay_source};

/// The lengths of the server's messages about a move, in bytes. The relay's messages have the
/// same lengths.
pub(crate) const UPDATE_BYTES: usize = 270;
pub(crate) const ACKNOWLEDGEMENT_BYTES: usize = 95;
/// A deployment with Scouts on the outer squares of the front row.
pub(crate) const SETUP: &str = "9394924939 56691S9575 574BB7668B 88BF7B88B9";

pub(crate) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

#[derive(Clone)]
pub(crate) struct Plan {
    /// What to measure, and how much of it.
    pub(crate) bench: Bench,
    pub(crate) games: u32,
    pub(crate) moves: u32,
    /// The time between two moves of a game. If it is not set, each move follows immediately.
    pub(crate) pace: Option<Duration>,
}

pub(crate) struct Cost {
    /// Processor time of the server's process per move, in microseconds.
    pub(crate) cpu_us: f64,
    /// Like `cpu_us`, but for the server's Redis, if there is one.
    pub(crate) redis_us: Option<f64>,
    pub(crate) per_second: f64,
    /// The time from sending a move until the opponent reads it, in microseconds: median and 99th
    /// percentile.
    pub(crate) latency_us: [u64; 2],
}

/// One game's two connections.
pub(crate) struct Pair {
    pub(crate) sockets: [Socket; 2],
    /// The id of the game that is being played.
    pub(crate) game: Option<GameId>,
    pub(crate) index: u32,
}

/// Runs rounds of the relay and of the servers in turn, beginning with the relay, and prints each
/// round.
///
/// # Errors
/// [`LoadError`] if a client gets an unexpected answer.
pub(crate) async fn rounds(
    plan: &Plan,
    servers: &[Rival],
    rounds: u32,
) -> Result<Vec<(Rival, Vec<Cost>)>, LoadError> {
    println!("The relay's source has the hash {}.", relay_source());
    let rivals = std::iter::once(&Rival::Relay).chain(servers);
    let mut rows: Vec<(Rival, Vec<Cost>)> = rivals.map(|rival| (*rival, Vec::new())).collect();
    for round in 1..=rounds {
        for (rival, costs) in &mut rows {
            let cost = run(*rival, plan).await?;
            print_round(&format!("round {round}"), *rival, &cost);
            costs.push(cost);
        }
    }
    Ok(rows)
}

/// Prints the cost of a round on one line.
#[expect(clippy::print_stdout, reason = "a program for the terminal")]
pub(crate) fn print_round(which: &str, rival: Rival, cost: &Cost) {
    println!(
        "{which}: {:<26} {:>7.1} µs a move, {:>8.0} moves a second, to the opponent {:>6} µs (99 %: {} µs)",
        rival.name(),
        cost.cpu_us,
        cost.per_second,
        cost.latency_us[0],
        cost.latency_us[1]
    );
}

/// Returns the median, or `None` without values. For an even number of values, this is the upper
/// of the two middle values.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Medians of the processor time and of the time to the opponent.
pub(crate) fn medians(costs: &[Cost]) -> [f64; 2] {
    let latency = costs.iter().map(|cost| cost.latency_us[1] as f64);
    [median(costs.iter().map(|cost| cost.cpu_us)), median(latency)].map(Option::unwrap_or_default)
}

pub(crate) async fn run(rival: Rival, plan: &Plan) -> Result<Cost, LoadError> {
    let stand = Stand::start(rival, &plan.bench, [UPDATE_BYTES, ACKNOWLEDGEMENT_BYTES]).await?;
    let mut pairs = Vec::new();
    for index in 0..plan.games {
        pairs.push(match rival {
            Rival::Relay => pair_of_relay(&stand.server.address, index).await?,
            _ => pair_of_server(&stand.server.address, index, true).await?,
        });
    }
    let (cpu, started) = (stand.cpu_seconds()?, Instant::now());
    let mut tasks = JoinSet::new();
    for pair in pairs {
        tasks.spawn(play(pair, plan.clone()));
    }
    let mut latencies = Vec::new();
    while let Some(ended) = tasks.join_next().await {
        latencies.extend(ended??);
    }
    let seconds = started.elapsed().as_secs_f64();
    let (after, made) = (stand.cpu_seconds()?, f64::from(plan.games) * f64::from(plan.moves) * 2.0);
    latencies.sort_unstable();
    let latency = |percent: usize| latencies.get(latencies.len() * percent / 100).copied().unwrap_or(0);
    Ok(Cost {
        cpu_us: (after.0 - cpu.0) * 1e6 / made,
        redis_us: after.1.zip(cpu.1).map(|(after, before)| (after - before) * 1e6 / made),
        per_second: made / seconds,
        latency_us: [latency(50), latency(99)],
    })
}

pub(crate) async fn connect(url: String) -> Result<Socket, LoadError> {
    // Without Nagle's algorithm, which delays the second of two messages by 40 ms.
    let (socket, _response) = tokio_tungstenite::connect_async_with_config(url, None, true).await?;
    Ok(socket)
}

/// Opens a WebSocket to the server from this local address.
pub(crate) async fn connect_from(source: IpAddr, address: &str) -> Result<Socket, LoadError> {
    let stream = MaybeTlsStream::Plain(dial_from(source, address).await?);
    let (socket, _response) = tokio_tungstenite::client_async(format!("ws://{address}/ws"), stream).await?;
    Ok(socket)
}

/// Opens a TCP connection from this local address.
pub(crate) async fn dial_from(source: IpAddr, address: &str) -> Result<TcpStream, LoadError> {
    let target = address.parse().map_err(|_| LoadError::Silent)?;
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::new(source, 0))?;
    let stream = socket.connect(target).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

pub(crate) async fn pair_of_relay(address: &str, index: u32) -> Result<Pair, LoadError> {
    let red = connect(format!("ws://{address}/ws/{index}/0")).await?;
    let blue = connect(format!("ws://{address}/ws/{index}/1")).await?;
    Ok(Pair { sockets: [red, blue], game: None, index })
}

/// Creates two guests and their new game, ready for its first move. Others may watch the game
/// unless it is private.
pub(crate) async fn pair_of_server(address: &str, index: u32, private: bool) -> Result<Pair, LoadError> {
    let mut sockets = [guest(address, index * 2).await?, guest(address, index * 2 + 1).await?];
    let terms =
        Terms { ruleset: "pbm".to_owned(), time: Time::Unlimited {}, private, secret: false, rated: false };
    let game = begin(&mut sockets, terms, 0).await?;
    Ok(Pair { sockets, game: Some(game), index })
}

/// Begins a game of two players, up to its first move. The first player is Red. `number` must be
/// different for each game of the same players.
pub(crate) async fn begin(sockets: &mut [Socket; 2], terms: Terms, number: u32) -> Result<GameId, LoadError> {
    let [red, blue] = sockets;
    let offer =
        ClientToServer::Challenge { cmd_id: id(&format!("offer-{number}")), terms, side: Some(Side::Red) };
    let Accepted::Challenge { challenge, .. } = ask(red, &offer).await? else {
        return Err(LoadError::Answer("no challenge".to_owned()));
    };
    let cmd_id = id(&format!("accept-{number}"));
    let accept = ClientToServer::AcceptChallenge { cmd_id, challenge, secret: false };
    let Accepted::Started { game, .. } = ask(blue, &accept).await? else {
        return Err(LoadError::Answer("no game".to_owned()));
    };
    deploy(sockets, game).await?;
    Ok(game)
}

/// Opens a new game on both connections, and deploys, so that the first move can be made. The first
/// player must be Red.
pub(crate) async fn deploy(sockets: &mut [Socket; 2], game: GameId) -> Result<(), LoadError> {
    let [red, blue] = sockets;
    for socket in [&mut *red, blue] {
        say(socket, &ClientToServer::OpenGame { game, since: None }).await?;
        let command = GameCommand::Deploy { setup: SETUP.to_owned() };
        ask(socket, &ClientToServer::Command { cmd_id: id("deploy"), game, ply: 0, epoch: None, command })
            .await?;
    }
    // Blue's acknowledgement came after the start of the game, but Red must still read the
    // message about the start.
    until(red, |text| text.contains(r#""kind":"started""#)).await.map(drop)
}

pub(crate) async fn guest(address: &str, index: u32) -> Result<Socket, LoadError> {
    let mut socket = connect(format!("ws://{address}/ws")).await?;
    enter(&mut socket, None, Some(format!("load-{index}"))).await?;
    Ok(socket)
}

/// Sends hello and returns the welcome.
pub(crate) async fn enter(
    socket: &mut Socket,
    token: Option<Secret>,
    name: Option<String>,
) -> Result<String, LoadError> {
    let (protocol, client, session) = (PROTOCOL_VERSION, None, false);
    let hello = ClientToServer::Hello { protocol, token, name, client, session };
    say(socket, &hello).await?;
    until(socket, |text| text.starts_with(r#"{"type":"welcome""#)).await
}

pub(crate) fn id(text: &str) -> flagfall_protocol::CommandId {
    // These ids contain only allowed characters.
    text.parse().unwrap_or_else(|_| unreachable!("{text} is a command id"))
}

pub(crate) async fn say(socket: &mut Socket, message: &ClientToServer) -> Result<(), LoadError> {
    let text = serde_json::to_string(message).map_err(|error| LoadError::Answer(error.to_string()))?;
    Ok(socket.send(Message::text(text)).await?)
}

pub(crate) async fn next(socket: &mut Socket) -> Result<String, LoadError> {
    match socket.next().await {
        Some(Ok(Message::Text(text))) => Ok(text.as_str().to_owned()),
        other => Err(LoadError::Answer(format!("{other:?}"))),
    }
}

pub(crate) async fn until(socket: &mut Socket, is_it: impl Fn(&str) -> bool) -> Result<String, LoadError> {
    loop {
        let text = next(socket).await?;
        if is_it(&text) {
            return Ok(text);
        }
        if text.starts_with(r#"{"type":"refused""#) {
            return Err(LoadError::Answer(text));
        }
    }
}

pub(crate) async fn ask(socket: &mut Socket, message: &ClientToServer) -> Result<Accepted, LoadError> {
    say(socket, message).await?;
    let text = until(socket, |text| text.starts_with(r#"{"type":"accepted""#)).await?;
    match serde_json::from_str(&text) {
        Ok(ServerToClient::Accepted { outcome, .. }) => Ok(outcome),
        _ => Err(LoadError::Answer(text)),
    }
}

/// Moves the outer Scouts back and forth. Returns the time until the opponent read each move, in
/// microseconds.
async fn play(mut pair: Pair, plan: Plan) -> Result<Vec<u64>, LoadError> {
    let mut latencies = Vec::new();
    let mut pace = plan.pace.map(|pace| {
        // Start the games at different times, so that their moves are staggered.
        let first = tokio::time::Instant::now() + pace.mul_f64(f64::from(pair.index) / f64::from(plan.games));
        tokio::time::interval_at(first, pace)
    });
    for turn in 0..plan.moves * 2 {
        if let Some(pace) = &mut pace {
            pace.tick().await;
        }
        latencies.push(pair.play(turn).await?);
    }
    Ok(latencies)
}

impl Pair {
    /// Plays a move. Returns the time until the opponent reads the move, in microseconds.
    pub(crate) async fn play(&mut self, turn: u32) -> Result<u64, LoadError> {
        let squares = [["a4a5", "a5a4"], ["j7j6", "j6j7"]];
        let (side, own) = ((turn % 2) as usize, (turn / 2 % 2) as usize);
        let squares: Move =
            squares[side][own].parse().map_err(|_| LoadError::Answer("no move".to_owned()))?;
        let [red, blue] = &mut self.sockets;
        let (mover, other) = if side == 0 { (red, blue) } else { (blue, red) };
        // The relay ignores the game, but its text must have the same length as for a server.
        let game = self.game.unwrap_or_else(|| GameId::from_random([0; 12]));
        let command = GameCommand::from(squares);
        let ply = u16::try_from(turn).unwrap_or(u16::MAX);
        let cmd_id = id(&format!("move-{turn}"));
        let sent = Instant::now();
        say(mover, &ClientToServer::Command { cmd_id, game, ply, epoch: None, command }).await?;
        if self.game.is_some() {
            until(other, |text| text.starts_with(r#"{"type":"event""#)).await?;
        } else {
            next(other).await?;
        }
        let latency = u64::try_from(sent.elapsed().as_micros()).unwrap_or(u64::MAX);
        if self.game.is_some() {
            until(mover, |text| text.starts_with(r#"{"type":"accepted""#)).await?;
        } else {
            next(mover).await?;
            next(mover).await?;
        }
        Ok(latency)
    }
}
