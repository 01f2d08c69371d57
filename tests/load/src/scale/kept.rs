//! What finished games and their players leave in Redis, beside an archive.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use flagfall_archive::{Archive, FolderStore, Settings};
use flagfall_protocol::ClientToServer;
use flagfall_services::archive::Archiver;
use flagfall_store::{RedisOptions, RedisStore};
use futures_util::{StreamExt as _, TryStreamExt as _};

use super::archived::failed;
use super::plan::Plan;
use super::settled::{DUE, NAMES, accounts, begin_rated, none_left, resign};
use crate::duel::{Pair, say};
use crate::error::LoadError;
use crate::figure::{Figure, Target};
use crate::process::Measured;
use crate::stand::server_arguments;

const PAIRS: u32 = 4;
/// Parts of the games. After each, Redis is looked at, and the first one is a warm-up.
const PARTS: u32 = 3;
/// Records that are there only until a game is listed, rated, signed and archived. The rating
/// changes become a part of the histories within a minute.
const PASSING: [&str; 4] = ["proof_due", "history_due", "rating_history", "ended"];
/// Records of histories.
const HISTORIES: [&str; 2] = ["history/", "volumes/"];
/// Records of lobby commands and of closed offers, which the protocol keeps for a day.
const OF_A_DAY: [&str; 2] = ["commands/", "closed_offers/"];
/// Records that are not of a single player, and of which there are never more than some tens.
const OF_ALL: [&str; 2] = ["latest/", "first_moves/"];
/// The age of games at which Redis is looked at. Their guards expire after an hour.
const AGE: Duration = Duration::from_secs(2 * HOUR_S);
const DAY: Duration = Duration::from_secs(25 * HOUR_S);
const HOUR_S: u64 = 60 * 60;
const VALUES: &str = "flagfall:{flagfall}:values";
const EXPIRIES: &str = "flagfall:{flagfall}:expiries";

pub(super) async fn measure(plan: &Plan, note: &mut impl FnMut(Figure)) -> Result<(), LoadError> {
    let part = plan.kept_games.div_ceil(PARTS);
    println!("{PAIRS} pairs play {} rated games each, which are archived", part * PARTS);
    let folder = tempfile::tempdir()?;
    let (redis, place) = (Measured::start_redis(folder.path()).await?, folder.path().join("archive"));
    let server = start_server(plan, &redis, folder.path(), &place).await?;
    let empty = record_bytes(&redis).await?;
    let mut pairs = Vec::new();
    for index in 0..PAIRS {
        let sockets = accounts(&server.address, index).await?;
        pairs.push(Pair { sockets, game: None, index });
    }
    let (mut most, mut records, mut of_a_day) = (0.0_f64, Vec::new(), 0);
    for nth in 0..PARTS {
        let played = futures_util::stream::iter(pairs).map(|pair| play(pair, nth * part..(nth + 1) * part));
        pairs = played.buffered(PAIRS as usize).try_collect().await?;
        none_left(&redis, &DUE).await?;
        none_left(&redis, &PASSING).await?;
        age(&redis, AGE).await?;
        let store = RedisStore::open(address(&redis)?, RedisOptions::default()).await.map_err(failed)?;
        let archive = Archive::open(Arc::new(FolderStore::to_read(&place)), Settings::default()).await;
        let archiver = Archiver::new(Arc::new(store), archive.map_err(failed)?, Duration::ZERO);
        archiver.remove_leftovers().await.map_err(failed)?;
        let names: Vec<String> = redis.ask_redis(&["ZRANGE", NAMES, "0", "-1"]).await?;
        let count = |kinds: &[&str]| {
            names.iter().filter(|name| kinds.iter().any(|kind| name.starts_with(kind))).count()
        };
        of_a_day += count(&OF_A_DAY);
        let others = names.len() - count(&OF_A_DAY) - count(&HISTORIES);
        records.push((others + keys(&redis).await?.len()) as f64);
        age(&redis, DAY).await?;
        most = most.max((record_bytes(&redis).await? - empty) / f64::from(2 * PAIRS));
    }
    let [first, .., last] = &records[..] else { return Err(LoadError::Silent) };
    let games = f64::from((PARTS - 1) * part * PAIRS);
    let name = "keys and records that a rated game leaves in Redis after two hours, histories aside";
    let figure = Figure::of(name, (last - first) / games, "").with_target(Target::AtMost(0.0));
    note(figure.with_detail(format!("{last:.0} and {first:.0}, {games:.0} games")));
    let name = "records of lobby commands and offers that a game leaves for a day";
    note(Figure::of(name, of_a_day as f64 / f64::from(part * PARTS * PAIRS), ""));
    let name = "records of a player in Redis, without its own overhead";
    let figure = Figure::of(name, most, "B").with_target(Target::AtMost(4_096.0));
    note(figure.with_detail(format!("at most, after {part}, {} and {} games", 2 * part, 3 * part)));
    Ok(())
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
    let arguments = server_arguments(&redis.address, &data, "none", &more);
    Measured::start(&plan.bench.server, &arguments, Some(plan.bench.workers)).await
}

async fn play(mut pair: Pair, numbers: std::ops::Range<u32>) -> Result<Pair, LoadError> {
    for number in numbers {
        begin_rated(&mut pair, number).await?;
        pair = resign(pair).await?;
        let game = pair.game.ok_or(LoadError::Silent)?;
        for socket in &mut pair.sockets {
            say(socket, &ClientToServer::CloseGame { game }).await?;
        }
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
    for name in &names {
        for command in [["HDEL", VALUES], ["ZREM", NAMES], ["ZREM", EXPIRIES]] {
            let _: u64 = redis.ask_redis(&[command[0], command[1], name]).await?;
        }
    }
    for key in keys(redis).await? {
        let left_ms: i64 = redis.ask_redis(&["PTTL", &key]).await?;
        if left_ms >= 0 && u128::from(left_ms.unsigned_abs()) <= time.as_millis() {
            let _: u64 = redis.ask_redis(&["DEL", &key]).await?;
        }
    }
    Ok(())
}

/// Returns the bytes of the names and values of all records, but for those [`OF_ALL`].
async fn record_bytes(redis: &Measured) -> Result<f64, LoadError> {
    let mut names: Vec<String> = redis.ask_redis(&["ZRANGE", NAMES, "0", "-1"]).await?;
    names.retain(|name| !OF_ALL.iter().any(|kind| name.starts_with(kind)));
    let mut bytes = 0;
    for name in names {
        let value: usize = redis.ask_redis(&["HSTRLEN", VALUES, &name]).await?;
        bytes += name.len() + value;
    }
    Ok(bytes as f64)
}

async fn keys(redis: &Measured) -> Result<Vec<String>, LoadError> {
    redis.ask_redis(&["KEYS", "*"]).await
}

fn address(redis: &Measured) -> Result<flagfall_store::RedisAddress, LoadError> {
    redis.address.parse().map_err(|_| LoadError::Store(redis.address.clone()))
}
