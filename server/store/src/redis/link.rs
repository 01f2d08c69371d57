//! A connection to the primary, with its scripts.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, FromRedisValue, Pipeline, Value};

use super::address::RedisAddress;
use super::durability::{Durability, list};
use super::layout::Keys;
use super::options::RedisOptions;
use super::request_error::{RequestError, checked, parsed, within};

macro_rules! scripts {
    ($($name:ident = $($file:literal)+),* $(,)?) => {
        /// The scripts that run inside Redis.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Script { $($name),* }

        const SOURCES: &[&str] = &[$(
            concat!(
                include_str!("scripts/prelude.lua"),
                $(include_str!(concat!("scripts/", $file, ".lua"))),+
            )
        ),*];
    };
}

scripts! {
    Append = "append",
    Update = "update",
    Apply = "apply",
    Get = "get",
    Scan = "scan",
    Sweep = "sweep",
    Heartbeat = "heartbeat",
    Epoch = "epoch",
    Begin = "begin",
    Retire = "retire",
    Delete = "delete",
    Decide = "locks" "decide",
    Prepare = "locks" "prepare",
    Finish = "locks" "finish",
    Resolve = "resolve",
    Forget = "forget",
    Share = "locks" "share",
}

/// A connection to the primary. Clones are handles to the same connection.
#[derive(Clone)]
pub(super) struct Link {
    connection: MultiplexedConnection,
    digests: Arc<[String]>,
    answer_timeout: Duration,
    /// The id that Redis gave to this connection.
    client_id: u64,
    has_failed: Arc<AtomicBool>,
    pub(super) durability: Durability,
}

/// The identity of a dropped connection, whose last requests Redis may not have read yet.
pub(super) struct Former {
    run_id: String,
    client_id: u64,
    has_failed: Arc<AtomicBool>,
}

impl Link {
    /// Finds the primary.
    pub(super) async fn client(
        address: &RedisAddress,
        options: &RedisOptions,
    ) -> Result<Client, RequestError> {
        let client = address.client(options.connect_timeout).await;
        client.map_err(|error| unreached(address, &error, ""))
    }

    /// Connects, reads how durable Redis is, and loads the scripts.
    pub(super) async fn connect(
        client: Client,
        address: &RedisAddress,
        options: &RedisOptions,
        keys: &Keys,
    ) -> Result<Link, RequestError> {
        let place = if address.is_cluster() {
            format!("the master {}: ", client.get_connection_info().addr())
        } else {
            String::new()
        };
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(options.connect_timeout))
            .set_response_timeout(Some(options.answer_timeout));
        let connecting = client.get_multiplexed_async_connection_with_config(&config);
        let connection = within(options.connect_timeout, connecting, RequestError::of_connecting).await;
        let mut link = Link {
            connection: connection.map_err(|error| unreached(address, &error, &place))?,
            digests: Arc::default(),
            answer_timeout: options.answer_timeout,
            client_id: 0,
            has_failed: Arc::default(),
            durability: Durability {
                replicas_wanted: options.replicas,
                is_cluster_wanted: address.is_cluster(),
                ..Durability::default()
            },
        };
        let introduced = link.introduce(&keys.check).await;
        introduced.map_err(|error| RequestError::NotDone(format!("{place}{error}")))?;
        Ok(link)
    }

    /// `channel` has no listeners.
    async fn introduce(&mut self, channel: &str) -> Result<(), RequestError> {
        self.client_id = self.query(redis::cmd("CLIENT").arg("ID")).await?;
        self.durability = self.durability_now().await?;
        let obstacles = self.durability.obstacles();
        if !obstacles.is_empty() {
            return Err(RequestError::NotDone(format!("this Redis cannot keep games: {}", list(&obstacles))));
        }
        // Check that the user is allowed to send announcements. A script announces an append
        // after making it, and cannot undo the append if the announcement fails.
        self.query::<u64>(redis::cmd("SPUBLISH").arg(channel).arg("")).await?;
        self.load_scripts().await
    }

    /// Reads how durable Redis is at the moment. Its settings can change while it runs.
    pub(super) async fn durability_now(&mut self) -> Result<Durability, RequestError> {
        let mut questions = Pipeline::new();
        questions.cmd("INFO");
        questions.cmd("CONFIG").arg("GET").arg("appendfsync").arg("maxmemory-policy");
        questions.arg("no-appendfsync-on-rewrite");
        let mut answers = self.send(&questions).await?.into_iter();
        let mut next = || answers.next().unwrap_or(Value::Nil);
        let info: String = parsed(next())?;
        let config: HashMap<String, String> = match checked(next()) {
            Ok(value) => parsed(value)?,
            // If `CONFIG` is forbidden, its settings are unknown and count as weak.
            Err(_) => HashMap::new(),
        };
        let is_cluster_wanted = self.durability.is_cluster_wanted;
        let found = Durability::of(&info, &config, self.durability.replicas_wanted);
        Ok(Durability { is_cluster_wanted, ..found })
    }

    pub(super) async fn load_scripts(&mut self) -> Result<(), RequestError> {
        let mut loads = Pipeline::new();
        for source in SOURCES {
            loads.cmd("SCRIPT").arg("LOAD").arg(*source);
        }
        self.digests = self.send(&loads).await?.into_iter().map(parsed).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Builds a call of a script; the caller adds the arguments. If a test has planted the
    /// corresponding error, an append does not check the end of the log.
    pub(super) fn call(&self, script: Script, keys: &[&str]) -> Cmd {
        #[cfg(feature = "planted-faults")]
        if script == Script::Append && crate::planted::is_planted(crate::planted::PLAIN_XADD) {
            const CHECK: &str = "if seq ~= expected_seq or hash ~= expected_hash then return nil, 'c' .. struct.pack('<I8', seq) .. hash end";
            let source = SOURCES[Script::Append as usize];
            assert!(source.contains(CHECK), "the check to remove is not in the script");
            return redis::cmd("EVAL").arg(source.replace(CHECK, "")).arg(keys.len()).arg(keys).take();
        }
        let digest = self.digests.get(script as usize).map_or("", String::as_str);
        redis::cmd("EVALSHA").arg(digest).arg(keys.len()).arg(keys).take()
    }

    /// Sends commands in one pipeline and returns their answers, including errors.
    pub(super) async fn send(&mut self, commands: &Pipeline) -> Result<Vec<Value>, RequestError> {
        let count = commands.len();
        let sending = self.connection.send_packed_commands(commands, 0, count);
        let answers = within(self.answer_timeout, sending, RequestError::of_error).await;
        let answers = answers.inspect_err(|_| self.has_failed.store(true, Ordering::SeqCst))?;
        if answers.len() == count {
            Ok(answers)
        } else {
            Err(RequestError::InDoubt("Redis gave too few answers".to_owned()))
        }
    }

    /// Sends one command.
    pub(super) async fn query<T: FromRedisValue>(&mut self, command: &Cmd) -> Result<T, RequestError> {
        let mut commands = Pipeline::new();
        commands.add_command(command.clone());
        let mut answers = self.send(&commands).await?;
        parsed(answers.pop().unwrap_or(Value::Nil))
    }

    /// Returns the identity of this connection, to be kept after the connection is dropped.
    pub(super) fn former(&self) -> Former {
        Former {
            run_id: self.durability.run_id.clone(),
            client_id: self.client_id,
            has_failed: self.has_failed.clone(),
        }
    }

    /// True if a request over this connection got no answer.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::SeqCst)
    }

    /// Makes sure that requests sent over a dropped connection can no longer be carried out, even
    /// those that Redis has not read yet. If all of them were answered, there are none, and other
    /// writers may still use the connection.
    pub(super) async fn fence(&mut self, former: &Former) -> Result<(), RequestError> {
        if former.run_id != self.durability.run_id || !former.has_failed.load(Ordering::SeqCst) {
            return Ok(());
        }
        // The answer is the number of closed connections. It is 0 if Redis had already closed the
        // connection.
        let mut kill = redis::cmd("CLIENT");
        kill.arg("KILL").arg("ID").arg(former.client_id).arg("SKIPME").arg("yes");
        self.query::<u64>(&kill).await.map(drop)
    }
}

fn unreached(address: &RedisAddress, error: &RequestError, place: &str) -> RequestError {
    // If Redis does not use TLS, it treats the handshake as the start of a command and waits for
    // the rest. So a missing answer may mean that TLS is off.
    let is_silent = matches!(error, RequestError::InDoubt(_)) && address.is_tls();
    let hint = if is_silent { "; does it speak TLS on that port?" } else { "" };
    RequestError::NotDone(format!("{address} cannot be reached: {place}{error}{hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_listed_in_the_order_of_their_names() {
        assert!(SOURCES[Script::Append as usize].contains("XADD"));
        assert!(SOURCES[Script::Begin as usize].contains("schema"));
        assert!(SOURCES[Script::Retire as usize].contains("'retired'"));
        assert!(
            SOURCES[Script::Share as usize].contains("lock_of")
                && SOURCES.len() == Script::Share as usize + 1
        );
    }
}
