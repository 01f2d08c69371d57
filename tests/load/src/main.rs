//! `cargo run --release -p flagfall-load`: how much processor time a move costs the server, against a bare relay beside it.
//!
//! Many games at once, each a closed loop: a move goes out when the other side has seen the last, or at an even pace. Rounds on the relay, on the
//! server in memory, with its embedded store and with a Redis alternate; only the ratios are worth quoting.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

mod duel;
mod http;
mod ladder;
mod pool;
mod process;
mod relay;
mod size;
mod stand;

use clap::{Parser, Subcommand};

use std::time::Duration;

use duel::{Cost, Plan, Trouble};
use stand::Rival;

/// Processor time per move and the time to the opponent, in one run, of a bare relay and of the server in memory, with its embedded store and with a
/// Redis.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    role: Option<Role>,
    /// Games at once.
    #[arg(long, default_value_t = 1000)]
    games: u32,
    /// Moves of each side in each game; a game of `pbm` takes 99 without a capture.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=90))]
    moves: u32,
    /// The time between two moves of a game, in milliseconds; without it the next one goes out at once.
    #[arg(long)]
    pace_ms: Option<u64>,
    /// Rounds of each rival.
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// The server's program, built with --release.
    #[arg(long, env = "FLAGFALL_SERVER_BIN", default_value = "target/release/flagfall-server")]
    server: std::path::PathBuf,
}

#[derive(Subcommand)]
enum Role {
    /// Bot accounts in the ranked pool: waits, rating gaps, and every rating recomputed from the records.
    Pool {
        /// How many.
        #[arg(long, default_value_t = 500)]
        bots: usize,
        /// How long they go on to be paired.
        #[arg(long, default_value_t = 10.0)]
        minutes: f64,
        /// End earlier, when so many games are over.
        #[arg(long)]
        games: Option<u64>,
        /// Seconds between two waves of the pool.
        #[arg(long, default_value_t = 5)]
        wave_seconds: u32,
        /// The server's program, built with --release.
        #[arg(long, env = "FLAGFALL_SERVER_BIN", default_value = "target/release/flagfall-server")]
        server: std::path::PathBuf,
    },
    /// What connections, spectators and games take: memory, disk, and processor time per view that is delivered.
    Size {
        /// Idle connections.
        #[arg(long, default_value_t = 5000)]
        connections: u32,
        /// Of these, who then look at one game.
        #[arg(long, default_value_t = 5000)]
        spectators: u32,
        /// Games.
        #[arg(long, default_value_t = 1000)]
        games: u32,
        /// Moves of each side in each game.
        #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=90))]
        moves: u32,
        /// The server's program, built with --release.
        #[arg(long, env = "FLAGFALL_SERVER_BIN", default_value = "target/release/flagfall-server")]
        server: std::path::PathBuf,
    },
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
    // One worker each, as one core each is what they are given.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    if let Some(Role::Relay { update, acknowledgement }) = cli.role {
        return Ok(runtime.block_on(relay::serve(update, acknowledgement))?);
    }
    if let Some(Role::Pool { bots, minutes, games, wave_seconds, server }) = cli.role {
        let plan = pool::Plan { bots, minutes, games, wave_seconds };
        return match runtime.block_on(pool::run(plan, &server))? {
            true => Ok(()),
            false => Err(Trouble::Faults),
        };
    }
    if let Some(Role::Size { connections, spectators, games, moves, server }) = cli.role {
        let plan = size::Plan { connections, spectators, games, moves };
        return runtime.block_on(size::run(plan, &server));
    }
    runtime.block_on(measure(&cli))
}

async fn measure(cli: &Cli) -> Result<(), Trouble> {
    let plan = Plan { games: cli.games, moves: cli.moves, pace: cli.pace_ms.map(Duration::from_millis) };
    let mut rows: Vec<(Rival, Vec<Cost>)> = Rival::ALL.into_iter().map(|rival| (rival, Vec::new())).collect();
    for round in 1..=cli.rounds {
        for (rival, costs) in &mut rows {
            let cost = duel::run(*rival, plan, &cli.server).await?;
            println!(
                "round {round}: {:<26} {:>7.1} µs a move, {:>8.0} moves a second, to the opponent {:>6} µs (99 %: {} µs)",
                rival.name(),
                cost.cpu_us,
                cost.per_second,
                cost.latency_us[0],
                cost.latency_us[1]
            );
            costs.push(cost);
        }
    }
    println!(
        "\n{} games, {} moves each side, medians of {} rounds, processor time of the server's process and the 99 % of the time to the opponent:",
        cli.games, cli.moves, cli.rounds
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

/// Processor time and time to the opponent.
fn medians(costs: &[Cost]) -> [f64; 2] {
    let latency = costs.iter().map(|cost| cost.latency_us[1] as f64);
    [median(costs.iter().map(|cost| cost.cpu_us)), median(latency)].map(Option::unwrap_or_default)
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
