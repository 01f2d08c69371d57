//! Measures all figures that have a target, in one run: appends, processor time per move, and the
//! time to the opponent, each beside the relay or the bare medium.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::appends;
use crate::duel::{self, Cost};
use crate::error::LoadError;
use crate::figure::{Figure, Target};
use crate::stand::{Bench, Rival};

/// The numbers of tasks that wait for appends at the same time.
const WAITING: [u32; 4] = [1, 10, 100, 1_000];
/// The pace at which the processor time of a quiet server is measured, in moves per second of all
/// games together.
const SLOW: u32 = 1_000;
/// The paces at which the time to the opponent is measured, in the same unit.
const PACES: [u32; 2] = [2_000, 8_000];
/// Length of a round at a given pace, in milliseconds.
const PACED_MS: u64 = 6_000;

/// The lengths and quantities of a run.
#[derive(clap::Args)]
pub(crate) struct Plan {
    /// Rounds of each measured program. The programs take turns.
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// Number of games at once.
    #[arg(long, default_value_t = 1000)]
    games: u32,
    /// Moves of each side in each game. A game of `pbm` allows 99 without a capture.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=90))]
    moves: u32,
    /// Length of a round of appends, in milliseconds.
    #[arg(long, default_value_t = appends::ROUND_MS)]
    append_ms: u64,
    /// Length of a round at a given pace, in milliseconds.
    #[arg(long, default_value_t = PACED_MS)]
    paced_ms: u64,
    /// Folder of the stores for the appends. The default is the system's temporary folder.
    #[arg(long)]
    folder: Option<PathBuf>,
    #[command(flatten)]
    bench: Bench,
}

/// Measures everything and prints it.
///
/// # Errors
/// [`LoadError`] if a client gets an unexpected answer. A missed target is not an error.
pub(crate) async fn run(plan: &Plan) -> Result<Vec<Figure>, LoadError> {
    let begun = Instant::now();
    let mut figures = count_appends(plan).await?;
    let moves = duel::Plan { bench: plan.bench.clone(), games: plan.games, moves: plan.moves, pace: None };
    println!("\nMoves, {} games at once, each as fast as it goes:", plan.games);
    let rows = duel::rounds(&moves, &Rival::SERVERS, plan.rounds).await?;
    figures.extend(compare(&rows, "processor time a move", |cost| cost.cpu_us, cpu_most));
    let redis_us = duel::median(rows.iter().flat_map(|(_, costs)| costs).filter_map(|cost| cost.redis_us));
    let slow = at_pace(SLOW, &moves, plan).await?;
    let name = format!("processor time a move at {SLOW} a second");
    figures.extend(compare(&slow, &name, |cost| cost.cpu_us, slow_cpu_most));
    for pace in PACES {
        let rows = at_pace(pace, &moves, plan).await?;
        let name = format!("99 % to the opponent at {pace} moves a second");
        figures.extend(compare(&rows, &name, |cost| cost.latency_us[1] as f64, latency_most));
    }
    println!("\nMedians of {} rounds, {:.0} s in all:", plan.rounds, begun.elapsed().as_secs_f64());
    figures.iter().for_each(Figure::print);
    if let Some(redis_us) = redis_us {
        println!("Redis itself takes {redis_us:.1} µs a move beside the server's.");
    }
    Ok(figures)
}

async fn count_appends(plan: &Plan) -> Result<Vec<Figure>, LoadError> {
    println!("Appends through the stores, and their media driven bare:");
    let Plan { rounds, append_ms: round_ms, ref folder, .. } = *plan;
    appends::run(&appends::Plan { waiting: WAITING.to_vec(), rounds, round_ms, folder: folder.clone() }).await
}

/// Runs rounds of the relay and of all servers at the same pace, in moves per second.
async fn at_pace(
    per_second: u32,
    moves: &duel::Plan,
    Plan { rounds, paced_ms, .. }: &Plan,
) -> Result<Vec<(Rival, Vec<Cost>)>, LoadError> {
    println!("\nMoves, {} games at once, {per_second} moves a second:", moves.games);
    let pace = Duration::from_secs_f64(f64::from(moves.games) / f64::from(per_second));
    let lasting = Duration::from_millis(*paced_ms);
    let of_each = (lasting.as_secs_f64() / pace.as_secs_f64() / 2.0).clamp(1.0, 90.0) as u32;
    let plan = duel::Plan { moves: of_each, pace: Some(pace), ..moves.clone() };
    duel::rounds(&plan, &Rival::SERVERS, *rounds).await
}

/// Compares a cost of each server with the relay's in the same round. A figure is the median of
/// the ratios. Servers without a target are left out.
fn compare(
    rows: &[(Rival, Vec<Cost>)],
    name: &str,
    of: impl Fn(&Cost) -> f64,
    most: impl Fn(Rival) -> Option<f64>,
) -> Vec<Figure> {
    let relays = rows.iter().find(|(rival, _)| *rival == Rival::Relay).map(|(_, costs)| &costs[..]);
    let relays = relays.unwrap_or_default();
    let figure = |(rival, costs): &(Rival, Vec<Cost>)| {
        let ratios = || costs.iter().zip(relays).map(|(ours, relays)| of(ours) / of(relays));
        let (least, highest) = (ratios().fold(f64::INFINITY, f64::min), ratios().fold(0.0, f64::max));
        let [ours_us, relays_us] =
            [costs, relays].map(|costs| duel::median(costs.iter().map(&of)).unwrap_or(0.0));
        let detail = format!("{least:.2} to {highest:.2}; {ours_us:.1} µs, relay {relays_us:.1}");
        let ratio = duel::median(ratios()).unwrap_or_default();
        let figure = Figure::ratio(format!("{name}, {}", rival.name()), ratio);
        Some(figure.with_target(Target::AtMost(most(*rival)?)).with_detail(detail))
    };
    rows.iter().filter_map(figure).collect()
}

/// The highest acceptable ratio to the relay of the processor time per move.
fn cpu_most(rival: Rival) -> Option<f64> {
    match rival {
        Rival::Relay => None,
        Rival::Memory => Some(0.95),
        Rival::Embedded => Some(1.2),
        Rival::Redis => Some(1.3),
    }
}

/// The same if there is so little to do that most work is done for one move at a time.
fn slow_cpu_most(rival: Rival) -> Option<f64> {
    match rival {
        Rival::Relay | Rival::Memory => None,
        Rival::Embedded | Rival::Redis => Some(2.0),
    }
}

/// The highest acceptable ratio to the relay of the 99th percentile of the time to the opponent.
fn latency_most(rival: Rival) -> Option<f64> {
    match rival {
        Rival::Relay => None,
        Rival::Memory => Some(1.5),
        Rival::Embedded => Some(2.0),
        Rival::Redis => Some(3.0),
    }
}
