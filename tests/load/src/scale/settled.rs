//! The processor time for the result of a rated game, on one server and on several.

use std::time::{Duration, Instant};

use flagfall_board::Side;
use flagfall_protocol::{ClientToServer, GameCommand, SignedUp, Terms, Time};
use futures_util::{StreamExt as _, TryStreamExt as _};

use super::fleet::{Fleet, Spent, print_commands};
use super::plan::Plan;
use crate::duel::{Pair, ask, begin, connect, enter, id};
use crate::error::LoadError;
use crate::figure::{Figure, Target};
use crate::http;

/// The number of servers that are compared with one.
const SERVERS: u32 = 3;
/// The number of games that begin and end at a time on each server. A server that does little at a
/// time groups little of it, so several servers have several times as much to do at a time.
const AT_ONCE: u32 = 16;
/// The number of plies from which a rated game counts.
const PLIES: u32 = 2;
/// The work that follows from the end of a rated game, by the beginning of its keys.
const DUE: [&str; 2] = ["rating_due/", "played_due/"];
/// The key in Redis with the names of all records.
const NAMES: &str = "flagfall:{flagfall}:names";
/// The longest wait until the results of all games are settled.
const SETTLED_MAX: Duration = Duration::from_secs(300);

pub(super) async fn measure(plan: &Plan, note: &mut impl FnMut(Figure)) -> Result<(), LoadError> {
    let (one, many) = (settle(plan, 1).await?, settle(plan, SERVERS).await?);
    let name = format!("processor time for a rated game's end and result, {SERVERS} servers to one");
    let figure = Figure::ratio(name, many.cpu_ms / one.cpu_ms).with_target(Target::AtMost(1.1));
    let [one_ms, many_ms] = [&one, &many].map(|spent| spent.cpu_ms / f64::from(plan.rated_games));
    note(figure.with_detail(format!("{many_ms:.2} ms, {one_ms:.2} ms")));
    if !plan.only.is_empty() {
        print_commands(&one, &many);
    }
    Ok(())
}

/// Ends rated games, and waits for their ratings and for their lines in the players' histories.
/// Each game has its own two players.
async fn settle(plan: &Plan, servers: u32) -> Result<Spent, LoadError> {
    println!("{} rated games end on {servers} servers of one Redis", plan.rated_games);
    let fleet = Fleet::start(&plan.bench, servers).await?;
    let addresses = fleet.servers.iter().map(|server| server.address.clone()).cycle();
    let begun = futures_util::stream::iter((0..plan.rated_games).zip(addresses))
        .map(|(index, address)| async move { rated_pair(&address, index).await });
    let at_once = (AT_ONCE * servers) as usize;
    let pairs: Vec<Pair> = begun.buffered(at_once).try_collect().await?;
    fleet.settle().await?;
    let before = fleet.spent().await?;
    let ended = futures_util::stream::iter(pairs).map(resign).buffered(at_once);
    // The connections stay open, because closing them costs processor time, too.
    let _pairs: Vec<Pair> = ended.try_collect().await?;
    let until = Instant::now() + SETTLED_MAX;
    while !is_settled(&fleet).await? {
        if Instant::now() >= until {
            return Err(LoadError::Answer("results of rated games are not settled".to_owned()));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(fleet.spent().await?.since(&before))
}

async fn is_settled(fleet: &Fleet) -> Result<bool, LoadError> {
    for due in DUE {
        let (from, to) = (format!("[{due}"), format!("({due}\u{7f}"));
        let count: u64 = fleet.redis.ask_redis(&["ZLEXCOUNT", NAMES, &from, &to]).await?;
        if count > 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Begins a rated game between two new accounts, and plays its first plies.
async fn rated_pair(address: &str, index: u32) -> Result<Pair, LoadError> {
    let mut sockets = Vec::new();
    for side in Side::BOTH {
        let SignedUp { token, .. } = http::sign_up(address, &format!("{side:?}-{index}"), false).await?;
        let mut socket = connect(format!("ws://{address}/ws")).await?;
        enter(&mut socket, token, None).await?;
        sockets.push(socket);
    }
    let mut sockets: [_; 2] = sockets.try_into().map_err(|_| LoadError::Silent)?;
    let time = Time::Fischer { base_s: 1_800, increment_s: 15 };
    let terms = Terms { ruleset: "pbm".to_owned(), time, private: false, secret: false, rated: true };
    let game = begin(&mut sockets, terms, 0).await?;
    let mut pair = Pair { sockets, game: Some(game), index };
    for turn in 0..PLIES {
        pair.play(turn).await?;
    }
    Ok(pair)
}

async fn resign(mut pair: Pair) -> Result<Pair, LoadError> {
    let game = pair.game.ok_or(LoadError::Silent)?;
    let (cmd_id, command) = (id("resign"), GameCommand::Resign {});
    let message = ClientToServer::Command { cmd_id, game, ply: PLIES as u16, epoch: None, command };
    ask(&mut pair.sockets[0], &message).await?;
    Ok(pair)
}
