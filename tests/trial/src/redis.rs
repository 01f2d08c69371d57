//! The trial's own Redis, which can be killed, frozen, and made to lose its last second.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};

use tokio::process::{Child, Command};

use crate::error::TrialError;
use crate::server::start_process;
use crate::skew::{Skew, SkewLibrary};

/// A Redis process that is configured to be as durable as games need.
#[derive(Debug)]
pub(crate) struct Redis {
    folder: PathBuf,
    port: u16,
    pub(crate) child: Child,
    /// The process's wall clock, if it can jump.
    pub(crate) skew: Option<Skew>,
}

/// The lengths of Redis's append-only files at a moment.
#[derive(Debug)]
pub(crate) struct Marks(BTreeMap<PathBuf, u64>);

impl Redis {
    /// Starts a Redis without data.
    ///
    /// # Errors
    /// [`TrialError`] if it does not start.
    pub(crate) async fn start(folder: &Path, library: Option<&SkewLibrary>) -> Result<Redis, TrialError> {
        // Another process may take the free port first, but this is unlikely.
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = free.map_err(TrialError::io("looking for a free port"))?.port();
        let skew = library.map(|library| Skew::new(library, folder.join("redis-clock"))).transpose()?;
        let folder = folder.join("redis");
        fs::create_dir(&folder).map_err(TrialError::io("making a folder for Redis"))?;
        let child = spawn(&folder, port, skew.as_ref()).await?;
        Ok(Redis { folder, port, child, skew })
    }

    #[must_use]
    pub(crate) fn address(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.port).into()
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
        self.child = spawn(&self.folder, self.port, self.skew.as_ref()).await?;
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

async fn spawn(folder: &Path, port: u16, skew: Option<&Skew>) -> Result<Child, TrialError> {
    let program = Path::new("redis-server");
    let mut command = Command::new(program);
    command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--dir"]).arg(folder);
    command.args(["--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction"]);
    command.args(["--auto-aof-rewrite-percentage", "0"]);
    command.envs(skew.into_iter().flat_map(Skew::environment));
    start_process(program, &mut command, "Ready to accept connections").await.map(|(child, _)| child)
}
