//! A Redis process of the trial, which can be killed, and made to lose its last second.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use flagfall_tests::OwnPort;
use redis::{AsyncConnectionConfig, FromRedisValue, RedisError};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::error::TrialError;
use crate::server::start_process;
use crate::skew::Skew;

/// The time that Redis has for an answer to the trial.
const ANSWER_MAX: Duration = Duration::from_secs(30);

/// A Redis process that is configured to be as durable as games need.
#[derive(Debug)]
pub(crate) struct Redis {
    folder: PathBuf,
    port: OwnPort,
    /// The port for messages between the nodes of a cluster.
    _bus_port: Option<OwnPort>,
    /// Flags of a node of a cluster.
    flags: Vec<String>,
    environment: Vec<(&'static str, PathBuf)>,
    pub(crate) child: Child,
}

/// The lengths of Redis's append-only files at a moment.
#[derive(Debug)]
pub(crate) struct Marks(BTreeMap<PathBuf, u64>);

impl Redis {
    /// Starts a Redis without data, whose folder will be `folder`.
    ///
    /// # Errors
    /// [`TrialError`] if it does not start.
    pub(crate) async fn start(folder: PathBuf, skew: Option<&Skew>) -> Result<Redis, TrialError> {
        Redis::start_with(folder, None, Vec::new(), skew).await
    }

    /// Starts a node that belongs to no cluster yet.
    ///
    /// # Errors
    /// [`TrialError`] if it does not start.
    pub(crate) async fn start_node(folder: PathBuf) -> Result<Redis, TrialError> {
        let bus_port = own_port()?;
        let bus = bus_port.number().to_string();
        let flags = [
            ["--cluster-enabled", "yes"],
            // By default, this port is 10,000 higher than the other one, which may be too high.
            ["--cluster-port", &bus],
            ["--cluster-node-timeout", "5000"],
            // Masters serve their slots although others are away.
            ["--cluster-require-full-coverage", "no"],
            // Replicas take over when the trial says so.
            ["--cluster-replica-no-failover", "yes"],
            ["--repl-diskless-sync-delay", "0"],
        ];
        let flags = flags.concat().into_iter().map(str::to_owned).collect();
        Redis::start_with(folder, Some(bus_port), flags, None).await
    }

    async fn start_with(
        folder: PathBuf,
        bus_port: Option<OwnPort>,
        flags: Vec<String>,
        skew: Option<&Skew>,
    ) -> Result<Redis, TrialError> {
        let port = own_port()?;
        fs::create_dir(&folder).map_err(TrialError::io("making a folder for Redis"))?;
        let environment = skew.into_iter().flat_map(Skew::environment);
        let environment: Vec<_> = environment.map(|(name, path)| (name, path.to_owned())).collect();
        let child = spawn(&folder, &port, &flags, &environment).await?;
        Ok(Redis { folder, port, _bus_port: bus_port, flags, environment, child })
    }

    #[must_use]
    pub(crate) fn address(&self) -> SocketAddr {
        self.port.address()
    }

    /// Sends a command to this Redis, over a connection of its own.
    ///
    /// # Errors
    /// [`TrialError::Redis`].
    pub(crate) async fn ask<T: FromRedisValue>(&self, words: &[&str]) -> Result<T, TrialError> {
        let failed = |why: String| TrialError::Redis { what: words.join(" "), why };
        let asking = async {
            let client = redis::Client::open(format!("redis://{}", self.address()))?;
            let config = AsyncConnectionConfig::new()
                .set_connection_timeout(Some(ANSWER_MAX))
                .set_response_timeout(Some(ANSWER_MAX));
            let mut connection = client.get_multiplexed_async_connection_with_config(&config).await?;
            redis::cmd(words[0]).arg(&words[1..]).query_async(&mut connection).await
        };
        let answer =
            timeout(ANSWER_MAX, Box::pin(asking)).await.map_err(|_| failed("no answer".to_owned()))?;
        answer.map_err(|error: RedisError| failed(error.to_string()))
    }

    /// Kills Redis with `kill -9`, by its process id.
    ///
    /// # Errors
    /// [`TrialError::Io`].
    pub(crate) async fn kill(&mut self) -> Result<(), TrialError> {
        self.child.kill().await.map_err(TrialError::io("killing Redis"))
    }

    /// Starts it again with the data on disk.
    ///
    /// # Errors
    /// [`TrialError`] if it does not start.
    pub(crate) async fn restart(&mut self) -> Result<(), TrialError> {
        self.child = spawn(&self.folder, &self.port, &self.flags, &self.environment).await?;
        Ok(())
    }

    /// The current lengths of Redis's append-only files. Redis never rewrites these files here.
    ///
    /// # Errors
    /// [`TrialError::Io`].
    pub(crate) fn marks(&self) -> Result<Marks, TrialError> {
        let listed = || -> std::io::Result<Marks> {
            let lengths = fs::read_dir(self.folder.join("appendonlydir"))?.map(|entry| {
                let entry = entry?;
                Ok((entry.path(), entry.metadata()?.len()))
            });
            lengths.collect::<std::io::Result<BTreeMap<PathBuf, u64>>>().map(Marks)
        };
        listed().map_err(TrialError::io("looking at what Redis keeps"))
    }

    /// Removes the data that was written after `marks` from the files. Redis must not be running.
    /// Returns the number of bytes removed.
    ///
    /// # Errors
    ///
    /// [`TrialError::Io`].
    pub(crate) fn forget_since(&self, marks: &Marks) -> Result<u64, TrialError> {
        let cut = || -> std::io::Result<u64> {
            let mut lost = 0;
            for (path, length) in &marks.0 {
                let file = File::options().write(true).open(path)?;
                lost += file.metadata()?.len().saturating_sub(*length);
                file.set_len(*length)?;
            }
            Ok(lost)
        };
        cut().map_err(TrialError::io("taking away what Redis keeps"))
    }
}

fn own_port() -> Result<OwnPort, TrialError> {
    OwnPort::claim().map_err(TrialError::io("looking for a free port"))
}

async fn spawn(
    folder: &Path,
    port: &OwnPort,
    flags: &[String],
    environment: &[(&'static str, PathBuf)],
) -> Result<Child, TrialError> {
    let program = std::env::var_os("FLAGFALL_REDIS_SERVER").unwrap_or_else(|| "redis-server".into());
    let program = Path::new(&program);
    let mut command = Command::new(program);
    command
        .args(["--port", &port.number().to_string(), "--bind", "127.0.0.1", "--save", "", "--dir"])
        .arg(folder);
    command.args(["--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction"]);
    command.args(["--auto-aof-rewrite-percentage", "0"]).args(flags);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    start_process(program, &mut command, "Ready to accept connections").await.map(|(child, _)| child)
}
