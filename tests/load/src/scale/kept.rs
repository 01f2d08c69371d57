//! What finished games and their players leave in Redis, beside an archive.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use flagfall_archive::{Archive, FolderStore, Settings};
use flagfall_protocol::ClientToServer;
use flagfall_services::archive::Archiver;
use flagfall_store::{RedisOptions, RedisStore};
use futures_util::{StreamExt as _, TryStreamExt as _};

use super::archived::failed;
use super::plan::Plan;
use super::settled::{DUE, NAMES, accounts, begin_pooled, begin_rated, none_left, resign};
use crate::duel::{Pair, say};
use crate::error::LoadError;
use crate::figure::{Figure, Target};
use crate::process::Measured;
use crate::stand::server_arguments;

const PAIRS: u32 = 4;
const PLAYERS: f64 = 2.0 * PAIRS as f64;
/// Parts of the games. After each, Redis is looked at, and the first one is a warm-up.
const PARTS: u32 = 3;
/// One in this many games of a pair is begun through the pool.
const POOLED_OF: u32 = 4;
/// Records that are there only until a game is listed, rated, signed and archived, in the order in
/// which they go. Rating changes, and the records that servers write in their first seconds, become
/// lines of histories within a minute. That may fill a volume, which then waits for a job
/// (`history_due`) that moves it to the archive.
const PASSING: [&str; 8] =
    ["rating_history", "played", "versus", "tally", "figures", "history_due", "proof_due", "ended"];
/// Records of histories.
const HISTORIES: [&str; 2] = [PAGES, "volumes/"];
/// The records with the latest lines of each history.
const PAGES: &str = "history/";
/// Records that are not of a single player, and of which there are never more than some tens.
const OF_ALL: [&str; 7] =
    ["latest/", "first_moves/", "servers/", "secrets/", "signing_key/", "known_archive", "lists_whole"];
/// The age of games at which Redis is looked at. Their guards expire after an hour.
const AGE: Duration = Duration::from_secs(2 * HOUR_S);
const DAY: Duration = Duration::from_secs(25 * HOUR_S);
const HOUR_S: u64 = 60 * 60;
/// The time between two looks at the pages of histories while games are played.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const VALUES: &str = "flagfall:{flagfall}:values";
const EXPIRIES: &str = "flagfall:{flagfall}:expiries";

pub(super) async fn measure(plan: &Plan, note: &mut impl FnMut(Figure)) -> Result<(), LoadError> {
    let part = plan.kept_games.div_ceil(PARTS);
    println!("{PAIRS} pairs play {} rated games each, which are archived", part * PARTS);
    let folder = tempfile::tempdir()?;
    let (redis, place) = (Measured::start_redis(folder.path()).await?, folder.path().join("archive"));
    let server = start_server(plan, &redis, folder.path(), &place).await?;
    let mut pairs = Vec::new();
    for index in 0..PAIRS {
        let sockets = accounts(&server.address, index).await?;
        pairs.push(Pair { sockets, game: None, index });
    }
    let (mut most, mut longest, mut for_an_hour, mut records) = (0.0_f64, 0.0_f64, 0.0, Vec::new());
    for nth in 0..PARTS {
        let played = futures_util::stream::iter(pairs).map(|pair| play(pair, nth * part..(nth + 1) * part));
        let played = async {
            let pairs: Vec<Pair> = played.buffered(PAIRS as usize).try_collect().await?;
            none_left(&redis, &DUE).await?;
            none_left(&redis, &PASSING).await?;
            Ok(pairs)
        };
        pairs = while_looking(&redis, &mut longest, played).await?;
        let before = memory(&redis).await?;
        age(&redis, AGE).await?;
        let store = RedisStore::open(address(&redis)?, RedisOptions::default()).await.map_err(failed)?;
        let archive = Archive::open(Arc::new(FolderStore::to_read(&place)), Settings::default()).await;
        let archiver = Archiver::new(Arc::new(store), archive.map_err(failed)?, Duration::ZERO);
        archiver.remove_leftovers().await.map_err(failed)?;
        for_an_hour = (before - memory(&redis).await?) / f64::from(part * PAIRS);
        let left = names(&redis, |name| !is_of(name, &HISTORIES)).await?;
        records.push((left.len() + keys(&redis).await?.len()) as f64);
        age(&redis, DAY).await?;
        let of_players = names(&redis, |name| !is_of(name, &OF_ALL) && !is_of(name, &[PAGES])).await?;
        most = most.max(bytes(&redis, &of_players).await? / PLAYERS);
    }
    let [first, .., last] = &records[..] else { return Err(LoadError::Silent) };
    let games = f64::from((PARTS - 1) * part * PAIRS);
    let name = "keys and records that a rated game leaves in Redis after two hours, histories aside";
    let figure = Figure::of(name, (last - first) / games, "").with_target(Target::AtMost(0.0));
    note(figure.with_detail(format!("{last:.0} and {first:.0}, {games:.0} games")));
    let name = "records of a player in Redis, without its own overhead";
    let figure = Figure::of(name, most + longest, "B").with_target(Target::AtMost(4_096.0));
    note(figure.with_detail(format!("the longest page has {longest:.0} B")));
    let pages = names(&redis, |name| is_of(name, &[PAGES])).await?;
    let shorter = longest - bytes(&redis, &pages).await? / PLAYERS;
    let memory = memory_of_players(&redis).await? + shorter;
    note(Figure::of("memory of Redis for a player", memory, "B"));
    note(Figure::of("memory of Redis for a game within an hour after it was archived", for_an_hour, "B"));
    Ok(())
}

/// Waits until `work` is done, and looks for the longest page of a history again and again. A page
/// is the longest just before it becomes a volume.
async fn while_looking<T>(
    redis: &Measured,
    longest: &mut f64,
    work: impl Future<Output = Result<T, LoadError>>,
) -> Result<T, LoadError> {
    let mut work = pin!(work);
    loop {
        let done = tokio::select! {
            done = &mut work => Some(done?),
            () = tokio::time::sleep(LOOK_EVERY) => None,
        };
        let pages: Vec<String> = redis.ask_redis(&["ZRANGEBYLEX", NAMES, "[history/", "(history0"]).await?;
        for page in pages {
            *longest = longest.max(bytes(redis, &[page]).await?);
        }
        if let Some(done) = done {
            return Ok(done);
        }
    }
}

async fn start_server(
    plan: &Plan,
    redis: &Measured,
    folder: &Path,
    archive: &Path,
) -> Result<Measured, LoadError> {
    let [data, key] = ["data", "key"].map(|name| folder.join(name).display().to_string());
    std::fs::write(&key, "5".repeat(64))?;
    let archive = archive.display().to_string();
    let more = ["--archive", &archive, "--archive-after-minutes", "0", "--signing-key", &key];
    let more = [&more[..], &["--pool-wave-seconds", "1"]].concat();
    let arguments = server_arguments(&redis.address, &data, "none", &more);
    Measured::start(&plan.bench.server, &arguments, Some(plan.bench.workers)).await
}

async fn play(mut pair: Pair, numbers: std::ops::Range<u32>) -> Result<Pair, LoadError> {
    for number in numbers {
        if number % POOLED_OF == 1 {
            begin_pooled(&mut pair, number).await?;
        } else {
            begin_rated(&mut pair, number).await?;
        }
        pair = resign(pair).await?;
        let game = pair.game.ok_or(LoadError::Silent)?;
        for socket in &mut pair.sockets {
            say(socket, &ClientToServer::CloseGame { game }).await?;
        }
        // Red resigns, so take turns. The pool pairs only players with similar ratings.
        pair.sockets.swap(0, 1);
    }
    Ok(pair)
}

/// Removes what Redis and the servers delete within this time.
async fn age(redis: &Measured, time: Duration) -> Result<(), LoadError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let until = (now + time).as_millis();
    let mut names: Vec<String> =
        redis.ask_redis(&["ZRANGEBYSCORE", EXPIRIES, "-inf", &until.to_string()]).await?;
    // A record flags/TIME/GAME is there until this time.
    let flags: Vec<String> =
        redis.ask_redis(&["ZRANGEBYLEX", NAMES, "[flags/", &format!("(flags/{until:016}")]).await?;
    names.extend(flags);
    remove(redis, &names).await?;
    for key in keys(redis).await? {
        let left_ms: i64 = redis.ask_redis(&["PTTL", &key]).await?;
        if left_ms >= 0 && u128::from(left_ms.unsigned_abs()) <= time.as_millis() {
            let _: u64 = redis.ask_redis(&["DEL", &key]).await?;
        }
    }
    Ok(())
}

async fn remove(redis: &Measured, names: &[String]) -> Result<(), LoadError> {
    for some in names.chunks(500) {
        for command in [["HDEL", VALUES], ["ZREM", NAMES], ["ZREM", EXPIRIES]] {
            let names = some.iter().map(String::as_str);
            let command: Vec<&str> = command.into_iter().chain(names).collect();
            let _: u64 = redis.ask_redis(&command).await?;
        }
    }
    Ok(())
}

/// Returns the names of these records.
async fn names(redis: &Measured, is_meant: impl Fn(&str) -> bool) -> Result<Vec<String>, LoadError> {
    let mut names: Vec<String> = redis.ask_redis(&["ZRANGE", NAMES, "0", "-1"]).await?;
    names.retain(|name| is_meant(name));
    Ok(names)
}

fn is_of(name: &str, kinds: &[&str]) -> bool {
    kinds.iter().any(|kind| name.starts_with(kind))
}

/// Returns the bytes of the names and values of these records.
async fn bytes(redis: &Measured, names: &[String]) -> Result<f64, LoadError> {
    let mut bytes = 0;
    for name in names {
        let value: usize = redis.ask_redis(&["HSTRLEN", VALUES, name]).await?;
        bytes += name.len() + value;
    }
    Ok(bytes as f64)
}

/// Returns the memory that Redis needs for the records of a player, with its own overhead. Removes
/// these records.
async fn memory_of_players(redis: &Measured) -> Result<f64, LoadError> {
    let with = memory(redis).await?;
    remove(redis, &names(redis, |name| !is_of(name, &OF_ALL)).await?).await?;
    Ok((with - memory(redis).await?) / PLAYERS)
}

/// Returns the memory that Redis needs for all keys. Redis measures copies, because the tables of
/// the originals have room for all records that there have been.
async fn memory(redis: &Measured) -> Result<f64, LoadError> {
    const COPY: &str = "flagfall:{flagfall}:copy";
    let mut bytes = 0.0;
    for key in keys(redis).await? {
        let _: u64 = redis.ask_redis(&["COPY", &key, COPY, "REPLACE"]).await?;
        let used: Option<f64> = redis.ask_redis(&["MEMORY", "USAGE", COPY, "SAMPLES", "0"]).await?;
        bytes += used.unwrap_or_default();
        let _: u64 = redis.ask_redis(&["DEL", COPY]).await?;
    }
    Ok(bytes)
}

async fn keys(redis: &Measured) -> Result<Vec<String>, LoadError> {
    redis.ask_redis(&["KEYS", "*"]).await
}

fn address(redis: &Measured) -> Result<flagfall_store::RedisAddress, LoadError> {
    redis.address.parse().map_err(|_| LoadError::Store(redis.address.clone()))
}
