//! Measures what a store adds to the work of the disk or of Redis. Appends through [`Store`] are
//! compared with the bare medium, on the same disk, in alternating rounds.
//!
//! The bare medium does the least work that keeps an entry. For the embedded store, it is a file
//! with grouped syncs, used by the same number of tasks ([`BareFile`]). For Redis, it is the same
//! number of entries in calls of the store's own script. Redis is also compared with a pipeline
//! of plain XADD and PUBLISH commands, which do not check anything.
//!
//! A separate program, `flagfall-appends`, does the measuring, because both sides must use the
//! server's allocator. With another allocator, the store's memory, which one thread allocates and
//! another one frees, would cost more than in the server.

mod bare_file;
mod bare_redis;
mod round;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use flagfall_board::GameId;
use flagfall_store::{
    Append, AppendOutcome, EmbeddedOptions, EmbeddedStore, Head, RedisOptions, RedisStore, SecretBytes,
    Store, SystemClock,
};
use tempfile::TempDir;
use tokio::process::Command;

use self::bare_file::BareFile;
use self::bare_redis::BareRedis;
use self::round::{BODY_BYTES, Round, us_since};
pub(crate) use self::round::{Choice, Running, every_game, games};
use crate::duel::median;
use crate::error::LoadError;
use crate::figure::{Figure, Target};
use crate::process::Measured;
use crate::stand::beside;

/// Length of a round in milliseconds.
pub(crate) const ROUND_MS: u64 = 700;

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// How many tasks wait for an answer at a time, in each comparison.
    pub(crate) waiting: Vec<u32>,
    /// Measured rounds of each side. An additional round comes first, as a warm-up.
    pub(crate) rounds: u32,
    /// Length of a round in milliseconds.
    pub(crate) round_ms: u64,
    /// The folder for the stores. By default, the system's temporary folder.
    pub(crate) folder: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Medium {
    Embedded,
    /// The store in Redis, with `appendfsync always`.
    Redis,
}

impl Medium {
    const ALL: [Medium; 2] = [Medium::Embedded, Medium::Redis];

    /// The lowest acceptable ratio to the bare medium with this many tasks waiting.
    fn least(self, waiting: u32) -> f64 {
        match self {
            _ if waiting <= 10 => 0.9,
            Medium::Embedded => 0.7,
            Medium::Redis => 0.8,
        }
    }

    /// The name in the table.
    fn name(self) -> &'static str {
        match self {
            Medium::Embedded => "embedded store",
            Medium::Redis => "Redis, AOF always",
        }
    }
}

/// Appends per second, and the median and 99th percentile of their time in microseconds.
#[derive(Clone, Copy, Default, Debug)]
struct Speed {
    per_second: f64,
    half_us: f64,
    p99_us: f64,
}

/// The medians of a comparison.
#[derive(Debug)]
struct Compared {
    through: Speed,
    bare: Speed,
    /// The ratio of the rates. It is the median over the rounds, because a slow disk slows both
    /// sides.
    ratio: f64,
    /// The ratio to XADD and PUBLISH, unless they are the bare medium.
    ratio_plain: Option<f64>,
}

impl Compared {
    fn figure(&self, medium: Medium, waiting: u32) -> Figure {
        let figure =
            Figure::ratio(format!("appends a second, {}, {waiting} waiting", medium.name()), self.ratio);
        let detail = format!("{:.0}, bare {:.0}", self.through.per_second, self.bare.per_second);
        figure.with_target(Target::AtLeast(medium.least(waiting))).with_detail(detail)
    }

    /// Prints the comparison on one line.
    fn print(&self, medium: Medium, waiting: u32) {
        let Compared { through, bare, ratio, ratio_plain } = self;
        let plain = ratio_plain.map(|ratio| format!(", {ratio:.2} × to plain XADD and PUBLISH"));
        println!(
            "{:<17} {waiting:>4} waiting: {:>7.0} appends a second, {:>5.0} µs each (99 %: {:>5.0}); bare {:>7.0}, {:>5.0} µs (99 %: {:>5.0}): {ratio:.2} ×{}",
            medium.name(),
            through.per_second,
            through.half_us,
            through.p99_us,
            bare.per_second,
            bare.half_us,
            bare.p99_us,
            plain.unwrap_or_default()
        );
    }
}

/// Runs the measurement in `flagfall-appends`, which prints the comparisons.
pub(crate) async fn run(plan: &Plan) -> Result<Vec<Figure>, LoadError> {
    let Plan { waiting, rounds, round_ms, folder } = plan;
    let place = tempfile::tempdir()?;
    let (program, file) = (beside("flagfall-appends"), place.path().join("figures"));
    let waiting = waiting.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let mut command = Command::new(&program);
    command.args(["appends", "--rounds", &rounds.to_string(), "--round-ms", &round_ms.to_string()]);
    command.args(["--waiting", &waiting, "--figures"]).arg(&file).kill_on_drop(true);
    if let Some(folder) = folder {
        command.arg("--folder").arg(folder);
    }
    let started = command.status().await;
    let status = started.map_err(|error| LoadError::Start(program.display().to_string(), error))?;
    if !status.success() {
        return Err(LoadError::Stop(status));
    }
    serde_json::from_slice(&fs::read(&file)?).map_err(|error| LoadError::Run(file, error))
}

/// Measures in this process, prints the comparisons, and writes the figures to a file.
pub(crate) async fn measure(plan: &Plan, file: &Path) -> Result<Vec<Figure>, LoadError> {
    let mut figures = Vec::new();
    for medium in Medium::ALL {
        for waiting in &plan.waiting {
            let compared = compare(medium, *waiting, plan).await?;
            compared.print(medium, *waiting);
            figures.push(compared.figure(medium, *waiting));
        }
    }
    let written = serde_json::to_vec(&figures).map_err(|error| LoadError::Run(file.to_owned(), error))?;
    fs::write(file, written)?;
    Ok(figures)
}

/// Compares both sides, each with `waiting` tasks. A task waits for an answer before it appends
/// again.
///
/// Runs on the runtime's workers, so that both sides have the same single core.
async fn compare(medium: Medium, waiting: u32, plan: &Plan) -> Result<Compared, LoadError> {
    let plan = plan.clone();
    tokio::spawn(async move { alternate(medium, waiting, &plan).await }).await?
}

async fn alternate(medium: Medium, waiting: u32, plan: &Plan) -> Result<Compared, LoadError> {
    let folder = scratch(plan.folder.as_deref())?;
    let lasting = Duration::from_millis(plan.round_ms);
    let mut sides = Sides::open(medium, folder.path()).await?;
    let mut games = games(waiting, &every_game());
    let mut bare_games = games.clone();
    let (mut through, mut bare, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..=plan.rounds {
        let groups = sides.groups();
        let ours = in_turns(&sides.store(), &mut games, lasting).await?;
        // The store's mean batch size, if it counts groups.
        let batch = match sides.groups().saturating_sub(groups) {
            0 => waiting,
            groups => (ours.appends as f64 / groups as f64).round().max(1.0) as u32,
        };
        let theirs = sides.bare_round(batch, &mut bare_games, lasting).await?;
        let unchecked = sides.plain_round(batch, lasting).await?;
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

/// A store, and the same medium used without the store.
enum Sides {
    Embedded { store: Arc<EmbeddedStore>, bare: Arc<BareFile> },
    Redis { store: Arc<RedisStore>, bare: Box<BareRedis>, _redis: Box<Measured> },
}

impl Sides {
    async fn open(medium: Medium, folder: &Path) -> Result<Sides, LoadError> {
        Ok(match medium {
            Medium::Embedded => {
                let store =
                    EmbeddedStore::open(&folder.join("store"), SystemClock, &EmbeddedOptions::default());
                let store = Arc::new(store.map_err(|error| LoadError::Store(error.to_string()))?);
                Sides::Embedded { store, bare: Arc::new(BareFile::create(&folder.join("bare"))?) }
            }
            Medium::Redis => {
                let redis = Measured::start_redis(folder).await?;
                let address = redis.address.parse().map_err(|_| LoadError::Store(redis.address.clone()))?;
                let store = RedisStore::open(address, RedisOptions::default()).await;
                let store = Arc::new(store.map_err(|error| LoadError::Store(error.to_string()))?);
                // There are no servers of earlier versions, so as in a service, appends are
                // announced only on the channel of their game.
                store.serve_former(false);
                let bare = Box::new(BareRedis::open(&redis.address).await?);
                Sides::Redis { store, bare, _redis: Box::new(redis) }
            }
        })
    }

    fn store(&self) -> Appender {
        Appender::Store(match self {
            Sides::Embedded { store, .. } => store.clone(),
            Sides::Redis { store, .. } => store.clone(),
        })
    }

    /// Groups written so far, if the store counts them.
    fn groups(&self) -> u64 {
        match self {
            Sides::Embedded { store, .. } => store.groups(),
            Sides::Redis { .. } => 0,
        }
    }

    async fn bare_round(
        &mut self,
        batch: u32,
        games: &mut [Vec<Running>],
        lasting: Duration,
    ) -> Result<Round, LoadError> {
        match self {
            Sides::Embedded { bare, .. } => in_turns(&Appender::File(bare.clone()), games, lasting).await,
            Sides::Redis { bare, .. } => {
                let round = bare.round(batch, lasting, BareRedis::add_script).await?;
                if bare.has_kept_all().await? {
                    Ok(round)
                } else {
                    Err(LoadError::Store("what was appended by hand is not there".to_owned()))
                }
            }
        }
    }

    async fn plain_round(&mut self, batch: u32, lasting: Duration) -> Result<Option<Round>, LoadError> {
        match self {
            Sides::Embedded { .. } => Ok(None),
            Sides::Redis { bare, .. } => Ok(Some(bare.round(batch, lasting, BareRedis::add_plain).await?)),
        }
    }
}

/// The logs to which tasks append.
#[derive(Clone)]
pub(crate) enum Appender {
    Store(Arc<dyn Store>),
    File(Arc<BareFile>),
}

impl Appender {
    async fn append(&self, game: GameId, expected: Head) -> Result<Head, LoadError> {
        let body = SecretBytes::new(vec![7; BODY_BYTES]);
        let store = match self {
            Appender::File(file) => return file.append(game, expected, body).await,
            Appender::Store(store) => store,
        };
        let (bodies, writes) = (vec![body], Vec::new());
        let append = Append { game, expected, deadline: None, not_before: None, bodies, writes };
        match store.append(append).await {
            Ok(AppendOutcome::Ok { head, .. }) => Ok(head),
            other => Err(LoadError::Store(format!("{other:?}"))),
        }
    }
}

/// Runs one task for each list of games. Each task appends to its own games, one after the other.
pub(crate) async fn in_turns(
    appender: &Appender,
    games: &mut [Vec<Running>],
    lasting: Duration,
) -> Result<Round, LoadError> {
    let begun = Instant::now();
    let until = begun + lasting;
    let appends = Arc::new(AtomicU64::new(0));
    let tasks: Vec<_> = games
        .iter_mut()
        .map(|games| {
            let (appender, games, appends) = (appender.clone(), std::mem::take(games), appends.clone());
            tokio::spawn(async move { append_all(&appender, games, until, &appends).await })
        })
        .collect();
    let mut latencies = Vec::new();
    for (task, place) in tasks.into_iter().zip(games) {
        let (mut taken, kept) = task.await??;
        latencies.append(&mut taken);
        *place = kept;
    }
    Ok(Round::new(appends.load(Ordering::Relaxed), begun, latencies))
}

async fn append_all(
    appender: &Appender,
    mut games: Vec<Running>,
    until: Instant,
    appends: &AtomicU64,
) -> Result<(Vec<u64>, Vec<Running>), LoadError> {
    let mut latencies = Vec::new();
    loop {
        for game in &mut games {
            if Instant::now() >= until {
                return Ok((latencies, games));
            }
            let asked = Instant::now();
            game.head = appender.append(game.id(), game.head).await?;
            latencies.push(us_since(asked));
            appends.fetch_add(1, Ordering::Relaxed);
            game.replace_if_over();
        }
    }
}
