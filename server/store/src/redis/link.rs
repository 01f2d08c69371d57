//! A connection to the primary with its scripts, and the faults that occur on it.

use std::collections::HashMap;
use std::error::Error;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use flagfall_tls::HandshakeFault;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Cmd, FromRedisValue, Pipeline, RedisError, RedisResult, Value};
use tokio::time::timeout;
use tokio_rustls::rustls;

use super::address::RedisAddress;
use super::durability::{Durability, list};

/// Characters of an error's own text that are passed on.
const SHOWN_MAX: usize = 120;

/// Why a request failed or may have failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// It was surely not carried out.
    NotDone(String),
    /// It may have been carried out, or may still be.
    InDoubt(String),
    /// Redis does not have the script; nothing was carried out.
    ScriptGone,
    /// A key holds a value of another type: another program has written there. Parts of the request
    /// that do not need such a key may have been carried out.
    WrongType,
}

/// The reason that a former primary gives for refusing writes.
const DEMOTED: &str = "this Redis is a replica now and takes no writes";

/// The reason after Redis was emptied.
pub(super) const EMPTIED: &str = "Redis was emptied while it ran: games that servers hold are given back, everything else is gone until a backup is restored";

/// The reason if the user lacks rights.
const FORBIDDEN: &str = "this user may not do all that the store has to do on Redis: compare its ACL with deploy/redis/users.acl.template, of which keys and \
                         channels are those of the prefix flagfall; ACL LOG, asked by another user, names what was refused";

/// The part of a text that is passed on.
fn shown(text: &str) -> String {
    text.chars().take(SHOWN_MAX).collect()
}

impl Fault {
    pub(super) fn not_done(why: &str) -> Fault {
        Fault::NotDone(why.to_owned())
    }

    /// The fault behind an error that answers a request.
    ///
    /// Of Redis's own text only the code is passed on: the rest may quote what was sent, which is
    /// secret.
    pub(super) fn of_error(error: &RedisError) -> Fault {
        if error.is_io_error() || error.is_timeout() || error.is_connection_dropped() {
            return Fault::InDoubt(if error.is_timeout() {
                "Redis did not answer in time".to_owned()
            } else {
                "the connection to Redis was lost".to_owned()
            });
        }
        if error.kind() == redis::ErrorKind::AuthenticationFailed {
            return Fault::of_code("WRONGPASS");
        }
        Fault::of_code(error.code().unwrap_or(error.category()))
    }

    /// The fault behind an error while connecting. Nothing secret is sent before the other side's
    /// certificate has been verified.
    pub(super) fn of_connecting(error: &RedisError) -> Fault {
        let shared = error.source().and_then(|source| source.downcast_ref::<Arc<dyn Error + Send + Sync>>());
        let io = shared.and_then(|source| source.downcast_ref::<std::io::Error>());
        let tls = io.and_then(std::io::Error::get_ref).and_then(|inner| inner.downcast_ref());
        match (tls, io) {
            (Some(rustls::Error::AlertReceived(rustls::AlertDescription::CertificateRequired)), _) => {
                Fault::not_done("it asks who connects: name a certificate with --redis-cert and --redis-key")
            }
            (Some(_), Some(io)) => match HandshakeFault::from(io) {
                fault @ HandshakeFault::UntrustedIssuer => {
                    Fault::NotDone(format!("{fault}: name who has issued it with --redis-ca"))
                }
                fault @ HandshakeFault::NoTls => Fault::NotDone(format!("{fault}: say redis://")),
                fault => Fault::NotDone(fault.to_string()),
            },
            _ => match io.map(std::io::Error::kind) {
                Some(ErrorKind::ConnectionRefused) => Fault::not_done("nobody listens there"),
                Some(ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::UnexpectedEof) => {
                    Fault::not_done("it ended the connection at once; if it speaks TLS, say rediss://")
                }
                // The system's own text, such as an unknown host name or an unreachable network.
                Some(_) if !error.is_timeout() => {
                    Fault::NotDone(shown(&io.map(ToString::to_string).unwrap_or_default()))
                }
                _ => Fault::of_error(error),
            },
        }
    }

    /// The fault behind an error that a script met and passed on. Here, too, only the code is used.
    pub(super) fn of_words(error: &str) -> Fault {
        Fault::of_code(error.trim_start_matches('-').split(' ').next().unwrap_or_default())
    }

    fn of_code(code: &str) -> Fault {
        let not_done = |why: &str| Fault::NotDone(why.to_owned());
        match code {
            "NOSCRIPT" => Fault::ScriptGone,
            "WRONGTYPE" => Fault::WrongType,
            "OOM" => not_done("Redis's memory is full: give it more (maxmemory), then archive games sooner"),
            "READONLY" => not_done(DEMOTED),
            "MISCONF" => {
                not_done("Redis takes no writes because it cannot save: look at its log and its disk")
            }
            "NOREPLICAS" => not_done("Redis takes no writes because too few replicas follow it"),
            "LOADING" => not_done("Redis is still loading its data"),
            "BUSY" => not_done("Redis is busy with a script"),
            "NOAUTH" | "WRONGPASS" => not_done("Redis wants another user or password"),
            "NOPERM" => not_done(FORBIDDEN),
            "MOVED" | "ASK" | "CROSSSLOT" | "CLUSTERDOWN" | "TRYAGAIN" => not_done(
                "this is a Redis Cluster, which is not supported: name a single primary, or Sentinels",
            ),
            "MASTERDOWN" => not_done("this Redis is a replica that has lost its primary"),
            // One cause: before Redis 7.2, a script that does what its user may not.
            "ERR" => Fault::InDoubt(format!("Redis gave an error without a name; perhaps {FORBIDDEN}")),
            code => Fault::InDoubt(format!("Redis gave an error nobody expected ({})", shown(code))),
        }
    }

    pub(super) fn into_why(self) -> String {
        match self {
            Fault::NotDone(why) | Fault::InDoubt(why) => why,
            Fault::ScriptGone => "Redis has forgotten its scripts".to_owned(),
            Fault::WrongType => "a key of the store in Redis holds a value of another type".to_owned(),
        }
    }

    /// True if the connection is of no further use.
    pub(super) fn ends_link(&self) -> bool {
        match self {
            Fault::InDoubt(_) => true,
            // After a failover, Sentinels know the new primary. What was lost is given back on a
            // new connection. If only replicas are missing, this is still the primary.
            Fault::NotDone(why) => why == DEMOTED || why == EMPTIED,
            Fault::ScriptGone | Fault::WrongType => false,
        }
    }
}

/// Waits for an answer, for at most `limit`.
pub(super) async fn bounded<T>(
    limit: Duration,
    work: impl Future<Output = RedisResult<T>>,
) -> Result<T, Fault> {
    within(limit, work, Fault::of_error).await
}

/// Waits for a connection, for at most `limit`.
pub(super) async fn connected<T>(
    limit: Duration,
    work: impl Future<Output = RedisResult<T>>,
) -> Result<T, Fault> {
    within(limit, work, Fault::of_connecting).await
}

async fn within<T>(
    limit: Duration,
    work: impl Future<Output = RedisResult<T>>,
    fault_of: impl Fn(&RedisError) -> Fault,
) -> Result<T, Fault> {
    match timeout(limit, work).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(fault_of(&error)),
        Err(_) => Err(Fault::InDoubt("Redis did not answer in time".to_owned())),
    }
}

/// One answer of a pipeline, or the fault behind its error.
pub(super) fn checked(value: Value) -> Result<Value, Fault> {
    match value {
        Value::ServerError(error) => Err(Fault::of_code(error.code())),
        value => Ok(value),
    }
}

/// One answer of a pipeline, as a type.
pub(super) fn parsed<T: FromRedisValue>(value: Value) -> Result<T, Fault> {
    T::from_redis_value(checked(value)?)
        .map_err(|_| Fault::InDoubt("Redis gave an answer nobody expected".to_owned()))
}

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
            Err(Fault::NotDone(why)) if why == FORBIDDEN => HashMap::new(),
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
    fn what_surely_did_not_happen_is_told_from_what_may_have() {
        for code in ["OOM", "READONLY", "MISCONF", "LOADING", "NOAUTH", "BUSY", "NOREPLICAS", "CROSSSLOT"] {
            assert!(matches!(Fault::of_code(code), Fault::NotDone(_)), "{code}");
        }
        assert_eq!(Fault::of_code("NOSCRIPT"), Fault::ScriptGone);
        assert!(matches!(Fault::of_code("ERR"), Fault::InDoubt(_)));
        assert!(Fault::of_code("READONLY").ends_link() && !Fault::of_code("OOM").ends_link());
    }

    #[test]
    fn who_cannot_connect_or_may_not_is_told_what_to_look_at() {
        let of = |error: std::io::Error| Fault::of_connecting(&error.into()).into_why();
        let unknown =
            std::io::Error::other("failed to lookup address information: Name or service not known");
        assert!(of(unknown).contains("lookup address information: Name or service"));
        assert!(of(ErrorKind::ConnectionRefused.into()).contains("nobody listens there"));
        assert!(of(ErrorKind::TimedOut.into()).contains("did not answer in time"));
        for code in ["NOPERM", "ERR"] {
            let why = Fault::of_code(code).into_why();
            assert!(why.contains("ACL LOG") && why.contains("users.acl.template"), "{why}");
        }
    }

    #[test]
    fn scripts_stand_in_the_order_of_their_names() {
        assert!(SOURCES[Script::Append as usize].contains("XADD"));
        assert!(SOURCES[Script::Begin as usize].contains("schema"));
        assert!(SOURCES[Script::Pack as usize].contains("'packed'"));
        assert_eq!(SOURCES.len(), Script::Pack as usize + 1);
    }

    #[test]
    fn only_another_primary_or_doubt_wants_another_connection() {
        for (code, ends) in
            [("READONLY", true), ("NOREPLICAS", false), ("OOM", false), ("NOSCRIPT", false), ("WHAT", true)]
        {
            assert_eq!(Fault::of_code(code).ends_link(), ends, "{code}");
        }
    }
}
