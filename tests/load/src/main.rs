//! `cargo run --release -p flagfall-load`: how much processor time a move costs the server, against a bare relay beside it.
//!
//! Many games at once, each a closed loop: a move goes out when the other side has seen the last. Rounds on the relay, on the
//! server in memory and on the server with its embedded store alternate; only the ratios are worth quoting.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

mod duel;
mod http;
mod ladder;
mod pool;
mod process;
mod relay;

use clap::{Parser, Subcommand};

use duel::{Rival, Trouble};

/// Processor time per move, in one run, of a bare relay, the server in memory and the server with its embedded store.
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
    runtime.block_on(measure(&cli))
}

async fn measure(cli: &Cli) -> Result<(), Trouble> {
    let mut rows: Vec<(Rival, Vec<f64>)> = Rival::ALL.into_iter().map(|rival| (rival, Vec::new())).collect();
    for round in 1..=cli.rounds {
        for (rival, costs) in &mut rows {
            let cost = duel::run(*rival, cli.games, cli.moves, &cli.server).await?;
            println!(
                "round {round}: {:<26} {:>7.1} µs a move, {:>8.0} moves a second",
                rival.name(),
                cost.cpu_us,
                cost.per_second
            );
            costs.push(cost.cpu_us);
        }
    }
    let median = |costs: &mut Vec<f64>| {
        costs.sort_by(f64::total_cmp);
        costs[costs.len() / 2]
    };
    let medians: Vec<(Rival, f64)> = rows.iter_mut().map(|(rival, costs)| (*rival, median(costs))).collect();
    let base = medians[0].1;
    println!(
        "\n{} games, {} moves each side, medians of {} rounds, processor time of the server's process:",
        cli.games, cli.moves, cli.rounds
    );
    for (rival, cost) in medians {
        println!("{:<26} {cost:>7.1} µs a move   {:>5.2} × the relay", rival.name(), cost / base);
    }
    Ok(())
}
