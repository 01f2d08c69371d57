//! Measures what must not grow with the number of games, players and watchers.
//!
//! Each figure is a ratio within one run, so a busy machine changes it little.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use flagfall_protocol::{Accepted, ClientToServer, LobbyFilter, Terms, Time};

use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio::time::interval_at;

use crate::duel::{
    ACKNOWLEDGEMENT_BYTES, Pair, Socket, UPDATE_BYTES, ask, begin, guest, id, median, next, pair_of_relay,
    pair_of_server, say, until,
};
use crate::error::LoadError;
use crate::figure::{Figure, Target};
use crate::process::Measured;
use crate::size::{deliver, onlooker, percentile_99, watch};
use crate::stand::{Bench, Rival, Stand, start_server};

/// The number of games of one pair of connections. A connection may have 32 open games.
const GAMES_OF_PAIR: u32 = 30;
/// The number of open seeks of a player, and the number of seeks that the lobby lists.
const SEEKS_OF_PLAYER: u32 = 3;
const SEEKS_LISTED: u32 = 80;
/// The time between two changes of the seeks. The server tells watchers about changes at most
/// twice a second.
const SEEK_EVERY: Duration = Duration::from_millis(100);
/// The time between two moves of a game on a fleet of servers.
const PACE: Duration = Duration::from_secs(5);
/// The time for which servers read the record of a new game, so that they can tell its players.
const NEWS: Duration = Duration::from_secs(60);
/// A channel for servers of earlier versions. Servers stop to listen to it when all of them have
/// been of this version for ten seconds.
const FORMER_CHANNEL: &str = "flagfall:appends";
/// The longest time that servers may take to stop to listen to it.
const FORMER_MAX: Duration = Duration::from_secs(60);
/// The number of parts of the joins of the lobby. The median of them counts, so that work that
/// the server does now and then does not.
const PARTS: u32 = 20;

#[derive(clap::Args)]
pub(crate) struct Plan {
    /// Two numbers of running public games. The cost of joining the lobby is compared between
    /// them.
    #[arg(long, value_delimiter = ',', default_values_t = [60, 8_000], num_args = 2)]
    games: Vec<u32>,
    /// Number of joins.
    #[arg(long, default_value_t = 4_000, value_parser = clap::value_parser!(u32).range(20..))]
    joins: u32,
    /// Number of changes of the seeks while watchers look on.
    #[arg(long, default_value_t = 200)]
    changes: u32,
    /// Number of servers on one Redis that are compared with one server.
    #[arg(long, default_value_t = 6)]
    servers: u32,
    /// Number of games that are played on these servers, with a move every five seconds.
    #[arg(long, default_value_t = 900)]
    fleet_games: u32,
    /// Plies of each of these games.
    #[arg(long, default_value_t = 8)]
    fleet_plies: u32,
    /// Measures only what these servers cost, and prints the commands that Redis is sent.
    #[arg(long)]
    fleet_only: bool,
    /// Number of spectators of one game.
    #[arg(long, default_value_t = 9_000)]
    spectators: u32,
    /// Number of servers, and of bare relays, to which these spectators connect.
    #[arg(long, default_value_t = 3)]
    crowd_servers: u32,
    /// Plies of the game that they watch.
    #[arg(long, default_value_t = 20)]
    crowd_plies: u32,
    #[command(flatten)]
    bench: Bench,
}

/// Measures and prints.
///
/// # Errors
/// [`LoadError`] if a client gets an unexpected answer.
pub(crate) async fn run(plan: &Plan) -> Result<Vec<Figure>, LoadError> {
    let mut figures = Vec::new();
    let mut note = |figure: Figure| {
        figure.print();
        figures.push(figure);
    };
    if !plan.fleet_only {
        lobby(plan, &mut note).await?;
    }
    fleet(plan, &mut note).await?;
    if !plan.fleet_only {
        crowd(plan, &mut note).await?;
    }
    Ok(figures)
}

async fn lobby(plan: &Plan, note: &mut impl FnMut(Figure)) -> Result<(), LoadError> {
    let mut joins = Vec::new();
    for games in &plan.games {
        joins.push(join_us(plan, *games).await?);
    }
    if let [few, many] = joins[..] {
        let name = format!("a lobby join at {} games, to one at {}", plan.games[1], plan.games[0]);
        let detail = format!("{many:.1} µs, {few:.1} µs");
        note(Figure::ratio(name, many / few).with_target(Target::AtMost(1.2)).with_detail(detail));
    }
    let [whole, changes] = watcher_bytes(plan).await?;
    let detail = format!("{changes:.0} B a second, {whole:.0} B");
    let figure = Figure::ratio("bytes to a watcher of a busy lobby, to whole lists", changes / whole);
    note(figure.with_target(Target::AtMost(0.05)).with_detail(detail));
    Ok(())
}

async fn fleet(plan: &Plan, note: &mut impl FnMut(Figure)) -> Result<(), LoadError> {
    let (one, many) = (Spent::by_fleet(plan, 1).await?, Spent::by_fleet(plan, plan.servers).await?);
    let to_one = format!("for the same moves, {} servers to one", plan.servers);
    let mut compare = |what: &str, unit: &str, [one, many]: [f64; 2], most: f64| {
        let figure = Figure::ratio(format!("{what} {to_one}"), many / one).with_target(Target::AtMost(most));
        note(figure.with_detail(format!("{many:.0} {unit}, {one:.0} {unit}")));
    };
    compare("processor time of all servers", "ms", [one.cpu_ms, many.cpu_ms], 1.3);
    compare("bytes that Redis sends", "kB", [one.sent_kb, many.sent_kb], 1.5);
    compare("commands that Redis is sent", "commands", [one.commands, many.commands], 1.2);
    if plan.fleet_only {
        print_commands(&one, &many);
    }
    Ok(())
}

async fn crowd(plan: &Plan, note: &mut impl FnMut(Figure)) -> Result<(), LoadError> {
    let (relays, servers) = (crowd_ms(plan, Rival::Relay).await?, crowd_ms(plan, Rival::Redis).await?);
    let name = format!("99 % to the last of {} spectators, to bare relays", plan.spectators);
    let figure = Figure::ratio(name, servers / relays).with_target(Target::AtMost(1.5));
    note(figure.with_detail(format!("{servers:.0} ms, {relays:.0} ms")));
    Ok(())
}

/// Prints how often each command was sent to Redis, also by its scripts.
fn print_commands(one: &Spent, many: &Spent) {
    println!("{:<24}{:>12}{:>12}", "command", "one server", "all servers");
    let mut rows: Vec<_> = many.by_command.iter().collect();
    rows.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    for (name, many) in rows.into_iter().filter(|(_, many)| **many > 0.0) {
        println!("{name:<24}{:>12.0}{many:>12.0}", one.by_command.get(name).copied().unwrap_or_default());
    }
}

/// Servers that share one Redis.
struct Fleet {
    servers: Vec<Measured>,
    redis: Measured,
    _folder: TempDir,
}

impl Fleet {
    async fn start(bench: &Bench, count: u32) -> Result<Fleet, LoadError> {
        let folder = tempfile::tempdir()?;
        let redis = Measured::start_redis(folder.path()).await?;
        let mut servers = Vec::new();
        for number in 0..count {
            let data = folder.path().join(number.to_string()).display().to_string();
            servers.push(start_server(bench, &redis.address, &data).await?);
        }
        Ok(Fleet { servers, redis, _folder: folder })
    }

    async fn ask(&self, command: &[&str]) -> Result<redis::Value, LoadError> {
        let mut connection =
            redis::Client::open(&*self.redis.address)?.get_multiplexed_async_connection().await?;
        let [name, arguments @ ..] = command else { return Err(LoadError::Silent) };
        Ok(redis::cmd(name).arg(arguments).query_async(&mut connection).await?)
    }

    /// Waits until the servers have finished the work that they do only because they and their
    /// games are new.
    async fn settle(&self) -> Result<(), LoadError> {
        println!("waiting until {NEWS:?} have passed since the last game began");
        tokio::time::sleep(NEWS).await;
        let until = Instant::now() + FORMER_MAX;
        loop {
            let listeners = self.ask(&["PUBSUB", "NUMSUB", FORMER_CHANNEL]).await?;
            let (_, listeners): (String, u64) =
                redis::from_redis_value(listeners).map_err(redis::RedisError::from)?;
            if listeners == 0 {
                return Ok(());
            }
            if Instant::now() >= until {
                return Err(LoadError::Answer(format!(
                    "{listeners} servers still listen to {FORMER_CHANNEL}"
                )));
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    /// Returns the processor time that the servers have used, and Redis's output and commands so
    /// far.
    async fn spent(&self) -> Result<Spent, LoadError> {
        let cpu: f64 = self.servers.iter().map(Measured::cpu_seconds).sum::<Result<f64, LoadError>>()?;
        let info = self.ask(&["INFO", "stats", "commandstats"]).await?;
        let info: String = redis::from_redis_value(info).map_err(redis::RedisError::from)?;
        let calls = |line: &str| {
            let (name, counts) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
            Some((name.to_owned(), counts.split_once(',')?.0.parse().ok()?))
        };
        let number = |name: &str| {
            let found = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            found.and_then(|found| found.trim().parse::<f64>().ok()).ok_or(LoadError::Silent)
        };
        Ok(Spent {
            cpu_ms: cpu * 1e3,
            sent_kb: number("total_net_output_bytes")? / 1e3,
            commands: number("total_commands_processed")?,
            by_command: info.lines().filter_map(calls).collect(),
        })
    }
}

struct Spent {
    cpu_ms: f64,
    sent_kb: f64,
    commands: f64,
    /// The number of calls of each command.
    by_command: BTreeMap<String, f64>,
}

impl Spent {
    /// Plays the same moves on this many servers. Both players of a game are on the same server.
    async fn by_fleet(plan: &Plan, count: u32) -> Result<Spent, LoadError> {
        println!("{} games with a move each {PACE:?} on {count} servers of one Redis", plan.fleet_games);
        let fleet = Fleet::start(&plan.bench, count).await?;
        let mut pairs = Vec::new();
        for (index, server) in (0..plan.fleet_games).zip(fleet.servers.iter().cycle()) {
            pairs.push(pair_of_server(&server.address, index, false).await?);
        }
        fleet.settle().await?;
        let before = fleet.spent().await?;
        let mut tasks = JoinSet::new();
        for pair in pairs {
            tasks.spawn(play(pair, plan.fleet_games, plan.fleet_plies));
        }
        while let Some(ended) = tasks.join_next().await {
            ended??;
        }
        let after = fleet.spent().await?;
        Ok(Spent {
            cpu_ms: after.cpu_ms - before.cpu_ms,
            sent_kb: after.sent_kb - before.sent_kb,
            commands: after.commands - before.commands,
            by_command: after
                .by_command
                .into_iter()
                .map(|(name, calls)| {
                    let before = before.by_command.get(&name).copied().unwrap_or_default();
                    (name, calls - before)
                })
                .collect(),
        })
    }
}

/// Makes a move every [`PACE`]. The games start at different times.
async fn play(mut pair: Pair, games: u32, plies: u32) -> Result<(), LoadError> {
    let first = tokio::time::Instant::now() + PACE.mul_f64(f64::from(pair.index) / f64::from(games));
    let mut pace = interval_at(first, PACE);
    for turn in 0..plies {
        pace.tick().await;
        pair.play(turn).await?;
    }
    Ok(())
}

/// Returns the time in milliseconds until a ply reaches the last of many spectators of one game.
/// The spectators are spread over several servers of one Redis. On bare relays, each relay has
/// its own pair of players.
async fn crowd_ms(plan: &Plan, rival: Rival) -> Result<f64, LoadError> {
    println!("{} spectators of one game on {} × {}", plan.spectators, plan.crowd_servers, rival.name());
    let (mut relays, mut fleet, mut addresses) = (Vec::new(), None, Vec::new());
    if rival == Rival::Relay {
        for _ in 0..plan.crowd_servers {
            let relay = Stand::start(rival, &plan.bench, [UPDATE_BYTES, ACKNOWLEDGEMENT_BYTES]).await?;
            addresses.push(relay.server.address.clone());
            relays.push(relay);
        }
    } else {
        let servers = fleet.insert(Fleet::start(&plan.bench, plan.crowd_servers).await?);
        addresses.extend(servers.servers.iter().map(|server| server.address.clone()));
    }
    let mut pairs = Vec::new();
    for address in &addresses {
        match rival {
            Rival::Relay => pairs.push(pair_of_relay(address, 0).await?),
            _ if pairs.is_empty() => pairs.push(pair_of_server(address, 0, false).await?),
            _ => {}
        }
    }
    let mut spectators = Vec::new();
    for (index, address) in (0..plan.spectators).zip(addresses.iter().cycle()) {
        spectators.push(onlooker(rival, address, index).await?);
    }
    let [first, ..] = &pairs[..] else { return Err(LoadError::Silent) };
    let spectators = watch(rival, first, spectators).await?;
    let latencies = deliver(pairs, spectators, plan.crowd_plies).await?;
    drop((relays, fleet));
    Ok(percentile_99(&latencies))
}

async fn start(plan: &Plan) -> Result<Stand, LoadError> {
    Stand::start(Rival::Memory, &plan.bench, [UPDATE_BYTES, ACKNOWLEDGEMENT_BYTES]).await
}

fn terms() -> Terms {
    Terms { ruleset: "pbm".to_owned(), time: Time::Unlimited {}, private: false, secret: false, rated: false }
}

fn open_lobby(changes: bool) -> ClientToServer {
    ClientToServer::OpenLobby { changes, filter: LobbyFilter::default(), brief: changes }
}

fn is_lobby(text: &str) -> bool {
    text.starts_with(r#"{"type":"lobby""#)
}

/// Returns the server's processor time per join of the lobby, in microseconds.
async fn join_us(plan: &Plan, games: u32) -> Result<f64, LoadError> {
    let stand = start(plan).await?;
    let address = &stand.server.address;
    let mut players = Vec::new();
    let (mut begun, mut told) = (0, Instant::now());
    while begun < games {
        let index = u32::try_from(players.len()).unwrap_or(u32::MAX);
        let mut sockets = [guest(address, index * 2).await?, guest(address, index * 2 + 1).await?];
        for number in 0..GAMES_OF_PAIR.min(games - begun) {
            begin(&mut sockets, terms(), number).await?;
            begun += 1;
        }
        players.push(sockets);
        if told.elapsed() > Duration::from_secs(2) {
            println!("{begun} of {games} games have begun");
            told = Instant::now();
        }
    }
    // Keep another watcher in the lobby. Without it, the server would build the lists again for
    // each join.
    let mut staying = guest(address, 1_000_000).await?;
    say(&mut staying, &open_lobby(true)).await?;
    until(&mut staying, is_lobby).await?;
    let mut joining = guest(address, 1_000_001).await?;
    let (mut parts, joins) = (Vec::new(), plan.joins / PARTS);
    for _ in 0..PARTS {
        let before = stand.server.thread_seconds()?;
        for _ in 0..joins {
            say(&mut joining, &open_lobby(true)).await?;
            until(&mut joining, is_lobby).await?;
            say(&mut joining, &ClientToServer::CloseLobby {}).await?;
        }
        parts.push((stand.server.thread_seconds()? - before) * 1e6 / f64::from(joins));
    }
    median(parts.into_iter()).ok_or(LoadError::Silent)
}

/// Returns how many bytes per second two watchers of a full and busy lobby get. The first
/// requests the whole lobby each time, and the second requests changes.
async fn watcher_bytes(plan: &Plan) -> Result<[f64; 2], LoadError> {
    let stand = start(plan).await?;
    let address = &stand.server.address;
    let mut seekers = Vec::new();
    for index in 0..SEEKS_LISTED.div_ceil(SEEKS_OF_PLAYER) {
        let mut seeker = (guest(address, index).await?, Vec::new());
        for number in 0..SEEKS_OF_PLAYER {
            seeker.1.push(seek(&mut seeker.0, number).await?);
        }
        seekers.push(seeker);
    }
    let mut counts = Vec::new();
    for (index, changes) in [(1_000_000, false), (1_000_001, true)] {
        let mut watcher = guest(address, index).await?;
        say(&mut watcher, &open_lobby(changes)).await?;
        until(&mut watcher, is_lobby).await?;
        counts.push(tokio::spawn(count(watcher)));
    }
    let begun = Instant::now();
    for number in 0..plan.changes {
        let at = number as usize % seekers.len();
        let (socket, seeks) = &mut seekers[at];
        let oldest = seeks.remove(0);
        let cmd_id = id(&format!("cancel-{number}"));
        ask(socket, &ClientToServer::CancelSeek { cmd_id, seek: oldest }).await?;
        let opened = seek(socket, SEEKS_OF_PLAYER + number).await?;
        seeks.push(opened);
        tokio::time::sleep(SEEK_EVERY).await;
    }
    let seconds = begun.elapsed().as_secs_f64();
    // Stopping the server closes its connections, which ends the watchers' tasks.
    drop(stand);
    let mut bytes = [0.0; 2];
    for (bytes, count) in bytes.iter_mut().zip(counts) {
        *bytes = count.await? as f64 / seconds;
    }
    Ok(bytes)
}

async fn seek(socket: &mut Socket, number: u32) -> Result<String, LoadError> {
    let cmd_id = id(&format!("seek-{number}"));
    let message = ClientToServer::Seek { cmd_id, terms: terms(), side: None, rating: None };
    match ask(socket, &message).await? {
        Accepted::Seek { seek } => Ok(seek),
        accepted => Err(LoadError::Answer(format!("{accepted:?}"))),
    }
}

/// Counts the bytes of all messages about the lobby until the connection ends.
async fn count(mut watcher: Socket) -> usize {
    let mut bytes = 0;
    while let Ok(text) = next(&mut watcher).await {
        if text.starts_with(r#"{"type":"lobby"#) {
            bytes += text.len();
        }
    }
    bytes
}
