//! The processor time for the result of a rated game, on one server and on several.

use std::time::{Duration, Instant};

use flagfall_board::Side;
use flagfall_protocol::{ClientToServer, GameCommand, ServerToClient, SignedUp, Terms, Time};
use futures_util::{StreamExt as _, TryStreamExt as _};

use super::fleet::{Fleet, Spent, print_commands};
use super::plan::Plan;
use crate::duel::{Pair, Socket, ask, begin, connect, deploy, enter, id, median, say, until};
use crate::error::LoadError;
use crate::figure::{Figure, Target};
use crate::http;
use crate::process::Measured;

/// The number of servers that are compared with one.
const SERVERS: u32 = 3;
/// The number of games that begin and end at a time on each server. A server that does little at a
/// time groups little of it, so several servers have several times as much to do at a time.
const AT_ONCE: u32 = 16;
/// The rounds in which the games end, by turns on one server and on several. A figure is the
/// median of the rounds, because the machine is not equally fast all the time.
const ROUNDS: u32 = 5;
/// The number of plies from which a rated game counts.
const PLIES: u32 = 2;
/// The work that follows from the end of a rated game, by the kinds of its records.
pub(super) const DUE: [&str; 2] = ["rating_due", "played_due"];
/// The key in Redis with the names of all records.
pub(super) const NAMES: &str = "flagfall:{flagfall}:names";
/// The longest wait until the results of all games are settled.
const SETTLED_MAX: Duration = Duration::from_secs(300);

pub(super) async fn measure(plan: &Plan, note: &mut impl FnMut(Figure)) -> Result<(), LoadError> {
    let games = plan.rated_games;
    println!("{games} rated games begin on 1 servers of one Redis, and as many on {SERVERS}");
    let (mut one, mut many) = (Begun::new(plan, 1).await?, Begun::new(plan, SERVERS).await?);
    tokio::try_join!(one.fleet.settle(), many.fleet.settle())?;
    let mut rounds = Vec::new();
    for round in 1..=ROUNDS {
        let count = games * round / ROUNDS - games * (round - 1) / ROUNDS;
        rounds.push((f64::from(count), one.end(count as usize).await?, many.end(count as usize).await?));
        println!("round {round} of {ROUNDS}: {count} games have ended on each side");
    }
    let of =
        |value: &dyn Fn(&(f64, Spent, Spent)) -> f64| median(rounds.iter().map(value)).unwrap_or_default();
    let ratio = of(&|(_, one, many)| many.cpu_ms / one.cpu_ms);
    let (one_ms, many_ms) =
        (of(&|(count, one, _)| one.cpu_ms / count), of(&|(count, _, many)| many.cpu_ms / count));
    let name = format!("processor time for a rated game's end and result, {SERVERS} servers to one");
    let figure = Figure::ratio(name, ratio).with_target(Target::AtMost(1.1));
    note(figure.with_detail(format!("{many_ms:.2} ms, {one_ms:.2} ms; median of {ROUNDS} rounds")));
    if let (false, Some((_, one, many))) = (plan.only.is_empty(), rounds.last()) {
        print_commands(one, many);
    }
    Ok(())
}

/// Servers with rated games that have begun. Each game has its own two players.
struct Begun {
    fleet: Fleet,
    pairs: Vec<Pair>,
    /// The pairs whose games are over. Their connections stay open, because closing them costs
    /// processor time, too.
    ended: Vec<Pair>,
    /// The number of games that end at a time.
    at_once: usize,
}

impl Begun {
    async fn new(plan: &Plan, servers: u32) -> Result<Begun, LoadError> {
        let fleet = Fleet::start(&plan.bench, servers).await?;
        let addresses = fleet.servers.iter().map(|server| server.address.clone()).cycle();
        let begun = futures_util::stream::iter((0..plan.rated_games).zip(addresses))
            .map(|(index, address)| async move { rated_pair(&address, index).await });
        let at_once = (AT_ONCE * servers) as usize;
        let pairs = begun.buffered(at_once).try_collect().await?;
        Ok(Begun { fleet, pairs, ended: Vec::new(), at_once })
    }

    /// Ends some of the games, and waits for their ratings and for their lines in the players'
    /// histories.
    async fn end(&mut self, count: usize) -> Result<Spent, LoadError> {
        let before = self.fleet.spent().await?;
        let ended = futures_util::stream::iter(self.pairs.drain(..count)).map(resign);
        self.ended.extend(ended.buffered(self.at_once).try_collect::<Vec<Pair>>().await?);
        none_left(&self.fleet.redis, &DUE).await?;
        Ok(self.fleet.spent().await?.since(&before))
    }
}

/// Waits until Redis has no record of these kinds.
pub(super) async fn none_left(redis: &Measured, kinds: &[&str]) -> Result<(), LoadError> {
    let until = Instant::now() + SETTLED_MAX;
    for kind in kinds {
        let (from, to) = (format!("[{kind}/"), format!("({kind}/\u{7f}"));
        while redis.ask_redis::<u64>(&["ZLEXCOUNT", NAMES, &from, &to]).await? > 0 {
            if Instant::now() >= until {
                return Err(LoadError::Answer(format!("there are still records {kind}/…")));
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    Ok(())
}

/// Begins a rated game between two new accounts, and plays its first plies.
async fn rated_pair(address: &str, index: u32) -> Result<Pair, LoadError> {
    let mut pair = Pair { sockets: accounts(address, index).await?, game: None, index };
    begin_rated(&mut pair, 0).await?;
    Ok(pair)
}

/// Connects two new accounts.
pub(super) async fn accounts(address: &str, index: u32) -> Result<[Socket; 2], LoadError> {
    let mut sockets = Vec::new();
    for side in Side::BOTH {
        let SignedUp { token, .. } = http::sign_up(address, &format!("{side:?}-{index}"), false).await?;
        let mut socket = connect(format!("ws://{address}/ws")).await?;
        enter(&mut socket, token, None).await?;
        sockets.push(socket);
    }
    sockets.try_into().map_err(|_| LoadError::Silent)
}

/// Begins a rated game, and plays its first plies. `number` must be different for each game of the
/// same players.
pub(super) async fn begin_rated(pair: &mut Pair, number: u32) -> Result<(), LoadError> {
    pair.game = Some(begin(&mut pair.sockets, rated_terms(1_800), number).await?);
    play_first(pair).await
}

/// Like [`begin_rated`], through the pool. The players wait for terms of their own, so that they
/// are paired with each other.
pub(super) async fn begin_pooled(pair: &mut Pair, number: u32) -> Result<(), LoadError> {
    let terms = rated_terms(1_801 + pair.index);
    for socket in &mut pair.sockets {
        let cmd_id = id(&format!("pool-{number}"));
        say(socket, &ClientToServer::EnterPool { cmd_id, terms: terms.clone() }).await?;
    }
    let before = pair.game.map(|game| game.to_string()).unwrap_or_default();
    let is_new = |text: &str| {
        text.starts_with(r#"{"type":"game_started""#) && (before.is_empty() || !text.contains(&before))
    };
    until(&mut pair.sockets[1], is_new).await?;
    let text = until(&mut pair.sockets[0], is_new).await?;
    let Ok(ServerToClient::GameStarted { game, side }) = serde_json::from_str(&text) else {
        return Err(LoadError::Answer(text));
    };
    if side == Side::Blue {
        pair.sockets.swap(0, 1);
    }
    deploy(&mut pair.sockets, game.id).await?;
    pair.game = Some(game.id);
    play_first(pair).await
}

fn rated_terms(base_s: u32) -> Terms {
    let time = Time::Fischer { base_s, increment_s: 15 };
    Terms { ruleset: "pbm".to_owned(), time, private: false, secret: false, rated: true }
}

async fn play_first(pair: &mut Pair) -> Result<(), LoadError> {
    for turn in 0..PLIES {
        pair.play(turn).await?;
    }
    Ok(())
}

pub(super) async fn resign(mut pair: Pair) -> Result<Pair, LoadError> {
    let game = pair.game.ok_or(LoadError::Silent)?;
    let (cmd_id, command) = (id("resign"), GameCommand::Resign {});
    let message = ClientToServer::Command { cmd_id, game, ply: PLIES as u16, epoch: None, command };
    ask(&mut pair.sockets[0], &message).await?;
    Ok(pair)
}
