//! What an operator can set, as the running server reads it. Each setting is declared here once:
//! its flag, variable, range, default and explanation.

use std::option;
use std::sync::Arc;
use std::time::Duration;

use clap::builder::{BoolValueParser, TypedValueParser};
use clap::{ArgAction, Args};
use flagfall_protocol::LagQuota;
use flagfall_tls::Trust;

use flagfall_base::admission::{AdmissionLimits, ProxyTrust};
use flagfall_base::delivery::Connections;
use flagfall_base::flags::{count, defaults, number, time, time_or_never};
use flagfall_base::memory::{MemoryGuard, MemoryLimit};
use flagfall_base::origin::Origin;
use flagfall_game::{Features, TableSettings};
use flagfall_store::record::Form;

const MILLISECOND: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The number of connections if neither the operator nor the system sets a limit.
const CONNECTIONS: usize = 10_000;

/// All settings of a running server. `Default` holds the values of a server started without flags.
#[derive(Args, Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// The address at which people open this server in a browser, as https://play.example.org:
    /// scheme, host and perhaps a port. Pages there may have sessions by cookie. Without it only
    /// pages of loopback addresses may, and those of a trusted proxy that speaks TLS.
    #[arg(long = "public-url", env = "FLAGFALL_PUBLIC_URL", value_name = "URL",
          value_parser = Origin::of_url, help_heading = "Listening")]
    pub public_url: Option<Origin>,
    /// An origin whose pages may connect: scheme, host and perhaps a port, without a path. Pages of
    /// the server's own host always may. For several, repeat the flag or separate them by commas.
    #[arg(long = "allow-origin", env = "FLAGFALL_ALLOW_ORIGIN", value_name = "ORIGIN",
          value_delimiter = ',', value_parser = origin, help_heading = "Listening")]
    pub allowed_origins: Vec<String>,
    /// The form in which moves are written into the store: 1 is the one that servers of version 0.1
    /// read, 2 is smaller. Without this a server writes form 2 while every server on its store
    /// reads it. With it `store export` writes all moves in that form.
    #[arg(long, env = "FLAGFALL_WRITE_FORMAT", value_name = "1|2", global = true, help_heading = "Store")]
    pub write_format: Option<Form>,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub times: Times,
    /// Measure what the first move is worth, but rate games as if it were worth nothing. Without it
    /// the first mover of a ruleset is expected to score as much better as its rated games show,
    /// once there are 1,000 of them and the difference is more than chance.
    #[arg(long = "ignore-first-move", env = "FLAGFALL_IGNORE_FIRST_MOVE", help_heading = "Games")]
    pub ignores_first_move: bool,
    #[command(flatten)]
    pub passwords: Passwords,
    /// Limits for one address and one player.
    #[command(flatten)]
    pub admission: AdmissionLimits,
    /// Proxies that are trusted to name their clients' addresses in `X-Forwarded-For`.
    #[command(flatten)]
    pub proxies: ProxyTrust,
    /// Webhooks of players may lead to private and loopback addresses, there also without TLS.
    /// Without this flag they lead to public addresses over https, so players cannot reach into
    /// your network through this server.
    #[arg(long = "webhooks-to-private", env = "FLAGFALL_WEBHOOKS_TO_PRIVATE",
          action = ArgAction::SetTrue,
          value_parser = BoolValueParser::new().map(Reach::from_private),
          help_heading = "Webhooks")]
    pub webhooks: Reach,
    /// Which certificate authorities webhooks trust.
    #[arg(skip)]
    pub webhook_trust: Trust,
}

impl Settings {
    pub fn for_tables(&self, connections: Connections, features: Arc<dyn Features>) -> TableSettings {
        TableSettings {
            deploy_ms: ms(self.times.deployment),
            lag_quota: self.lag_quota(),
            claim_ms: ms(self.times.claim),
            spectators_max: self.limits.spectators_per_game,
            games_per_player_max: self.limits.games_per_player,
            running_games_max: self.limits.running_games,
            memory: MemoryGuard::new(self.limits.memory),
            rest_ms: ms(self.times.rest),
            write_form: self.write_format,
            features,
            connections,
        }
    }

    /// The quota of lag compensation; `None` if it is switched off.
    fn lag_quota(&self) -> Option<LagQuota> {
        let ms = |time: Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
        let (per_ply_ms, stock_ms) = (ms(self.times.lag_per_ply), ms(self.times.lag_stock));
        (stock_ms > 0).then_some(LagQuota { per_ply_ms, stock_ms })
    }
}

pub(crate) fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Which addresses webhooks may reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reach {
    /// Public addresses, over TLS.
    #[default]
    Public,
    /// Also private and loopback addresses, those even without TLS.
    Private,
}

impl Reach {
    fn from_private(is_private: bool) -> Reach {
        if is_private { Reach::Private } else { Reach::Public }
    }
}

/// Checks an origin as browsers send it: scheme, host and perhaps a port.
fn origin(text: &str) -> Result<String, &'static str> {
    let authority = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_plain =
        |authority: &str| !authority.is_empty() && !authority.contains(['/', '?', '#', '@', '*', ' ']);
    if authority.is_some_and(is_plain) {
        Ok(text.to_owned())
    } else {
        Err("an origin is https://HOST or https://HOST:PORT, with nothing behind it")
    }
}

/// The cost of a password hash (argon2id).
#[derive(Args, Clone, PartialEq, Eq, Debug)]
pub struct Passwords {
    /// Memory that the hash of a password takes (argon2id), in KiB.
    #[arg(long = "password-memory-kib", env = "FLAGFALL_PASSWORD_MEMORY_KIB", value_name = "KIB",
          default_value = "19456", value_parser = number(32..=4_194_304),
          help_heading = "Accounts")]
    pub memory_kib: u32,
    /// Passes of a hash over that memory.
    #[arg(long = "password-passes", env = "FLAGFALL_PASSWORD_PASSES", value_name = "COUNT",
          default_value = "2", value_parser = number(1..=100), help_heading = "Accounts")]
    pub passes: u32,
    /// Lanes of one hash.
    #[arg(skip = 1_u32)]
    pub lanes: u32,
    /// Hashes computed at once; each keeps a core busy.
    #[arg(long = "passwords-at-once", env = "FLAGFALL_PASSWORDS_AT_ONCE", value_name = "COUNT",
          default_value = "2", value_parser = count(1..=256), help_heading = "Accounts")]
    pub at_once: usize,
    /// Hashes that may wait to be computed.
    #[arg(skip = 128_usize)]
    pub waiting: usize,
}

impl Default for Passwords {
    fn default() -> Passwords {
        defaults()
    }
}

/// Limits on numbers and sizes.
#[derive(Args, Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Open connections, HTTP included. Without it as many as the system allows files to this
    /// process, less some for the store.
    #[arg(long = "max-connections", env = "FLAGFALL_MAX_CONNECTIONS", value_name = "COUNT",
          value_parser = count(1..=1_000_000), help_heading = "Connections")]
    pub connections_max: Option<usize>,
    /// Disconnected players who are remembered for [`Times::visitor_memory`].
    #[arg(skip = 10_000_usize)]
    pub visitors_remembered: usize,
    /// Connections of one player; a further one closes the oldest.
    #[arg(long, env = "FLAGFALL_CONNECTIONS_PER_PLAYER", value_name = "COUNT", default_value = "8",
          value_parser = count(1..=1_000), help_heading = "Connections")]
    pub connections_per_player: usize,
    /// Messages a connection may send within --messages-seconds; legal moves do not count.
    #[arg(long = "messages", env = "FLAGFALL_MESSAGES", value_name = "COUNT", default_value = "100",
          value_parser = number(10..=10_000_000), help_heading = "Connections")]
    pub messages_per_window: u32,
    /// Malformed messages that a connection may send before it is closed.
    #[arg(skip = 4_u32)]
    pub malformed_max: u32,
    /// Games that a connection may have open at a time.
    #[arg(skip = 32_usize)]
    pub open_games_per_connection: usize,
    /// Running games of one player.
    #[arg(long, env = "FLAGFALL_GAMES_PER_PLAYER", value_name = "COUNT", default_value = "20",
          value_parser = count(1..=1_000), help_heading = "Games")]
    pub games_per_player: usize,
    /// Running games of all players together; beyond that new games are refused.
    #[arg(long = "max-running-games", env = "FLAGFALL_MAX_RUNNING_GAMES", value_name = "COUNT",
          default_value = "100000", value_parser = count(1..=100_000_000), help_heading = "Games")]
    pub running_games: usize,
    /// Memory this process may use, such as 900M or 2G. New games are refused at three quarters of
    /// it; running games go on. `auto` takes what the control group, or else the machine, allows;
    /// `none` refuses nothing.
    #[arg(
        long = "memory-limit",
        env = "FLAGFALL_MEMORY_LIMIT",
        value_name = "SIZE|auto|none",
        default_value = "auto",
        help_heading = "Games"
    )]
    pub memory: MemoryLimit,
    /// Spectators of one game.
    #[arg(long, env = "FLAGFALL_SPECTATORS_PER_GAME", value_name = "COUNT", default_value = "10000",
          value_parser = count(0..=1_000_000), help_heading = "Games")]
    pub spectators_per_game: usize,
    /// Open seeks of one player.
    #[arg(long, env = "FLAGFALL_SEEKS_PER_PLAYER", value_name = "COUNT", default_value = "3",
          value_parser = count(1..=80), help_heading = "Games")]
    pub seeks_per_player: usize,
    /// Open seeks of all players together, on all servers of a store.
    #[arg(long = "max-seeks", env = "FLAGFALL_MAX_SEEKS", value_name = "COUNT",
          default_value = "1000", value_parser = count(1..=4_000), help_heading = "Games")]
    pub seeks_max: usize,
    /// Open challenges of one player.
    #[arg(long, env = "FLAGFALL_CHALLENGES_PER_PLAYER", value_name = "COUNT", default_value = "10",
          value_parser = count(1..=1_000), help_heading = "Games")]
    pub challenges_per_player: usize,
    /// New guests in a minute.
    #[arg(long = "new-guests-per-minute", env = "FLAGFALL_NEW_GUESTS_PER_MINUTE",
          value_name = "COUNT", default_value = "6000", value_parser = number(1..=10_000_000),
          help_heading = "Connections")]
    pub guests_per_minute: u32,
    /// Tokens of one account.
    #[arg(long = "tokens-per-account", env = "FLAGFALL_TOKENS_PER_ACCOUNT", value_name = "COUNT",
          default_value = "16", value_parser = count(2..=24), help_heading = "Accounts")]
    pub tokens_per_player: usize,
    /// Wrong passwords for one name from one network within --attempts-minutes; ten times as many
    /// from all networks together in which the account was not signed in lately. Several servers
    /// count each for itself.
    #[arg(long, env = "FLAGFALL_ATTEMPTS_PER_NAME", value_name = "COUNT", default_value = "10",
          value_parser = number(1..=1_000_000), help_heading = "Accounts")]
    pub attempts_per_name: u32,
    /// Within --attempts-minutes, attempts at passwords and recovery codes, and new accounts, from
    /// one network.
    #[arg(long, env = "FLAGFALL_ATTEMPTS_PER_ADDRESS", value_name = "COUNT", default_value = "300",
          value_parser = number(1..=1_000_000), help_heading = "Accounts")]
    pub attempts_per_address: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        defaults()
    }
}

impl Limits {
    /// Open connections, including HTTP.
    pub fn connections_max(&self) -> usize {
        self.connections_max.unwrap_or(CONNECTIONS)
    }
}

/// Durations.
///
/// Where 0 means never, the type is `option::Option`: clap takes a plain `Option` for a flag that
/// may be missing.
#[derive(Args, Clone, PartialEq, Eq, Debug)]
pub struct Times {
    /// Time to deploy, in seconds.
    #[arg(long = "deploy-seconds", env = "FLAGFALL_DEPLOY_SECONDS", value_name = "SECONDS",
          default_value = "300", value_parser = time(SECOND, 5..=86_400), help_heading = "Games")]
    pub deployment: Duration,
    /// Network delay that is given back to a player with each move, on average, in milliseconds.
    /// The server measures it; a flag waits this long for a move that may be under way.
    #[arg(long = "lag-ms-per-ply", env = "FLAGFALL_LAG_MS_PER_PLY", value_name = "MS",
          default_value = "500", value_parser = time(MILLISECOND, 0..=5_000),
          help_heading = "Games")]
    pub lag_per_ply: Duration,
    /// The most network delay given back at once, in milliseconds. 0 gives nothing back.
    #[arg(long = "lag-ms", env = "FLAGFALL_LAG_MS", value_name = "MS", default_value = "3000",
          value_parser = time(MILLISECOND, 0..=60_000), help_heading = "Games")]
    pub lag_stock: Duration,
    /// Time after which a game that the opponent has left can be claimed, in seconds; longer games
    /// wait up to five times as long.
    #[arg(long = "claim-seconds", env = "FLAGFALL_CLAIM_SECONDS", value_name = "SECONDS",
          default_value = "60", value_parser = time(SECOND, 1..=3_600), help_heading = "Games")]
    pub claim: Duration,
    /// Time after which a running game that nobody has open leaves memory, in seconds; on a live
    /// clock a minute at most. It is opened again when a player asks for it, and its flag falls on
    /// time.
    #[arg(long = "rest-seconds", env = "FLAGFALL_REST_SECONDS", value_name = "SECONDS",
          default_value = "600", value_parser = time(SECOND, 1..=86_400), help_heading = "Games")]
    pub rest: Duration,
    /// How often games at rest are checked for flags and house players that are due.
    #[arg(skip = Duration::from_secs(1))]
    pub rest_look: Duration,
    /// Days after its end on which a game in Redis is archived: packed into less than half of the
    /// memory, and read as before. 0 archives none. Games in a data folder lie on the disk anyway.
    #[arg(long = "archive-after-days", env = "FLAGFALL_ARCHIVE_AFTER_DAYS", value_name = "DAYS",
          default_value = "30", value_parser = time_or_never(DAY, 0..=36_500),
          help_heading = "Games")]
    pub archive: option::Option<Duration>,
    /// How often games to archive are looked for.
    #[arg(skip = Duration::from_secs(10 * 60))]
    pub archive_look: Duration,
    /// Time for a client's hello, in seconds.
    #[arg(long = "hello-seconds", env = "FLAGFALL_HELLO_SECONDS", value_name = "SECONDS",
          default_value = "10", value_parser = time(SECOND, 1..=300), help_heading = "Connections")]
    pub hello: Duration,
    /// Time between two pings, in seconds.
    #[arg(long = "ping-seconds", env = "FLAGFALL_PING_SECONDS", value_name = "SECONDS",
          default_value = "5", value_parser = time(SECOND, 1..=300), help_heading = "Connections")]
    pub ping: Duration,
    /// Silence after which a link is dead, in seconds; more than --ping-seconds.
    #[arg(long = "pong-seconds", env = "FLAGFALL_PONG_SECONDS", value_name = "SECONDS",
          default_value = "10", value_parser = time(SECOND, 2..=600), help_heading = "Connections")]
    pub pong: Duration,
    /// The time of --messages, in seconds.
    #[arg(long = "messages-seconds", env = "FLAGFALL_MESSAGES_SECONDS", value_name = "SECONDS",
          default_value = "20", value_parser = time(SECOND, 1..=3_600),
          help_heading = "Connections")]
    pub message_window: Duration,
    /// How long a client has for the head of an HTTP request.
    #[arg(skip = Duration::from_secs(5))]
    pub http_head: Duration,
    /// How long an HTTP request may take in all, including its answer.
    #[arg(skip = Duration::from_secs(30))]
    pub http_request: Duration,
    /// How long a closing connection may take to flush its output and to receive the client's
    /// close.
    #[arg(skip = Duration::from_secs(3))]
    pub close_grace: Duration,
    /// How long after a player's last connection their token is accepted while the store is away,
    /// in minutes: they can watch from memory. A token that was revoked on another server counts as
    /// valid here until this server can learn of it. 0 accepts no token meanwhile.
    #[arg(long = "visitor-minutes", env = "FLAGFALL_VISITOR_MINUTES", value_name = "MINUTES",
          default_value = "15", value_parser = time(MINUTE, 0..=1_440),
          help_heading = "Connections")]
    pub visitor_memory: Duration,
    /// How long a seek outlives its seeker's last connection.
    #[arg(skip = Duration::from_secs(10))]
    pub seek_grace: Duration,
    /// Time between two waves of pairing in the pool, in seconds.
    #[arg(long = "pool-wave-seconds", env = "FLAGFALL_POOL_WAVE_SECONDS", value_name = "SECONDS",
          default_value = "5", value_parser = time(SECOND, 1..=600), help_heading = "Games")]
    pub pool_wave: Duration,
    /// How long a place in the pool outlives its player's last connection. It lasts at least half
    /// of this. `None`: 30 s and three waves.
    #[arg(skip)]
    pub pool_grace: Option<Duration>,
    /// Shortest time between two lobby messages to a watcher.
    #[arg(skip = Duration::from_millis(500))]
    pub lobby_interval: Duration,
    /// How long a challenge is open, in hours.
    #[arg(long = "challenge-hours", env = "FLAGFALL_CHALLENGE_HOURS", value_name = "HOURS",
          default_value = "24", value_parser = time(HOUR, 1..=720), help_heading = "Games")]
    pub challenge: Duration,
    /// How long the outcome of a lobby command is remembered.
    #[arg(skip = DAY)]
    pub command_memory: Duration,
    /// How long a guest who does not come back is remembered, in days.
    #[arg(long = "guest-days", env = "FLAGFALL_GUEST_DAYS", value_name = "DAYS",
          default_value = "90", value_parser = time(DAY, 2..=3_650), help_heading = "Games")]
    pub guest: Duration,
    /// How long a guest who has never finished a game is kept, in days since their first offer.
    /// Their token stays valid, so they come back as the same guest. 0 keeps them as long as
    /// others.
    #[arg(long = "new-guest-days", env = "FLAGFALL_NEW_GUEST_DAYS", value_name = "DAYS",
          default_value = "2", value_parser = time_or_never(DAY, 0..=3_650), global = true,
          help_heading = "Games")]
    pub new_guest: option::Option<Duration>,
    /// How long finished casual games in which no account played are kept, in days: log, record and
    /// history. Rated games and games of accounts stay. 0 keeps them forever.
    #[arg(long = "guest-game-days", env = "FLAGFALL_GUEST_GAME_DAYS", value_name = "DAYS",
          default_value = "90", value_parser = time_or_never(DAY, 0..=3_650), global = true,
          help_heading = "Games")]
    pub guest_game: option::Option<Duration>,
    /// How often guests and games past their time are looked for.
    #[arg(skip = Duration::from_secs(60))]
    pub prune_look: Duration,
    /// The time of --attempts-per-name and --attempts-per-address, in minutes.
    #[arg(long = "attempts-minutes", env = "FLAGFALL_ATTEMPTS_MINUTES", value_name = "MINUTES",
          default_value = "15", value_parser = time(MINUTE, 1..=1_440), help_heading = "Accounts")]
    pub attempt_window: Duration,
    /// How often tokens revoked on other servers are looked for.
    #[arg(skip = Duration::from_secs(1))]
    pub revocation_interval: Duration,
    /// How often correspondence games are checked for work that follows from a turn.
    #[arg(skip = Duration::from_secs(2))]
    pub turn_look: Duration,
    /// How often a heartbeat is sent to the store.
    #[arg(skip = Duration::from_secs(1))]
    pub heartbeat: Duration,
    /// How long the store may take for a heartbeat before clients are told that it is out of reach.
    /// With the pause of one heartbeat before it: 2.25 s since the last answer.
    #[arg(skip = Duration::from_millis(1_250))]
    pub store_late: Duration,
    /// How long the store may take for a health check.
    #[arg(skip = Duration::from_secs(2))]
    pub health: Duration,
    /// How long stopping may take before what remains is cut off.
    #[arg(skip = Duration::from_secs(8))]
    pub stop: Duration,
}

impl Default for Times {
    fn default() -> Times {
        defaults()
    }
}

impl Times {
    /// How long a place in the pool outlives its player's last connection.
    pub fn pool_grace(&self) -> Duration {
        self.pool_grace.unwrap_or_else(|| 30 * SECOND + 3 * self.pool_wave)
    }
}
