//! What the trait costs: appends through [`Store`] against the same database driven bare.
//!
//! Both sides write the same rows in the same batch sizes, on the same disk, in alternating rounds; what counts is
//! the ratio. Run with `cargo bench -p flagfall-store`; the first argument is the number of rounds (default 7).
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints, and stops when it fails")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use flagfall_board::GameId;
use flagfall_store::{Append, AppendOutcome, EmbeddedStore, Head, Options, SecretBytes, Store, SystemClock};
use tokio::runtime::Runtime;

const BODY_BYTES: usize = 150;
const GAMES: u32 = 1_000;
const ROUND: Duration = Duration::from_millis(700);

fn game(number: u32) -> GameId {
    let bytes = number.to_le_bytes();
    GameId::from_random(std::array::from_fn(|at| (bytes[at / 3] >> (5 * (at % 3))) & 31))
}

/// What a round came to.
#[derive(Clone, Copy)]
struct Measured {
    appends: u64,
    seconds: f64,
    batches: u64,
}

impl Measured {
    fn rate(self) -> f64 {
        self.appends as f64 / self.seconds
    }
}

/// The rows of an append, written by hand: an entry, a head, and the number of the commit.
struct Bare {
    db: Database,
    meta: Keyspace,
    logs: Keyspace,
    heads: Keyspace,
    seqs: Vec<u64>,
    commit: u64,
}

impl Bare {
    fn open(folder: &Path) -> Bare {
        let db = Database::builder(folder).open().unwrap();
        let keyspace = |name| db.keyspace(name, KeyspaceCreateOptions::default).unwrap();
        let (meta, logs, heads) = (keyspace("meta"), keyspace("logs"), keyspace("heads"));
        Bare { db, meta, logs, heads, seqs: vec![0; GAMES as usize], commit: 0 }
    }

    fn round(&mut self, batch_size: u32) -> Measured {
        let begun = Instant::now();
        let (mut appends, mut batches, mut next) = (0, 0, 0);
        while begun.elapsed() < ROUND {
            let mut batch = self.db.batch().durability(Some(PersistMode::SyncData));
            for _ in 0..batch_size {
                let number = next % GAMES;
                next += 1;
                let seq = &mut self.seqs[number as usize];
                *seq += 1;
                let game = game(number);
                let key = [game.as_str().as_bytes(), &seq.to_be_bytes()].concat();
                batch.insert(&self.logs, key, vec![7; BODY_BYTES + 40]);
                batch.insert(&self.heads, game.as_str(), [7; 40]);
            }
            self.commit += 1;
            batch.insert(&self.meta, "commit", [self.commit.to_le_bytes(); 2].concat());
            batch.commit().unwrap();
            appends += u64::from(batch_size);
            batches += 1;
        }
        Measured { appends, seconds: begun.elapsed().as_secs_f64(), batches }
    }
}

/// `callers` tasks, each appending to its own games, one after the other.
async fn round(store: &Arc<EmbeddedStore>, heads: &mut [Vec<Head>]) -> Measured {
    let callers = heads.len() as u32;
    let commits = store.stats().commits;
    let begun = Instant::now();
    let tasks: Vec<_> = (0..callers)
        .map(|caller| {
            let store = store.clone();
            let mut heads = std::mem::take(&mut heads[caller as usize]);
            tokio::spawn(async move {
                let mut appends = 0_u64;
                'round: loop {
                    for (turn, head) in (0..).zip(heads.iter_mut()) {
                        if begun.elapsed() >= ROUND {
                            break 'round;
                        }
                        let append = Append {
                            game: game(turn * callers + caller),
                            expected: *head,
                            deadline: None,
                            bodies: vec![SecretBytes::new(vec![7; BODY_BYTES])],
                            writes: Vec::new(),
                        };
                        let store: &dyn Store = &*store;
                        let AppendOutcome::Ok { head: next, .. } = store.append(append).await.unwrap() else {
                            panic!("not ok");
                        };
                        *head = next;
                        appends += 1;
                    }
                }
                (appends, heads)
            })
        })
        .collect();
    let mut appends = 0;
    for (task, place) in tasks.into_iter().zip(heads) {
        let (count, kept) = task.await.unwrap();
        appends += count;
        *place = kept;
    }
    Measured { appends, seconds: begun.elapsed().as_secs_f64(), batches: store.stats().commits - commits }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn compare(runtime: &Runtime, callers: u32, rounds: u32) {
    let folder =
        tempfile::tempdir_in(std::env::var_os("FLAGFALL_BENCH_FOLDER").unwrap_or(".".into())).unwrap();
    let store = EmbeddedStore::open(&folder.path().join("store"), SystemClock, &Options::default()).unwrap();
    let store = Arc::new(store);
    let mut bare = Bare::open(&folder.path().join("bare"));
    let mut heads = vec![vec![Head::START; (GAMES / callers) as usize]; callers as usize];
    let (mut ratios, mut ours, mut theirs, mut batches) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for number in 0..=rounds {
        let through = runtime.block_on(round(&store, &mut heads));
        // As many appends a batch as the store found waiting.
        let batch_size = (through.appends as f64 / through.batches as f64).round() as u32;
        let direct = bare.round(batch_size.max(1));
        // The first round warms up.
        if number > 0 {
            ratios.push(through.rate() / direct.rate());
            ours.push(through.rate());
            theirs.push(direct.rate());
            batches.push(through.appends as f64 / through.batches as f64);
        }
    }
    let (least, most) = ratios.iter().fold((f64::MAX, 0.0_f64), |(l, m), r| (l.min(*r), m.max(*r)));
    let (ours, theirs) = (median(ours), median(theirs));
    println!(
        "{callers:4} waiting: {ours:8.0} appends/s ({:6.1} µs each, {:5.1} a batch), bare {theirs:8.0} ({:6.1} µs): \
         ratio {:.2} ({least:.2} to {most:.2})",
        1e6 / ours,
        median(batches),
        1e6 / theirs,
        median(ratios),
    );
}

fn main() {
    let rounds = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(7);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    for callers in [1, 10, 100, 1_000] {
        compare(&runtime, callers, rounds);
    }
}
