//! The real server as a process that can be started, killed, and started again on the same data.

use std::fs::File;
use std::io::Read as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use crate::error::TrialError;
use crate::skew::Skew;

/// The time limit for a process to start listening.
const START_MAX: Duration = Duration::from_secs(60);
/// The time limit for a process to stop as planned.
const STOP_MAX: Duration = Duration::from_secs(60);
/// The maximum number of attempts to start a server. A server ends if Redis does not answer in
/// time, and its supervisor then starts it again.
const STARTS_MAX: usize = 5;
/// The number of bytes of a server's log that are shown when the server fails.
const LOG_SHOWN: usize = 4_000;

/// A server process. Dropping it kills the process.
#[derive(Debug)]
pub(crate) struct Server {
    program: PathBuf,
    log: PathBuf,
    /// Flags for its store and its archive.
    store: Vec<String>,
    environment: Vec<(String, String)>,
    /// The server's wall clock, if it can jump.
    pub(crate) skew: Option<Skew>,
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts a server on a free port, with its log in this file.
    ///
    /// # Errors
    /// [`TrialError::Spawn`], [`TrialError::NotListening`].
    pub(crate) async fn start(
        program: &Path,
        log: PathBuf,
        store: Vec<String>,
        environment: Vec<(String, String)>,
        skew: Option<Skew>,
    ) -> Result<Server, TrialError> {
        let any = ([127, 0, 0, 1], 0).into();
        let (child, address) = spawn(program, &log, &store, &environment, skew.as_ref(), any).await?;
        Ok(Server { program: program.to_owned(), log, store, environment, skew, child, address })
    }

    /// Kills the process with `kill -9`, by its id.
    ///
    /// # Errors
    /// [`TrialError::Io`].
    pub(crate) async fn kill(&mut self) -> Result<(), TrialError> {
        self.child.kill().await.map_err(TrialError::io("killing a server"))
    }

    /// Stops the process as planned (SIGTERM), and waits for its end.
    ///
    /// # Errors
    /// [`TrialError::Unstopped`] if it does not end in time, or not as planned.
    pub(crate) async fn stop(&mut self) -> Result<(), TrialError> {
        signal(&self.child, "TERM").await?;
        let end = match timeout(STOP_MAX, self.child.wait()).await {
            Ok(Ok(status)) if status.success() => return Ok(()),
            Ok(Ok(status)) => status.to_string(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "it is still running".to_owned(),
        };
        Err(TrialError::Unstopped { end, log: self.log_tail() })
    }

    /// Starts another process on the same data, on the same port if it is free.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub(crate) async fn restart(&mut self) -> Result<(), TrialError> {
        let Server { program, log, store, environment, skew, .. } = &*self;
        let on = async |address| spawn(program, log, store, environment, skew.as_ref(), address).await;
        let mut started = on(self.address).await;
        for _ in 1..STARTS_MAX {
            if started.is_ok() {
                break;
            }
            // Another program may have taken the port since then.
            started = on(([127, 0, 0, 1], 0).into()).await;
        }
        (self.child, self.address) = started?;
        Ok(())
    }

    /// The end of the server's log.
    #[must_use]
    pub(crate) fn log_tail(&self) -> String {
        let mut text = Vec::new();
        if let Ok(mut file) = File::open(&self.log) {
            // Return as much of the log as can be read.
            let _shown_as_far_as_read = file.read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text[text.len().saturating_sub(LOG_SHOWN)..]).into_owned()
    }
}

/// Suspends a process for a while (SIGSTOP), by its id. Its connections stay open but get no
/// answers.
///
/// # Errors
/// [`TrialError::Io`].
pub(crate) async fn stand_still(child: &Child, span: Duration) -> Result<(), TrialError> {
    signal(child, "STOP").await?;
    sleep(span).await;
    signal(child, "CONT").await
}

/// Sends a signal to a process, by its id.
async fn signal(child: &Child, name: &str) -> Result<(), TrialError> {
    let id = child.id().map(|id| id.to_string()).unwrap_or_default();
    let sent = Command::new("sh").args(["-c", "kill -\"$1\" \"$2\"", "sh", name, &id]).status().await;
    sent.map(drop).map_err(TrialError::io("sending a signal"))
}

async fn spawn(
    program: &Path,
    log: &Path,
    store: &[String],
    environment: &[(String, String)],
    skew: Option<&Skew>,
    listen: SocketAddr,
) -> Result<(Child, SocketAddr), TrialError> {
    let open = File::options().create(true).append(true).open(log);
    let stderr = open.map_err(TrialError::io("opening the server's log"))?;
    let mut command = Command::new(program);
    command.arg("--listen").arg(listen.to_string()).args(store).args(["--metrics-listen", "none"]);
    // These limits are high, because all clients share one address, play as fast as they can, and
    // often lose their connections.
    command.args(["--trusted-network", "127.0.0.0/8", "--stored-kib-per-player", "1000000"]);
    command.args(["--hellos-per-player", "1000000"]);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    command.envs(skew.into_iter().flat_map(Skew::environment));
    let (child, line) = start_process(program, command.stderr(stderr), "listening on").await?;
    let silent = || TrialError::NotListening { log: log.display().to_string() };
    Ok((child, address_in(&line).ok_or_else(silent)?))
}

/// Starts a process, waits for a line with these words, and returns the line.
///
/// # Errors
/// [`TrialError::Spawn`], [`TrialError::NotListening`].
pub(crate) async fn start_process(
    program: &Path,
    command: &mut Command,
    words: &str,
) -> Result<(Child, String), TrialError> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|source| TrialError::Spawn { program: program.to_owned(), source })?;
    let silent = || TrialError::NotListening { log: format!("{} never said {words:?}", program.display()) };
    let stdout = child.stdout.take().ok_or_else(silent)?;
    let mut lines = BufReader::new(stdout).lines();
    let found = timeout(START_MAX, async {
        while let Ok(Some(line)) = lines.next_line().await {
            if line.contains(words) {
                return Some(line);
            }
        }
        None
    });
    let line = found.await.ok().flatten().ok_or_else(silent)?;
    // Read and discard further output, so that the process never blocks.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    Ok((child, line))
}

/// The address in a line such as `listening on http://127.0.0.1:7171`.
fn address_in(line: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once("http://")?;
    let end = rest.find(|letter: char| !(letter.is_ascii_digit() || ".:".contains(letter)));
    rest[..end.unwrap_or(rest.len())].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_found_in_the_first_line() {
        let expected = "127.0.0.1:7171".parse().ok();
        assert_eq!(address_in("listening on http://127.0.0.1:7171"), expected);
        assert_eq!(address_in("listening on http://127.0.0.1:7171/, data in x"), expected);
        assert_eq!(address_in("data lies in /tmp"), None);
    }
}
