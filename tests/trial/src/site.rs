//! The servers of the trial, with their mishaps. There is one server with a data folder, or
//! several servers on one Redis or on a Redis Cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use flagfall_archive::{Archive, ArchiveError, FolderStore, Found, Settings};
use flagfall_board::GameId;
use futures_util::future::try_join_all;
use tokio::sync::{RwLock, watch};
use tokio::time::{Instant, sleep};

use crate::database::{Absence, Database};
use crate::error::TrialError;
use crate::log::{Away, Death, Disturbance, Loss, Outage, now_ms};
use crate::mishap::{LOST_TAIL, Mishap, Planned};
use crate::proxy::{Proxy, Way, Weather};
use crate::server::{Server, stand_still};
use crate::skew::{Preload, Skew};
use crate::stamps::Stamps;
use crate::storage::Storage;

/// How long the store must be away until the trial counts an outage, in which no clock runs. For
/// servers, an outage begins after 2.5 seconds.
const OUTAGE: Duration = Duration::from_millis(2_600);

/// How long servers continue the old time if Redis does not answer while its clock is behind.
const SILENCE: Duration = Duration::from_millis(2_500);

/// The time that servers need to restore the data that Redis lost. They wait 1.5 s for each other,
/// and some have slow connections.
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
    /// The kills and planned stops of servers while other servers kept running.
    pub deaths: Vec<Death>,
    /// The periods of all mishaps, including kills of servers.
    pub troubles: Vec<Disturbance>,
    /// The beginning of each mishap, and its description, in order.
    pub began: Vec<(u64, String)>,
    /// The number of bytes that Redis lost.
    pub bytes_lost: u64,
    /// The time within which clients of a killed server must continue on another one, in
    /// milliseconds.
    pub elsewhere_max_ms: u64,
    /// The time within which clients must be told that the store is away, in milliseconds.
    pub told_max_ms: u64,
}

impl History {
    /// Describes what had last gone wrong at this moment.
    pub(crate) fn trouble_at(&self, at: u64) -> String {
        let begun = self.began.partition_point(|(from, _)| *from <= at);
        let Some((from, what)) = self.began[..begun].last() else { return format!("at {at}") };
        format!("at {at}, {} ms after mishap {begun}, {what}", at - from)
    }

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
    database: Option<Database>,
    /// The proxies between each server and each node of Redis.
    lines: Vec<Vec<Proxy>>,
    /// The folder of the archive.
    archive: PathBuf,
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
    /// True if clocks can jump, and links between a server and a master can break.
    pub(crate) has_preload: bool,
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
        let (mut database, mut library) = (None, None);
        if storage != Storage::Embedded {
            library = Preload::build(folder.path()).await.map_err(|why| notes.push(why)).ok();
            database = Some(match storage {
                Storage::Cluster { .. } => Database::start_cluster(folder.path()).await?,
                _ => Database::start_one(folder.path(), library.as_ref()).await?,
            });
        }
        let archive = folder.path().join("archive");
        let archiving =
            ["--archive", &archive.display().to_string(), "--archive-after-minutes", "0"].map(str::to_owned);
        let (mut lines, mut starting) = (Vec::new(), Vec::new());
        for number in 0..storage.servers() {
            let (mut flags, mut environment) = (
                ["--data".to_owned(), folder.path().join("data").display().to_string()],
                environment.to_vec(),
            );
            if let Some(database) = &database {
                let mut own = Vec::new();
                for node in database.addresses() {
                    own.push(Proxy::start(node).await?);
                }
                let addresses: Vec<SocketAddr> = own.iter().map(|line| line.address).collect();
                let (store, more) = database.store(&addresses, library.as_ref());
                flags = ["--store".to_owned(), store];
                environment.extend(more);
                lines.push(own);
            }
            let skew = library
                .as_ref()
                .map(|library| Skew::new(library, folder.path().join(format!("server-{number}-clock"))));
            let log = folder.path().join(format!("server-{number}.log"));
            let flags = flags.into_iter().chain(archiving.clone()).collect();
            starting.push(Server::start(program, log, flags, environment, skew.transpose()?));
        }
        let servers = try_join_all(starting).await?;
        let mut doors = Vec::new();
        for server in &servers {
            doors.push(Proxy::start(server.address).await?);
        }
        let site = Site {
            servers,
            database,
            lines,
            archive,
            doors,
            published: watch::Sender::new(Vec::new()),
            published_doors: watch::Sender::new(Vec::new()),
            gate: Arc::default(),
            history: History::default(),
            stamps: Stamps::default(),
            has_preload: library.is_some(),
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

    fn publish(&self) {
        for (door, server) in self.doors.iter().zip(&self.servers) {
            door.lead_to(server.address);
        }
        self.published.send_replace(self.servers.iter().map(|server| server.address).collect());
        self.published_doors.send_replace(self.doors.iter().map(|door| door.address).collect());
    }

    /// The time by which Redis's clock is ahead of the machine's, in milliseconds.
    fn off_ms(&self) -> i64 {
        self.database.as_ref().and_then(|database| database.skew.as_ref()).map_or(0, Skew::off_ms)
    }

    /// The proxies between this server, or all servers, and this part of Redis, or all parts.
    fn lines_of(&self, server: Option<usize>, part: Option<usize>) -> impl Iterator<Item = &Proxy> {
        let is_of =
            move |node: usize| self.database.as_ref().is_some_and(|database| database.is_of(node, part));
        let servers = self.lines.iter().enumerate();
        let servers = servers.filter(move |(at, _)| server.is_none_or(|server| server == *at));
        servers.flat_map(move |(_, lines)| {
            lines.iter().enumerate().filter(move |(node, _)| is_of(*node)).map(|(_, line)| line)
        })
    }

    pub(crate) fn clear_up(&mut self) {
        self.history.end_slow_line();
        self.lines.iter().flatten().chain(&self.doors).for_each(|line| line.set(Weather::Clear));
    }

    /// Makes a mishap happen, and repairs it.
    ///
    /// # Errors
    /// [`TrialError`] if a process does not start again.
    pub(crate) async fn undergo(&mut self, planned: Planned) -> Result<(), TrialError> {
        let from = now_ms();
        let description = format!("{:?} of {} ms", planned.mishap, planned.span.as_millis());
        self.history.began.push((from, description));
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
            Mishap::KillRedis(part) => self.kill_redis(part, span).await,
            Mishap::LoseTail { part, and_servers } => self.lose_tail(part, and_servers, span).await,
            Mishap::Promote(part) => self.promote(part, span).await,
            Mishap::MoveSlots { from, to } => match &self.database {
                Some(database) => database.move_slots(from, to).await,
                None => Ok(()),
            },
            Mishap::StopServer(at) => self.stop_server(at, span).await,
            Mishap::FreezeServer(at) => stand_still(&self.servers[at].child, span).await,
            Mishap::FreezeRedis(part) => self.freeze_redis(part, span).await,
            Mishap::BreakLine(server) => {
                self.lines_of(server, None).for_each(Proxy::break_all);
                Ok(())
            }
            Mishap::Line { server, part, weather } => self.suffer(server, part, weather, span).await,
            Mishap::SlowLine(server, delay) => {
                self.lines_of(None, None).for_each(|line| line.set(Weather::Clear));
                self.lines_of(Some(server), None).for_each(|line| line.set(Weather::Slow(delay)));
                Ok(())
            }
            Mishap::ArchiveAway => {
                self.take_archive_away()?;
                sleep(span).await;
                self.bring_archive_back()
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

    /// Stops a server as planned and starts it again, while others keep running.
    async fn stop_server(&mut self, server: usize, down: Duration) -> Result<(), TrialError> {
        self.history.deaths.push(Death { server, at: now_ms() });
        self.servers[server].stop().await?;
        sleep(down).await;
        self.servers[server].restart().await?;
        self.publish();
        Ok(())
    }

    fn take_archive_away(&self) -> Result<(), TrialError> {
        let away = self.archive.with_extension("away");
        fs::rename(&self.archive, away).map_err(TrialError::io("moving the archive away"))
    }

    fn bring_archive_back(&self) -> Result<(), TrialError> {
        let failed = "bringing the archive back";
        // A server that was about to write an object may have created the folder again. If there
        // are games in it, the checker will miss them.
        if self.archive.exists() {
            fs::remove_dir_all(&self.archive).map_err(TrialError::io(failed))?;
        }
        fs::rename(self.archive.with_extension("away"), &self.archive).map_err(TrialError::io(failed))
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
        let up_at = now_ms();
        self.history.outages.push(Outage { killed_at, spawned_at, up_at, by_store, games: None });
        Ok(())
    }

    /// Returns the games of a part of the store. `None` if all parts are meant, so that all games
    /// are concerned.
    async fn games_of(&self, part: Option<usize>) -> Result<Option<BTreeSet<String>>, TrialError> {
        let (Some(database), Some(part)) = (&self.database, part) else { return Ok(None) };
        database.games(part).await.map(Some)
    }

    async fn kill_redis(&mut self, part: Option<usize>, down: Duration) -> Result<(), TrialError> {
        let games = self.games_of(part).await?;
        let Some(database) = &mut self.database else { return Ok(()) };
        database.kill(part).await?;
        let from = now_ms();
        sleep(down).await;
        let back = database.restart(part).await?;
        self.note_away(None, part, games, from, Absence { gone: from, ..back }, true).await
    }

    async fn freeze_redis(&mut self, part: Option<usize>, span: Duration) -> Result<(), TrialError> {
        let games = self.games_of(part).await?;
        let from = now_ms();
        let Some(database) = &self.database else { return Ok(()) };
        let absence = database.freeze(part, span).await?;
        self.note_away(None, part, games, from, absence, true).await
    }

    /// Kills a master, whose replica takes its place. What the replica did not get in time is given
    /// back by the servers.
    async fn promote(&mut self, part: usize, down: Duration) -> Result<(), TrialError> {
        let gate = self.gate.clone();
        let _closed = gate.write().await;
        let games = self.games_of(Some(part)).await?;
        let from = now_ms();
        let Some(database) = &mut self.database else { return Ok(()) };
        let absence = database.promote(part, down).await?;
        self.note_away(None, Some(part), games, from, absence, true).await?;
        sleep(GIVE_BACK).await;
        Ok(())
    }

    /// Makes Redis lose its last second. If all servers are killed too, no process has a copy of
    /// that data.
    async fn lose_tail(
        &mut self,
        part: Option<usize>,
        and_servers: bool,
        down: Duration,
    ) -> Result<(), TrialError> {
        let gate = self.gate.clone();
        // Sign-ups and offers must not fall into that second, because servers keep only logs in
        // memory and could not restore anything else.
        let _closed = gate.write().await;
        // Servers forget what they hold of a game that is archived, so they could not restore its
        // end. Servers of a service archive a game minutes after its end, not in the same second.
        self.take_archive_away()?;
        sleep(LOST_TAIL).await;
        let games = self.games_of(part).await?;
        let from = now_ms();
        let Some(database) = &self.database else { return Ok(()) };
        let marks = database.marks(part)?;
        sleep(LOST_TAIL).await;
        let killed_at = now_ms();
        if and_servers {
            try_join_all(self.servers.iter_mut().map(Server::kill)).await?;
        }
        let Some(database) = &mut self.database else { return Ok(()) };
        database.kill(part).await?;
        let gone = now_ms();
        self.history.bytes_lost += database.forget_since(&marks)?;
        if and_servers {
            // Servers that start wait for it.
            self.bring_archive_back()?;
        }
        let Some(database) = &mut self.database else { return Ok(()) };
        sleep(down).await;
        let back = database.restart(part).await?;
        if and_servers {
            self.history.losses.push(Loss { from, until: now_ms() });
            self.restart_all(killed_at).await
        } else {
            self.note_away(None, part, games, killed_at, Absence { gone, ..back }, true).await?;
            // A server that has a copy of the lost data may be killed next. So first give all
            // servers time to restore the data.
            sleep(GIVE_BACK).await;
            self.bring_archive_back()
        }
    }

    async fn suffer(
        &mut self,
        server: Option<usize>,
        part: Option<usize>,
        weather: Weather,
        span: Duration,
    ) -> Result<(), TrialError> {
        let games = self.games_of(part).await?;
        let from = now_ms();
        self.lines_of(server, part).for_each(|line| line.set(weather));
        let gone = match &self.database {
            // What passed the lines before the change of weather was carried out before this.
            Some(database) => database.answered(part).await?,
            None => from,
        };
        sleep(span).await;
        self.lines_of(server, part).for_each(|line| line.set(Weather::Clear));
        let at = now_ms();
        // If only answers from Redis are held back, writes and heartbeats still arrive. Clocks
        // then keep running until the servers give up their connections.
        let is_deaf = matches!(weather, Weather::Held { way: Way::Down, .. });
        let absence = Absence { gone, earliest: at, latest: at };
        self.note_away(server, part, games, from, absence, server.is_none() && !is_deaf).await
    }

    /// Records a period without the store, or without a part of it, which had these games before.
    /// `from` is the moment at which it may have begun. `stops_clocks` is true if no server could
    /// reach it. In that case, the clocks stopped if the period was long enough.
    async fn note_away(
        &mut self,
        server: Option<usize>,
        part: Option<usize>,
        games: Option<BTreeSet<String>>,
        from: u64,
        Absence { gone, earliest, latest }: Absence,
        stops_clocks: bool,
    ) -> Result<(), TrialError> {
        let games = match (games, self.games_of(part).await?) {
            // A game may have been created shortly before the period.
            (Some(before), Some(after)) => Some(Arc::new(before.into_iter().chain(after).collect())),
            _ => None,
        };
        let servers = (0..self.servers.len()).filter(|at| server.is_none_or(|server| server == *at));
        let away = |server| Away { server, from, until: latest, games: games.clone() };
        self.history.aways.extend(servers.map(away));
        if stops_clocks && Duration::from_millis(earliest.saturating_sub(gone)) > OUTAGE {
            let by_store = self.stamps.stand_still(gone, earliest, SILENCE, self.off_ms());
            let (killed_at, spawned_at, up_at) = (gone, earliest, latest);
            let outage = Outage { killed_at, spawned_at, up_at, by_store, games };
            self.history.outages.push(outage);
        }
        Ok(())
    }

    fn jump_redis(&mut self, by_ms: i64) -> Result<(), TrialError> {
        let before_ms = self.off_ms();
        let skew = self.database.as_mut().and_then(|database| database.skew.as_mut());
        let Some(skew) = skew else { return Ok(()) };
        skew.jump(by_ms)?;
        let at = now_ms();
        let by_store = self.stamps.jump(at, before_ms, self.off_ms());
        if Duration::from_millis(by_store.1.saturating_sub(by_store.0)) > OUTAGE {
            let (killed_at, spawned_at, up_at) = (at, at, at);
            self.history.outages.push(Outage { killed_at, spawned_at, up_at, by_store, games: None });
        }
        Ok(())
    }

    /// Waits, at most for this time, until the servers have completed what concerns these games,
    /// which are all over. Returns what is left unfinished.
    ///
    /// # Errors
    /// [`TrialError::Redis`].
    pub(crate) async fn unfinished(
        &self,
        games: &BTreeSet<&str>,
        patience: Duration,
    ) -> Result<Vec<String>, TrialError> {
        let Some(database) = &self.database else { return Ok(Vec::new()) };
        let deadline = Instant::now() + patience;
        loop {
            let found = database.unfinished(games).await?;
            if found.is_empty() || Instant::now() > deadline {
                return Ok(found);
            }
            sleep(SETTLED / 4).await;
        }
    }

    /// Waits, at most for this time, until only the archive has these games, which are all over.
    /// Returns those of which this is true.
    ///
    /// # Errors
    /// [`TrialError::Redis`], [`TrialError::Archive`].
    pub(crate) async fn archived(
        &self,
        games: &BTreeSet<GameId>,
        patience: Duration,
    ) -> Result<BTreeSet<GameId>, TrialError> {
        let deadline = Instant::now() + patience;
        loop {
            let mut found = self.in_archive(games).await?;
            if let Some(database) = &self.database {
                let logs = database.all_games().await?;
                found.retain(|game| !logs.contains(game.as_str()));
            }
            if found.len() == games.len() || Instant::now() > deadline {
                return Ok(found);
            }
            sleep(SETTLED / 4).await;
        }
    }

    /// Returns those of these games that are in the archive.
    async fn in_archive(&self, games: &BTreeSet<GameId>) -> Result<BTreeSet<GameId>, ArchiveError> {
        let objects = Arc::new(FolderStore::to_read(&self.archive));
        let mut found = BTreeSet::new();
        if let Some(archive) = Archive::open_to_read(objects, Settings::default()).await? {
            for game in games {
                if let Some(Found::At(_)) = archive.find(*game).await? {
                    found.insert(*game);
                }
            }
        }
        Ok(found)
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
        if let Some(database) = &mut self.database {
            database.stop().await;
        }
        keep.then(|| self.folder.keep())
    }
}
