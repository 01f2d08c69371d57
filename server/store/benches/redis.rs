//! What the trait costs on Redis: appends through [`Store`] against the same Redis driven bare, in alternating rounds of one run.
//!
//! Bare is a pipeline of as many commands as the store sends in one go, on one connection, `appendfsync always`: once the store's own
//! script, and once a plain XADD and PUBLISH, which check nothing. Run with `cargo bench -p flagfall-store --bench redis`; the first
//! argument is the number of rounds (default 7). It starts a `redis-server` of its own.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints, and stops when it fails")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use common::game;
use common::redis::RedisServer;
use flagfall_store::{Append, AppendOutcome, Hash, Head, RedisOptions, RedisStore, SecretBytes, Store};
use redis::aio::MultiplexedConnection;

const BODY_BYTES: usize = 150;
const GAMES: u32 = 1_000;
const ROUND: Duration = Duration::from_millis(700);
const SCRIPT: &str = concat!(
    include_str!("../src/redis/scripts/prelude.lua"),
    include_str!("../src/redis/scripts/append.lua")
);

/// What a round came to.
struct Measured {
    appends: u64,
    seconds: f64,
    /// Microseconds each append took, sorted.
    latencies: Vec<u64>,
}

impl Measured {
    fn rate(&self) -> f64 {
        self.appends as f64 / self.seconds
    }

    fn latency(&self, share: f64) -> u64 {
        let last = self.latencies.len().saturating_sub(1);
        self.latencies.get((last as f64 * share) as usize).copied().unwrap_or(0)
    }
}

/// `callers` tasks, each appending to its own games, one after the other.
async fn through_the_store(store: &Arc<RedisStore>, heads: &mut [Vec<Head>]) -> Measured {
    let callers = heads.len() as u32;
    let begun = Instant::now();
    let tasks: Vec<_> = (0..callers)
        .map(|caller| {
            let store = store.clone();
            let mut heads = std::mem::take(&mut heads[caller as usize]);
            tokio::spawn(async move {
                let mut latencies = Vec::new();
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
                        let asked = Instant::now();
                        let AppendOutcome::Ok { head: next, .. } = store.append(append).await.unwrap() else {
                            panic!("not ok");
                        };
                        latencies.push(asked.elapsed().as_micros() as u64);
                        *head = next;
                    }
                }
                (latencies, heads)
            })
        })
        .collect();
    let mut latencies = Vec::new();
    for (task, place) in tasks.into_iter().zip(heads) {
        let (mut taken, kept) = task.await.unwrap();
        latencies.append(&mut taken);
        *place = kept;
    }
    latencies.sort_unstable();
    Measured { appends: latencies.len() as u64, seconds: begun.elapsed().as_secs_f64(), latencies }
}

/// The same Redis, driven by hand.
struct Bare {
    connection: MultiplexedConnection,
    digest: String,
    /// Numbers and hashes of the logs the script appends to.
    heads: Vec<(u64, [u8; 32])>,
    /// Numbers of the logs that XADD appends to.
    seqs: Vec<u64>,
}

impl Bare {
    async fn open(redis: &RedisServer) -> Bare {
        let client = redis::Client::open(("127.0.0.1", redis.port())).unwrap();
        let config = redis::AsyncConnectionConfig::new().set_response_timeout(None);
        let mut connection = client.get_multiplexed_async_connection_with_config(&config).await.unwrap();
        let mut load = redis::cmd("SCRIPT");
        let digest = load.arg("LOAD").arg(SCRIPT).query_async(&mut connection).await.unwrap();
        let games = GAMES as usize;
        Bare { connection, digest, heads: vec![(0, Hash::ZERO.0); games], seqs: vec![0; games] }
    }

    async fn round(&mut self, batch_size: u32, with_script: bool) -> Measured {
        let begun = Instant::now();
        let (mut appends, mut next) = (0, 0);
        while begun.elapsed() < ROUND {
            let mut pipeline = redis::Pipeline::new();
            for _ in 0..batch_size {
                let number = next % GAMES;
                next += 1;
                if with_script {
                    self.add_script(number, &mut pipeline);
                } else {
                    self.add_plain(number, &mut pipeline);
                }
            }
            let _: Vec<redis::Value> = pipeline.query_async(&mut self.connection).await.unwrap();
            appends += u64::from(batch_size);
        }
        Measured { appends, seconds: begun.elapsed().as_secs_f64(), latencies: Vec::new() }
    }

    fn add_script(&mut self, number: u32, pipeline: &mut redis::Pipeline) {
        let id = game(number);
        let (seq, hash) = &mut self.heads[number as usize];
        // Any bytes do for a hash here; it only has to be the one before.
        let after = [(*seq % 251) as u8; 32];
        let value = [&after[..], &[7_u8; BODY_BYTES]].concat();
        pipeline.cmd("EVALSHA").arg(&self.digest).arg(2);
        pipeline.arg(format!("bare:{{{id}}}:log")).arg(format!("bare:{{{id}}}:quarantine"));
        pipeline.arg(*seq).arg(&hash[..]).arg("").arg(0).arg("").arg("bare").arg(id.as_str());
        pipeline.arg("").arg(0).arg(value);
        (*seq, *hash) = (*seq + 1, after);
    }

    fn add_plain(&mut self, number: u32, pipeline: &mut redis::Pipeline) {
        let seq = &mut self.seqs[number as usize];
        *seq += 1;
        pipeline.cmd("XADD").arg(format!("plain:{number}")).arg(format!("{seq}-0"));
        pipeline.arg("e").arg(vec![7_u8; BODY_BYTES + 40]);
        pipeline.cmd("PUBLISH").arg("plain").arg(format!("{number} {seq}"));
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

async fn compare(callers: u32, rounds: u32) {
    let redis = RedisServer::start();
    let store = Arc::new(redis.open(RedisOptions::default()).await);
    let mut bare = Bare::open(&redis).await;
    let mut heads = vec![vec![Head::START; (GAMES / callers) as usize]; callers as usize];
    let (mut ours, mut script, mut plain, mut p50, mut p99) = (vec![], vec![], vec![], vec![], vec![]);
    for number in 0..=rounds {
        let through = through_the_store(&store, &mut heads).await;
        let by_script = bare.round(callers, true).await;
        let by_hand = bare.round(callers, false).await;
        // The first round warms up.
        if number > 0 {
            ours.push(through.rate());
            script.push(through.rate() / by_script.rate());
            plain.push(through.rate() / by_hand.rate());
            p50.push(through.latency(0.5) as f64);
            p99.push(through.latency(0.99) as f64);
        }
    }
    println!(
        "{callers:4} waiting: {:7.0} appends/s, {:6.0} µs (p99 {:6.0} µs); ratio {:.2} to the same script driven bare, {:.2} to plain XADD and PUBLISH",
        median(ours),
        median(p50),
        median(p99),
        median(script),
        median(plain),
    );
}

fn main() {
    let rounds = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(7);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    for callers in [1, 10, 100, 1_000] {
        runtime.block_on(compare(callers, rounds));
    }
}
