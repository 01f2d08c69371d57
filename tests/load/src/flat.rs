//! Checks that three costs stay flat: a move with many games, a move late in a long game, and a
//! session when many sessions return at the same time.
//!
//! With more connections, the cost of a relay rises, too, because a connection's data has left
//! the processor's cache before its next turn. So with more connections, only the ratio to the
//! relay should stay the same. With more games on the same connections, the processor time itself
//! should stay the same.

use std::time::Duration;

use flagfall_board::GameId;
use flagfall_protocol::{ClientToServer, EventPosition, Secret, ServerToClient, Terms, Time};
use tokio::task::JoinSet;

use crate::duel::{
    self, ACKNOWLEDGEMENT_BYTES, Pair, Socket, UPDATE_BYTES, begin, connect, enter, guest, say, until,
};
use crate::error::LoadError;
use crate::figure::Figure;
use crate::stand::{Bench, Rival, Stand};

/// The number of open games on the connections of one pair. A connection may have 32.
const GAMES_OF_PAIR_MAX: u32 = 20;
/// The time in which a server must notice that all connections are gone, in milliseconds.
const GONE_MS: u64 = 3_000;
/// The number of plies of a game before its players leave and return.
const PLIES_BEFORE: u32 = 20;

/// The quantities of the measurement.
#[derive(clap::Args)]
pub(crate) struct Plan {
    /// Number of games at once. If it is higher than the number of pairs, pairs play several games.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 10, 100, 1_000, 5_000, 20_000])]
    games: Vec<u32>,
    /// Maximum number of pairs of connections.
    #[arg(long, default_value_t = 1_000)]
    pairs: u32,
    /// Moves made with each number of games.
    #[arg(long, default_value_t = 60_000)]
    moves: u32,
    /// Plies of each long game.
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(10..=4_800))]
    plies: u32,
    /// Number of long games.
    #[arg(long, default_value_t = 100)]
    long_games: u32,
    /// Number of sessions that come back at once.
    #[arg(long, value_delimiter = ',', default_values_t = [100, 1_000, 5_000])]
    sessions: Vec<u32>,
    #[command(flatten)]
    bench: Bench,
}

/// Measures and prints.
///
/// # Errors
/// [`LoadError`] if a client gets an unexpected answer.
pub(crate) async fn run(plan: &Plan) -> Result<Vec<Figure>, LoadError> {
    let mut figures = over_games(plan).await?;
    figures.push(over_plies(plan).await?);
    figures.push(over_sessions(plan).await?);
    Ok(figures)
}

/// Two connections, and the games on them, each with its number of plies.
struct Board {
    pair: Pair,
    games: Vec<(GameId, u32)>,
}

impl Board {
    async fn set_up(address: &str, index: u32, games: u32) -> Result<Board, LoadError> {
        let mut sockets = [guest(address, index * 2).await?, guest(address, index * 2 + 1).await?];
        let mut begun = Vec::new();
        for number in 0..games {
            let terms = Terms {
                // Under these rules, the game can last 5,000 plies.
                ruleset: "pbm,quiet=off".to_owned(),
                time: Time::Unlimited {},
                private: true,
                secret: false,
                rated: false,
            };
            begun.push((begin(&mut sockets, terms, number).await?, 0));
        }
        Ok(Board { pair: Pair { sockets, game: None, index }, games: begun })
    }

    /// Makes this many moves, one in each game in turn.
    async fn play(mut self, moves: u32) -> Result<Board, LoadError> {
        for _ in 0..moves {
            self.games.rotate_left(1);
            let Some((game, plies)) = self.games.last_mut() else { break };
            self.pair.game = Some(*game);
            self.pair.play(*plies).await?;
            *plies += 1;
        }
        Ok(self)
    }
}

/// Plays this many moves on all boards at once. Returns the server's processor time per move, in
/// microseconds.
async fn play(stand: &Stand, boards: Vec<Board>, moves: u32) -> Result<(Vec<Board>, f64), LoadError> {
    let made = boards.len() as f64 * f64::from(moves);
    let before = stand.server.cpu_seconds()?;
    let mut tasks = JoinSet::new();
    for board in boards {
        tasks.spawn(board.play(moves));
    }
    let mut boards = Vec::new();
    while let Some(board) = tasks.join_next().await {
        boards.push(board??);
    }
    Ok((boards, (stand.server.cpu_seconds()? - before) * 1e6 / made))
}

async fn start(bench: &Bench) -> Result<Stand, LoadError> {
    Stand::start(Rival::Memory, bench, [UPDATE_BYTES, ACKNOWLEDGEMENT_BYTES]).await
}

async fn over_games(plan: &Plan) -> Result<Vec<Figure>, LoadError> {
    println!("Processor time a move, the server in memory:");
    let mut relays: Vec<(u32, f64)> = Vec::new();
    let (mut full, mut figures) = (None, Vec::new());
    for games in &plan.games {
        let pairs = plan.pairs.min(*games);
        let each = games.div_ceil(pairs).min(GAMES_OF_PAIR_MAX);
        let moves = plan.moves.div_ceil(pairs);
        if relays.last().is_none_or(|(of, _)| *of != pairs) {
            let moves = moves.div_ceil(2);
            let duel = duel::Plan { bench: plan.bench.clone(), games: pairs, moves, pace: None };
            relays.push((pairs, duel::run(Rival::Relay, &duel).await?.cpu_us));
        }
        let relay_us = relays.last().map_or(0.0, |(_, us)| *us);
        let stand = start(&plan.bench).await?;
        let mut boards = Vec::new();
        for index in 0..pairs {
            boards.push(Board::set_up(&stand.server.address, index, each).await?);
        }
        let (_, us) = play(&stand, boards, moves).await?;
        print!(
            "{:>6} games on {pairs:>5} pairs of connections: {us:>6.1} µs; the relay {relay_us:>5.1} µs: {:.2} ×",
            pairs * each,
            us / relay_us
        );
        let of_relay =
            Figure::ratio(format!("a move with {} games, to the relay's", pairs * each), us / relay_us);
        figures.push(of_relay.with_detail(format!("{us:.1} µs")));
        match full.filter(|_| pairs == plan.pairs) {
            Some(full) => println!("; to {} games {:.2} ×", plan.pairs, us / full),
            None => println!(),
        }
        if pairs == plan.pairs {
            full = full.or(Some(us));
        }
    }
    Ok(figures)
}

/// The number of windows into which a game is divided for comparison.
const WINDOWS: u32 = 10;

async fn over_plies(plan: &Plan) -> Result<Figure, LoadError> {
    println!("Processor time a move over {} plies, {} games:", plan.plies, plan.long_games);
    let stand = start(&plan.bench).await?;
    let mut boards = Vec::new();
    for index in 0..plan.long_games {
        boards.push(Board::set_up(&stand.server.address, index, 1).await?);
    }
    let moves = plan.plies / WINDOWS;
    let (mut first, mut last) = (None, 1.0);
    for window in 0..WINDOWS {
        let (played, us) = play(&stand, boards, moves).await?;
        boards = played;
        let first = *first.get_or_insert(us);
        let (from, to) = (window * moves, (window + 1) * moves);
        println!("plies {from:>5} to {to:>5}: {us:>6.1} µs, {:.2} × the first", us / first);
        last = us / first;
    }
    Ok(Figure::ratio(format!("a move at the end of {} plies, to one at the start", plan.plies), last))
}

/// A player who will return: their token, their game, and the place in it that they have reached.
struct Absent {
    token: Secret,
    game: GameId,
    position: EventPosition,
}

async fn over_sessions(plan: &Plan) -> Result<Figure, LoadError> {
    println!("Sessions that come back at once, each to its game:");
    let (mut first, mut last) = (None, 1.0);
    for sessions in &plan.sessions {
        let stand = start(&plan.bench).await?;
        let mut absent = Vec::new();
        for index in 0..sessions.div_ceil(2) {
            absent.extend(leave_game(&stand.server.address, index).await?);
        }
        tokio::time::sleep(Duration::from_millis(GONE_MS)).await;
        let count = absent.len() as f64;
        let (before, begun) = (stand.server.cpu_seconds()?, std::time::Instant::now());
        let mut tasks = JoinSet::new();
        for player in absent {
            tasks.spawn(come_back(stand.server.address.clone(), player));
        }
        let mut sockets = Vec::new();
        while let Some(socket) = tasks.join_next().await {
            sockets.push(socket??);
        }
        let us = (stand.server.cpu_seconds()? - before) * 1e6 / count;
        let first = *first.get_or_insert(us);
        println!(
            "{count:>6} sessions: {us:>6.1} µs each, {:.2} × the first; the last after {:.0} ms",
            us / first,
            begun.elapsed().as_secs_f64() * 1e3
        );
        last = us / first;
    }
    Ok(Figure::ratio("a session that comes back with the most others, to one with the fewest", last))
}

/// Starts a game of two players, and cuts their connections.
async fn leave_game(address: &str, index: u32) -> Result<Vec<Absent>, LoadError> {
    let mut tokens = Vec::new();
    let mut sockets = Vec::new();
    for number in [index * 2, index * 2 + 1] {
        let mut socket = connect(format!("ws://{address}/ws")).await?;
        let welcome = enter(&mut socket, None, Some(format!("load-{number}"))).await?;
        match serde_json::from_str(&welcome) {
            Ok(ServerToClient::Welcome { token: Some(token), .. }) => tokens.push(token),
            _ => return Err(LoadError::Answer(welcome)),
        }
        sockets.push(socket);
    }
    let sockets: [Socket; 2] = sockets.try_into().map_err(|_| LoadError::Silent)?;
    let mut pair = Pair { sockets, game: None, index };
    let terms = Terms {
        ruleset: "pbm".to_owned(),
        time: Time::Unlimited {},
        private: true,
        secret: false,
        rated: false,
    };
    let game = begin(&mut pair.sockets, terms, 0).await?;
    pair.game = Some(game);
    for turn in 0..PLIES_BEFORE {
        pair.play(turn).await?;
    }
    // Opens the game again to learn the player's position, then cuts the connection.
    let mut absent = Vec::new();
    for (mut socket, token) in pair.sockets.into_iter().zip(tokens) {
        say(&mut socket, &ClientToServer::OpenGame { game, since: None }).await?;
        let shown = until(&mut socket, |text| text.starts_with(r#"{"type":"game""#)).await?;
        let Ok(ServerToClient::Game { epoch, seq, .. }) = serde_json::from_str(&shown) else {
            return Err(LoadError::Answer(shown));
        };
        absent.push(Absent { token, game, position: EventPosition { epoch, seq: seq.saturating_sub(2) } });
    }
    Ok(absent)
}

async fn come_back(address: String, player: Absent) -> Result<Socket, LoadError> {
    let Absent { token, game, position } = player;
    let mut socket = connect(format!("ws://{address}/ws")).await?;
    enter(&mut socket, Some(token), None).await?;
    say(&mut socket, &ClientToServer::OpenGame { game, since: Some(position) }).await?;
    until(&mut socket, |text| text.starts_with(r#"{"type":"game""#)).await?;
    Ok(socket)
}
