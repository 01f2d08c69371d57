//! A connection to the primary with its scripts, and the faults that occur on it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Cmd, FromRedisValue, Pipeline, Value};

use super::address::RedisAddress;
use super::durability::{Durability, list};
use super::fault::{Fault, bounded, checked, connected, parsed};

macro_rules! scripts {
    ($($name:ident = $file:literal),* $(,)?) => {
        /// The scripts that run inside Redis.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Script { $($name),* }

        const SOURCES: &[&str] = &[$(
            concat!(include_str!("scripts/prelude.lua"), include_str!(concat!("scripts/", $file, ".lua")))
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
    Pack = "pack",
}

/// Adds the two commands whose answers [`Durability::of`] takes.
fn ask_for_durability(questions: &mut Pipeline) {
    questions.cmd("INFO");
    questions.cmd("CONFIG").arg("GET").arg("appendfsync").arg("maxmemory-policy");
    questions.arg("no-appendfsync-on-rewrite");
}

/// Time limits for Redis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeouts {
    pub(super) connect: Duration,
    pub(super) answer: Duration,
}

/// A connection to the primary. Clones are handles to the same connection.
#[derive(Clone)]
pub(super) struct Link {
    connection: MultiplexedConnection,
    digests: Arc<[String]>,
    timeouts: Timeouts,
    /// The id of this run of Redis.
    pub(super) run_id: String,
    /// Redis's id for this connection.
    client_id: u64,
    pub(super) durability: Durability,
}

/// A connection that was given up. Redis may still have to read its last requests.
pub(super) struct Former {
    run_id: String,
    client_id: u64,
}

impl Link {
    /// Connects, reads what this Redis durability, and loads the scripts.
    pub(super) async fn open(
        address: &RedisAddress,
        timeouts: Timeouts,
        replicas_wanted: u32,
    ) -> Result<Link, Fault> {
        let unreached = |fault: Fault| {
            // A Redis without TLS takes the handshake for a command and waits for its end.
            let is_silent = matches!(fault, Fault::InDoubt(_)) && address.is_tls();
            let hint = if is_silent { "; does it speak TLS on that port?" } else { "" };
            Fault::NotDone(format!("{address} cannot be reached: {}{hint}", fault.into_why()))
        };
        let client = address.client(timeouts.connect).await.map_err(unreached)?;
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(timeouts.connect))
            .set_response_timeout(Some(timeouts.answer));
        let connecting = client.get_multiplexed_async_connection_with_config(&config);
        let connection = connected(timeouts.connect, connecting).await.map_err(unreached)?;
        let mut link = Link {
            connection,
            digests: Arc::default(),
            timeouts,
            run_id: String::new(),
            client_id: 0,
            durability: Durability::default(),
        };
        link.introduce(replicas_wanted).await.map_err(|fault| Fault::NotDone(fault.into_why()))?;
        Ok(link)
    }

    async fn introduce(&mut self, replicas_wanted: u32) -> Result<(), Fault> {
        let mut questions = Pipeline::new();
        questions.ignore_errors().cmd("CLIENT").arg("ID");
        ask_for_durability(&mut questions);
        for source in SOURCES {
            questions.cmd("SCRIPT").arg("LOAD").arg(*source);
        }
        let mut answers = self.send(&questions).await?.into_iter();
        let mut next = || answers.next().unwrap_or(Value::Nil);
        self.client_id = parsed(next())?;
        let info: String = parsed(next())?;
        // If CONFIG is forbidden, its settings are unknown and count as not promised.
        let config: HashMap<String, String> = parsed(next()).unwrap_or_default();
        self.durability = Durability::of(&info, &config, replicas_wanted);
        let run_id = info.lines().find_map(|line| line.trim().strip_prefix("run_id:"));
        run_id.unwrap_or_default().clone_into(&mut self.run_id);
        let obstacles = self.durability.obstacles();
        if !obstacles.is_empty() {
            return Err(Fault::NotDone(format!("this Redis cannot keep games: {}", list(&obstacles))));
        }
        self.digests = SOURCES.iter().map(|_| parsed(next())).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Reads what this Redis promises now: its settings may have been changed while it runs.
    ///
    /// # Errors
    /// [`Fault`]: Redis did not answer.
    pub(super) async fn durability_now(&mut self) -> Result<Durability, Fault> {
        let mut questions = Pipeline::new();
        questions.ignore_errors();
        ask_for_durability(&mut questions);
        let mut answers = self.send(&questions).await?.into_iter();
        let mut next = || answers.next().unwrap_or(Value::Nil);
        let info: String = parsed(next())?;
        let config: HashMap<String, String> = match checked(next()) {
            Ok(value) => parsed(value)?,
            // If CONFIG is forbidden, nothing is promised, as when connecting.
            Err(Fault::Forbidden) => HashMap::new(),
            Err(fault) => return Err(fault),
        };
        Ok(Durability::of(&info, &config, self.durability.replicas_wanted))
    }

    /// Loads the scripts into Redis again.
    pub(super) async fn load_scripts(&mut self) -> Result<(), Fault> {
        let mut loads = Pipeline::new();
        loads.ignore_errors();
        for source in SOURCES {
            loads.cmd("SCRIPT").arg("LOAD").arg(*source);
        }
        self.digests = self.send(&loads).await?.into_iter().map(parsed).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Begins the call of a script; the caller adds the arguments.
    pub(super) fn call(&self, script: Script, keys: &[&str]) -> Cmd {
        let mut command = redis::cmd("EVALSHA");
        command.arg(self.digests.get(script as usize).map_or("", String::as_str)).arg(keys.len()).arg(keys);
        command
    }

    /// Begins the call that appends. With the planted fault, it does not check the end of the log.
    #[cfg(feature = "planted-faults")]
    pub(super) fn call_append(&self, keys: &[&str]) -> Cmd {
        const CHECK: &str = "if seq ~= expected_seq or hash ~= expected_hash then return nil, 'c' .. struct.pack('<I8', seq) .. hash end";
        if !crate::planted::PlantedFault::PlainXadd.is_planted() {
            return self.call(Script::Append, keys);
        }
        let source = SOURCES[Script::Append as usize];
        assert!(source.contains(CHECK), "the check to remove is not in the script");
        let mut command = redis::cmd("EVAL");
        command.arg(source.replace(CHECK, "")).arg(keys.len()).arg(keys);
        command
    }

    /// Sends commands in one go and returns their answers, errors included.
    pub(super) async fn send(&mut self, commands: &Pipeline) -> Result<Vec<Value>, Fault> {
        let count = commands.len();
        let answers =
            bounded(self.timeouts.answer, self.connection.send_packed_commands(commands, 0, count)).await?;
        if answers.len() == count {
            Ok(answers)
        } else {
            Err(Fault::InDoubt("Redis gave too few answers".to_owned()))
        }
    }

    /// Sends one command.
    pub(super) async fn ask<T: FromRedisValue>(&mut self, command: &Cmd) -> Result<T, Fault> {
        let mut commands = Pipeline::new();
        commands.ignore_errors().add_command(command.clone());
        let mut answers = self.send(&commands).await?;
        parsed(answers.pop().unwrap_or(Value::Nil))
    }

    /// What to remember of this link when it is given up.
    pub(super) fn former(&self) -> Former {
        Former { run_id: self.run_id.clone(), client_id: self.client_id }
    }

    /// Makes sure that nothing sent over a former connection is carried out from now on: Redis may
    /// not have read all of it yet.
    pub(super) async fn fence(&mut self, former: &Former) -> Result<(), Fault> {
        if former.run_id != self.run_id {
            return Ok(());
        }
        // The answer is the number of connections killed: 0 if Redis has closed it already.
        let mut kill = redis::cmd("CLIENT");
        kill.arg("KILL").arg("ID").arg(former.client_id).arg("SKIPME").arg("yes");
        self.ask::<u64>(&kill).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_listed_in_the_order_of_their_names() {
        assert!(SOURCES[Script::Append as usize].contains("XADD"));
        assert!(SOURCES[Script::Begin as usize].contains("schema"));
        assert!(SOURCES[Script::Pack as usize].contains("'packed'"));
        assert_eq!(SOURCES.len(), Script::Pack as usize + 1);
    }
}
