//! A measured child process. It is started, asked for its processor time, and ended by its id.

use std::io;
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use redis::FromRedisValue;
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::error::LoadError;
use crate::http;

/// Clock ticks per second in `/proc/PID/stat`: always 100 in Linux's user space.
const TICKS_PER_SECOND: f64 = 100.0;

/// The text that a server prints before its address.
pub(crate) const LISTENING: &str = "listening on http://";

/// The variable that tells a runtime its number of threads.
const WORKERS: &str = "TOKIO_WORKER_THREADS";

/// The text that a server prints before the address of its metrics.
const METRICS: &str = "metrics on http://";
/// The longest wait until the nodes of a cluster know each other.
const CLUSTER_MAX: Duration = Duration::from_secs(30);
/// The longest wait for an answer of Redis.
const ANSWER_MAX: Duration = Duration::from_secs(60);
/// The number of hash slots of a Redis Cluster.
const SLOTS: u32 = 16_384;

/// A measured server. Dropping the value ends the process.
pub(crate) struct Measured {
    child: Child,
    /// `127.0.0.1:PORT`.
    pub(crate) address: String,
    /// The address of the metrics, if the server has any.
    metrics: Option<String>,
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
        command.args(arguments).stderr(Stdio::null());
        if let Some(workers) = workers {
            command.env(WORKERS, workers.max(1).to_string());
        }
        let (child, said, mut lines) = spawn(command, LISTENING).await?;
        let address = said.strip_prefix(LISTENING).ok_or(LoadError::Silent)?.to_owned();
        // A server prints the address of its metrics next.
        let next = if has_metrics(arguments) { lines.next_line().await? } else { None };
        let metrics = next.and_then(|line| Some(line.strip_prefix(METRICS)?.split_once('/')?.0.to_owned()));
        discard(lines);
        Ok(Measured { child, address, metrics })
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
        command.stderr(Stdio::null());
        let (child, said, lines) = spawn(command, words).await?;
        discard(lines);
        let address = said.split_once(words).map_or("", |(_, rest)| rest).trim().to_owned();
        Ok(Measured { child, address, metrics: None })
    }

    /// Starts a Redis with a configuration that guarantees the durability that games need. Its
    /// address is a socket in this folder, in the form that `--store` takes.
    ///
    /// # Errors
    /// If Redis is not installed on this machine, or does not start.
    pub(crate) async fn start_redis(folder: &Path) -> Result<Measured, LoadError> {
        let (folder, socket) = (folder.display().to_string(), folder.join("socket").display().to_string());
        let arguments = ["--port", "0", "--unixsocket", &socket, "--dir", &folder];
        let child = spawn_redis(&arguments).await?;
        Ok(Measured { child, address: format!("unix://{socket}"), metrics: None })
    }

    /// Starts three masters of one cluster that share all slots.
    ///
    /// # Errors
    /// If Redis is not installed on this machine, or the masters do not find each other.
    pub(crate) async fn start_cluster(folder: &Path) -> Result<[Measured; 3], LoadError> {
        // All ports are taken at once, so that no two are the same.
        let free = (0..6).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<Vec<_>, _>>()?;
        let ports: Vec<u16> =
            free.iter().map(|free| Ok(free.local_addr()?.port())).collect::<io::Result<_>>()?;
        drop(free);
        let start = async |number: usize| -> Result<Measured, LoadError> {
            let place = folder.join(number.to_string());
            std::fs::create_dir(&place)?;
            let [port, bus] = [ports[number], ports[number + 3]].map(|port| port.to_string());
            let place = place.display().to_string();
            let arguments = [
                ["--bind", "127.0.0.1", "--port", &port, "--cluster-port", &bus],
                ["--cluster-enabled", "yes", "--cluster-node-timeout", "15000", "--dir", &place],
            ];
            let child = spawn_redis(&arguments.concat()).await?;
            Ok(Measured { child, address: format!("127.0.0.1:{port}"), metrics: None })
        };
        let masters = [start(0).await?, start(1).await?, start(2).await?];
        let share = |number: u32| (number * SLOTS / 3).to_string();
        for (number, master) in (0..).zip(&masters) {
            let last = ((number + 1) * SLOTS / 3 - 1).to_string();
            let [port, bus] = [ports[0], ports[3]].map(|port| port.to_string());
            let () = master.ask_redis(&["CLUSTER", "ADDSLOTSRANGE", &share(number), &last]).await?;
            let () = master.ask_redis(&["CLUSTER", "MEET", "127.0.0.1", &port, &bus]).await?;
        }
        let until = Instant::now() + CLUSTER_MAX;
        for master in &masters {
            loop {
                let info: String = master.ask_redis(&["CLUSTER", "INFO"]).await?;
                if info.contains("cluster_state:ok") && info.contains("cluster_size:3") {
                    break;
                }
                if Instant::now() >= until {
                    return Err(LoadError::Answer(info));
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        Ok(masters)
    }

    /// Sends a command to a Redis, over a connection of its own.
    ///
    /// # Errors
    /// If Redis refuses it or cannot be reached.
    pub(crate) async fn ask_redis<T: FromRedisValue>(&self, command: &[&str]) -> Result<T, LoadError> {
        let address = match self.address.strip_prefix("unix://") {
            Some(_) => self.address.clone(),
            None => format!("redis://{}", self.address),
        };
        // A busy Redis may answer late.
        let config = redis::AsyncConnectionConfig::new().set_response_timeout(Some(ANSWER_MAX));
        let client = redis::Client::open(address)?;
        let mut connection = client.get_multiplexed_async_connection_with_config(&config).await?;
        let [name, arguments @ ..] = command else { return Err(LoadError::Silent) };
        Ok(redis::cmd(name).arg(arguments).query_async(&mut connection).await?)
    }

    /// Returns a metric of the server that has no labels.
    ///
    /// # Errors
    /// If the server has no metrics, or not this one.
    pub(crate) async fn metric(&self, name: &str) -> Result<f64, LoadError> {
        let address = self.metrics.as_ref().ok_or(LoadError::Silent)?;
        let text = http::get_text(address, "/metrics").await?;
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let value = value.and_then(|value| value.trim().parse().ok());
        value.ok_or_else(|| LoadError::Answer(format!("no metric {name}")))
    }

    /// Asks the process to stop, as an operator does, and waits until it has ended.
    ///
    /// # Errors
    /// If the process has already ended, or stops with an error.
    pub(crate) async fn stop(mut self) -> Result<(), LoadError> {
        let id = self.child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        kill_process(id.ok_or(LoadError::Silent)?, Signal::TERM).map_err(io::Error::from)?;
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

/// What a program prints, line by line.
pub(crate) type Output = Lines<BufReader<ChildStdout>>;

fn has_metrics(arguments: &[String]) -> bool {
    let value = arguments.iter().skip_while(|word| *word != "--metrics-listen").nth(1);
    value.is_some_and(|value| value != "none")
}

/// Starts a Redis that loses no acknowledged write.
async fn spawn_redis(arguments: &[&str]) -> Result<Child, LoadError> {
    let mut command = Command::new("redis-server");
    command.args(["--save", "", "--appendonly", "yes", "--appendfsync", "always"]).args(arguments);
    command.stderr(Stdio::null());
    let (child, _, lines) = spawn(command, "eady to accept connections").await?;
    discard(lines);
    Ok(child)
}

/// Starts a program and reads its output until a line contains these words. Returns the program,
/// that line, and the rest of the output.
pub(crate) async fn spawn(mut command: Command, words: &str) -> Result<(Child, String, Output), LoadError> {
    let mut child = command
        .stdout(Stdio::piped())
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
    Ok((child, line, lines))
}

/// Reads and discards output, because a full pipe would block the program.
fn discard(mut lines: Output) {
    tokio::spawn(async move { while let Ok(Some(_line)) = lines.next_line().await {} });
}
