//! What the trial plays against: one server with a data folder, or several before one Redis; and what is killed there.

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::future::try_join_all;
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::error::TrialError;
use crate::log::{Outage, now_ms};
use crate::server::{Server, stand_still, start_process};

/// How many kinds of kills there are where there are several servers.
const KINDS: usize = 6;
/// How long what stands still does so at least. Shorter than what counts as an outage, in which no clock runs.
const STILL: Duration = Duration::from_millis(400);

/// Where the servers keep the games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Storage {
    /// One server, with a folder of its own.
    #[default]
    Embedded,
    /// So many servers, before one Redis of the trial's own.
    Redis {
        /// How many.
        servers: usize,
    },
}

/// How often what was killed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kills {
    /// Single servers, or the only one.
    pub servers: usize,
    /// All servers at once, where there are several.
    pub all_servers: usize,
    /// Redis.
    pub redis: usize,
    /// Single servers that stood still for a while (SIGSTOP).
    pub frozen_servers: usize,
    /// How often Redis stood still.
    pub frozen_redis: usize,
}

impl Kills {
    /// All of them.
    #[must_use]
    pub fn count(&self) -> usize {
        self.servers + self.all_servers + self.redis + self.frozen_servers + self.frozen_redis
    }
}

/// Running servers with their data. All of it ends with this value.
#[derive(Debug)]
pub(crate) struct Site {
    servers: Vec<Server>,
    redis: Option<Redis>,
    /// Where clients look for the addresses: a restarted server may listen elsewhere.
    published: watch::Sender<Vec<SocketAddr>>,
    pub(crate) kills: Kills,
    _folder: tempfile::TempDir,
}

impl Site {
    /// Starts everything with an empty store.
    ///
    /// # Errors
    /// [`TrialError::Spawn`], [`TrialError::NotListening`].
    pub(crate) async fn start(program: &Path, storage: Storage) -> Result<Site, TrialError> {
        let folder = tempfile::tempdir().map_err(TrialError::io("making a folder for the data"))?;
        let (redis, count) = match storage {
            Storage::Embedded => (None, 1),
            Storage::Redis { servers } => (Some(Redis::start(folder.path()).await?), servers.max(1)),
        };
        let store = match &redis {
            None => ["--data".to_owned(), folder.path().join("data").display().to_string()],
            Some(redis) => ["--store".to_owned(), redis.url()],
        };
        let starting = (0..count).map(|number| {
            Server::start(program, folder.path().join(format!("server-{number}.log")), store.clone())
        });
        let servers = try_join_all(starting).await?;
        let published = watch::Sender::new(Vec::new());
        let site = Site { servers, redis, published, kills: Kills::default(), _folder: folder };
        site.publish();
        Ok(site)
    }

    /// Where the servers listen, now and after every restart.
    #[must_use]
    pub(crate) fn addresses(&self) -> watch::Receiver<Vec<SocketAddr>> {
        self.published.subscribe()
    }

    /// The same, but the first of them alone.
    #[must_use]
    pub(crate) fn first_address(&self) -> watch::Receiver<Vec<SocketAddr>> {
        let first = self.published.borrow().iter().take(1).copied().collect();
        watch::Sender::new(first).subscribe()
    }

    fn publish(&self) {
        self.published.send_replace(self.servers.iter().map(|server| server.address).collect());
    }

    /// Kills what is next: the only server; or all of several, one, Redis, another one, and then lets a server and Redis stand still. Starts it again after some time. What comes back is the time in which there was no server at all.
    ///
    /// # Errors
    /// [`TrialError`] when something does not start again.
    pub(crate) async fn kill_and_restart(&mut self, down: Duration) -> Result<Option<Outage>, TrialError> {
        let turn = self.kills.count();
        match &mut self.redis {
            None => {
                self.kills.servers += 1;
                self.kill_all_and_restart(down).await.map(Some)
            }
            Some(_) if turn.is_multiple_of(KINDS) => {
                self.kills.all_servers += 1;
                self.kill_all_and_restart(down).await.map(Some)
            }
            Some(redis) if turn % KINDS == 2 => {
                self.kills.redis += 1;
                redis.kill_and_restart(down).await?;
                Ok(None)
            }
            Some(_) if turn % KINDS == 4 => {
                self.kills.frozen_servers += 1;
                self.servers[turn % self.servers.len()].stand_still(STILL + down).await?;
                Ok(None)
            }
            Some(redis) if turn % KINDS == 5 => {
                self.kills.frozen_redis += 1;
                stand_still(&redis.child, STILL + down).await?;
                Ok(None)
            }
            Some(_) => {
                self.kills.servers += 1;
                let at = turn % self.servers.len();
                let server = &mut self.servers[at];
                server.kill().await?;
                sleep(down).await;
                server.restart().await?;
                self.publish();
                Ok(None)
            }
        }
    }

    /// Kills all servers and starts them again.
    ///
    /// # Errors
    /// As [`Site::kill_and_restart`].
    pub(crate) async fn kill_all_and_restart(&mut self, down: Duration) -> Result<Outage, TrialError> {
        try_join_all(self.servers.iter_mut().map(Server::kill)).await?;
        let killed_at = now_ms();
        // Nobody waits for this: it is the time in which no clock may run.
        sleep(down).await;
        let spawned_at = now_ms();
        try_join_all(self.servers.iter_mut().map(Server::restart)).await?;
        self.publish();
        Ok(Outage { killed_at, spawned_at, up_at: now_ms() })
    }

    /// The last of what the servers wrote to their logs.
    #[must_use]
    pub(crate) fn log_tail(&self) -> String {
        self.servers.iter().map(Server::log_tail).collect::<Vec<_>>().join("\n-- the next server --\n")
    }

    /// Ends it all.
    pub(crate) async fn stop(mut self) {
        // Nothing is lost by killing it: that is what the trial is about.
        drop(try_join_all(self.servers.iter_mut().map(Server::kill)).await);
    }
}

/// A Redis that promises all a game needs.
#[derive(Debug)]
struct Redis {
    folder: PathBuf,
    port: u16,
    child: Child,
}

impl Redis {
    async fn start(folder: &Path) -> Result<Redis, TrialError> {
        // Taken by nobody a moment ago.
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = free.map_err(TrialError::io("looking for a free port"))?.port();
        let folder = folder.join("redis");
        std::fs::create_dir(&folder).map_err(TrialError::io("making a folder for Redis"))?;
        let child = spawn_redis(&folder, port).await?;
        Ok(Redis { folder, port, child })
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    async fn kill_and_restart(&mut self, down: Duration) -> Result<(), TrialError> {
        self.child.kill().await.map_err(TrialError::io("killing Redis"))?;
        sleep(down).await;
        self.child = spawn_redis(&self.folder, self.port).await?;
        Ok(())
    }
}

async fn spawn_redis(folder: &Path, port: u16) -> Result<Child, TrialError> {
    let program = Path::new("redis-server");
    let mut command = Command::new(program);
    command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--dir"]).arg(folder);
    command.args(["--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction"]);
    start_process(program, &mut command, "Ready to accept connections").await.map(|(child, _)| child)
}
