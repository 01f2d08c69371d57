//! `cargo run --release -p flagfall-load`: the processor time of a move on the server, compared
//! with a bare relay.
//!
//! With `-- targets` it measures that, the time to the opponent at half load and the appends of the
//! stores in one run, and prints each beside its target.
//!
//! Many games run at once, each as a closed loop: a move is sent when the other side has seen the
//! last one, or at an even pace. Rounds alternate between the relay and the server in memory, with
//! its embedded store and with a Redis. Only the ratios are worth quoting.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

mod appends;
mod attack;
mod duel;
mod flat;
mod http;
mod ladder;
mod pool;
mod process;
mod relay;
mod size;
mod stand;
mod targets;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};

use appends::{Compared, Medium};
use duel::{Cost, Plan, Trouble, median};
use stand::{Bench, Rival};

/// Processor time per move and the time to the opponent, in one run, of a bare relay and of the
/// server in memory, with its embedded store and with a Redis.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    role: Option<Role>,
    /// Games at once.
    #[arg(long, default_value_t = 1000)]
    games: u32,
    /// Moves of each side in each game; a game of `pbm` allows 99 without a capture.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=90))]
    moves: u32,
    /// The time between two moves of a game, in milliseconds; without it the next one is sent at
    /// once.
    #[arg(long)]
    pace_ms: Option<u64>,
    /// Rounds of each rival.
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// Stores whose server is measured beside the relay.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Rival::SERVERS)]
    stores: Vec<Rival>,
    #[command(flatten)]
    bench: Bench,
}

#[derive(Subcommand)]
enum Role {
    /// All targets in one run of some minutes, each figure beside its target: appends through the
    /// stores against the same stores driven directly, processor time per move against the relay,
    /// and the time to the opponent at half load.
    Targets(targets::Plan),
    /// Appends through the embedded store and the one in Redis, against the same stores driven
    /// directly: rates, and how long an append takes.
    Appends {
        /// Rounds of each side, not counting one that warms up.
        #[arg(long, default_value_t = 7)]
        rounds: u32,
        /// How many tasks wait for an answer at a time.
        #[arg(long, value_delimiter = ',', default_values_t = [1, 10, 100, 1000], value_parser = clap::value_parser!(u32).range(1..=1000))]
        waiting: Vec<u32>,
        /// Folder of the stores: on the disk to be measured, or in memory (/dev/shm), where a sync
        /// costs nothing.
        #[arg(long)]
        folder: Option<PathBuf>,
    },
    /// Bot accounts in the ranked pool: waits, rating gaps, and every rating recomputed from the
    /// records.
    Pool {
        /// Number of bots.
        #[arg(long, default_value_t = 500)]
        bots: usize,
        /// Minutes in which they are paired.
        #[arg(long, default_value_t = 10.0)]
        minutes: f64,
        /// End earlier, when this many games are over.
        #[arg(long)]
        games: Option<u64>,
        /// Seconds between two waves of the pool.
        #[arg(long, default_value_t = 5)]
        wave_seconds: u32,
        /// The server's program, built with --release.
        #[arg(long, env = "FLAGFALL_SERVER_BIN", default_value = "target/release/flagfall-server")]
        server: PathBuf,
    },
    /// What connections, spectators and games take: memory, disk, and processor time per delivered
    /// view.
    Size {
        /// Idle connections.
        #[arg(long, default_value_t = 5000)]
        connections: u32,
        /// How many of these then watch one game.
        #[arg(long, default_value_t = 5000)]
        spectators: u32,
        /// Number of games.
        #[arg(long, default_value_t = 1000)]
        games: u32,
        /// Moves of each side in each game.
        #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=90))]
        moves: u32,
        #[command(flatten)]
        bench: Bench,
    },
    /// Whether costs stay flat, as ratios in one run: of a move over the number of games and over
    /// the length of a game, and of a session over how many come back at once.
    Flat(flat::Plan),
    /// What honest players notice while one address attacks the server with all it may do, against
    /// a run in which the attacker uses as much processor time on a closed port.
    Attack(attack::Plan),
    /// Be the attacker (started by the measurement itself).
    #[command(hide = true)]
    Attacker(attack::Attacker),
    /// Be the relay (started by the measurement itself).
    #[command(hide = true)]
    Relay {
        /// Bytes of an update.
        update: usize,
        /// Bytes of an acknowledgement.
        acknowledgement: usize,
    },
}

fn main() -> Result<(), Trouble> {
    let cli = Cli::parse();
    let plan = Plan {
        bench: cli.bench,
        games: cli.games,
        moves: cli.moves,
        pace: cli.pace_ms.map(Duration::from_millis),
    };
    match cli.role {
        // As many threads as the environment says.
        Some(Role::Relay { update, acknowledgement }) => {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
            Ok(runtime.block_on(relay::serve(update, acknowledgement))?)
        }
        Some(Role::Attack(plan)) => match one_worker()?.block_on(attack::run(&plan))? {
            true => Ok(()),
            false => Err(Trouble::Faults),
        },
        Some(Role::Attacker(attacker)) => one_worker()?.block_on(attacker.run()),
        Some(Role::Flat(plan)) => one_worker()?.block_on(flat::run(&plan)),
        Some(Role::Targets(plan)) => one_worker()?.block_on(targets::run(&plan)),
        Some(Role::Appends { rounds, waiting, folder }) => {
            let lasting = Duration::from_millis(appends::ROUND_MS);
            one_worker()?.block_on(compare_appends(&waiting, &appends::Plan { rounds, lasting, folder }))
        }
        Some(Role::Pool { bots, minutes, games, wave_seconds, server }) => {
            let plan = pool::Plan { bots, minutes, games, wave_seconds };
            match one_worker()?.block_on(pool::run(plan, &server))? {
                true => Ok(()),
                false => Err(Trouble::Faults),
            }
        }
        Some(Role::Size { connections, spectators, games, moves, bench }) => {
            let plan = size::Plan { connections, spectators, games, moves };
            one_worker()?.block_on(size::run(plan, &bench))
        }
        None => one_worker()?.block_on(measure(&plan, &cli.stores, cli.rounds)),
    }
}

/// A runtime with one worker: the clients share one core, and the measured programs have the
/// others.
fn one_worker() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()
}

async fn compare_appends(waiting: &[u32], plan: &appends::Plan) -> Result<(), Trouble> {
    for medium in Medium::ALL {
        for waiting in waiting {
            print_appends(medium, *waiting, &appends::compare(medium, *waiting, plan).await?);
        }
    }
    Ok(())
}

fn print_appends(medium: Medium, waiting: u32, compared: &Compared) {
    let Compared { through, bare, ratio, ratio_plain } = compared;
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

async fn measure(plan: &Plan, stores: &[Rival], rounds: u32) -> Result<(), Trouble> {
    let rows = duel::rounds(plan, stores, rounds).await?;
    println!(
        "\n{} games, {} moves each side, medians of {rounds} rounds, processor time of the server's process and the 99 % of the time to the opponent:",
        plan.games, plan.moves
    );
    let [base_cpu, base_latency] = medians(&rows[0].1);
    for (rival, costs) in &rows {
        let [cpu, latency] = medians(costs);
        println!(
            "{:<26} {cpu:>7.1} µs a move   {:>5.2} × the relay   {latency:>8.0} µs   {:>5.2} × the relay",
            rival.name(),
            cpu / base_cpu,
            latency / base_latency
        );
        if let Some(redis_us) = median(costs.iter().filter_map(|cost| cost.redis_us)) {
            println!("{:<26} {redis_us:>7.1} µs a move of its own", "  and its Redis");
        }
    }
    Ok(())
}

/// Medians of the processor time and of the time to the opponent.
fn medians(costs: &[Cost]) -> [f64; 2] {
    let latency = costs.iter().map(|cost| cost.latency_us[1] as f64);
    [median(costs.iter().map(|cost| cost.cpu_us)), median(latency)].map(Option::unwrap_or_default)
}
