//! Several servers on one Redis, compared with one server for the same moves.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio::time::interval_at;

use super::plan::Plan;
use crate::duel::{Pair, pair_of_server};
use crate::error::LoadError;
use crate::figure::{Figure, Target};
use crate::process::Measured;
use crate::stand::{Bench, start_server_with};

/// The time between two moves of a game on a fleet of servers.
const PACE: Duration = Duration::from_secs(5);
/// The time for which servers read the record of a new game, so that they can tell its players.
const NEWS: Duration = Duration::from_secs(60);
/// A channel for servers of earlier versions. Servers stop to listen to it when all of them have
/// been of this version for ten seconds.
const FORMER_CHANNEL: &str = "flagfall:appends";
/// The longest time that servers may take to stop to listen to it.
const FORMER_MAX: Duration = Duration::from_secs(60);

pub(super) async fn measure(plan: &Plan, note: &mut impl FnMut(Figure)) -> Result<(), LoadError> {
    let (one, many) = (Spent::by_fleet(plan, 1).await?, Spent::by_fleet(plan, plan.servers).await?);
    let to_one = format!("for the same moves, {} servers to one", plan.servers);
    let mut compare = |what: &str, unit: &str, [one, many]: [f64; 2], most: f64| {
        let figure = Figure::ratio(format!("{what} {to_one}"), many / one).with_target(Target::AtMost(most));
        note(figure.with_detail(format!("{many:.0} {unit}, {one:.0} {unit}")));
    };
    compare("processor time of all servers", "ms", [one.cpu_ms, many.cpu_ms], 1.3);
    compare("bytes that Redis sends", "kB", [one.sent_kb, many.sent_kb], 1.5);
    compare("commands that Redis is sent", "commands", [one.commands, many.commands], 1.2);
    let share = f64::from(plan.fleet_games) / f64::from(plan.servers);
    let name = format!("games in memory of one of {} servers, to its share of all games", plan.servers);
    let figure = Figure::ratio(name, many.most_tables / share).with_target(Target::AtMost(1.2));
    note(figure.with_detail(format!("{:.0}, {share:.0}", many.most_tables)));
    if !plan.only.is_empty() {
        print_commands(&one, &many);
    }
    Ok(())
}

/// Prints how often each command was sent to Redis, also by its scripts.
pub(super) fn print_commands(one: &Spent, many: &Spent) {
    println!("{:<24}{:>12}{:>12}", "command", "one server", "all servers");
    let mut rows: Vec<_> = many.by_command.iter().collect();
    rows.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    for (name, many) in rows.into_iter().filter(|(_, many)| **many > 0.0) {
        println!("{name:<24}{:>12.0}{many:>12.0}", one.by_command.get(name).copied().unwrap_or_default());
    }
}

/// Servers that share one Redis.
pub(super) struct Fleet {
    pub(super) servers: Vec<Measured>,
    pub(super) redis: Measured,
    _folder: TempDir,
}

impl Fleet {
    pub(super) async fn start(bench: &Bench, count: u32) -> Result<Fleet, LoadError> {
        let folder = tempfile::tempdir()?;
        let redis = Measured::start_redis(folder.path()).await?;
        let mut servers = Vec::new();
        for number in 0..count {
            let data = folder.path().join(number.to_string()).display().to_string();
            servers.push(start_server_with(bench, &redis.address, &data, "127.0.0.1:0").await?);
        }
        Ok(Fleet { servers, redis, _folder: folder })
    }

    /// Waits until the servers have finished the work that they do only because they and their
    /// games are new.
    pub(super) async fn settle(&self) -> Result<(), LoadError> {
        println!("waiting until {NEWS:?} have passed since the last game began");
        tokio::time::sleep(NEWS).await;
        let until = Instant::now() + FORMER_MAX;
        loop {
            let (_, listeners): (String, u64) =
                self.redis.ask_redis(&["PUBSUB", "NUMSUB", FORMER_CHANNEL]).await?;
            if listeners == 0 {
                return Ok(());
            }
            if Instant::now() >= until {
                return Err(LoadError::Answer(format!(
                    "{listeners} servers still listen to {FORMER_CHANNEL}"
                )));
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    /// Returns the processor time that all servers have used so far, in seconds.
    fn cpu_seconds(&self) -> Result<f64, LoadError> {
        self.servers.iter().map(Measured::cpu_seconds).sum()
    }

    /// Returns the largest number of games that a server has in memory.
    async fn most_tables(&self) -> Result<f64, LoadError> {
        let mut most = 0.0_f64;
        for server in &self.servers {
            most = most.max(server.metric("flagfall_tables").await?);
        }
        Ok(most)
    }

    /// Returns the processor time that the servers have used, and Redis's output and commands so
    /// far.
    pub(super) async fn spent(&self) -> Result<Spent, LoadError> {
        let cpu = self.cpu_seconds()?;
        let info: String = self.redis.ask_redis(&["INFO", "stats", "commandstats"]).await?;
        let calls = |line: &str| {
            let (name, counts) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
            Some((name.to_owned(), counts.split_once(',')?.0.parse().ok()?))
        };
        let number = |name: &str| {
            let found = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            found.and_then(|found| found.trim().parse::<f64>().ok()).ok_or(LoadError::Silent)
        };
        Ok(Spent {
            cpu_ms: cpu * 1e3,
            sent_kb: number("total_net_output_bytes")? / 1e3,
            commands: number("total_commands_processed")?,
            by_command: info.lines().filter_map(calls).collect(),
            most_tables: self.most_tables().await?,
        })
    }
}

pub(super) struct Spent {
    pub(super) cpu_ms: f64,
    sent_kb: f64,
    commands: f64,
    /// The number of calls of each command.
    by_command: BTreeMap<String, f64>,
    /// The largest number of games that a server has in memory.
    most_tables: f64,
}

impl Spent {
    /// Plays the same moves on this many servers. Both players of a game are on the same server.
    async fn by_fleet(plan: &Plan, count: u32) -> Result<Spent, LoadError> {
        println!("{} games with a move each {PACE:?} on {count} servers of one Redis", plan.fleet_games);
        let fleet = Fleet::start(&plan.bench, count).await?;
        let mut pairs = Vec::new();
        for (index, server) in (0..plan.fleet_games).zip(fleet.servers.iter().cycle()) {
            pairs.push(pair_of_server(&server.address, index, false).await?);
        }
        fleet.settle().await?;
        let before = fleet.spent().await?;
        let mut tasks = JoinSet::new();
        for pair in pairs {
            tasks.spawn(play(pair, plan.fleet_games, plan.fleet_plies));
        }
        while let Some(ended) = tasks.join_next().await {
            ended??;
        }
        Ok(fleet.spent().await?.since(&before))
    }

    /// Returns what was spent after `before`.
    pub(super) fn since(self, before: &Spent) -> Spent {
        let calls = |(name, calls): (String, f64)| {
            let before = before.by_command.get(&name).copied().unwrap_or_default();
            (name, calls - before)
        };
        Spent {
            cpu_ms: self.cpu_ms - before.cpu_ms,
            sent_kb: self.sent_kb - before.sent_kb,
            commands: self.commands - before.commands,
            most_tables: self.most_tables,
            by_command: self.by_command.into_iter().map(calls).collect(),
        }
    }
}

/// Makes a move every [`PACE`]. The games start at different times.
async fn play(mut pair: Pair, games: u32, plies: u32) -> Result<(), LoadError> {
    let first = tokio::time::Instant::now() + PACE.mul_f64(f64::from(pair.index) / f64::from(games));
    let mut pace = interval_at(first, PACE);
    for turn in 0..plies {
        pace.tick().await;
        pair.play(turn).await?;
    }
    Ok(())
}
