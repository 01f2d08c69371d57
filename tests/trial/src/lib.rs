//! The trial: many games between random players over real sockets, against the real server as a process of its own that is killed
//! and restarted meanwhile. Clients drop their lines and come back, and write down every text. When all is over a checker with
//! rules, redaction and counting of its own holds the logs against the server's full records.
//!
//! The checker (`check`) takes nothing from the engine or the views. It is shown planted faults first.

mod arena;
mod chance;
mod check;
mod client;
mod error;
mod http;
mod log;
mod moves;
mod pairs;
mod plan;
mod plant;
mod player;
mod report;
mod server;
mod site;

use std::time::Instant;

pub use check::{Fault, Findings};
pub use error::TrialError;
pub use plan::Options;
pub use plant::Planted;
pub use report::Report;
pub use site::{Kills, Storage};

use crate::arena::{Run, play_all};
use crate::check::{PairLog, check_game, check_pair};
use crate::log::GameLog;
use crate::pairs::{plan_pairs, play_pairs};
use crate::plan::{SetupFiles, plan_games};
use crate::plant::plant_all;
use crate::site::Site;

/// Games of the rehearsal whose logs the faults are planted in.
const REHEARSAL_GAMES: usize = 6;
/// Their kills.
const REHEARSAL_KILLS: usize = 2;

/// What a trial tells while it goes on.
#[derive(Clone, Debug)]
pub enum News {
    /// How far it is.
    Progress(String),
    /// What a planted fault came to.
    Planted(Planted),
}

/// Plays and checks the whole trial. The rehearsal comes first: a few games, and the planted faults in copies of their logs.
///
/// # Errors
/// [`TrialError`] when it cannot be carried out; what the checker found is in the report.
pub async fn run(options: &Options, mut tell: impl FnMut(News)) -> Result<Report, TrialError> {
    let setups = SetupFiles::read(&options.data);
    setups.notes.iter().for_each(|note| tell(News::Progress(note.clone())));
    let mut site = Site::start(&options.server, options.storage).await?;
    let outcome = run_on(&mut site, options, &setups, &mut tell).await;
    if let Err(error) = &outcome {
        tell(News::Progress(format!("failed: {error}; the server's log ends with:\n{}", site.log_tail())));
    }
    site.stop().await;
    outcome
}

async fn run_on(
    site: &mut Site,
    options: &Options,
    setups: &SetupFiles,
    tell: &mut impl FnMut(News),
) -> Result<Report, TrialError> {
    let mut findings = rehearse(site, options, setups, tell).await?;
    let started = Instant::now();
    let plans = plan_games(options, setups, 0, options.games);
    let run = play_all(site, options, plans, options.kills, |text| tell(News::Progress(text))).await?;
    tell(News::Progress("playing paired sessions".to_owned()));
    let pairs = play_pairs(site.first_address(), plan_pairs(options, setups, options.pairs)).await?;
    let played = started.elapsed().as_secs_f64();
    tell(News::Progress("checking".to_owned()));
    let started = Instant::now();
    let Run { games, outages, lines, kills } = run;
    let found = check_all(games, pairs, outages.clone()).await?;
    findings.add(found);
    Ok(Report {
        games: options.games,
        kills_wanted: options.kills,
        pairs_wanted: options.pairs,
        findings,
        lines,
        outages,
        kills,
        seconds: (played, started.elapsed().as_secs_f64()),
    })
}

/// Plays a few games with clocks and kills, checks that they are clean, and plants faults in copies of their logs. What comes back are
/// faults alone: those of unclean logs, and one for each planted fault that was not found.
async fn rehearse(
    site: &mut Site,
    options: &Options,
    setups: &SetupFiles,
    tell: &mut impl FnMut(News),
) -> Result<Findings, TrialError> {
    tell(News::Progress(format!(
        "rehearsal: {REHEARSAL_GAMES} games, {REHEARSAL_KILLS} kills, then planted faults"
    )));
    let small = Options { games: REHEARSAL_GAMES, spectators: 2, resign_after: 60, ..options.clone() };
    let mut plans = plan_games(&small, setups, 1_000_000, REHEARSAL_GAMES);
    for plan in &mut plans {
        plan.terms.time = flagfall_protocol::Time::Fischer { base_s: 900, increment_s: 2 };
        plan.resign = plan.resign.or(Some((60, flagfall_board::Side::Red)));
    }
    let run = play_all(site, &small, plans, REHEARSAL_KILLS, |text| tell(News::Progress(text))).await?;
    let mut pair_options = small.clone();
    pair_options.seed ^= 1;
    let pairs = play_pairs(site.first_address(), plan_pairs(&pair_options, setups, 1)).await?;
    let Run { games, outages, .. } = run;
    let (planted, clean) = tokio::task::spawn_blocking(move || {
        let mut clean = Findings::default();
        games.iter().for_each(|game| check_game(game, &outages, &mut clean));
        pairs.iter().for_each(|pair| check_pair(pair, &mut clean));
        (plant_all(&games, &pairs, &outages), clean)
    })
    .await
    .map_err(|error| TrialError::Defect(error.to_string()))?;
    tell(News::Progress(format!(
        "rehearsal: {} plies, {} clocks compared over outages",
        clean.plies, clean.clocks_over_outages
    )));
    let mut faults = Findings::default();
    for (fault, example) in clean.examples() {
        faults.fault(fault, format!("rehearsal: {example}"));
    }
    for one in planted {
        if !one.is_found() {
            faults.fault(one.fault, format!("planted, but not found: {}", one.what));
        }
        tell(News::Planted(one));
    }
    Ok(faults)
}

async fn check_all(
    games: Vec<GameLog>,
    pairs: Vec<PairLog>,
    outages: Vec<log::Outage>,
) -> Result<Findings, TrialError> {
    tokio::task::spawn_blocking(move || {
        let mut findings = Findings::default();
        // Each log is let go as soon as it is checked.
        games.into_iter().for_each(|game| check_game(&game, &outages, &mut findings));
        pairs.iter().for_each(|pair| check_pair(pair, &mut findings));
        findings
    })
    .await
    .map_err(|error| TrialError::Defect(error.to_string()))
}
