//! What the trait costs: appends through [`Store`] against the same store driven bare, on the same disk, in alternating rounds.
//!
//! Bare is what the store does at the least to keep an entry: for the embedded one a batch of the same rows and one sync, for the one in Redis as
//! many in calls of the store's own script, and once more a pipeline of plain XADD and PUBLISH, which check nothing.

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

/// Bytes of an entry's body: about a move's.
const BODY_BYTES: usize = 150;
/// Games that are appended to in turns.
const GAMES: u32 = 1_000;
/// How long a round takes, in milliseconds.
pub(crate) const ROUND_MS: u64 = 700;

/// What is measured.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Rounds of each side, beside one that warms up.
    pub(crate) rounds: u32,
    /// How long each takes.
    pub(crate) lasting: Duration,
    /// Where the stores lie; the system's place for such things, if nowhere else.
    pub(crate) folder: Option<PathBuf>,
}

/// A store that keeps what it is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Medium {
    /// The embedded store.
    Embedded,
    /// The one in Redis, AOF always.
    Redis,
}

impl Medium {
    /// Both.
    pub(crate) const ALL: [Medium; 2] = [Medium::Embedded, Medium::Redis];

    /// For the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Medium::Embedded => "embedded store",
            Medium::Redis => "Redis, AOF always",
        }
    }
}

/// Appends a second, and microseconds that half and that 99 of 100 of them take at most.
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
    /// The rates' ratio: the median of the rounds', for a disk that is slow is so for both.
    pub(crate) ratio: f64,
    /// The ratio to XADD and PUBLISH, where that is another thing than bare.
    pub(crate) ratio_plain: Option<f64>,
}

/// What a round came to.
struct Round {
    appends: u64,
    seconds: f64,
    /// Microseconds, sorted.
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

/// Compares with so many who each wait for an answer before they ask again. On the runtime's workers, not beside them: both sides are to have the same
/// one core.
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
        // As many a batch as the store found waiting, where it tells.
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

/// A store and the same thing driven bare.
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

    /// Groups written so far, where the store counts them.
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

/// As many tasks as there are lists of heads, each appending to its own games, one after the other.
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
    // Five bits a letter.
    GameId::from_random(std::array::from_fn(|at| {
        (number.checked_shr(5 * at as u32).unwrap_or_default() & 31) as u8
    }))
}
