//! The measured programs. Each is started as a separate process, with its store.

use std::path::PathBuf;

use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::error::LoadError;
use crate::process::Measured;

/// The options of all measurements.
#[derive(Clone, clap::Args)]
pub(crate) struct Bench {
    /// The server program. The default is the one beside this program, built with the same
    /// profile.
    #[arg(long, env = "FLAGFALL_SERVER_BIN", default_value_os_t = server_beside())]
    pub(crate) server: PathBuf,
    /// Number of threads of the server and of the relay; set it to the number of their cores.
    #[arg(long, default_value_t = 1)]
    pub(crate) workers: u8,
}

/// The server's program beside this one.
pub(crate) fn server_beside() -> PathBuf {
    beside("flagfall-server")
}

/// The program with this name, beside this one.
pub(crate) fn beside(name: &str) -> PathBuf {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::current_exe().unwrap_or_default().with_file_name(name)
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Rival {
    #[value(skip)]
    Relay,
    Memory,
    /// The server with its durable store.
    Embedded,
    /// The server with its own Redis, which syncs every write.
    Redis,
}

impl Rival {
    /// The server with each of its stores. Each variant is compared with the relay.
    pub(crate) const SERVERS: [Rival; 3] = [Rival::Memory, Rival::Embedded, Rival::Redis];

    /// The name in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Rival::Relay => "bare axum relay",
            Rival::Memory => "server in memory",
            Rival::Embedded => "server, embedded store",
            Rival::Redis => "server, Redis, AOF always",
        }
    }
}

/// Returns the hash of the relay's source, which shows whether figures of different runs can be
/// compared.
pub(crate) fn relay_source() -> String {
    let hash = Sha256::digest(include_str!("relay.rs"));
    hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The relay or a server, running with its store. Dropping the value ends it.
pub(crate) struct Stand {
    pub(crate) server: Measured,
    pub(crate) redis: Option<Measured>,
    pub(crate) folder: TempDir,
}

impl Stand {
    /// Starts the relay or a server. The relay answers with texts of these lengths: first the
    /// length for everyone who sees a move, then the length for the player who made it.
    pub(crate) async fn start(
        rival: Rival,
        bench: &Bench,
        relayed_bytes: [usize; 2],
    ) -> Result<Stand, LoadError> {
        let folder = tempfile::tempdir()?;
        let redis = match rival {
            Rival::Redis => Some(Measured::start_redis(folder.path()).await?),
            _ => None,
        };
        let data = folder.path().join("data").display().to_string();
        let server = match (rival, &redis) {
            (Rival::Relay, _) => {
                let arguments =
                    ["relay".to_owned()].into_iter().chain(relayed_bytes.map(|it| it.to_string()));
                let program = std::env::current_exe()?;
                Measured::start(&program, &arguments.collect::<Vec<_>>(), Some(bench.workers)).await?
            }
            (Rival::Memory, _) => start_server(bench, "memory", &data).await?,
            (Rival::Embedded, _) => start_server(bench, "embedded", &data).await?,
            (Rival::Redis, Some(redis)) => start_server(bench, &redis.address, &data).await?,
            (Rival::Redis, None) => return Err(LoadError::Silent),
        };
        Ok(Stand { server, redis, folder })
    }

    /// Returns the processor time that the server has used so far, and that of its Redis if it
    /// has one, in seconds.
    pub(crate) fn cpu_seconds(&self) -> Result<(f64, Option<f64>), LoadError> {
        let redis = self.redis.as_ref().map(Measured::cpu_seconds).transpose()?;
        Ok((self.server.cpu_seconds()?, redis))
    }
}

pub(crate) async fn start_server(bench: &Bench, store: &str, data: &str) -> Result<Measured, LoadError> {
    start_server_with(bench, store, data, "none").await
}

/// Starts a server with its metrics at this address.
pub(crate) async fn start_server_with(
    bench: &Bench,
    store: &str,
    data: &str,
    metrics: &str,
) -> Result<Measured, LoadError> {
    let arguments = server_arguments(store, data, metrics, &[]);
    Measured::start(&bench.server, &arguments, Some(bench.workers)).await
}

/// Returns the arguments of a measured server, with these at the end.
pub(crate) fn server_arguments(store: &str, data: &str, metrics: &str, more: &[&str]) -> Vec<String> {
    let arguments = [
        ["--listen", "127.0.0.1:0"],
        ["--metrics-listen", metrics],
        ["--store", store],
        ["--data", data],
        ["--log", "warn"],
        ["--new-guests-per-minute", "1000000"],
        ["--trusted-network", "127.0.0.0/8"],
        ["--reserved-percent", "0"],
        ["--messages", "1000000"],
        ["--stored-kib-per-player", "1000000"],
        ["--watched-per-player", "1000000"],
        ["--house-games-per-player", "64"],
        ["--games-per-player", "64"],
        ["--ping-seconds", "60"],
        ["--pong-seconds", "300"],
        ["--password-memory-kib", "32"],
        ["--password-passes", "1"],
    ];
    arguments.concat().into_iter().chain(more.iter().copied()).map(str::to_owned).collect()
}
