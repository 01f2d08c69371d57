//! The lobby: what a join costs, and the bytes to a watcher.

use std::time::{Duration, Instant};

use flagfall_protocol::{Accepted, ClientToServer, LobbyFilter, Terms, Time};

use super::plan::Plan;
use crate::duel::{
    ACKNOWLEDGEMENT_BYTES, Socket, UPDATE_BYTES, ask, begin, guest, id, median, next, say, until,
};
use crate::error::LoadError;
use crate::figure::{Figure, Target};
use crate::stand::{Rival, Stand};

/// The number of games of one pair of connections. A connection may have 32 open games.
const GAMES_OF_PAIR: u32 = 30;
/// The number of open seeks of a player, and the number of seeks that the lobby lists.
const SEEKS_OF_PLAYER: u32 = 3;
const SEEKS_LISTED: u32 = 80;
/// The time between two changes of the seeks. The server tells watchers about changes at most
/// twice a second.
const SEEK_EVERY: Duration = Duration::from_millis(100);
/// The number of parts of the joins of the lobby. The median of them counts, so that work that
/// the server does now and then does not.
const PARTS: u32 = 20;

pub(super) async fn measure(plan: &Plan, note: &mut impl FnMut(Figure)) -> Result<(), LoadError> {
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

async fn start(plan: &Plan) -> Result<Stand, LoadError> {
    Stand::start(Rival::Memory, &plan.bench, [UPDATE_BYTES, ACKNOWLEDGEMENT_BYTES]).await
}

fn terms() -> Terms {
    Terms { ruleset: "pbm".to_owned(), time: Time::Unlimited {}, private: false, secret: false, rated: false }
}

fn open_lobby(changes: bool) -> ClientToServer {
    ClientToServer::OpenLobby { changes, filter: LobbyFilter::default() }
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
