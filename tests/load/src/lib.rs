//! `cargo run --profile dist -p flagfall-load` measures the processor time of a move on the
//! server, compared with a bare relay.
//!
//! With `-- targets`, one run measures three things: this processor time, the time to the
//! opponent at given paces, and the appends of the stores. It prints each figure beside its target.
//!
//! Many games run at once. In each game, either a move is sent as soon as the other side has seen
//! the previous move, or moves are sent at an even pace. Rounds alternate between the relay and
//! the server in memory, with its embedded store and with a Redis. Only the ratios can be
//! compared between machines.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

mod appends;
mod attack;
mod audience;
mod duel;
mod error;
mod figure;
mod flat;
mod http;
mod ladder;
mod pool;
mod process;
mod record;
mod relay;
mod scale;
mod size;
mod stand;
mod start;
mod targets;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};

use duel::{Plan, median, medians};
pub use error::LoadError;
use figure::Figure;
use record::Recorder;
use stand::{Bench, Rival};

/// Measures processor time per move and the time to the opponent in one run: for a bare relay, and
/// for the server in memory, with its embedded store and with a Redis.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    role: Option<Role>,
    /// Number of games at once.
    #[arg(long, default_value_t = 1000)]
    games: u32,
    /// Moves of each side in each game. A game of `pbm` allows 99 without a capture.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=90))]
    moves: u32,
    /// The time between two moves of a game, in milliseconds. If unset, a move follows the
    /// previous one immediately.
    #[arg(long)]
    pace_ms: Option<u64>,
    /// Number of rounds of each measured program.
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// The stores to measure the server with, in comparison with the relay.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Rival::SERVERS)]
    stores: Vec<Rival>,
    /// Write the figures to a file in docs/benchmarks/runs, and all runs to
    /// docs/benchmarks/trends.md.
    #[arg(long, global = true)]
    record: bool,
    #[command(flatten)]
    bench: Bench,
}

#[derive(Subcommand)]
enum Role {
    /// Measure everything that has a target, in one run of a few minutes, and print each figure
    /// beside its target. Appends are compared with the same stores driven directly. Processor
    /// time per move, and the time to the opponent at given paces, are compared with the relay.
    Targets(targets::Plan),
    /// Measure appends through the embedded store and the Redis store, compared with the same
    /// stores driven directly: their rate, and how long an append takes.
    Appends {
        /// Rounds of each side, in addition to a warm-up round.
        #[arg(long, default_value_t = 7)]
        rounds: u32,
        /// How many tasks wait for an answer at a time.
        #[arg(long, value_delimiter = ',', default_values_t = [1, 10, 100, 1000], value_parser = clap::value_parser!(u32).range(1..=1000))]
        waiting: Vec<u32>,
        /// Folder of the stores: on the disk to be measured, or in memory (/dev/shm), where a sync
        /// costs nothing.
        #[arg(long)]
        folder: Option<PathBuf>,
        /// Length of a round, in milliseconds.
        #[arg(long, default_value_t = appends::ROUND_MS)]
        round_ms: u64,
        /// Measure in this process, and write the figures to this file (set by the measurement
        /// itself).
        #[arg(long, hide = true)]
        figures: Option<PathBuf>,
    },
    /// Let bot accounts play in the ranked pool. Measures waits and rating gaps, and recomputes
    /// every rating from the records.
    Pool {
        /// Number of bots.
        #[arg(long, default_value_t = 500)]
        bots: usize,
        /// Minutes in which the bots are paired.
        #[arg(long, default_value_t = 10.0)]
        minutes: f64,
        /// Stop early when this many games are over.
        #[arg(long)]
        games: Option<u64>,
        /// Seconds between two pairings of the players who are waiting in the pool.
        #[arg(long, default_value_t = 5)]
        wave_seconds: u32,
        /// The server program. The default is the one beside this program, built with the same
        /// profile.
        #[arg(long, env = "FLAGFALL_SERVER_BIN", default_value_os_t = stand::server_beside())]
        server: PathBuf,
    },
    /// Measure the cost of connections, spectators and games: memory, disk space, and processor
    /// time per delivered view.
    Size {
        /// Number of idle connections.
        #[arg(long, default_value_t = 5000)]
        connections: u32,
        /// Number of these connections that then watch one game.
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
    /// Measure how long the embedded store takes to open with a million finished games in it,
    /// after a planned stop and after a kill.
    Start(start::Plan),
    /// Check that two costs stay flat: a move with more games or in longer games, and a session
    /// when more sessions come back at the same time.
    Flat(flat::Plan),
    /// Measure what must not grow with the number of games, players and watchers, and print each
    /// figure beside its target.
    Scale(scale::Plan),
    /// Measure what honest players notice while one address attacks the server with everything it
    /// may do. Each run is compared with a run in which the attacker uses as much processor time on
    /// a closed port.
    Attack(attack::Plan),
    /// Run as the attacker (started by the measurement itself).
    #[command(hide = true)]
    Attacker(attack::Attacker),
    /// Run as many spectators of one game (started by the measurement itself).
    #[command(hide = true)]
    Spectators(audience::Spectators),
    /// Run as the relay (started by the measurement itself).
    #[command(hide = true)]
    Relay {
        /// Bytes of an update.
        update: usize,
        /// Bytes of an acknowledgement.
        acknowledgement: usize,
    },
}

/// Runs the program with the arguments of the process.
///
/// # Errors
/// [`LoadError`], for example if a measured program gave an unexpected answer.
#[expect(clippy::print_stderr, reason = "where the figures are goes beside them")]
pub fn main() -> Result<(), LoadError> {
    let cli = Cli::parse();
    let recorder = cli.record.then(Recorder::new).transpose()?;
    // Only some measurements fail if a target is missed. For the others, a miss is not an error,
    // because figures depend on the machine.
    let must_hold = matches!(cli.role, Some(Role::Attack(_)));
    let figures = run(cli)?;
    let has_held = figures.iter().all(|figure| figure.is_met() != Some(false));
    if let Some(recorder) = recorder {
        eprintln!("Recorded in {}.", recorder.write(figures)?.display());
    }
    if must_hold && !has_held { Err(LoadError::Faults) } else { Ok(()) }
}

/// Measures, prints, and returns the figures.
fn run(cli: Cli) -> Result<Vec<Figure>, LoadError> {
    let plan = Plan {
        bench: cli.bench,
        games: cli.games,
        moves: cli.moves,
        pace: cli.pace_ms.map(Duration::from_millis),
    };
    match cli.role {
        // Uses as many threads as the environment variable says.
        Some(Role::Relay { update, acknowledgement }) => {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
            runtime.block_on(relay::serve(update, acknowledgement))?;
            Ok(Vec::new())
        }
        Some(Role::Attack(plan)) => one_worker()?.block_on(attack::run(&plan)),
        Some(Role::Attacker(attacker)) => {
            one_worker()?.block_on(attacker.run())?;
            Ok(Vec::new())
        }
        Some(Role::Spectators(spectators)) => {
            one_worker()?.block_on(spectators.run())?;
            Ok(Vec::new())
        }
        Some(Role::Start(plan)) => one_worker()?.block_on(start::run(&plan)),
        Some(Role::Flat(plan)) => one_worker()?.block_on(flat::run(&plan)),
        Some(Role::Scale(plan)) => one_worker()?.block_on(scale::run(&plan)),
        Some(Role::Targets(plan)) => one_worker()?.block_on(targets::run(&plan)),
        Some(Role::Appends { rounds, waiting, folder, round_ms, figures }) => {
            let plan = appends::Plan { waiting, rounds, round_ms, folder };
            match figures {
                Some(figures) => one_worker()?.block_on(appends::measure(&plan, &figures)),
                None => one_worker()?.block_on(appends::run(&plan)),
            }
        }
        Some(Role::Pool { bots, minutes, games, wave_seconds, server }) => {
            let plan = pool::Plan { bots, minutes, games, wave_seconds };
            match one_worker()?.block_on(pool::run(plan, &server))? {
                true => Ok(Vec::new()),
                false => Err(LoadError::Faults),
            }
        }
        Some(Role::Size { connections, spectators, games, moves, bench }) => {
            let plan = size::Plan { connections, spectators, games, moves };
            one_worker()?.block_on(size::run(plan, &bench))
        }
        None => one_worker()?.block_on(measure(&plan, &cli.stores, cli.rounds)),
    }
}

/// A runtime with one worker, so the clients share one core and the measured programs have the
/// others.
fn one_worker() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()
}

async fn measure(plan: &Plan, stores: &[Rival], rounds: u32) -> Result<Vec<Figure>, LoadError> {
    let rows = duel::rounds(plan, stores, rounds).await?;
    println!(
        "\n{} games, {} moves each side, medians of {rounds} rounds, processor time of the server's process and the 99 % of the time to the opponent:",
        plan.games, plan.moves
    );
    let [base_cpu, base_latency] = medians(&rows[0].1);
    let mut figures = Vec::new();
    for (rival, costs) in &rows {
        let [cpu, latency] = medians(costs);
        println!(
            "{:<26} {cpu:>7.1} µs a move   {:>5.2} × the relay   {latency:>8.0} µs   {:>5.2} × the relay",
            rival.name(),
            cpu / base_cpu,
            latency / base_latency
        );
        if *rival != Rival::Relay {
            let (name, detail) = (rival.name(), format!("{cpu:.1} µs, relay {base_cpu:.1}"));
            let figure = Figure::ratio(format!("processor time a move, {name}"), cpu / base_cpu);
            figures.push(figure.with_detail(detail));
            let detail = format!("{latency:.0} µs, relay {base_latency:.0}");
            let figure = Figure::ratio(format!("99 % to the opponent, {name}"), latency / base_latency);
            figures.push(figure.with_detail(detail));
        }
        if let Some(redis_us) = median(costs.iter().filter_map(|cost| cost.redis_us)) {
            println!("{:<26} {redis_us:>7.1} µs a move of its own", "  and its Redis");
        }
    }
    Ok(figures)
}
