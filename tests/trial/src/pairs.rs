//! Paired sessions: one public course with two secrets, played on real servers that are killed
//! twice during the games.
//!
//! All sessions run at the same time. Within a session, a step begins when all clients have been
//! shown the result of the previous step. Before a kill, all sessions wait for each other.

mod choices;
mod making;
mod plan;
mod played;
mod ranks;
mod seat;
mod session;
mod twins;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use flagfall_rules::{Ruleset, Start};
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinError, JoinSet};

pub(crate) use self::plan::PairPlan;
use self::played::Played;
use self::session::{Killed, Links, play};
use crate::chance::chance_for;
use crate::check::PairLog;
use crate::error::TrialError;
use crate::mishap::{Mishap, Planned};
use crate::plan::{Options, SetupFiles};
use crate::proxy::Proxy;
use crate::site::Site;
use crate::storage::Storage;

/// Maximum number of attempts to find a course that allows two secrets.
const ATTEMPTS_MAX: usize = 200;
/// The time for which killed servers are down. It is too short to stop clocks.
const GONE: Duration = Duration::from_millis(200);

/// Finds public courses that allow two secrets. The pairs use all rulesets in turn.
///
/// # Errors
/// [`TrialError::Defect`] if no course was found.
pub(crate) fn plan_pairs(
    options: &Options,
    setups: &SetupFiles,
    numbers: impl Iterator<Item = usize>,
) -> Result<Vec<PairPlan>, TrialError> {
    let plan = |number: usize| {
        let ruleset = ruleset_of(number);
        let mut chance = chance_for(options.seed, "pair", number);
        let found = (0..ATTEMPTS_MAX).find_map(|_| match ruleset.start {
            Start::Deployments => ranks::plan((number, options.seed), ruleset, setups, &mut chance),
            Start::Coins => choices::plan((number, options.seed), ruleset, &mut chance),
        });
        found.ok_or_else(|| TrialError::Defect(format!("no course of {} with two secrets", ruleset.id)))
    };
    numbers.map(plan).collect()
}

pub(crate) fn ruleset_of(number: usize) -> &'static Ruleset {
    let all = Ruleset::all();
    all[number % all.len()]
}

/// The kills that happen while sessions wait, in the order of their outages.
fn kills(storage: Storage) -> [Planned; 2] {
    let of = |mishap| Planned { mishap, span: GONE };
    match storage {
        Storage::Embedded => [of(Mishap::KillAll), of(Mishap::KillAll)],
        Storage::Redis { .. } | Storage::Cluster { .. } => [of(Mishap::KillAll), of(Mishap::KillServer(0))],
    }
}

/// A planned break of all connections of a session, without a kill.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Break {
    /// The index of the pair's plan, and which of its sessions.
    pub session: (usize, usize),
    /// The act before which the connections break.
    pub act: usize,
}

impl Break {
    /// Plans a break of this session's connections, halfway between the previous outage and this
    /// one.
    pub(crate) fn before_outage(plans: &[PairPlan], session: (usize, usize), outage: usize) -> Break {
        let kills = plans[session.0].kills();
        let before = outage.checked_sub(1).map_or(0, |before| kills[before]);
        Break { session, act: (before + kills[outage]).div_ceil(2) }
    }
}

/// A session that will lose its connections. The connections go through a proxy for each server.
struct Breaking {
    session: (usize, usize),
    act: usize,
    lines: Vec<Arc<Proxy>>,
}

impl Breaking {
    async fn prepare(plan: &Break, addresses: &[SocketAddr]) -> Result<Breaking, TrialError> {
        let mut lines = Vec::new();
        for address in addresses {
            lines.push(Arc::new(Proxy::start(*address).await?));
        }
        Ok(Breaking { session: plan.session, act: plan.act, lines })
    }

    fn links(&self) -> Vec<watch::Receiver<Vec<SocketAddr>>> {
        // The addresses of the proxies never change.
        self.lines.iter().map(|line| watch::Sender::new(vec![line.address]).subscribe()).collect()
    }
}

/// Plays both sessions of every pair. Some sessions may lose their connections.
///
/// # Errors
/// [`TrialError`] if a script cannot be carried out.
pub(crate) async fn play_pairs(
    site: &mut Site,
    storage: Storage,
    plans: Vec<PairPlan>,
    breaks: &[Break],
) -> Result<Vec<PairLog>, TrialError> {
    let addresses = site.addresses();
    let servers: Vec<watch::Sender<Vec<SocketAddr>>> =
        addresses.borrow().iter().map(|address| watch::Sender::new(vec![*address])).collect();
    let now = addresses.borrow().clone();
    let mut breaking = Vec::new();
    for plan in breaks {
        breaking.push(Breaking::prepare(plan, &now).await?);
    }
    let killed = watch::Sender::new(Killed::default());
    let (arrived, mut arrivals) = mpsc::channel(1);
    let mut tasks: JoinSet<Result<(usize, usize, Played), TrialError>> = JoinSet::new();
    for (at, plan) in plans.iter().enumerate() {
        for variant in [0, 1] {
            let broken = breaking.iter().find(|breaking| breaking.session == (at, variant));
            let direct = || servers.iter().map(watch::Sender::subscribe).collect();
            let links = Links {
                servers: broken.map_or_else(direct, Breaking::links),
                breaks: broken.map(|breaking| (breaking.act, breaking.lines.clone())),
                arrived: arrived.clone(),
                killed: killed.subscribe(),
            };
            let plan = plan.clone();
            tasks.spawn(async move { Ok((at, variant, Box::pin(play(&plan, variant, links)).await?)) });
        }
    }
    let mut played: Vec<[Option<Played>; 2]> = plans.iter().map(|_| [None, None]).collect();
    let mut take_in = |ended: Result<Result<_, TrialError>, JoinError>| {
        let (at, variant, session) = ended.map_err(|error| TrialError::Defect(error.to_string()))??;
        let of: &mut [Option<Played>; 2] = &mut played[at];
        of[variant] = Some(session);
        Ok::<(), TrialError>(())
    };
    let (sessions, mut over) = (2 * plans.len(), 0);
    for (number, planned) in kills(storage).into_iter().enumerate() {
        let mut waiting = 0;
        while waiting + over < sessions {
            tokio::select! {
                Some(()) = arrivals.recv() => waiting += 1,
                Some(ended) = tasks.join_next() => {
                    // A session has ended early because of a disturbance that affected only this
                    // session.
                    take_in(ended)?;
                    over += 1;
                }
                else => return Err(TrialError::Defect("there is no session".to_owned())),
            }
        }
        site.undergo(planned).await?;
        for (number, (server, address)) in servers.iter().zip(addresses.borrow().iter()).enumerate() {
            server.send_replace(vec![*address]);
            breaking.iter().for_each(|breaking| breaking.lines[number].lead_to(*address));
        }
        let server = if let Mishap::KillServer(server) = planned.mishap { Some(server) } else { None };
        killed.send_replace(Killed { count: number + 1, server });
    }
    while let Some(ended) = tasks.join_next().await {
        take_in(ended)?;
    }
    let pairs = plans.into_iter().zip(played).filter_map(|(plan, [one, other])| {
        let sessions = [one?, other?];
        let until = sessions[0].comparable_until(&sessions[1]);
        Some(PairLog {
            name: plan.name,
            ruleset: plan.ruleset.id,
            kills: sessions[0].kills_outlived(until),
            is_cut: until.is_some(),
            hider: plan.hider as usize,
            secrets: sessions.each_ref().map(|session| session.stream(session.hider, until)),
            sessions: sessions.each_ref().map(|session| {
                session.watching.iter().map(|watching| session.stream(*watching, until)).collect()
            }),
        })
    });
    Ok(pairs.collect())
}

#[cfg(test)]
mod tests {
    use super::twins::Act;
    use super::*;
    use crate::plan::Patience;

    fn options(seed: u64) -> Options {
        Options {
            games: 0,
            spectators: 0,
            kills: 0,
            pairs: Ruleset::all().len(),
            concurrency: 1,
            resign_after: 0,
            think_ms: 0,
            seed,
            patience: Patience {
                run: Duration::ZERO,
                stall: Duration::ZERO,
                completion: Duration::ZERO,
                archive: Duration::ZERO,
            },
            storage: Storage::Embedded,
            server: std::path::PathBuf::new(),
            environment: Vec::new(),
            elsewhere_max_ms: 2_000,
            told_max_ms: 2_500,
            rehearses: false,
            keeps: false,
            data: std::path::PathBuf::new(),
        }
    }

    #[test]
    fn every_ruleset_has_a_course_with_two_secrets_and_all_the_kills() {
        for seed in 0..3 {
            let all = Ruleset::all().len();
            let plans = plan_pairs(&options(seed), &SetupFiles::default(), 0..all);
            for plan in plans.unwrap_or_else(|error| panic!("seed {seed}: {error}")) {
                let outages = plan.acts.iter().filter(|act| matches!(act, Act::Outage)).count();
                assert_eq!(outages, kills(Storage::Embedded).len(), "seed {seed}: {}", plan.name);
                let differs =
                    |act: &Act| matches!(act, Act::Order(order) if order.commands[0] != order.commands[1]);
                assert!(plan.acts.iter().any(differs), "seed {seed}: {}", plan.name);
            }
        }
    }

    #[test]
    fn only_the_hiding_side_sees_a_difference_within_a_pair() {
        let plans = plan_pairs(&options(9), &SetupFiles::default(), 0..Ruleset::all().len());
        for plan in plans.unwrap_or_else(|error| panic!("{error}")) {
            let mut sums = [[0; 3]; 2];
            for act in &plan.acts {
                let Act::Order(order) = act else { continue };
                for (sum, told) in sums.iter_mut().zip(order.told) {
                    sum.iter_mut().zip(told).for_each(|(sum, told)| *sum += told);
                }
            }
            for audience in (0..3).filter(|audience| *audience != plan.hider as usize) {
                assert_eq!(sums[0][audience], sums[1][audience], "{}", plan.name);
            }
        }
    }
}
