//! The operator's configuration: flags, with the environment as fallback.

mod admission;

use std::ffi::OsStr;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Parser, Subcommand, ValueEnum, value_parser};
use flagfall_board::GameId;
use flagfall_store::RedisAddress;
use flagfall_store::redis::Prefix;
use flagfall_tls::{AuthorityError, Trust};
use thiserror::Error;
use tracing_subscriber::EnvFilter;

use crate::proof::{KeyError, KeySource, SigningKey};
use crate::prune::Lifetimes;
use crate::redis_tls::{RedisTlsError, RedisTlsFiles};
use crate::settings::{FirstMove, Limits, Passwords, Reach, Settings, Times};
use flagfall_base::memory::MemoryLimit;

pub use self::admission::AdmissionFlags;

/// The address a server listens on by default.
pub const LISTEN: &str = "127.0.0.1:7171";

/// The lobby server of Flagfall: Stratego over the network.
///
/// Without flags it serves this machine alone, on 127.0.0.1:7171, and keeps its games in
/// ./flagfall-data. Every flag can be given in the environment instead; a flag overrides the
/// environment.
#[derive(Parser, Clone, Debug)]
#[command(name = "flagfall-server", version, after_long_help = format!("{AFTER_HELP}\n\n{}", flagfall_protocol::Exit::HELP), max_term_width = 100)]
pub struct Config {
    /// Address and port for players: WebSockets at /ws, HTTP beside it. Port 0 takes a free one.
    /// 0.0.0.0 serves the network; put a proxy that speaks TLS in front of it.
    #[arg(long, env = "FLAGFALL_LISTEN", value_name = "ADDRESS:PORT", default_value = LISTEN,
          value_parser = socket_address)]
    pub listen: SocketAddr,
    /// Address and port for operators: Prometheus metrics at /metrics. `none` switches them off.
    #[arg(
        long,
        env = "FLAGFALL_METRICS_LISTEN",
        value_name = "ADDRESS:PORT|none",
        default_value = "127.0.0.1:7172"
    )]
    pub metrics_listen: MetricsListen,
    /// Where games, guests and challenges are kept. Made if it is missing. One server at a time.
    #[arg(
        long,
        env = "FLAGFALL_DATA",
        value_name = "FOLDER",
        default_value = "flagfall-data",
        global = true
    )]
    pub data: PathBuf,
    /// What keeps them: `embedded` is durable, in the data folder; `memory` forgets everything at
    /// the end and is for trying things out; `redis://[:PASSWORD@]HOST[:PORT][/DATABASE]` is a
    /// Redis, for several servers at once, as are `unix:///PATH` and
    /// `redis+sentinel://[:PASSWORD@]HOST[:PORT],HOST[:PORT]/NAME`. Others on this machine see
    /// flags: give a password in the environment.
    #[arg(
        long,
        env = "FLAGFALL_STORE",
        value_name = "embedded|memory|REDIS",
        default_value = "embedded",
        value_parser = StoreParser,
        hide_env_values = true,
        global = true
    )]
    pub store: StoreKind,
    /// The file with the secret key that finished games are signed with: 64 hexadecimal digits, as
    /// `openssl rand -hex 32` prints them. Servers of one store share it. In the environment the
    /// digits themselves may stand. Without it a server with a data folder makes one,
    /// FOLDER/signing.key; others leave games unsigned.
    #[arg(long, env = "FLAGFALL_SIGNING_KEY", value_name = "FILE", hide_env_values = true)]
    pub signing_key: Option<KeySource>,
    /// Start although the data folder has lost acknowledged moves and it is not known of which
    /// games, as the message at start has said. Clients then load their games anew; games that are
    /// seen to be short stay closed.
    #[arg(long, env = "FLAGFALL_ACCEPT_LOST_TAIL")]
    pub accept_lost_tail: bool,
    /// The origin of pages that may connect: scheme, host and perhaps port, nothing behind. Those
    /// of the server's own host always may. Several: repeat the flag, or separate by commas.
    #[arg(long, env = "FLAGFALL_ALLOW_ORIGIN", value_name = "ORIGIN", value_delimiter = ',')]
    pub allow_origin: Vec<Origin>,
    /// What is logged, to standard error: error, warn, info, debug or trace, also by module
    /// (info,flagfall_server::lobby=debug).
    #[arg(long, env = "FLAGFALL_LOG", value_name = "FILTER", default_value = "info")]
    pub log: LogFilter,
    /// How it is logged: for a person, or a JSON object a line.
    #[arg(long, env = "FLAGFALL_LOG_FORMAT", value_name = "FORMAT", default_value = "human")]
    pub log_format: LogFormat,
    /// Look at the configuration, say what is wrong with it, and start nothing.
    #[arg(long)]
    pub check_config: bool,

    /// What all keys in Redis begin with: servers with the same prefix serve the same games.
    #[arg(
        long,
        env = "FLAGFALL_REDIS_PREFIX",
        value_name = "PREFIX",
        default_value = "flagfall",
        global = true,
        help_heading = "Redis"
    )]
    pub redis_prefix: Prefix,
    /// Replicas that must have a move before it is acknowledged. Without any, a failover may lose
    /// the last ones.
    #[arg(long, env = "FLAGFALL_REDIS_REPLICAS", value_name = "COUNT", default_value_t = 0,
          value_parser = value_parser!(u32).range(0..=16), global = true, help_heading = "Redis")]
    pub redis_replicas: u32,
    /// TLS with Redis.
    #[command(flatten)]
    pub redis_tls: RedisTlsFiles,
    /// Use a Redis that may lose acknowledged moves, as the message at start says. Without this it
    /// must keep an append-only file, sync it always, and never evict.
    #[arg(long, env = "FLAGFALL_ACCEPT_WEAK_REDIS", global = true, help_heading = "Redis")]
    pub accept_weak_redis: bool,

    /// Time to deploy, in seconds.
    #[arg(long, env = "FLAGFALL_DEPLOY_SECONDS", value_name = "SECONDS", default_value_t = 300,
          value_parser = value_parser!(u32).range(5..=86_400), help_heading = "Games")]
    pub deploy_seconds: u32,
    /// Network delay that is given back to a player with each move, on average, in milliseconds.
    /// The server measures it; a flag waits this long for a move that may be under way.
    #[arg(long, env = "FLAGFALL_LAG_MS_PER_PLY", value_name = "MS", default_value_t = 500,
          value_parser = value_parser!(u32).range(0..=5_000), help_heading = "Games")]
    pub lag_ms_per_ply: u32,
    /// The most network delay given back at once, in milliseconds. 0 gives nothing back.
    #[arg(long, env = "FLAGFALL_LAG_MS", value_name = "MS", default_value_t = 3_000,
          value_parser = value_parser!(u32).range(0..=60_000), help_heading = "Games")]
    pub lag_ms: u32,
    /// Time after which a game that the opponent has left can be claimed, in seconds; longer games
    /// wait up to five times as long.
    #[arg(long, env = "FLAGFALL_CLAIM_SECONDS", value_name = "SECONDS", default_value_t = 60,
          value_parser = value_parser!(u32).range(1..=3_600), help_heading = "Games")]
    pub claim_seconds: u32,
    /// Time after which a running game that nobody has open leaves memory, in seconds; on a live
    /// clock a minute at most. It is opened again when a player asks for it, and its flag falls on
    /// time.
    #[arg(long, env = "FLAGFALL_REST_SECONDS", value_name = "SECONDS", default_value_t = 600,
          value_parser = value_parser!(u32).range(1..=86_400), help_heading = "Games")]
    pub rest_seconds: u32,
    /// Days after its end on which a game in Redis is archived: packed into less than half of the
    /// memory, and read as before. 0 archives none. Games in a data folder lie on the disk anyway.
    #[arg(long, env = "FLAGFALL_ARCHIVE_AFTER_DAYS", value_name = "DAYS", default_value_t = 30,
          value_parser = value_parser!(u32).range(0..=36_500), help_heading = "Games")]
    pub archive_after_days: u32,
    /// Running games of one player.
    #[arg(long, env = "FLAGFALL_GAMES_PER_PLAYER", value_name = "COUNT", default_value_t = 20,
          value_parser = value_parser!(u32).range(1..=1_000), help_heading = "Games")]
    pub games_per_player: u32,
    /// Running games of all players together; beyond that new games are refused.
    #[arg(long, env = "FLAGFALL_MAX_RUNNING_GAMES", value_name = "COUNT", default_value_t = 100_000,
          value_parser = value_parser!(u32).range(1..=100_000_000), help_heading = "Games")]
    pub max_running_games: u32,
    /// Memory this process may use, such as 900M or 2G. New games are refused at three quarters of
    /// it; running games go on. `auto` takes what the control group, or else the machine, allows;
    /// `none` refuses nothing.
    #[arg(
        long,
        env = "FLAGFALL_MEMORY_LIMIT",
        value_name = "SIZE|auto|none",
        default_value = "auto",
        help_heading = "Games"
    )]
    pub memory_limit: MemoryLimit,
    /// Spectators of one game.
    #[arg(long, env = "FLAGFALL_SPECTATORS_PER_GAME", value_name = "COUNT", default_value_t = 10_000,
          value_parser = value_parser!(u32).range(0..=1_000_000), help_heading = "Games")]
    pub spectators_per_game: u32,
    /// Open seeks of one player.
    #[arg(long, env = "FLAGFALL_SEEKS_PER_PLAYER", value_name = "COUNT", default_value_t = 3,
          value_parser = value_parser!(u32).range(1..=80), help_heading = "Games")]
    pub seeks_per_player: u32,
    /// Open seeks of all players together, on all servers of a store.
    #[arg(long, env = "FLAGFALL_MAX_SEEKS", value_name = "COUNT", default_value_t = 1_000,
          value_parser = value_parser!(u32).range(1..=4_000), help_heading = "Games")]
    pub max_seeks: u32,
    /// Time between two waves of pairing in the pool, in seconds.
    #[arg(long, env = "FLAGFALL_POOL_WAVE_SECONDS", value_name = "SECONDS", default_value_t = 5,
          value_parser = value_parser!(u32).range(1..=600), help_heading = "Games")]
    pub pool_wave_seconds: u32,
    /// Open challenges of one player.
    #[arg(long, env = "FLAGFALL_CHALLENGES_PER_PLAYER", value_name = "COUNT", default_value_t = 10,
          value_parser = value_parser!(u32).range(1..=1_000), help_heading = "Games")]
    pub challenges_per_player: u32,
    /// How long a challenge is open, in hours.
    #[arg(long, env = "FLAGFALL_CHALLENGE_HOURS", value_name = "HOURS", default_value_t = 24,
          value_parser = value_parser!(u32).range(1..=720), help_heading = "Games")]
    pub challenge_hours: u32,
    /// How long a guest who does not come back is remembered, in days.
    #[arg(long, env = "FLAGFALL_GUEST_DAYS", value_name = "DAYS", default_value_t = 90,
          value_parser = value_parser!(u32).range(2..=3_650), help_heading = "Games")]
    pub guest_days: u32,
    /// How long a guest who has never finished a game is kept, in days since their first offer.
    /// Their token stays valid, so they come back as the same guest. 0 keeps them as long as
    /// others.
    #[arg(long, env = "FLAGFALL_NEW_GUEST_DAYS", value_name = "DAYS", default_value_t = 2,
          value_parser = value_parser!(u32).range(0..=3_650), global = true, help_heading = "Games")]
    pub new_guest_days: u32,
    /// How long finished casual games in which no account played are kept, in days: log, record and
    /// history. Rated games and games of accounts stay. 0 keeps them forever.
    #[arg(long, env = "FLAGFALL_GUEST_GAME_DAYS", value_name = "DAYS", default_value_t = 90,
          value_parser = value_parser!(u32).range(0..=3_650), global = true, help_heading = "Games")]
    pub guest_game_days: u32,

    /// Open connections, HTTP included. Without it as many as the system allows files to this
    /// process, less some for the store.
    #[arg(long, env = "FLAGFALL_MAX_CONNECTIONS", value_name = "COUNT",
          value_parser = value_parser!(u32).range(1..=1_000_000), help_heading = "Connections")]
    pub max_connections: Option<u32>,
    /// Connections of one player; a further one closes the oldest.
    #[arg(long, env = "FLAGFALL_CONNECTIONS_PER_PLAYER", value_name = "COUNT", default_value_t = 8,
          value_parser = value_parser!(u32).range(1..=1_000), help_heading = "Connections")]
    pub connections_per_player: u32,
    /// How long after a player's last connection their token is accepted while the store is away,
    /// in minutes: they can watch from memory. A token that was revoked on another server counts as
    /// valid here until this server can learn of it. 0 accepts no token meanwhile.
    #[arg(long, env = "FLAGFALL_VISITOR_MINUTES", value_name = "MINUTES", default_value_t = 15,
          value_parser = value_parser!(u32).range(0..=1_440), help_heading = "Connections")]
    pub visitor_minutes: u32,
    /// Messages a connection may send within --messages-seconds; legal moves do not count.
    #[arg(long, env = "FLAGFALL_MESSAGES", value_name = "COUNT", default_value_t = 100,
          value_parser = value_parser!(u32).range(10..=10_000_000), help_heading = "Connections")]
    pub messages: u32,
    /// The time of --messages, in seconds.
    #[arg(long, env = "FLAGFALL_MESSAGES_SECONDS", value_name = "SECONDS", default_value_t = 20,
          value_parser = value_parser!(u32).range(1..=3_600), help_heading = "Connections")]
    pub messages_seconds: u32,
    /// New guests in a minute.
    #[arg(long, env = "FLAGFALL_NEW_GUESTS_PER_MINUTE", value_name = "COUNT", default_value_t = 6_000,
          value_parser = value_parser!(u32).range(1..=10_000_000), help_heading = "Connections")]
    pub new_guests_per_minute: u32,
    /// What one address and one player may take.
    #[command(flatten)]
    pub admission: AdmissionFlags,
    /// Measure what the first move is worth, but rate games as if it were worth nothing. Without it
    /// the first mover of a ruleset is expected to score as much better as its rated games show,
    /// once there are 1,000 of them and the difference is more than chance.
    #[arg(long, env = "FLAGFALL_IGNORE_FIRST_MOVE")]
    pub ignore_first_move: bool,
    /// Webhooks of players may lead to private and loopback addresses, there also without TLS.
    /// Without this flag they lead to public addresses over https, so players cannot reach into
    /// your network through this server.
    #[arg(long, env = "FLAGFALL_WEBHOOKS_TO_PRIVATE")]
    pub webhooks_to_private: bool,
    /// A file with certificates (PEM) of authorities that webhooks may use, besides those that
    /// browsers trust.
    #[arg(long, env = "FLAGFALL_WEBHOOK_CA", value_name = "FILE")]
    pub webhook_ca: Option<PathBuf>,

    /// Wrong passwords for one name from one network within --attempts-minutes; ten times as many
    /// from all networks together in which the account was not signed in lately. Several servers
    /// count each for itself.
    #[arg(long, env = "FLAGFALL_ATTEMPTS_PER_NAME", value_name = "COUNT", default_value_t = 10,
          value_parser = value_parser!(u32).range(1..=1_000_000), help_heading = "Accounts")]
    pub attempts_per_name: u32,
    /// Within --attempts-minutes, attempts at passwords and recovery codes, and new accounts, from
    /// one network.
    #[arg(long, env = "FLAGFALL_ATTEMPTS_PER_ADDRESS", value_name = "COUNT", default_value_t = 300,
          value_parser = value_parser!(u32).range(1..=1_000_000), help_heading = "Accounts")]
    pub attempts_per_address: u32,
    /// The time of --attempts-per-name and --attempts-per-address, in minutes.
    #[arg(long, env = "FLAGFALL_ATTEMPTS_MINUTES", value_name = "MINUTES", default_value_t = 15,
          value_parser = value_parser!(u32).range(1..=1_440), help_heading = "Accounts")]
    pub attempts_minutes: u32,
    /// Tokens of one account.
    #[arg(long, env = "FLAGFALL_TOKENS_PER_ACCOUNT", value_name = "COUNT", default_value_t = 16,
          value_parser = value_parser!(u32).range(2..=24), help_heading = "Accounts")]
    pub tokens_per_account: u32,
    /// Memory that the hash of a password takes (argon2id), in KiB.
    #[arg(long, env = "FLAGFALL_PASSWORD_MEMORY_KIB", value_name = "KIB", default_value_t = 19 * 1024,
          value_parser = value_parser!(u32).range(32..=4_194_304), help_heading = "Accounts")]
    pub password_memory_kib: u32,
    /// How often the hash goes through it.
    #[arg(long, env = "FLAGFALL_PASSWORD_PASSES", value_name = "COUNT", default_value_t = 2,
          value_parser = value_parser!(u32).range(1..=100), help_heading = "Accounts")]
    pub password_passes: u32,
    /// Hashes computed at once; each keeps a core busy.
    #[arg(long, env = "FLAGFALL_PASSWORDS_AT_ONCE", value_name = "COUNT", default_value_t = 2,
          value_parser = value_parser!(u32).range(1..=256), help_heading = "Accounts")]
    pub passwords_at_once: u32,

    /// Time for a client's hello, in seconds.
    #[arg(long, env = "FLAGFALL_HELLO_SECONDS", value_name = "SECONDS", default_value_t = 10,
          value_parser = value_parser!(u32).range(1..=300), help_heading = "Connections")]
    pub hello_seconds: u32,
    /// Time between two pings, in seconds.
    #[arg(long, env = "FLAGFALL_PING_SECONDS", value_name = "SECONDS", default_value_t = 5,
          value_parser = value_parser!(u32).range(1..=300), help_heading = "Connections")]
    pub ping_seconds: u32,
    /// Silence after which a link is dead, in seconds; more than --ping-seconds.
    #[arg(long, env = "FLAGFALL_PONG_SECONDS", value_name = "SECONDS", default_value_t = 10,
          value_parser = value_parser!(u32).range(2..=600), help_heading = "Connections")]
    pub pong_seconds: u32,

    /// What to do instead of serving.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What the program does instead of serving.
#[derive(Subcommand, Clone, Debug)]
pub enum Command {
    /// Check, export, import or clean up a store. The server's own flags name the store; no server
    /// is started.
    #[command(subcommand)]
    Store(StoreCommand),
    /// Read reports, close and reopen accounts, take back what games did to ratings. Every act is
    /// logged. Works on the store that the server's own flags name: on a Redis while servers run,
    /// on a data folder while its server is stopped.
    #[command(subcommand)]
    Operator(OperatorCommand),
    /// Ask a running server for its health. Prints the answer and ends with 0 if the server is
    /// well; ends with 1 if it is not or does not answer. For health checks of containers and
    /// services.
    Health {
        /// Address the server listens on. Without it, --listen or FLAGFALL_LISTEN of the server
        /// itself.
        #[arg(id = "health-listen", long = "listen", value_name = "ADDRESS:PORT",
              value_parser = socket_address)]
        listen: Option<SocketAddr>,
    },
}

/// An operator's command about players.
#[derive(Subcommand, Clone, Debug)]
pub enum OperatorCommand {
    /// List what players have reported, oldest first.
    Reports,
    /// Close an account: nobody gets in with it, and its connections are closed.
    Close {
        /// The player's name.
        name: String,
        /// Why, for the log.
        #[arg(long)]
        reason: String,
    },
    /// Open a closed account again.
    Reopen {
        /// The player's name.
        name: String,
        /// Why, for the log.
        #[arg(long)]
        reason: String,
    },
    /// Take back what a game did to the ratings of its players, once: the current ratings are
    /// corrected, and the histories say so.
    Undo {
        /// The game's id.
        game: GameId,
        /// Why, for the log.
        #[arg(long)]
        reason: String,
    },
    /// Take back what all rated games of a player did to the ratings of both, each once.
    UndoAll {
        /// The player's name.
        name: String,
        /// Why, for the log.
        #[arg(long)]
        reason: String,
    },
    /// List jobs that failed for good, and how many jobs of each kind wait.
    Jobs {
        /// Puts failed jobs back, or discards one.
        #[command(subcommand)]
        command: Option<JobsCommand>,
    },
    /// List what operators have done, oldest first.
    Log,
}

/// An operator's command about jobs that failed for good.
#[derive(Subcommand, Clone, Debug)]
pub enum JobsCommand {
    /// Put a job back, so that a server tries it again within seconds.
    Retry {
        /// The job, as the list names it.
        #[arg(value_name = "KIND/ID", required_unless_present = "all")]
        job: Option<String>,
        /// All jobs that failed for good.
        #[arg(long, conflicts_with = "job")]
        all: bool,
        /// Why, for the log.
        #[arg(long)]
        reason: String,
    },
    /// Delete a job that failed for good: its work is never done. There is no way back.
    Discard {
        /// The job, as the list names it.
        #[arg(value_name = "KIND/ID")]
        job: String,
        /// Do it. Without this nothing is deleted.
        #[arg(long)]
        yes: bool,
        /// Why, for the log.
        #[arg(long)]
        reason: String,
    },
}

/// A maintenance command on a store.
#[derive(Subcommand, Clone, Debug)]
pub enum StoreCommand {
    /// Read every game and small record and say what is wrong, changing nothing. No server may be
    /// using the data folder.
    Check,
    /// Write the whole store to a file: what players must not see included. Stop the servers first.
    Export {
        /// The file; it must not be there yet. `-` is standard output.
        file: PathBuf,
    },
    /// Archive all games in a Redis that ended at least this long ago, including those that servers
    /// do not know to be due, such as games of an earlier version or imported ones. Servers may be
    /// running.
    Archive {
        /// How many days ago a game must have ended.
        #[arg(long, value_name = "DAYS", default_value_t = 30)]
        after_days: u32,
    },
    /// Delete what is past its time: guests who never played (--new-guest-days) and finished casual
    /// games without an account (--guest-game-days). Servers delete those of their own time by
    /// themselves; this looks through the whole store, so also through what version 0.1 wrote. On
    /// Redis, servers may be running.
    Prune {
        /// Count only; delete nothing.
        #[arg(long)]
        dry_run: bool,
    },
    /// Import an exported store into an empty one, every entry and record as it was. Repeat it if
    /// it is cut short.
    Import {
        /// The file.
        file: PathBuf,
    },
}

const AFTER_HELP: &str = "\
The first line on standard output is `listening on http://ADDRESS:PORT`, with the real port.
SIGTERM and Ctrl-C stop the server: games are paused, clients told to come back, within 10 seconds. A second signal cuts it off.";

/// Where metrics are served.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MetricsListen {
    /// Nowhere.
    Off,
    /// At this address.
    At(SocketAddr),
}

impl FromStr for MetricsListen {
    type Err = String;

    fn from_str(text: &str) -> Result<MetricsListen, String> {
        if text == "none" {
            return Ok(MetricsListen::Off);
        }
        socket_address(text).map(MetricsListen::At).map_err(|error| format!("{error}; or none"))
    }
}

fn socket_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "wanted: an address of this machine and a port, as 127.0.0.1:7171 or 0.0.0.0:7171 or [::1]:7171; \
         no name, for a name may have several addresses"
            .to_owned()
    })
}

/// The kind of store.
#[derive(Clone, Debug)]
pub enum StoreKind {
    /// Files in the data folder.
    Embedded,
    /// Nothing durable.
    Memory,
    /// A Redis.
    Redis(RedisAddress),
}

impl FromStr for StoreKind {
    type Err = String;

    fn from_str(text: &str) -> Result<StoreKind, String> {
        match text {
            "embedded" => Ok(StoreKind::Embedded),
            "memory" => Ok(StoreKind::Memory),
            // The text is not repeated in the error: it may hold a password.
            text => text
                .parse()
                .map(StoreKind::Redis)
                .map_err(|error| format!("embedded, memory, or a Redis; {error}")),
        }
    }
}

/// Parses `--store`. Error messages do not repeat an invalid value: it may hold a password, and
/// messages end up in logs.
#[derive(Clone)]
struct StoreParser;

impl TypedValueParser for StoreParser {
    type Value = StoreKind;

    fn parse_ref(
        &self,
        command: &clap::Command,
        _: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<StoreKind, clap::Error> {
        value.to_string_lossy().parse().map_err(|why: String| {
            let message = format!("--store (FLAGFALL_STORE) wants {why}\n");
            clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        })
    }
}

/// The format of logs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LogFormat {
    /// For a person.
    Human,
    /// One JSON object per line.
    Json,
}

/// An origin as browsers send it: scheme, host and perhaps a port, with nothing after them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin(String);

impl FromStr for Origin {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Origin, &'static str> {
        let authority = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let is_plain =
            |authority: &str| !authority.is_empty() && !authority.contains(['/', '?', '#', '@', '*', ' ']);
        if authority.is_some_and(is_plain) {
            Ok(Origin(text.to_owned()))
        } else {
            Err("an origin is https://HOST or https://HOST:PORT, with nothing behind it")
        }
    }
}

/// A log filter that is known to be valid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogFilter(String);

impl FromStr for LogFilter {
    type Err = String;

    fn from_str(text: &str) -> Result<LogFilter, String> {
        EnvFilter::builder().parse(text).map_err(|error| error.to_string())?;
        Ok(LogFilter(text.to_owned()))
    }
}

impl LogFilter {
    /// The filter.
    #[must_use]
    pub fn filter(&self) -> EnvFilter {
        EnvFilter::new(&self.0)
    }
}

/// Problems of a configuration whose single values are valid.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// A connection would count as dead before it is pinged.
    #[error("--pong-seconds ({pong}) must be more than --ping-seconds ({ping})")]
    PongBeforePing {
        /// As set.
        ping: u32,
        /// As set.
        pong: u32,
    },
    /// Two listeners on one port.
    #[error(
        "--metrics-listen and --listen are the same ({0}): give one another port, or --metrics-listen none"
    )]
    SamePort(SocketAddr),
    /// The data folder is not a folder.
    #[error("--data {0} is there, but it is not a folder")]
    DataIsNoFolder(PathBuf),
    /// The certificate authorities for webhooks cannot be read.
    #[error("--webhook-ca {0}")]
    WebhookAuthorities(#[from] AuthorityError),
    /// The TLS files for Redis cannot be used.
    #[error("{0}")]
    RedisTls(#[from] RedisTlsError),
}

impl Config {
    /// The key that signs finished games: the one named by the flag, the one of the data folder, or
    /// none. The data folder must exist.
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn signing_key(&self) -> Result<Option<SigningKey>, KeyError> {
        // An empty environment variable names no key.
        let source = self.signing_key.as_ref().filter(|source| !source.is_empty());
        match (source, &self.store) {
            (Some(source), _) => SigningKey::read(source).map(Some),
            (None, StoreKind::Embedded) => SigningKey::of_folder(&self.data).map(Some),
            (None, StoreKind::Memory | StoreKind::Redis(_)) => Ok(None),
        }
    }

    /// How long guests and their games are kept.
    #[must_use]
    pub fn lifetimes(&self) -> Lifetimes {
        Lifetimes::of_days(self.new_guest_days, self.guest_game_days)
    }

    /// The settings of the server.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn settings(&self) -> Result<Settings, ConfigError> {
        if self.pong_seconds <= self.ping_seconds {
            return Err(ConfigError::PongBeforePing { ping: self.ping_seconds, pong: self.pong_seconds });
        }
        if self.metrics_listen == MetricsListen::At(self.listen) && self.listen.port() != 0 {
            return Err(ConfigError::SamePort(self.listen));
        }
        if matches!(self.store, StoreKind::Embedded) && self.data.exists() && !self.data.is_dir() {
            return Err(ConfigError::DataIsNoFolder(self.data.clone()));
        }
        if let StoreKind::Redis(address) = &self.store {
            self.redis_tls.apply(address)?;
        }
        let lifetimes = self.lifetimes();
        let seconds = |seconds: u32| Duration::from_secs(seconds.into());
        let count = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
        let hours = |hours: u32| seconds(3_600).saturating_mul(hours);
        Ok(Settings {
            limits: Limits {
                connections_max: self.max_connections.map_or_else(connections_allowed, count),
                connections_per_player: count(self.connections_per_player),
                messages_per_window: self.messages,
                games_per_player: count(self.games_per_player),
                running_games: count(self.max_running_games),
                memory: self.memory_limit,
                spectators_per_game: count(self.spectators_per_game),
                seeks_per_player: count(self.seeks_per_player),
                seeks_max: count(self.max_seeks),
                challenges_per_player: count(self.challenges_per_player),
                guests_per_minute: self.new_guests_per_minute,
                tokens_per_player: count(self.tokens_per_account),
                attempts_per_name: self.attempts_per_name,
                attempts_per_address: self.attempts_per_address,
                ..Limits::default()
            },
            times: Times {
                deployment: seconds(self.deploy_seconds),
                claim: seconds(self.claim_seconds),
                rest: seconds(self.rest_seconds),
                archive: (self.archive_after_days > 0)
                    .then(|| hours(24).saturating_mul(self.archive_after_days)),
                pool_wave: seconds(self.pool_wave_seconds),
                pool_grace: seconds(30 + 3 * self.pool_wave_seconds),
                lag_per_ply: Duration::from_millis(self.lag_ms_per_ply.into()),
                lag_stock: Duration::from_millis(self.lag_ms.into()),
                hello: seconds(self.hello_seconds),
                ping: seconds(self.ping_seconds),
                pong: seconds(self.pong_seconds),
                message_window: seconds(self.messages_seconds),
                visitor_memory: seconds(60).saturating_mul(self.visitor_minutes),
                challenge: hours(self.challenge_hours),
                attempt_window: seconds(60).saturating_mul(self.attempts_minutes),
                guest: hours(24).saturating_mul(self.guest_days),
                new_guest: lifetimes.new_guest,
                guest_game: lifetimes.guest_game,
                ..Times::default()
            },
            passwords: Passwords {
                memory_kib: self.password_memory_kib,
                passes: self.password_passes,
                at_once: count(self.passwords_at_once),
                ..Passwords::default()
            },
            admission: self.admission.limits(),
            proxies: self.admission.proxies(),
            first_move: if self.ignore_first_move { FirstMove::IsMeasured } else { FirstMove::Counts },
            webhook_trust: Trust::with_authorities(self.webhook_ca.as_deref())?,
            webhooks: if self.webhooks_to_private { Reach::Private } else { Reach::Public },
            allowed_origins: self.allow_origin.iter().map(|Origin(origin)| origin.clone()).collect(),
        })
    }
}

/// The number of connections that the process's limit on open files allows, less some for the
/// store. 10,000 if the limit is unknown.
fn connections_allowed() -> usize {
    const FOR_THE_STORE: usize = 512;
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let files = limits.lines().find_map(|line| line.strip_prefix("Max open files")).and_then(|rest| {
        let soft = rest.split_whitespace().next()?;
        if soft == "unlimited" { Some(1_000_000) } else { soft.parse::<usize>().ok() }
    });
    match files {
        Some(files) => files.saturating_sub(FOR_THE_STORE).clamp(64, 1_000_000),
        None => Limits::default().connections_max,
    }
}

#[cfg(test)]
mod tests;
