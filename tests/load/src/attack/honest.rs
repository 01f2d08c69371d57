//! Honest players, with measurements of how an attack affects them.

use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use flagfall_board::Side;
use flagfall_protocol::{Accepted, ClientToServer, GameCommand, Terms, Time};
use tokio::task::JoinSet;
use tokio::time::{interval, sleep_until, timeout};

use crate::duel::{Pair, SETUP, Socket, ask, begin, connect_from, enter, id, say, until};
use crate::error::LoadError;

/// The time between two newcomers.
const NEWCOMER: Duration = Duration::from_millis(500);
/// The longest time that a newcomer waits before they give up.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The number of moves in a game before the next game begins. With more moves without a capture,
/// `pbm` would end the game.
const MOVES_A_GAME: u32 = 180;

/// What honest players observed.
#[derive(Default)]
pub(super) struct Noticed {
    /// The time from sending each move until the opponent reads it, in microseconds.
    latencies_us: Vec<u64>,
    /// The time from each newcomer's arrival until their game against a house player begins, in
    /// milliseconds.
    pub(super) newcomers_ms: Vec<u64>,
    pub(super) refused: Vec<String>,
}

impl Noticed {
    /// Returns the 99th percentile of the time that moves take.
    pub(super) fn p99_us(&self) -> u64 {
        let mut sorted = self.latencies_us.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() * 99 / 100).copied().unwrap_or(u64::MAX)
    }
}

/// Creates pairs of players, each with a game. Every player has their own address.
pub(super) async fn pairs(address: &str, count: u32) -> Result<Vec<Pair>, LoadError> {
    let mut pairs = Vec::new();
    for index in 0..count {
        let mut sockets = [
            guest(address, loopback(2, index * 2 + 1)).await?,
            guest(address, loopback(2, index * 2 + 2)).await?,
        ];
        let game = begin(&mut sockets, terms(), 0).await?;
        pairs.push(Pair { sockets, game: Some(game), index });
    }
    Ok(pairs)
}

async fn guest(address: &str, source: IpAddr) -> Result<Socket, LoadError> {
    let mut socket = connect_from(source, address).await?;
    enter(&mut socket, None, None).await?;
    Ok(socket)
}

fn terms() -> Terms {
    Terms { ruleset: "pbm".to_owned(), time: Time::Unlimited {}, private: false, secret: false, rated: false }
}

/// Lets the pairs move and newcomers arrive, for the given time.
pub(super) async fn play(
    address: &str,
    pairs: Vec<Pair>,
    pace: Duration,
    lasting: Duration,
) -> Result<Noticed, LoadError> {
    let end = Instant::now() + lasting;
    let mut noticed = Noticed::default();
    let mut players = JoinSet::new();
    let count = u32::try_from(pairs.len()).unwrap_or(1).max(1);
    for pair in pairs {
        // Start the pairs at different times, so that their moves are staggered.
        let first = tokio::time::Instant::now() + pace * pair.index / count;
        players.spawn(async move {
            sleep_until(first).await;
            moves(pair, pace, end).await
        });
    }
    let mut newcomers = JoinSet::new();
    let mut arrivals = interval(NEWCOMER);
    let mut index = 0;
    while Instant::now() < end {
        arrivals.tick().await;
        index += 1;
        let address = address.to_owned();
        newcomers.spawn(async move {
            let began = Instant::now();
            let arrived = timeout(TIMEOUT, arrive(&address, loopback(3, index), index));
            let arrived =
                Box::pin(arrived).await.unwrap_or_else(|_| Err(LoadError::Answer("no answer".to_owned())));
            arrived.map(|()| u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX))
        });
    }
    while let Some(ended) = players.join_next().await {
        noticed.latencies_us.extend(ended??);
    }
    while let Some(ended) = newcomers.join_next().await {
        match ended? {
            Ok(ms) => noticed.newcomers_ms.push(ms),
            Err(trouble) => noticed.refused.push(trouble.to_string()),
        }
    }
    Ok(noticed)
}

/// Moves Scouts back and forth at an even pace, game after game.
async fn moves(mut pair: Pair, pace: Duration, end: Instant) -> Result<Vec<u64>, LoadError> {
    let mut latencies = Vec::new();
    let mut ticks = interval(pace);
    let (mut turn, mut game) = (0, 0);
    while Instant::now() < end {
        ticks.tick().await;
        if turn == MOVES_A_GAME {
            (turn, game) = (0, game + 1);
            pair.game = Some(begin(&mut pair.sockets, terms(), game).await?);
        }
        latencies.push(pair.play(turn).await?);
        turn += 1;
    }
    Ok(latencies)
}

/// A newcomer: a guest who offers a game, withdraws the offer, and begins a game against a house
/// player.
async fn arrive(address: &str, source: IpAddr, index: u32) -> Result<(), LoadError> {
    let mut socket = guest(address, source).await?;
    let terms = terms();
    let seek = ClientToServer::Seek {
        cmd_id: id(&format!("seek-{index}")),
        terms: terms.clone(),
        side: None,
        rating: None,
    };
    let Accepted::Seek { seek } = ask(&mut socket, &seek).await? else {
        return Err(LoadError::Answer("no seek".to_owned()));
    };
    ask(&mut socket, &ClientToServer::CancelSeek { cmd_id: id(&format!("cancel-{index}")), seek }).await?;
    let play = ClientToServer::PlayBot {
        cmd_id: id(&format!("play-{index}")),
        bot: "simple".to_owned(),
        terms,
        // The house player moves first, so that its thinking time is included.
        side: Some(Side::Blue),
    };
    let Accepted::Started { game, .. } = ask(&mut socket, &play).await? else {
        return Err(LoadError::Answer("no game".to_owned()));
    };
    say(&mut socket, &ClientToServer::OpenGame { game, since: None }).await?;
    let command = GameCommand::Deploy { setup: SETUP.to_owned() };
    let deploy = ClientToServer::Command { cmd_id: id("deploy"), game, ply: 0, epoch: None, command };
    say(&mut socket, &deploy).await?;
    until(&mut socket, |text| text.contains(r#""kind":"moved""#)).await?;
    Ok(())
}

/// Returns an address of the loopback network that nothing else in this program uses.
fn loopback(group: u8, index: u32) -> IpAddr {
    let [.., high, low] = index.to_be_bytes();
    // Avoids .0 and .255, which look like network and broadcast addresses.
    Ipv4Addr::new(127, group, high, low.clamp(1, 254)).into()
}
