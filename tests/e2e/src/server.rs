//! A server with its data, and the clients that talk to it.

use std::net::SocketAddr;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use flagfall_tests::OwnPort;
use tempfile::TempDir;

use crate::{Ended, OlderPrograms, Process, Redis, client_program, command, server_program};

/// The folders of one test: a server's data and its clients' credentials. They are deleted when
/// the value is dropped.
#[derive(Debug)]
pub struct Site {
    // This field is declared first, so that Redis ends before its folder is deleted.
    redis: Option<Redis>,
    folder: TempDir,
    /// The ports of the servers, which may be started again while the site exists.
    ports: Mutex<Vec<OwnPort>>,
    older: Option<OlderPrograms>,
    with_older_client: Vec<&'static str>,
}

impl Site {
    /// Creates new, empty folders.
    ///
    /// # Panics
    /// If they cannot be made.
    #[must_use]
    pub fn new() -> Site {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Site { redis: None, folder, ports: Mutex::default(), older: None, with_older_client: Vec::new() }
    }

    /// Returns the same site, except that these players use the earlier version of the client.
    #[must_use]
    pub fn with_older(self, older: &OlderPrograms, people: &[&'static str]) -> Site {
        Site { older: Some(older.clone()), with_older_client: people.to_vec(), ..self }
    }

    /// Returns the same site, except that all players use the current client.
    #[must_use]
    pub fn with_clients_of_today(self) -> Site {
        Site { with_older_client: Vec::new(), ..self }
    }

    /// Creates a site whose data is in a Redis.
    ///
    /// # Panics
    /// If none can be started.
    #[must_use]
    pub fn with_redis() -> Site {
        let site = Site::new();
        let redis = Redis::start(site.path());
        Site { redis: Some(redis), ..site }
    }

    /// Creates a site with the Redis that `deploy/` describes.
    ///
    /// # Panics
    /// If none can be started.
    #[must_use]
    pub fn with_deployed_redis() -> Site {
        let site = Site::new();
        let redis = Redis::start_deployed(site.path());
        Site { redis: Some(redis), ..site }
    }

    /// The Redis that keeps the data.
    #[must_use]
    pub const fn redis(&self) -> Option<&Redis> {
        self.redis.as_ref()
    }

    /// The folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The server's data.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    /// Returns the command that starts a server of this site on this port. Port 0 means a new port,
    /// which stays reserved for the site.
    #[must_use]
    pub fn server_command(&self, port: u16) -> Command {
        self.command_of(&server_program(), port)
    }

    fn command_of(&self, program: &Path, port: u16) -> Command {
        let port = if port == 0 { self.new_port() } else { port };
        let mut server = command(program);
        server.args(["--listen", &format!("127.0.0.1:{port}"), "--metrics-listen", "127.0.0.1:0", "--data"]);
        server.arg(self.data()).current_dir(self.path());
        if let Some(redis) = &self.redis {
            server.env("FLAGFALL_STORE", redis.url());
        }
        server
    }

    fn new_port(&self) -> u16 {
        let port = OwnPort::claim().expect("a port");
        let number = port.number();
        self.ports.lock().unwrap_or_else(PoisonError::into_inner).push(port);
        number
    }

    /// Starts a server on a new port.
    #[must_use]
    pub fn serve(&self) -> Server {
        Server::start(&mut self.server_command(0))
    }

    /// Starts a server of the earlier version on a new port.
    ///
    /// # Panics
    /// If the site has no earlier version.
    #[must_use]
    pub fn serve_older(&self) -> Server {
        Server::start(&mut self.older_command(0))
    }

    /// Returns the command that starts a server of the earlier version on this port. Port 0 means
    /// a new port.
    ///
    /// # Panics
    /// If the site has no earlier version.
    #[must_use]
    pub fn older_command(&self, port: u16) -> Command {
        let older = self.older.as_ref().expect("a site with an earlier version");
        self.command_of(&older.server, port)
    }

    /// Starts a server whose data is in another Redis.
    #[must_use]
    pub fn serve_on(&self, redis: &Redis) -> Server {
        Server::start(self.server_command(0).env("FLAGFALL_STORE", redis.url()))
    }

    /// Returns a client command that keeps its credentials under this name.
    #[must_use]
    pub fn client_command(&self, who: &str, words: &[&str]) -> Command {
        let program = match &self.older {
            Some(older) if self.with_older_client.contains(&who) => older.client.clone(),
            _ => client_program(),
        };
        let mut client = command(&program);
        client.args(words).args(["--plain", "--name", who, "--config-dir"]);
        client.arg(self.path().join("config").join(who));
        client
    }
}

impl Default for Site {
    fn default() -> Site {
        Site::new()
    }
}

/// A running server.
#[derive(Debug)]
pub struct Server {
    process: Process,
    /// The address for players.
    pub address: SocketAddr,
    /// The address of the metrics.
    pub metrics: SocketAddr,
}

impl Server {
    /// Starts a server and waits until it listens.
    ///
    /// # Panics
    /// If it does not.
    #[must_use]
    pub fn start(command: &mut Command) -> Server {
        let mut process = Process::start("server", command);
        let address = address_in(&process.expect("listening on "));
        let metrics = address_in(&process.expect("metrics on "));
        Server { process, address, metrics }
    }

    /// Starts a client of this server. The test writes to its standard input.
    #[must_use]
    pub fn client(&self, site: &Site, who: &str, words: &[&str]) -> Client {
        Client { process: Process::start(who, self.with_address(&mut site.client_command(who, words))) }
    }

    /// Runs a client until it ends.
    #[must_use]
    pub fn run_client(&self, site: &Site, who: &str, words: &[&str]) -> Ended {
        Process::run(self.with_address(&mut site.client_command(who, words)))
    }

    /// Starts a client with the addresses of several servers of one service. This server comes
    /// first.
    #[must_use]
    pub fn client_with(&self, others: &[&Server], site: &Site, who: &str, words: &[&str]) -> Client {
        let all = std::iter::once(self).chain(others.iter().copied());
        let addresses: Vec<String> = all.map(|server| server.address.to_string()).collect();
        let mut client = site.client_command(who, words);
        Client { process: Process::start(who, client.args(["--server", &addresses.join(",")])) }
    }

    fn with_address<'command>(&self, client: &'command mut Command) -> &'command mut Command {
        client.args(["--server", &format!("ws://{}/ws", self.address)])
    }
}

impl Deref for Server {
    type Target = Process;

    fn deref(&self) -> &Process {
        &self.process
    }
}

impl DerefMut for Server {
    fn deref_mut(&mut self) -> &mut Process {
        &mut self.process
    }
}

fn address_in(line: &str) -> SocketAddr {
    let rest = line.split("http://").nth(1).unwrap_or_else(|| panic!("no address in {line:?}"));
    let end = rest.find(['/', ' ']).unwrap_or(rest.len());
    rest[..end].parse().unwrap_or_else(|error| panic!("{line:?}: {error}"))
}

/// A running client.
#[derive(Debug)]
pub struct Client {
    process: Process,
}

impl Client {
    /// Waits until a game is open. Returns its id.
    ///
    /// # Panics
    /// If no game opens.
    pub fn game(&mut self) -> String {
        let line = self.expect_one_of(&[": you play", " spectator"]);
        let id = line.strip_prefix("Game ").and_then(|rest| rest.split(':').next());
        id.unwrap_or_else(|| panic!("no game in {line:?}")).to_owned()
    }

    /// Leaves a game that has ended. Fails unless the client's exit code is 0.
    pub fn leave(&mut self) {
        self.type_line("quit");
        self.ended().expect(0, &[]);
    }
}

impl Deref for Client {
    type Target = Process;

    fn deref(&self) -> &Process {
        &self.process
    }
}

impl DerefMut for Client {
    fn deref_mut(&mut self) -> &mut Process {
        &mut self.process
    }
}
