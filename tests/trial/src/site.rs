//! The servers of the trial, with their mishaps. There is one server with a data folder, or
//! several servers on one Redis.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::try_join_all;
use tokio::sync::{RwLock, watch};
use tokio::time::sleep;

use crate::error::TrialError;
use crate::log::{Away, Death, Disturbance, Loss, Outage, now_ms};
use crate::mishap::{LOST_TAIL, Mishap, Planned};
use crate::proxy::{Proxy, Way, Weather};
use crate::redis::Redis;
use crate::server::{Server, stand_still};
use crate::skew::{Skew, SkewLibrary};
use crate::stamps::Stamps;
use crate::storage::Storage;

/// How long the store must be away until the trial counts an outage, in which no clock runs. For
/// servers, an outage begins after 2.5 seconds.
const OUTAGE: Duration = Duration::from_millis(2_600);

/// How long servers continue the old time if Redis does not answer while its clock is behind.
const SILENCE: Duration = Duration::from_millis(2_500);

/// The time that servers need to restore the data that Redis lost. They reconnect within a second
/// and wait 1.5 s for each other, and some have slow connections.
const GIVE_BACK: Duration = Duration::from_secs(4);

/// The time after the end of any other mishap within which all clients must have reconnected.
const SETTLED: Duration = Duration::from_secs(1);

/// The mishaps that happened during games.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The number of times that each mishap happened.
    pub counts: BTreeMap<&'static str, usize>,
    /// The number of times that a process was killed.
    pub kills: usize,
    /// The periods in which no server could accept a move, so that no clock ran.
    pub outages: Vec<Outage>,
    /// The periods in which a server could not reach its store.
    pub aways: Vec<Away>,
    /// The losses of data of which no process had a copy.
    pub losses: Vec<Loss>,
    /// The kills of servers while other servers kept running.
    pub deaths: Vec<Death>,
    /// The periods of all mishaps, including kills of servers.
    pub troubles: Vec<Disturbance>,
    /// The number of bytes that Redis lost.
    pub bytes_lost: u64,
    /// The time within which clients of a killed server must continue on another one, in
    /// milliseconds.
    pub elsewhere_max_ms: u64,
}

impl History {
    /// Ends the period of the slow connection, if there is one.
    fn end_slow_line(&mut self) {
        for trouble in self.troubles.iter_mut().filter(|trouble| trouble.until == u64::MAX) {
            trouble.until = now_ms();
        }
    }
}

/// Running servers with their data. Dropping this value ends all processes.
#[derive(Debug)]
pub(crate) struct Site {
    servers: Vec<Server>,
    redis: Option<Redis>,
    /// The proxy between each server and Redis.
    lines: Vec<Proxy>,
    /// The proxy between players and each server.
    doors: Vec<Proxy>,
    /// The addresses for spectators and for reading records. A restarted server may have a
    /// different address.
    published: watch::Sender<Vec<SocketAddr>>,
    published_doors: watch::Sender<Vec<SocketAddr>>,
    /// Locked for writing while Redis loses data that servers do not keep in memory, such as
    /// accounts and offers.
    pub(crate) gate: Arc<RwLock<()>>,
    pub(crate) history: History,
    stamps: Stamps,
    /// The mishaps that were left out, each with the reason.
    pub(crate) notes: Vec<String>,
    folder: tempfile::TempDir,
}

impl Site {
    /// Starts everything with an empty store. The servers get these environment variables.
    ///
    /// # Errors
    /// [`TrialError::Spawn`], [`TrialError::NotListening`].
    pub(crate) async fn start(
        program: &Path,
        storage: Storage,
        environment: &[(String, String)],
    ) -> Result<Site, TrialError> {
        let folder = tempfile::tempdir().map_err(TrialError::io("making a folder for the data"))?;
        let mut notes = Vec::new();
        let (mut redis, mut count, mut library) = (None, 1, None);
        if let Storage::Redis { servers } = storage {
            library = SkewLibrary::build(folder.path()).await.map_err(|why| notes.push(why)).ok();
            redis = Some(Redis::start(folder.path(), library.as_ref()).await?);
            count = servers.max(1);
        }
        let mut lines = Vec::new();
        if let Some(redis) = &redis {
            for _ in 0..count {
                lines.push(Proxy::start(redis.address()).await?);
            }
        }
        let mut starting = Vec::new();
        for number in 0..count {
            let store = match lines.get(number) {
                None => ["--data".to_owned(), folder.path().join("data").display().to_string()],
                Some(line) => ["--store".to_owned(), format!("redis://{}", line.address)],
            };
            let skew = library
                .as_ref()
                .map(|library| Skew::new(library, folder.path().join(format!("server-{number}-clock"))));
            let log = folder.path().join(format!("server-{number}.log"));
            starting.push(Server::start(program, log, store, environment.to_vec(), skew.transpose()?));
        }
        let servers = try_join_all(starting).await?;
        let mut doors = Vec::new();
        for server in &servers {
            doors.push(Proxy::start(server.address).await?);
        }
        let site = Site {
            servers,
            redis,
            lines,
            doors,
            published: watch::Sender::new(Vec::new()),
            published_doors: watch::Sender::new(Vec::new()),
            gate: Arc::default(),
            history: History::default(),
            stamps: Stamps::default(),
            notes,
            folder,
        };
        site.publish();
        Ok(site)
    }

    /// Returns the servers' addresses, which are updated after every restart.
    #[must_use]
    pub(crate) fn addresses(&self) -> watch::Receiver<Vec<SocketAddr>> {
        self.published.subscribe()
    }

    /// Returns the addresses for players, whose connections go through a proxy.
    #[must_use]
    pub(crate) fn doors(&self) -> watch::Receiver<Vec<SocketAddr>> {
        self.published_doors.subscribe()
    }

    /// True if clocks can be made to jump.
    #[must_use]
    pub(crate) fn has_clocks(&self) -> bool {
        self.redis.as_ref().is_some_and(|redis| redis.skew.is_some())
    }

    fn publish(&self) {
        for (door, server) in self.doors.iter().zip(&self.servers) {
            door.lead_to(server.address);
        }
        self.published.send_replace(self.servers.iter().map(|server| server.address).collect());
        self.published_doors.send_replace(self.doors.iter().map(|door| door.address).collect());
    }

    /// The time by which Redis's clock is ahead of the machine's, in milliseconds.
    fn off_ms(&self) -> i64 {
        self.redis.as_ref().and_then(|redis| redis.skew.as_ref()).map_or(0, Skew::off_ms)
    }

    fn line_to(&self, server: Option<usize>) -> impl Iterator<Item = (usize, &Proxy)> {
        self.lines.iter().enumerate().filter(move |(at, _)| server.is_none_or(|server| server == *at))
    }

    pub(crate) fn clear_up(&mut self) {
        self.history.end_slow_line();
        self.lines.iter().chain(&self.doors).for_each(|line| line.set(Weather::Clear));
    }

    /// Makes a mishap happen, and repairs it.
    ///
    /// # Errors
    /// [`TrialError`] if a process does not start again.
    pub(crate) async fn undergo(&mut self, planned: Planned) -> Result<(), TrialError> {
        let from = now_ms();
        self.suffer_mishap(planned).await?;
        let (until, slow) = match planned.mishap {
            Mishap::SlowLine(server, _) => {
                self.history.end_slow_line();
                (u64::MAX, Some(server))
            }
            _ => (now_ms(), None),
        };
        let aftermath = if planned.mishap.is_of_redis() { GIVE_BACK } else { SETTLED };
        let aftermath_ms = u64::try_from(aftermath.as_millis()).unwrap_or(u64::MAX);
        self.history.troubles.push(Disturbance { from, until, aftermath_ms, slow });
        Ok(())
    }

    async fn suffer_mishap(&mut self, Planned { mishap, span }: Planned) -> Result<(), TrialError> {
        *self.history.counts.entry(mishap.words()).or_default() += 1;
        self.history.kills += usize::from(mishap.is_kill());
        match mishap {
            Mishap::KillServer(at) => self.kill_servers(&[at], span).await,
            Mishap::KillHalf => {
                let half: Vec<usize> = (0..self.servers.len().div_ceil(2)).collect();
                self.kill_servers(&half, span).await
            }
            Mishap::KillAll => self.kill_all(span).await,
            Mishap::KillRedis => self.kill_redis(span).await,
            Mishap::LoseTail { and_servers } => self.lose_tail(and_servers, span).await,
            Mishap::FreezeServer(at) => stand_still(&self.servers[at].child, span).await,
            Mishap::FreezeRedis => self.freeze_redis(span).await,
            Mishap::BreakLine(server) => {
                self.line_to(server).for_each(|(_, line)| line.break_all());
                Ok(())
            }
            Mishap::Line(server, weather) => {
                self.suffer(server, weather, span).await;
                Ok(())
            }
            Mishap::SlowLine(server, delay) => {
                for (at, line) in self.lines.iter().enumerate() {
                    line.set(if at == server { Weather::Slow(delay) } else { Weather::Clear });
                }
                Ok(())
            }
            Mishap::BreakPlayers(server) => {
                self.doors[server].break_all();
                Ok(())
            }
            Mishap::Players(server, weather) => {
                self.doors[server].set(weather);
                sleep(span).await;
                self.doors[server].set(Weather::Clear);
                Ok(())
            }
            Mishap::JumpServer(at, by_ms) => {
                let Some(skew) = &mut self.servers[at].skew else { return Ok(()) };
                skew.jump(by_ms)?;
                sleep(span).await;
                skew.jump(-by_ms)
            }
            Mishap::JumpRedis { by_ms, is_undone } => {
                self.jump_redis(by_ms)?;
                sleep(span).await;
                if is_undone { self.jump_redis(-by_ms) } else { Ok(()) }
            }
        }
    }

    /// Kills servers at the same time and starts them again, while others keep running.
    async fn kill_servers(&mut self, killed: &[usize], down: Duration) -> Result<(), TrialError> {
        let at = now_ms();
        self.history.deaths.extend(killed.iter().map(|server| Death { server: *server, at }));
        for server in killed {
            self.servers[*server].kill().await?;
        }
        sleep(down).await;
        for server in killed {
            self.servers[*server].restart().await?;
        }
        self.publish();
        Ok(())
    }

    /// Kills all servers and starts them again.
    ///
    /// # Errors
    /// As [`Site::undergo`].
    pub(crate) async fn kill_all(&mut self, down: Duration) -> Result<(), TrialError> {
        try_join_all(self.servers.iter_mut().map(Server::kill)).await?;
        let killed_at = now_ms();
        // The only purpose of this delay is to cause an outage, in which clocks must not run.
        sleep(down).await;
        self.restart_all(killed_at).await
    }

    async fn restart_all(&mut self, killed_at: u64) -> Result<(), TrialError> {
        let spawned_at = now_ms();
        let by_store = self.stamps.stand_still(killed_at, spawned_at, Duration::ZERO, self.off_ms());
        try_join_all(self.servers.iter_mut().map(Server::restart)).await?;
        self.publish();
        self.history.outages.push(Outage { killed_at, spawned_at, up_at: now_ms(), by_store });
        Ok(())
    }

    async fn kill_redis(&mut self, down: Duration) -> Result<(), TrialError> {
        let from = now_ms();
        let Some(redis) = &mut self.redis else { return Ok(()) };
        redis.kill().await?;
        sleep(down).await;
        redis.restart().await?;
        self.note_away(None, from, true);
        Ok(())
    }

    async fn freeze_redis(&mut self, span: Duration) -> Result<(), TrialError> {
        let from = now_ms();
        let Some(redis) = &self.redis else { return Ok(()) };
        stand_still(&redis.child, span).await?;
        self.note_away(None, from, true);
        Ok(())
    }

    /// Makes Redis lose its last second. If all servers are killed too, no process has a copy of
    /// that data.
    async fn lose_tail(&mut self, and_servers: bool, down: Duration) -> Result<(), TrialError> {
        let gate = self.gate.clone();
        // Sign-ups and offers must not fall into that second, because servers keep only logs in
        // memory and could not restore anything else.
        let _closed = gate.write().await;
        let from = now_ms();
        let Some(redis) = &self.redis else { return Ok(()) };
        let marks = redis.marks()?;
        sleep(LOST_TAIL).await;
        let killed_at = now_ms();
        if and_servers {
            try_join_all(self.servers.iter_mut().map(Server::kill)).await?;
        }
        let Some(redis) = &mut self.redis else { return Ok(()) };
        redis.kill().await?;
        self.history.bytes_lost += redis.forget_since(&marks)?;
        sleep(down).await;
        redis.restart().await?;
        if and_servers {
            self.history.losses.push(Loss { from, until: now_ms() });
            self.restart_all(killed_at).await
        } else {
            self.note_away(None, killed_at, true);
            // A server that has a copy of the lost data may be killed next. So first give all
            // servers time to restore the data.
            sleep(GIVE_BACK).await;
            Ok(())
        }
    }

    async fn suffer(&mut self, server: Option<usize>, weather: Weather, span: Duration) {
        let from = now_ms();
        self.line_to(server).for_each(|(_, line)| line.set(weather));
        sleep(span).await;
        self.line_to(server).for_each(|(_, line)| line.set(Weather::Clear));
        // If only answers from Redis are held back, writes and heartbeats still arrive. Clocks
        // then keep running until the servers give up their connections.
        let is_deaf = matches!(weather, Weather::Held { way: Way::Down, .. });
        self.note_away(server, from, server.is_none() && !is_deaf);
    }

    /// Records a period without the store. `stops_clocks` is true if no server could reach the
    /// store. In that case, the clocks stopped if the period was long enough.
    fn note_away(&mut self, server: Option<usize>, from: u64, stops_clocks: bool) {
        let until = now_ms();
        let servers = (0..self.servers.len()).filter(|at| server.is_none_or(|server| server == *at));
        self.history.aways.extend(servers.map(|server| Away { server, from, until }));
        if stops_clocks && Duration::from_millis(until.saturating_sub(from)) > OUTAGE {
            let by_store = self.stamps.stand_still(from, until, SILENCE, self.off_ms());
            let outage = Outage { killed_at: from, spawned_at: until, up_at: until, by_store };
            self.history.outages.push(outage);
        }
    }

    fn jump_redis(&mut self, by_ms: i64) -> Result<(), TrialError> {
        let before_ms = self.off_ms();
        let Some(skew) = self.redis.as_mut().and_then(|redis| redis.skew.as_mut()) else { return Ok(()) };
        skew.jump(by_ms)?;
        let at = now_ms();
        let by_store = self.stamps.jump(at, before_ms, self.off_ms());
        if Duration::from_millis(by_store.1.saturating_sub(by_store.0)) > OUTAGE {
            self.history.outages.push(Outage { killed_at: at, spawned_at: at, up_at: at, by_store });
        }
        Ok(())
    }

    /// Returns the last lines of the servers' logs.
    #[must_use]
    pub(crate) fn log_tail(&self) -> String {
        self.servers.iter().map(Server::log_tail).collect::<Vec<_>>().join("\n-- the next server --\n")
    }

    /// Ends all processes. Keeps the logs if `keep` is true.
    pub(crate) async fn stop(mut self, keep: bool) -> Option<std::path::PathBuf> {
        // The processes can simply be killed, because a kill must not lose data. The trial tests
        // exactly this.
        drop(try_join_all(self.servers.iter_mut().map(Server::kill)).await);
        if let Some(redis) = &mut self.redis {
            drop(redis.kill().await);
        }
        keep.then(|| self.folder.keep())
    }
}
