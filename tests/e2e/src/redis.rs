//! A Redis for one test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use flagfall_tests::OwnPort;

use crate::{Ended, Process, command};

/// A running Redis that is configured to be as durable as games need. It is stopped on drop.
#[derive(Debug)]
pub struct Redis {
    process: Process,
    port: OwnPort,
    password: Option<String>,
    operator: Option<String>,
}

/// The folder with the files for operators.
#[must_use]
pub fn deploy() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy")
}

impl Redis {
    /// Starts a Redis in this folder.
    ///
    /// # Panics
    /// If there is no `redis-server`.
    #[must_use]
    pub fn start(folder: &Path) -> Redis {
        let mut redis = command(Path::new("redis-server"));
        redis.args(["--save", "", "--appendonly", "yes", "--appendfsync", "always"]);
        redis.args(["--maxmemory-policy", "noeviction"]);
        Redis::listening(redis, folder, None)
    }

    /// Starts a Redis in this folder with the settings, passwords and rights of `deploy/`.
    ///
    /// # Panics
    /// If there is no `redis-server`, or the files do not work as described.
    #[must_use]
    pub fn start_deployed(folder: &Path) -> Redis {
        fs::create_dir(folder.join("redis")).expect("a folder");
        for file in ["setup", "redis/redis.conf", "redis/users.acl.template"] {
            fs::copy(deploy().join(file), folder.join(file)).expect("a file to copy");
        }
        // Run the script through the shell. A file that was just written cannot be executed while
        // a child process of another test still has it open.
        let mut setup = command(Path::new("/bin/sh"));
        Process::start("setup", setup.arg(folder.join("setup"))).ended().expect(0, &["Passwords are in"]);
        let settings = fs::read_to_string(folder.join(".env")).expect("passwords");
        let password = |name: &str| {
            let line = settings.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
            line.map(str::to_owned)
        };
        let operator = password("FLAGFALL_REDIS_OPERATOR_PASSWORD");
        Redis { operator, ..Redis::with_settings(folder, folder, password("FLAGFALL_REDIS_PASSWORD")) }
    }

    /// Starts another Redis with the same settings and passwords, on the data in this folder.
    ///
    /// # Panics
    /// If it does not start.
    #[must_use]
    pub fn start_beside(&self, settings: &Path, folder: &Path) -> Redis {
        Redis::with_settings(settings, folder, self.password.clone())
    }

    /// Suspends the process. Connections stay open but get no answer.
    pub fn freeze(&self) {
        self.process.freeze();
    }

    /// Lets the process continue.
    pub fn thaw(&self) {
        self.process.thaw();
    }

    /// Copies all data to a file while Redis runs, as an operator does.
    ///
    /// # Panics
    /// If [`Redis::start_deployed`] did not start it, or the copy fails.
    pub fn back_up(&self, file: &Path) {
        let mut backup = command(&deploy().join("backup"));
        backup.arg(file).args(["127.0.0.1", &self.port.number().to_string()]);
        backup.env("REDISCLI_AUTH", self.operator.as_ref().expect("an operator's password"));
        Process::start("backup", &mut backup).ended().expect(0, &["bytes"]);
    }

    /// Makes a new data folder from a backup file.
    ///
    /// # Panics
    /// If this fails.
    pub fn restore(file: &Path, folder: &Path) {
        Redis::try_restore(file, folder).expect(0, &["keys"]);
    }

    /// Tries to make a new data folder from a backup file, which may be invalid.
    ///
    /// # Panics
    /// If the folder has no name.
    #[must_use]
    pub fn try_restore(file: &Path, folder: &Path) -> Ended {
        let mut restore = command(&deploy().join("restore"));
        // Run the command as an operator would right after a backup: in the same folder, with the
        // password still set.
        let (place, name) = (folder.parent().expect("a place"), folder.file_name().expect("a name"));
        restore.current_dir(place).env("REDISCLI_AUTH", "of another Redis");
        Process::start("restore", restore.arg(file).arg(name)).ended()
    }

    fn with_settings(settings: &Path, folder: &Path, password: Option<String>) -> Redis {
        let mut redis = command(Path::new("redis-server"));
        redis.arg(settings.join("redis/redis.conf")).arg("--aclfile").arg(settings.join("redis/users.acl"));
        Redis::listening(redis, folder, password)
    }

    fn listening(mut redis: Command, folder: &Path, password: Option<String>) -> Redis {
        let port = OwnPort::claim().expect("a port");
        redis.args(["--port", &port.number().to_string(), "--bind", "127.0.0.1", "--dir"]).arg(folder);
        let mut process = Process::start("redis", &mut redis);
        process.expect("Ready to accept connections");
        Redis { process, port, password, operator: None }
    }

    /// Returns the address of the Redis, as `--store` takes it.
    #[must_use]
    pub fn url(&self) -> String {
        let password = self.password.as_ref().map(|password| format!(":{password}@")).unwrap_or_default();
        format!("redis://{password}{}", self.port.address())
    }
}
