//! A Redis of a test's own.

use std::net::TcpListener;
use std::path::Path;

use crate::{Process, command};

/// A running Redis that promises all a game needs. It ends with this value.
#[derive(Debug)]
pub struct Redis {
    _process: Process,
    port: u16,
}

impl Redis {
    /// Starts one in this folder.
    ///
    /// # Panics
    /// When there is no `redis-server`.
    #[must_use]
    pub fn start(folder: &Path) -> Redis {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("a port").port();
        drop(listener);
        let mut redis = command(Path::new("redis-server"));
        redis.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--dir"]).arg(folder);
        redis.args(["--appendonly", "yes", "--appendfsync", "always", "--maxmemory-policy", "noeviction"]);
        let mut process = Process::start("redis", &mut redis);
        process.expect("Ready to accept connections");
        Redis { _process: process, port }
    }

    /// Where it is, as `--store` takes it.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }
}
