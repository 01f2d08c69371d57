//! Appends to a cluster of three masters, compared with one Redis.

use std::sync::Arc;
use std::time::Duration;

use flagfall_store::redis::buckets::{BUCKETS, BucketStore};
use flagfall_store::{RedisAddress, RedisOptions, RedisStore, Store as _};
use tempfile::TempDir;

use super::plan::Plan;
use crate::appends::{Appender, GAMES, Running, in_turns};
use crate::duel::median;
use crate::error::LoadError;
use crate::figure::{Figure, Target};
use crate::process::Measured;

/// The length of a round. Redis's processor time is known to 10 ms.
const ROUND: Duration = Duration::from_secs(2);
/// The number of waiting appends in a second comparison, which has no target: each master syncs its
/// few appends on its own.
const FEW: u32 = 10;

pub(super) async fn measure(plan: &Plan, note: &mut impl FnMut(Figure)) -> Result<(), LoadError> {
    note(compare(plan, plan.appending).await?.with_target(Target::AtMost(1.2)));
    if plan.appending > FEW {
        note(compare(plan, FEW).await?);
    }
    Ok(())
}

/// Compares the two with this number of tasks, each of which waits for its append.
async fn compare(plan: &Plan, tasks: u32) -> Result<Figure, LoadError> {
    println!("{tasks} tasks append to one Redis, and to three masters");
    let (mut one, mut three) = (Side::of_one(tasks).await?, Side::of_three(tasks).await?);
    let mut costs = Vec::new();
    // The first round is a warm-up.
    for number in 0..=plan.append_rounds {
        let round = [one.round_us().await?, three.round_us().await?];
        if number > 0 {
            costs.push(round);
        }
    }
    let of = |side: usize| median(costs.iter().map(|costs| costs[side])).unwrap_or_default();
    let ratio = median(costs.iter().map(|[one, three]| three / one)).ok_or(LoadError::Silent)?;
    let name = format!("Redis's processor time for an append, three masters to one Redis, {tasks} waiting");
    Ok(Figure::ratio(name, ratio).with_detail(format!("{:.1} µs, {:.1} µs", of(1), of(0))))
}

/// A store, the Redis processes that it is on, and the games that are being appended to.
struct Side {
    store: Appender,
    masters: Vec<Measured>,
    games: Vec<Vec<Running>>,
    _folder: TempDir,
}

impl Side {
    async fn of_one(tasks: u32) -> Result<Side, LoadError> {
        let folder = tempfile::tempdir()?;
        let redis = Measured::start_redis(folder.path()).await?;
        let store = RedisStore::open(address(&redis.address)?, RedisOptions::default()).await;
        let store = store.map_err(|error| LoadError::Store(error.to_string()))?;
        // A cluster never has servers of earlier versions.
        store.serve_former(false);
        let store = Appender::Store(Arc::new(store));
        Ok(Side { store, masters: vec![redis], games: games(tasks), _folder: folder })
    }

    async fn of_three(tasks: u32) -> Result<Side, LoadError> {
        let folder = tempfile::tempdir()?;
        let masters = Measured::start_cluster(folder.path()).await?;
        let address = address(&format!("redis+cluster://{}", masters[0].address))?;
        let store = BucketStore::open(&address, RedisOptions::default(), BUCKETS).await;
        let store = Appender::Store(Arc::new(store.map_err(|error| LoadError::Store(error.to_string()))?));
        Ok(Side { store, masters: masters.into(), games: games(tasks), _folder: folder })
    }

    /// Returns the processor time of Redis for an append, in microseconds.
    async fn round_us(&mut self) -> Result<f64, LoadError> {
        let before = self.cpu_seconds()?;
        let round = in_turns(&self.store, &mut self.games, ROUND).await?;
        Ok((self.cpu_seconds()? - before) * 1e6 / round.appends as f64)
    }

    fn cpu_seconds(&self) -> Result<f64, LoadError> {
        self.masters.iter().map(Measured::cpu_seconds).sum()
    }
}

fn address(text: &str) -> Result<RedisAddress, LoadError> {
    text.parse().map_err(|_| LoadError::Store(text.to_owned()))
}

/// Returns a list of games for each task.
fn games(tasks: u32) -> Vec<Vec<Running>> {
    let of_task = |task| (task..GAMES.max(tasks)).step_by(tasks as usize).map(Running::new).collect();
    (0..tasks).map(of_task).collect()
}
