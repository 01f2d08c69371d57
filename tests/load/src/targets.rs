//! Measures all figures that have a target, in one run: appends, processor time per move, and the
//! time to the opponent at half load.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::appends;
use crate::duel::{self, Cost, medians};
use crate::error::LoadError;
use crate::figure::{Figure, Target};
use crate::stand::{Bench, Rival};

/// The numbers of tasks that wait for appends at the same time.
const WAITING: [u32; 4] = [1, 10, 100, 1_000];
/// Length of a round at half load, in milliseconds.
const HALF_LOAD_MS: u64 = 6_000;

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
    /// Length of a round at half load, in milliseconds.
    #[arg(long, default_value_t = HALF_LOAD_MS)]
    half_load_ms: u64,
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
    figures.extend(cost_of_moves(&rows));
    println!("\nMoves at half of what each made, and the relay at the same pace:");
    for (rival, costs) in rows.iter().filter(|(rival, _)| *rival != Rival::Relay) {
        let per_second = duel::median(costs.iter().map(|cost| cost.per_second)).unwrap_or_default() / 2.0;
        figures.push(time_at(*rival, per_second, &moves, plan).await?);
    }
    println!("\nMedians of {} rounds, {:.0} s in all:", plan.rounds, begun.elapsed().as_secs_f64());
    figures.iter().for_each(Figure::print);
    let redis_us = rows.iter().flat_map(|(_, costs)| costs).filter_map(|cost| cost.redis_us);
    if let Some(redis_us) = duel::median(redis_us) {
        println!("Redis itself takes {redis_us:.1} µs a move beside the server's.");
    }
    Ok(figures)
}

async fn count_appends(plan: &Plan) -> Result<Vec<Figure>, LoadError> {
    println!("Appends through the stores, and their media driven bare:");
    let Plan { rounds, append_ms: round_ms, ref folder, .. } = *plan;
    appends::run(&appends::Plan { waiting: WAITING.to_vec(), rounds, round_ms, folder: folder.clone() }).await
}

fn cost_of_moves(rows: &[(Rival, Vec<Cost>)]) -> Vec<Figure> {
    let relay = rows.iter().find(|(rival, _)| *rival == Rival::Relay);
    let [relay_us, _] = relay.map(|(_, costs)| medians(costs)).unwrap_or_default();
    let figure = |(rival, costs): &(Rival, Vec<Cost>)| {
        let (target, _) = targets_of(*rival)?;
        let [us, _] = medians(costs);
        let figure = Figure::ratio(format!("processor time a move, {}", rival.name()), us / relay_us);
        let detail = format!("{us:.1} µs, relay {relay_us:.1}");
        Some(figure.with_target(Target::AtMost(target)).with_detail(detail))
    };
    rows.iter().filter_map(figure).collect()
}

/// The highest acceptable ratios to the relay, for processor time per move and for the time to
/// the opponent at half load.
fn targets_of(rival: Rival) -> Option<(f64, f64)> {
    match rival {
        Rival::Relay => None,
        Rival::Memory => Some((1.0, 2.0)),
        Rival::Embedded => Some((1.4, 3.0)),
        Rival::Redis => Some((1.6, 3.0)),
    }
}

/// The time to the opponent at this many moves per second, compared with the relay's time at the
/// same pace.
async fn time_at(
    rival: Rival,
    per_second: f64,
    moves: &duel::Plan,
    Plan { rounds, half_load_ms, .. }: &Plan,
) -> Result<Figure, LoadError> {
    let pace = Duration::from_secs_f64(f64::from(moves.games) / per_second.max(1.0));
    let half_load = Duration::from_millis(*half_load_ms);
    let of_each = (half_load.as_secs_f64() / pace.as_secs_f64() / 2.0).clamp(1.0, 90.0) as u32;
    let plan = duel::Plan { moves: of_each, pace: Some(pace), ..moves.clone() };
    let (mut ours, mut relays) = (Vec::new(), Vec::new());
    for round in 1..=*rounds {
        for (who, costs) in [(Rival::Relay, &mut relays), (rival, &mut ours)] {
            let cost = duel::run(who, &plan).await?;
            duel::print_round(&format!("round {round}"), who, &cost);
            costs.push(cost);
        }
    }
    let ([_, ours_us], [_, relays_us]) = (medians(&ours), medians(&relays));
    let (_, target) = targets_of(rival).unwrap_or_default();
    let figure = Figure::ratio(format!("99 % to the opponent, {}", rival.name()), ours_us / relays_us);
    let detail = format!("{ours_us:.0} µs, relay {relays_us:.0}");
    Ok(figure.with_target(Target::AtMost(target)).with_detail(detail))
}
