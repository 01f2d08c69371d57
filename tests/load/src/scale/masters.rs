//! Appends to a cluster of three masters, compared with one Redis.
//!
//! Each master has the load of the one Redis, one master after the other, so that the measured
//! process has a core to itself on both sides. Processes that share cores cost each other more
//! than a tenth: what three masters at work cost can be seen only with a core for each.

use std::sync::Arc;
use std::time::Duration;

use flagfall_store::redis::buckets::{BUCKETS, BucketStore};
use flagfall_store::{RedisAddress, RedisOptions, RedisStore, Store as _};
use tempfile::TempDir;

use super::plan::Plan;
use crate::appends::{Appender, Choice, Running, every_game, games, in_turns};
use crate::duel::median;
use crate::error::LoadError;
use crate::figure::{Figure, Target};
use crate::process::Measured;

/// The length of a round. Redis's processor time is known to 10 ms.
const ROUND: Duration = Duration::from_secs(1);
/// A smaller number of waiting appends.
const FEW: u32 = 10;
/// The number of masters.
const MASTERS: usize = 3;

/// Where the appends of a comparison go.
#[derive(Clone, Copy, PartialEq)]
enum Load {
    /// To each master in turn.
    InTurn,
    /// To all masters at once.
    AtOnce,
}

pub(super) async fn measure(plan: &Plan, note: &mut impl FnMut(Figure)) -> Result<(), LoadError> {
    note(compare(plan, plan.appending, Load::InTurn).await?.with_target(Target::AtMost(1.2)));
    note(compare(plan, plan.appending, Load::AtOnce).await?);
    if plan.appending > FEW {
        note(compare(plan, FEW, Load::AtOnce).await?);
    }
    Ok(())
}

/// Compares the two with this number of tasks, each of which waits for its append.
async fn compare(plan: &Plan, tasks: u32, load: Load) -> Result<Figure, LoadError> {
    let which = match load {
        Load::InTurn => "each in turn",
        Load::AtOnce => "all at once",
    };
    println!("{tasks} tasks append to one Redis, and to three masters, {which}");
    let (mut one, mut three) = (Side::of_one(tasks).await?, Side::of_three(tasks, load).await?);
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
    let name =
        format!("Redis's processor time for an append, three masters to one Redis, {tasks} waiting, {which}");
    Ok(Figure::ratio(name, ratio).with_detail(format!("{:.1} µs, {:.1} µs", of(1), of(0))))
}

/// A store, the Redis processes that it is on, and the games of tasks that append to them. If there
/// are several such sets of games, they are appended to one after the other.
struct Side {
    store: Appender,
    masters: Vec<Measured>,
    games: Vec<Vec<Vec<Running>>>,
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
        Ok(Side { store, masters: vec![redis], games: vec![games(tasks, &every_game())], _folder: folder })
    }

    async fn of_three(tasks: u32, load: Load) -> Result<Side, LoadError> {
        let folder = tempfile::tempdir()?;
        let masters = Measured::start_cluster(folder.path()).await?;
        let address = address(&format!("redis+cluster://{}", masters[0].address))?;
        let store = BucketStore::open(&address, RedisOptions::default(), BUCKETS).await;
        let store = Arc::new(store.map_err(|error| LoadError::Store(error.to_string()))?);
        let games = match load {
            Load::InTurn => {
                let choices = (0..MASTERS).map(|number| games_of(store.clone(), number));
                choices.map(|choice| games(tasks, &choice)).collect()
            }
            Load::AtOnce => vec![games(tasks, &every_game())],
        };
        Ok(Side { store: Appender::Store(store), masters: masters.into(), games, _folder: folder })
    }

    /// Returns the processor time of Redis for an append, in microseconds.
    async fn round_us(&mut self) -> Result<f64, LoadError> {
        let (before, mut appends) = (self.cpu_seconds()?, 0);
        for games in &mut self.games {
            appends += in_turns(&self.store, games, ROUND).await?.appends;
        }
        Ok((self.cpu_seconds()? - before) * 1e6 / appends as f64)
    }

    fn cpu_seconds(&self) -> Result<f64, LoadError> {
        self.masters.iter().map(Measured::cpu_seconds).sum()
    }
}

fn address(text: &str) -> Result<RedisAddress, LoadError> {
    text.parse().map_err(|_| LoadError::Store(text.to_owned()))
}

/// The games of a master, which has its share of the buckets, but of the first one perhaps only a
/// part.
fn games_of(store: Arc<BucketStore>, number: usize) -> Choice {
    let share = number * BUCKETS / MASTERS + 1..(number + 1) * BUCKETS / MASTERS;
    Arc::new(move |game| share.contains(&store.bucket_of(game)))
}
