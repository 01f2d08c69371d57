//! The cost of the store's trait: appends through [`Store`] compared with the same store driven
//! directly, on the same disk, in alternating rounds.
//!
//! "Bare" is the least work that keeps an entry. For the embedded store it is a batch of the same
//! rows and one sync. For Redis it is the same number of entries in calls of the store's own
//! script, and as a further comparison a pipeline of plain XADD and PUBLISH, which check nothing.

mod bare_fjall;
mod bare_redis;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use flagfall_board::GameId;
use flagfall_store::{
    Append, AppendOutcome, EmbeddedStore, Head, Options, RedisOptions, RedisStore, SecretBytes, Store,
    SystemClock,
};
use tempfile::TempDir;

use self::bare_fjall::BareFjall;
use self::bare_redis::BareRedis;
use crate::duel::{Trouble, median};
use crate::process::Measured;

/// Bytes of an entry's body: about as many as a move has.
const BODY_BYTES: usize = 150;
/// Games that get appends in turn.
const GAMES: u32 = 1_000;
/// Length of a round in milliseconds.
pub(crate) const ROUND_MS: u64 = 700;

/// What to measure.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Measured rounds of each side; one more warms up.
    pub(crate) rounds: u32,
    /// Length of a round.
    pub(crate) lasting: Duration,
    /// Folder for the stores; without it the system's temporary folder.
    pub(crate) folder: Option<PathBuf>,
}

/// A durable store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Medium {
    /// The embedded store.
    Embedded,
    /// The store in Redis, with `appendfsync always`.
    Redis,
}

impl Medium {
    /// Both.
    pub(crate) const ALL: [Medium; 2] = [Medium::Embedded, Medium::Redis];

    /// The name in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Medium::Embedded => "embedded store",
            Medium::Redis => "Redis, AOF always",
        }
    }
}

/// Appends per second, and the median and 99th percentile of their time in microseconds.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Speed {
    pub(crate) per_second: f64,
    pub(crate) half_us: f64,
    pub(crate) p99_us: f64,
}

/// The medians of a comparison.
#[derive(Debug)]
pub(crate) struct Compared {
    pub(crate) through: Speed,
    pub(crate) bare: Speed,
    /// The ratio of the rates: the median over the rounds, because a slow disk slows both sides.
    pub(crate) ratio: f64,
    /// The ratio to XADD and PUBLISH, if that differs from bare.
    pub(crate) ratio_plain: Option<f64>,
}

/// The result of a round.
struct Round {
    appends: u64,
    seconds: f64,
    /// In microseconds, sorted.
    latencies_us: Vec<u64>,
}

impl Round {
    fn new(appends: u64, begun: Instant, mut latencies_us: Vec<u64>) -> Round {
        latencies_us.sort_unstable();
        Round { appends, seconds: begun.elapsed().as_secs_f64(), latencies_us }
    }

    fn per_second(&self) -> f64 {
        self.appends as f64 / self.seconds
    }

    fn latency_us(&self, percent: usize) -> f64 {
        self.latencies_us.get(self.latencies_us.len() * percent / 100).copied().unwrap_or(0) as f64
    }
}

/// Compares both sides with `waiting` tasks that each wait for an answer before they append again.
///
/// Runs on the runtime's workers, so that both sides have the same single core.
pub(crate) async fn compare(medium: Medium, waiting: u32, plan: &Plan) -> Result<Compared, Trouble> {
    let plan = plan.clone();
    tokio::spawn(async move { alternate(medium, waiting, &plan).await }).await?
}

async fn alternate(medium: Medium, waiting: u32, plan: &Plan) -> Result<Compared, Trouble> {
    let folder = scratch(plan.folder.as_deref())?;
    let mut sides = Sides::open(medium, folder.path()).await?;
    let mut heads = vec![vec![Head::START; (GAMES / waiting.clamp(1, GAMES)) as usize]; waiting as usize];
    let (mut through, mut bare, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..=plan.rounds {
        let groups = sides.groups();
        let ours = through_the_store(&sides.store(), &mut heads, plan.lasting).await?;
        // The mean batch size that the store had, if it counts groups.
        let batch = match sides.groups().saturating_sub(groups) {
            0 => waiting,
            groups => (ours.appends as f64 / groups as f64).round().max(1.0) as u32,
        };
        let theirs = sides.bare_round(batch, plan.lasting).await?;
        let unchecked = sides.plain_round(batch, plan.lasting).await?;
        // The first round warms up.
        if number > 0 {
            plain.extend(unchecked.map(|unchecked| ours.per_second() / unchecked.per_second()));
            through.push(ours);
            bare.push(theirs);
        }
    }
    let ratios = through.iter().zip(&bare).map(|(ours, theirs)| ours.per_second() / theirs.per_second());
    Ok(Compared {
        ratio: median(ratios).unwrap_or_default(),
        ratio_plain: median(plain.into_iter()),
        through: speed(&through),
        bare: speed(&bare),
    })
}

fn speed(rounds: &[Round]) -> Speed {
    let of = |what: &dyn Fn(&Round) -> f64| median(rounds.iter().map(what)).unwrap_or_default();
    Speed {
        per_second: of(&Round::per_second),
        half_us: of(&|round| round.latency_us(50)),
        p99_us: of(&|round| round.latency_us(99)),
    }
}

fn scratch(folder: Option<&Path>) -> std::io::Result<TempDir> {
    match folder {
        Some(folder) => tempfile::tempdir_in(folder),
        None => tempfile::tempdir(),
    }
}

/// A store, and the same store driven directly.
enum Sides {
    Embedded { store: Arc<EmbeddedStore>, bare: BareFjall },
    Redis { store: Arc<RedisStore>, bare: Box<BareRedis>, _redis: Box<Measured> },
}

impl Sides {
    async fn open(medium: Medium, folder: &Path) -> Result<Sides, Trouble> {
        Ok(match medium {
            Medium::Embedded => {
                let store = EmbeddedStore::open(&folder.join("store"), SystemClock, &Options::default());
                let store = Arc::new(store.map_err(|error| Trouble::Store(error.to_string()))?);
                Sides::Embedded { store, bare: BareFjall::open(&folder.join("bare"))? }
            }
            Medium::Redis => {
                let redis = Measured::start_redis(folder).await?;
                let address = redis.address.parse().map_err(|_| Trouble::Store(redis.address.clone()))?;
                let store = RedisStore::open(address, RedisOptions::default()).await;
                let store = Arc::new(store.map_err(|error| Trouble::Store(error.to_string()))?);
                let bare = Box::new(BareRedis::open(&redis.address).await?);
                Sides::Redis { store, bare, _redis: Box::new(redis) }
            }
        })
    }

    fn store(&self) -> Arc<dyn Store> {
        match self {
            Sides::Embedded { store, .. } => store.clone(),
            Sides::Redis { store, .. } => store.clone(),
        }
    }

    /// Groups written so far, if the store counts them.
    fn groups(&self) -> u64 {
        match self {
            Sides::Embedded { store, .. } => store.stats().commits,
            Sides::Redis { .. } => 0,
        }
    }

    async fn bare_round(&mut self, batch: u32, lasting: Duration) -> Result<Round, Trouble> {
        match self {
            Sides::Embedded { bare, .. } => Ok(bare.round(batch, lasting)?),
            Sides::Redis { bare, .. } => {
                let round = bare.round(batch, lasting, BareRedis::add_script).await?;
                if bare.has_kept_all().await? {
                    Ok(round)
                } else {
                    Err(Trouble::Store("what was appended by hand is not there".to_owned()))
                }
            }
        }
    }

    async fn plain_round(&mut self, batch: u32, lasting: Duration) -> Result<Option<Round>, Trouble> {
        match self {
            Sides::Embedded { .. } => Ok(None),
            Sides::Redis { bare, .. } => Ok(Some(bare.round(batch, lasting, BareRedis::add_plain).await?)),
        }
    }
}

/// One task for each list of heads; each task appends to its own games, one after the other.
async fn through_the_store(
    store: &Arc<dyn Store>,
    heads: &mut [Vec<Head>],
    lasting: Duration,
) -> Result<Round, Trouble> {
    let callers = heads.len() as u32;
    let begun = Instant::now();
    let appends = Arc::new(AtomicU64::new(0));
    let tasks: Vec<_> = (0..callers)
        .zip(heads.iter_mut())
        .map(|(caller, heads)| {
            let (store, heads, appends) = (store.clone(), std::mem::take(heads), appends.clone());
            let until = begun + lasting;
            tokio::spawn(
                async move { append_in_turns(&*store, heads, [caller, callers], until, &appends).await },
            )
        })
        .collect();
    let mut latencies = Vec::new();
    for (task, place) in tasks.into_iter().zip(heads) {
        let (mut taken, kept) = task.await??;
        latencies.append(&mut taken);
        *place = kept;
    }
    Ok(Round::new(appends.load(Ordering::Relaxed), begun, latencies))
}

async fn append_in_turns(
    store: &dyn Store,
    mut heads: Vec<Head>,
    [caller, callers]: [u32; 2],
    until: Instant,
    appends: &AtomicU64,
) -> Result<(Vec<u64>, Vec<Head>), Trouble> {
    let mut latencies = Vec::new();
    loop {
        for (turn, head) in (0..).zip(heads.iter_mut()) {
            if Instant::now() >= until {
                return Ok((latencies, heads));
            }
            let append = Append {
                game: game(turn * callers + caller),
                expected: *head,
                deadline: None,
                not_before: None,
                bodies: vec![SecretBytes::new(vec![7; BODY_BYTES])],
                writes: Vec::new(),
            };
            let asked = Instant::now();
            match store.append(append).await {
                Ok(AppendOutcome::Ok { head: next, .. }) => *head = next,
                other => return Err(Trouble::Store(format!("{other:?}"))),
            }
            latencies.push(us_since(asked));
            appends.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn us_since(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX)
}

fn game(number: u32) -> GameId {
    // Five bits per letter.
    GameId::from_random(std::array::from_fn(|at| {
        (number.checked_shr(5 * at as u32).unwrap_or_default() & 31) as u8
    }))
}
