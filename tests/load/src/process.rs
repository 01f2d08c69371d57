//! A measured child process. It is started, asked for its processor time, and ended by its id.

use std::path::Path;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::error::LoadError;

/// Clock ticks per second in `/proc/PID/stat`: always 100 in Linux's user space.
const TICKS_PER_SECOND: f64 = 100.0;

/// The text that a server prints before its address.
pub(crate) const LISTENING: &str = "listening on http://";

/// The variable that tells a runtime its number of threads.
const WORKERS: &str = "TOKIO_WORKER_THREADS";

/// A measured server. Dropping the value ends the process.
pub(crate) struct Measured {
    child: Child,
    /// `127.0.0.1:PORT`.
    pub(crate) address: String,
}

impl Measured {
    /// Starts a program that prints `listening on http://ADDRESS` as its first line.
    ///
    /// Without `workers`, the program has one thread per core of the machine.
    ///
    /// # Errors
    /// If the program cannot be started or prints something else.
    pub(crate) async fn start(
        program: &Path,
        arguments: &[String],
        workers: Option<u8>,
    ) -> Result<Measured, LoadError> {
        let mut command = Command::new(program);
        command.args(arguments);
        if let Some(workers) = workers {
            command.env(WORKERS, workers.max(1).to_string());
        }
        let (child, said) = spawn(command, LISTENING).await?;
        let address = said.strip_prefix(LISTENING).ok_or(LoadError::Silent)?.to_owned();
        Ok(Measured { child, address })
    }

    /// Like [`Measured::start`], but on one core of the machine.
    ///
    /// The program is ready when it prints a line with `words`, followed by its address.
    ///
    /// # Errors
    /// As [`Measured::start`].
    pub(crate) async fn start_on(
        core: usize,
        program: &Path,
        arguments: &[String],
        words: &str,
    ) -> Result<Measured, LoadError> {
        let mut command = Command::new("taskset");
        command.args(["-c", &core.to_string()]).arg(program).args(arguments).env(WORKERS, "1");
        let (child, said) = spawn(command, words).await?;
        let address = said.split_once(words).map_or("", |(_, rest)| rest).trim().to_owned();
        Ok(Measured { child, address })
    }

    /// Starts a Redis with a configuration that guarantees the durability that games need. Its
    /// address is a socket in this folder, in the form that `--store` takes.
    ///
    /// # Errors
    /// If Redis is not installed on this machine, or does not start.
    pub(crate) async fn start_redis(folder: &Path) -> Result<Measured, LoadError> {
        let (folder, socket) = (folder.display().to_string(), folder.join("socket").display().to_string());
        let arguments = [
            ["--port", "0", "--unixsocket", &socket, "--dir", &folder],
            ["--save", "", "--appendonly", "yes", "--appendfsync", "always"],
        ];
        let mut command = Command::new("redis-server");
        command.args(arguments.concat());
        let (child, _) = spawn(command, "eady to accept connections").await?;
        Ok(Measured { child, address: format!("unix://{socket}") })
    }

    /// Asks the process to stop, as an operator does, and waits until it has ended.
    ///
    /// # Errors
    /// If the process has already ended, or stops with an error.
    pub(crate) async fn stop(mut self) -> Result<(), LoadError> {
        let id = self.child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        kill_process(id.ok_or(LoadError::Silent)?, Signal::TERM).map_err(std::io::Error::from)?;
        let status = self.child.wait().await?;
        if status.success() { Ok(()) } else { Err(LoadError::Stop(status)) }
    }

    /// Processor time used so far, in seconds: user time and system time together.
    ///
    /// # Errors
    /// If the process is gone.
    pub(crate) fn cpu_seconds(&self) -> Result<f64, LoadError> {
        let id = self.child.id().ok_or(LoadError::Silent)?;
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat"))?;
        // The process name may contain spaces. The numbers begin after the closing parenthesis of
        // the name.
        let numbers = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        let ticks: f64 = numbers
            .split_ascii_whitespace()
            .skip(11)
            .take(2)
            .filter_map(|text| text.parse::<f64>().ok())
            .sum();
        Ok(ticks / TICKS_PER_SECOND)
    }

    /// Processor time used so far by the threads that are running, in seconds. It is more precise
    /// than [`cpu_seconds`](Self::cpu_seconds), which counts in steps of 10 ms, but leaves out
    /// threads that have ended.
    ///
    /// # Errors
    /// If the process is gone.
    pub(crate) fn thread_seconds(&self) -> Result<f64, LoadError> {
        let id = self.child.id().ok_or(LoadError::Silent)?;
        let mut nanoseconds = 0.0;
        for thread in std::fs::read_dir(format!("/proc/{id}/task"))? {
            // A thread may end at any moment.
            let Ok(stat) = std::fs::read_to_string(thread?.path().join("schedstat")) else { continue };
            let on_core = stat.split_ascii_whitespace().next().and_then(|text| text.parse::<f64>().ok());
            nanoseconds += on_core.ok_or(LoadError::Silent)?;
        }
        Ok(nanoseconds / 1e9)
    }

    /// Resident memory, in bytes.
    ///
    /// # Errors
    /// If the process is gone.
    pub(crate) fn memory_bytes(&self) -> Result<f64, LoadError> {
        let id = self.child.id().ok_or(LoadError::Silent)?;
        let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
        let kibibytes = status.lines().find_map(|line| {
            line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok()
        });
        Ok(kibibytes.ok_or(LoadError::Silent)? * 1024.0)
    }
}

/// Starts a program and reads its output until a line contains these words. Returns the program
/// and that line.
async fn spawn(mut command: Command, words: &str) -> Result<(Child, String), LoadError> {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| LoadError::Start(command.as_std().get_program().display().to_string(), error))?;
    let stdout = child.stdout.take().ok_or(LoadError::Silent)?;
    let mut lines = BufReader::new(stdout).lines();
    let line = loop {
        let line = lines.next_line().await?.ok_or(LoadError::Silent)?;
        if line.contains(words) {
            break line;
        }
    };
    // Read and discard further output, because a full pipe would block the program.
    tokio::spawn(async move { while let Ok(Some(_line)) = lines.next_line().await {} });
    Ok((child, line))
}
