//! The real server as a process: started, killed, started again on the same data.

use std::fs::File;
use std::io::Read as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::error::TrialError;
use crate::log::{Outage, now_ms};

/// How long a server may take until it listens.
const START_MAX: Duration = Duration::from_secs(60);
/// How much of a server's log is shown when it fails.
const LOG_SHOWN: usize = 4_000;

/// A server process and its data. Dropping it kills the process.
#[derive(Debug)]
pub(crate) struct Server {
    program: PathBuf,
    folder: tempfile::TempDir,
    child: Child,
    address: SocketAddr,
    /// Where clients look for the address: a restarted server may listen elsewhere.
    published: watch::Sender<SocketAddr>,
}

impl Server {
    /// Starts a server on a free port with a store in a fresh folder.
    ///
    /// # Errors
    /// [`TrialError::Spawn`], [`TrialError::NotListening`].
    pub(crate) async fn start(program: PathBuf) -> Result<Server, TrialError> {
        let folder = tempfile::tempdir().map_err(TrialError::io("making a folder for the data"))?;
        let any: SocketAddr = ([127, 0, 0, 1], 0).into();
        let (child, address) = spawn(&program, &folder, any).await?;
        Ok(Server { program, folder, child, address, published: watch::Sender::new(address) })
    }

    /// Where it listens, now and after every restart.
    #[must_use]
    pub(crate) fn address(&self) -> watch::Receiver<SocketAddr> {
        self.published.subscribe()
    }

    /// Kills the process without a word (`kill -9` by its id) and, after some time without a server, starts another one on the same
    /// data.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub(crate) async fn kill_and_restart(&mut self, down: Duration) -> Result<Outage, TrialError> {
        self.child.kill().await.map_err(TrialError::io("killing the server"))?;
        let killed_at = now_ms();
        // Nobody waits for this: it is the time in which no clock may run.
        sleep(down).await;
        let spawned_at = now_ms();
        let (child, address) = match spawn(&self.program, &self.folder, self.address).await {
            Ok(started) => started,
            // Somebody else may have taken the port meanwhile.
            Err(_) => spawn(&self.program, &self.folder, ([127, 0, 0, 1], 0).into()).await?,
        };
        self.child = child;
        self.address = address;
        self.published.send_replace(address);
        Ok(Outage { killed_at, spawned_at, up_at: now_ms() })
    }

    /// The last of what the server wrote to its log.
    #[must_use]
    pub(crate) fn log_tail(&self) -> String {
        log_tail(&self.folder)
    }

    /// Ends the process.
    pub(crate) async fn stop(mut self) {
        // Nothing is lost by killing it: that is what the trial is about.
        drop(self.child.kill().await);
    }
}

async fn spawn(
    program: &PathBuf,
    folder: &tempfile::TempDir,
    listen: SocketAddr,
) -> Result<(Child, SocketAddr), TrialError> {
    let log = File::options()
        .create(true)
        .append(true)
        .open(folder.path().join("server.log"))
        .map_err(TrialError::io("opening the server's log"))?;
    let mut child = Command::new(program)
        .arg("--listen")
        .arg(listen.to_string())
        .arg("--data")
        .arg(folder.path().join("data"))
        .args(["--metrics-listen", "none"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .kill_on_drop(true)
        .spawn()
        .map_err(|source| TrialError::Spawn { program: program.clone(), source })?;
    let silent = || TrialError::NotListening { log: log_tail(folder) };
    let stdout = child.stdout.take().ok_or_else(silent)?;
    let mut lines = BufReader::new(stdout).lines();
    let address = timeout(START_MAX, async {
        while let Ok(Some(line)) = lines.next_line().await {
            if let Some(address) = address_in(&line) {
                return Some(address);
            }
        }
        None
    })
    .await
    .ok()
    .flatten()
    .ok_or_else(silent)?;
    // What else it says is read and dropped, so that it never waits for a reader.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    Ok((child, address))
}

/// The address in a line such as `listening on http://127.0.0.1:7171`.
fn address_in(line: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once("http://")?;
    let end = rest.find(|letter: char| !(letter.is_ascii_digit() || ".:".contains(letter)));
    rest[..end.unwrap_or(rest.len())].parse().ok()
}

fn log_tail(folder: &tempfile::TempDir) -> String {
    let mut text = Vec::new();
    if let Ok(mut file) = File::open(folder.path().join("server.log")) {
        // A log that cannot be read is shown as far as it can.
        let _shown_as_far_as_read = file.read_to_end(&mut text);
    }
    String::from_utf8_lossy(&text[text.len().saturating_sub(LOG_SHOWN)..]).into_owned()
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
