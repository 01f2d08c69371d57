//! A real Redis with its own loopback port and folder. It is stopped when the test ends.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use flagfall_store::redis::buckets::BucketStore;
use flagfall_store::{RedisAddress, RedisOptions, RedisStore};
use flagfall_tests::OwnPort;

use super::{TIMEOUT, scratch};

/// The settings of a Redis that is durable enough for games.
const FIT: [&str; 6] = ["--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction"];

/// A placeholder for the port in the flags of Redis.
const PORT: &str = "{port}";
/// The same for the port for messages between the nodes of a cluster. By default, it is the main
/// port plus 10,000, which another process may have.
const BUS_PORT: &str = "{bus}";
/// The flags of a node of a cluster.
const OF_CLUSTER: [&str; 6] =
    ["--cluster-enabled", "yes", "--cluster-port", BUS_PORT, "--cluster-node-timeout", "2000"];

/// A running Redis. Dropping this value stops Redis and deletes its data.
pub(crate) struct RedisServer {
    child: Option<Child>,
    folder: tempfile::TempDir,
    port: OwnPort,
    bus_port: OwnPort,
    flags: Vec<String>,
    password: String,
}

/// The id of a Redis process.
#[derive(Clone, Copy)]
pub(crate) struct RedisProcess(u32);

impl RedisProcess {
    pub(crate) fn signal(self, name: &str) {
        let id = self.0.to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }
}

impl RedisServer {
    /// Starts a Redis that is durable enough for games.
    pub(crate) fn start() -> RedisServer {
        RedisServer::start_with(&FIT)
    }

    /// Starts a Redis with these flags, such as `--name value`, in addition to the flags that all
    /// tests need.
    pub(crate) fn start_with(flags: &[&str]) -> RedisServer {
        let folder = scratch();
        let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
        let [port, bus_port] = [(); 2].map(|()| OwnPort::claim().unwrap());
        let password = String::new();
        let mut redis = RedisServer { child: None, folder, port, bus_port, flags, password };
        redis.start_again();
        redis
    }

    /// Starts a Redis that is the only node of a cluster.
    pub(crate) fn start_cluster_node() -> RedisServer {
        RedisServer::start_with(&[FIT, OF_CLUSTER].concat())
    }

    /// Restarts Redis on the same port, with the data that is on its disk, as the only node of a
    /// cluster or as an ordinary Redis.
    pub(crate) fn start_again_as_cluster_node(&mut self, is_node: bool) {
        self.flags = FIT.map(str::to_owned).to_vec();
        if is_node {
            self.flags.extend(OF_CLUSTER.map(str::to_owned));
        }
        self.start_again();
    }

    /// Starts a Redis that accepts only TLS, with these additional flags.
    pub(crate) fn start_tls(flags: &[&str]) -> RedisServer {
        let tls = ["--tls-port", PORT, "--port", "0"];
        RedisServer::start_with(&[&FIT[..], &tls, flags].concat())
    }

    pub(crate) fn start_replica(&self) -> RedisServer {
        let port = self.port().to_string();
        let flags: Vec<&str> = FIT
            .into_iter()
            .chain(["--replicaof", "127.0.0.1", &port, "--repl-diskless-sync-delay", "0"])
            .collect();
        RedisServer::start_with(&flags)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port.number()
    }

    pub(crate) fn address(&self) -> RedisAddress {
        format!("redis://:{}@{}", self.password, self.port.address()).parse().unwrap()
    }

    pub(crate) async fn open(&self, options: RedisOptions) -> RedisStore {
        RedisStore::open(self.address(), options).await.unwrap()
    }

    /// Opens a store of several buckets, all of which are in this Redis.
    pub(crate) async fn open_buckets(&self, options: RedisOptions, buckets: usize) -> BucketStore {
        BucketStore::open(&self.address(), options, buckets).await.unwrap()
    }

    /// Sends a command to this Redis, over a separate connection.
    pub(crate) async fn ask<T: redis::FromRedisValue>(&self, words: &[&str]) -> T {
        self.try_ask(words).await.unwrap()
    }

    /// Like `ask`, but returns errors. Use this for a Redis that may be closing connections, for
    /// example because its role changes.
    pub(crate) async fn try_ask<T: redis::FromRedisValue>(&self, words: &[&str]) -> redis::RedisResult<T> {
        let client = redis::Client::open(format!("redis://:{}@{}", self.password, self.port.address()))?;
        // By default, an answer must come within 500 ms.
        let patient = redis::AsyncConnectionConfig::new()
            .set_connection_timeout(Some(TIMEOUT))
            .set_response_timeout(Some(TIMEOUT));
        let mut connection = client.get_multiplexed_async_connection_with_config(&patient).await?;
        let mut command = redis::cmd(words[0]);
        command.arg(&words[1..]);
        command.query_async(&mut connection).await
    }

    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Restarts Redis on the same port. It keeps the data that is on its disk.
    pub(crate) fn start_again(&mut self) {
        self.kill();
        self.child = Some(self.spawn());
    }

    /// Starts Redis and waits until it is ready.
    fn spawn(&self) -> Child {
        let program = std::env::var_os("FLAGFALL_REDIS_SERVER").unwrap_or_else(|| "redis-server".into());
        let [port, bus_port] = [&self.port, &self.bus_port].map(|port| port.number().to_string());
        let mut child = Command::new(program)
            .args(["--port", &port, "--bind", "127.0.0.1", "--save", "", "--dir"])
            .arg(self.folder.path())
            .args(self.flags.iter().map(|flag| flag.replace(PORT, &port).replace(BUS_PORT, &bus_port)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("redis-server is missing: apt-get install redis-server");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut said = Vec::new();
        loop {
            let line = lines.next().unwrap_or_else(|| panic!("Redis does not start: {said:#?}"));
            if line.contains("Ready to accept connections") {
                break;
            }
            said.push(line);
        }
        // Keeps reading the output, so that Redis never blocks on a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        child
    }

    /// Deletes all data on disk. Redis must not be running.
    pub(crate) fn wipe(&mut self) {
        assert!(self.child.is_none(), "kill it first");
        for entry in std::fs::read_dir(self.folder.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }.unwrap();
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Sets the password for later starts.
    pub(crate) fn set_password(&mut self, password: &str) {
        self.flags.extend(["--requirepass".to_owned(), password.to_owned()]);
        password.clone_into(&mut self.password);
    }

    pub(crate) fn process(&self) -> RedisProcess {
        RedisProcess(self.child.as_ref().expect("it runs").id())
    }

    /// Freezes Redis: it does not answer, but keeps its connections open.
    pub(crate) fn freeze(&self) {
        self.process().signal("STOP");
    }

    pub(crate) fn thaw(&self) {
        self.process().signal("CONT");
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        // Ignore errors, because this code also runs after a test has failed, and the test's
        // failure matters more.
        if let Some(child) = &mut self.child {
            child.kill().ok();
            child.wait().ok();
        }
    }
}
