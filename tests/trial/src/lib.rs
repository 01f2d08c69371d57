//! The trial: many games between random players over real sockets.
//!
//! The real server runs as its own process, which is killed and restarted during the games.
//! Clients drop their connections, come back, and log every text. At the end, a checker compares
//! the logs with the server's full records. The checker has its own code for the rules, for
//! hiding information and for counting.
//!
//! With several servers on a Redis, there are more mishaps (`mishap`). Any process may be killed,
//! Redis may lose its last second, connections may be slow, cut, or dead in one direction
//! (`proxy`), and clocks may jump (`skew`).
//!
//! The checker (`check`) uses nothing from the engine or the views. Before its verdict counts, it
//! must find planted faults: in copies of logs and, with [`run_planted`], in servers.

mod arena;
mod board_plants;
mod chance;
mod check;
mod client;
mod database;
mod error;
mod http;
mod log;
mod mishap;
mod moves;
mod pair_plants;
mod pairs;
mod plan;
mod plant;
mod planted;
mod player;
mod proxy;
mod redis;
mod report;
mod server;
mod site;
mod skew;
mod stamps;
mod storage;

use std::sync::Arc;
use std::time::Instant;

pub use check::{Fault, Findings, Paired, Played};
pub use error::TrialError;
pub use plan::{Options, Patience};
pub use planted::Planted;
pub use report::Report;
pub use site::History;
pub use storage::Storage;

use crate::arena::{Run, Spread, play_all};
use crate::check::{PairLog, check_game, check_pair};
use crate::log::GameLog;
use crate::mishap::{for_planted_servers, plan_mishaps, rehearsal};
use crate::pairs::{Break, plan_pairs, play_pairs};
use crate::plan::{GamePlan, SetupFiles, plan_game, plan_games};
use crate::plant::plant_all;
use crate::site::Site;

/// The longest time that the players of the rehearsal think about a move, in milliseconds.
const REHEARSAL_THINK_MS: usize = 150;
/// The number of plies after which the rehearsal's games may end by resignation, once the
/// rehearsal's kills are over.
const REHEARSAL_PLIES: u16 = 30;
/// Rulesets of the rehearsal's games, one for each kind of hidden information. Faults are planted
/// in the logs of these games.
const REHEARSAL_GAMES: [&str; 6] =
    ["classic", "shadowflash-3", "quantum", "silent-defense", "barrage", "shadowflash-2"];
/// The number of the first rehearsal game.
const REHEARSAL_FIRST: usize = 1_000_000;
/// The numbers of the rehearsal's paired sessions, one for each kind of secret: deployments,
/// silent winners, reserves and choices.
const REHEARSED_PAIRS: [usize; 4] = [0, 6, 9, 23];

/// The maximum number of times that these pairs are played. They are played again if a session
/// has an unplanned disturbance.
const REHEARSALS_MAX: usize = 3;

/// Progress reports of a trial.
#[derive(Clone, Debug)]
pub enum News {
    /// The progress so far, in words.
    Progress(String),
    /// The result of a planted fault.
    Planted(Planted),
}

/// Plays and checks the whole trial.
///
/// The rehearsal comes first: a few games, and faults planted in copies of their logs.
///
/// # Errors
/// [`TrialError`] if it cannot be carried out. The report contains the checker's findings.
pub async fn run(options: &Options, mut tell: impl FnMut(News)) -> Result<Report, TrialError> {
    let setups = SetupFiles::read(&options.data);
    setups.notes.iter().for_each(|note| tell(News::Progress(note.clone())));
    let mut site = Site::start(&options.server, options.storage, &options.environment).await?;
    site.notes.iter().for_each(|note| tell(News::Progress(note.clone())));
    let outcome = run_on(&mut site, options, &setups, &mut tell).await;
    if let Err(error) = &outcome {
        tell(News::Progress(format!("failed: {error}; the servers' logs end with:\n{}", site.log_tail())));
    }
    if let Some(folder) = site.stop(options.keeps).await {
        tell(News::Progress(format!("the servers' logs and data are in {}", folder.display())));
    }
    outcome
}

async fn run_on(
    site: &mut Site,
    options: &Options,
    setups: &SetupFiles,
    tell: &mut impl FnMut(News),
) -> Result<Report, TrialError> {
    let mut findings = Findings::default();
    if options.rehearses {
        findings = rehearse(site, options, setups, tell).await?;
    }
    let started = Instant::now();
    let plans = plan_games(options, setups);
    let mishaps = plan_mishaps(options.seed, options.kills, options.storage, site.has_preload);
    let run =
        play_all(site, options, plans, (mishaps, Spread::Drawn), |text| tell(News::Progress(text))).await?;
    let mut pairs = Vec::new();
    if options.pairs > 0 {
        tell(News::Progress("playing paired sessions".to_owned()));
        let plans = plan_pairs(options, setups, 0..options.pairs)?;
        pairs = play_pairs(site, options.storage, plans, &[]).await?;
    }
    let played = started.elapsed().as_secs_f64();
    tell(News::Progress("checking".to_owned()));
    let started = Instant::now();
    let Run { games, given_up, unfinished, history, lines } = run;
    given_up.into_iter().for_each(|why| findings.fault(Fault::Unended, why));
    unfinished.into_iter().for_each(|what| findings.fault(Fault::Unfinished, what));
    let history = Arc::new(history);
    let found = check_all(games, pairs, history.clone()).await?;
    findings.add(found);
    Ok(Report {
        games: options.games,
        kills_wanted: options.kills,
        pairs_wanted: options.pairs,
        findings,
        lines,
        history,
        seconds: (played, started.elapsed().as_secs_f64()),
    })
}

/// Plays a few games with clocks and kills, checks them, and plants faults in copies of their logs.
///
/// Returns only faults: those in the logs themselves, and one for each planted fault that the
/// checker did not find.
async fn rehearse(
    site: &mut Site,
    options: &Options,
    setups: &SetupFiles,
    tell: &mut impl FnMut(News),
) -> Result<Findings, TrialError> {
    tell(News::Progress(format!(
        "rehearsal: {} games and three kills, then faults planted in what was written down",
        REHEARSAL_GAMES.len()
    )));
    // Players think, and games last until the kills are over, because the checker needs clocks to
    // compare.
    let small = Options {
        games: REHEARSAL_GAMES.len(),
        spectators: 2,
        resign_after: 60,
        think_ms: REHEARSAL_THINK_MS,
        ..options.clone()
    };
    let numbered = REHEARSAL_GAMES.into_iter().enumerate();
    let mut plans: Vec<GamePlan> =
        numbered.map(|(number, id)| plan_game(&small, setups, REHEARSAL_FIRST + number, id)).collect();
    for plan in &mut plans {
        plan.terms.time = flagfall_protocol::Time::Fischer { base_s: 900, increment_s: 2 };
        plan.is_flag_to_fall = false;
        (plan.resign, plan.tired_at) = (None, REHEARSAL_PLIES);
    }
    let mishaps = rehearsal(options.storage);
    let run =
        play_all(site, &small, plans, (mishaps, Spread::Even), |text| tell(News::Progress(text))).await?;
    let mut pair_options = small.clone();
    pair_options.seed ^= 1;
    let plans = plan_pairs(&pair_options, setups, REHEARSED_PAIRS.into_iter())?;
    let mut pairs = Vec::new();
    for _ in 0..REHEARSALS_MAX {
        pairs = play_pairs(site, options.storage, plans.clone(), &[]).await?;
        // A cut session may lack the message in which a fault is planted, so play the pairs
        // again.
        if pairs.iter().all(|pair| !pair.is_cut) {
            break;
        }
    }
    let Run { games, given_up, unfinished, history, .. } = run;
    let (planted, clean) = tokio::task::spawn_blocking(move || {
        let mut clean = Findings::default();
        given_up.into_iter().for_each(|why| clean.fault(Fault::Unended, why));
        unfinished.into_iter().for_each(|what| clean.fault(Fault::Unfinished, what));
        games.iter().for_each(|game| check_game(game, &history, &mut clean));
        pairs.iter().for_each(|pair| check_pair(pair, &mut clean));
        (plant_all(&games, &pairs, &history), clean)
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

/// A fault planted in a server, and the faults that the checker counted.
#[derive(Clone, Debug)]
pub struct PlantedServer {
    /// The fault's name in the server's environment.
    pub name: &'static str,
    /// True if the check that is meant for the fault found it.
    pub is_found: bool,
    /// Each kind of fault that the checker found, with its count and the first example.
    pub found: Vec<(Fault, u64, String)>,
}

/// The faults that a server can be built with, and the stores with which they matter. The checker
/// must report at least one of the kinds after each name.
///
/// A write that was acknowledged too early and lost is missing from the record. If the server
/// notices that its log does not continue, it closes the game, so the game has no end.
const PLANTED_SERVERS: [(&str, &[Fault], Storage); 5] = [
    ("acknowledge-first", &[Fault::Missing, Fault::Unended], Storage::Redis { servers: 3 }),
    ("forget-command-ids", &[Fault::Missing], Storage::Redis { servers: 3 }),
    ("plain-xadd", &[Fault::Unended], Storage::Redis { servers: 3 }),
    ("redirect-is-done", &[Fault::Missing, Fault::Unended], Storage::Cluster { servers: 3 }),
    ("never-shared", &[Fault::Unfinished], Storage::Cluster { servers: 3 }),
];

/// Plays some games on servers with each planted fault. The program must be built with these
/// faults. The servers on one Redis and those on a cluster are tried at the same time, because both
/// wait most of the time.
///
/// # Errors
/// [`TrialError`] if it cannot be carried out.
pub async fn run_planted(
    options: &Options,
    tell: impl Fn(String) + Copy,
) -> Result<Vec<PlantedServer>, TrialError> {
    let setups = SetupFiles::read(&options.data);
    let on = async |is_cluster: bool| -> Result<Vec<PlantedServer>, TrialError> {
        let mut planted = Vec::new();
        for (name, wanted, storage) in PLANTED_SERVERS {
            if matches!(storage, Storage::Cluster { .. }) == is_cluster {
                let mut options = options.clone();
                if !wanted.contains(&Fault::Unended) {
                    // With these faults, games go on. On a busy machine, they may pause.
                    options.patience.stall = options.patience.run;
                }
                // It may take several attempts until a mishap meets a server in the right moment.
                for attempt in 1..=REHEARSALS_MAX {
                    let found = Box::pin(look_for(name, storage, &options, &setups, tell)).await?;
                    let is_found = found.iter().any(|(fault, ..)| wanted.contains(fault));
                    if is_found || attempt == REHEARSALS_MAX {
                        planted.push(PlantedServer { name, is_found, found });
                        break;
                    }
                }
            }
        }
        Ok(planted)
    };
    let (one, cluster) = tokio::try_join!(on(false), on(true))?;
    Ok([one, cluster].concat())
}

/// Plays some games on servers with a planted fault. Returns what the checker found.
async fn look_for(
    name: &'static str,
    storage: Storage,
    options: &Options,
    setups: &SetupFiles,
    tell: impl Fn(String),
) -> Result<Vec<(Fault, u64, String)>, TrialError> {
    let tell = |text: String| tell(format!("{name}: {text}"));
    let environment = [("FLAGFALL_PLANTED_FAULT".to_owned(), name.to_owned())];
    let mut site = Site::start(&options.server, storage, &environment).await?;
    let mut plans = plan_games(options, setups);
    // Nothing is learned while flags fall.
    for plan in plans.iter_mut().filter(|plan| plan.is_flag_to_fall) {
        (plan.terms.time, plan.is_flag_to_fall) = (flagfall_protocol::Time::Unlimited {}, false);
    }
    let mishaps = for_planted_servers(storage);
    let run = Box::pin(play_all(&mut site, options, plans, (mishaps, Spread::Even), tell)).await;
    site.stop(options.keeps).await;
    let Run { games, given_up, unfinished, history, .. } = run?;
    let mut findings = check_all(games, Vec::new(), Arc::new(history)).await?;
    given_up.into_iter().for_each(|why| findings.fault(Fault::Unended, why));
    unfinished.into_iter().for_each(|what| findings.fault(Fault::Unfinished, what));
    let example =
        |fault: Fault| findings.examples().find(|(of, _)| *of == fault).map(|(_, text)| text.to_owned());
    let counts = Fault::ALL.into_iter().map(|fault| (fault, findings.count(fault)));
    let found = counts.filter(|(_, count)| *count > 0);
    Ok(found.map(|(fault, count)| (fault, count, example(fault).unwrap_or_default())).collect())
}

/// Plays a pair for each kind of secret. In all pairs except the last, one session loses its
/// connections without a kill.
///
/// The first pair loses its connections before the first kill of the servers, and the other pairs
/// between the first and the second kill. Returns the findings, by ruleset, and the ids of the
/// rulesets that lost their connections.
///
/// # Errors
/// [`TrialError`] if it cannot be carried out.
pub async fn run_broken_pairs(options: &Options) -> Result<(Findings, Vec<&'static str>), TrialError> {
    let setups = SetupFiles::read(&options.data);
    let plans = plan_pairs(options, &setups, REHEARSED_PAIRS.into_iter())?;
    let broken = 0..plans.len() - 1;
    let breaks: Vec<Break> =
        broken.map(|pair| Break::before_outage(&plans, (pair, pair % 2), pair.min(1))).collect();
    let mut site = Site::start(&options.server, options.storage, &options.environment).await?;
    let played = play_pairs(&mut site, options.storage, plans, &breaks).await;
    site.stop(options.keeps).await;
    let pairs = played?;
    let rulesets = pairs[..breaks.len()].iter().map(|pair| pair.ruleset).collect();
    let mut findings = Findings::default();
    pairs.iter().for_each(|pair| check_pair(pair, &mut findings));
    Ok((findings, rulesets))
}

async fn check_all(
    games: Vec<GameLog>,
    pairs: Vec<PairLog>,
    history: Arc<History>,
) -> Result<Findings, TrialError> {
    tokio::task::spawn_blocking(move || {
        let mut findings = Findings::default();
        // Each log is freed as soon as it is checked.
        games.into_iter().for_each(|game| check_game(&game, &history, &mut findings));
        pairs.iter().for_each(|pair| check_pair(pair, &mut findings));
        findings
    })
    .await
    .map_err(|error| TrialError::Defect(error.to_string()))
}
