//! The settings of a running server. Each is declared once, with its flag, environment variable,
//! range, default and explanation.

use std::option;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::builder::{BoolValueParser, TypedValueParser};
use clap::{ArgAction, Args, ValueEnum};
use flagfall_protocol::LagQuota;
use flagfall_tls::Trust;

use crate::about::About;
use crate::mail_relay::MailRelay;
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

/// Limit on open connections if neither the operator nor the system sets one.
const CONNECTIONS: usize = 10_000;

/// All settings of a running server. `Default` holds the values of a server started without flags.
#[derive(Args, Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// The address at which people open this server in a browser, such as
    /// `https://play.example.org`: scheme, host and optionally a port. Pages at this address can
    /// use sessions with cookies. If unset, only pages at loopback addresses and pages behind a
    /// trusted proxy that speaks TLS can use sessions.
    #[arg(long = "public-url", env = "FLAGFALL_PUBLIC_URL", value_name = "URL",
          value_parser = Origin::of_url, help_heading = "Listening")]
    pub public_url: Option<Origin>,
    /// An origin whose pages may connect: scheme, host and optionally a port, without a path.
    /// Pages of the server's own host may always connect. To allow several origins, repeat the
    /// flag or separate them with commas.
    #[arg(long = "allow-origin", env = "FLAGFALL_ALLOW_ORIGIN", value_name = "ORIGIN",
          value_delimiter = ',', value_parser = Origin::of_url, help_heading = "Listening")]
    pub allowed_origins: Vec<Origin>,
    /// The address for reports of vulnerabilities in this server: mailto:ADDRESS or https://PAGE.
    /// The server publishes it as /.well-known/security.txt.
    #[arg(long, env = "FLAGFALL_SECURITY_CONTACT", value_name = "URI", value_parser = contact,
          help_heading = "Listening")]
    pub security_contact: Option<String>,
    /// The operator's text about the server.
    #[arg(skip)]
    pub about: Option<About>,
    /// The page for browsers.
    #[command(flatten)]
    pub page: PageSettings,
    /// The format in which moves are stored. Servers of version 0.1 can read format 1; format 2
    /// is smaller. If unset, a server writes format 2 while every server on its store can read
    /// it. If set, `store export` writes all moves in this format.
    #[arg(long, env = "FLAGFALL_WRITE_FORMAT", value_name = "1|2", global = true, help_heading = "Store")]
    pub write_format: Option<Form>,
    /// What this server does. A relay only shows the lobby and games to anonymous spectators, and
    /// leaves everything else to the other servers on its Redis. A proxy sends spectators to it.
    #[arg(
        long,
        env = "FLAGFALL_ROLE",
        value_name = "ROLE",
        default_value = "full",
        help_heading = "Listening"
    )]
    pub role: Role,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub times: Times,
    /// Measure the advantage of the first move, but ignore it in ratings. Without this flag,
    /// ratings take the advantage into account once the ruleset has 1,000 rated games in which
    /// the advantage is statistically significant.
    #[arg(long = "ignore-first-move", env = "FLAGFALL_IGNORE_FIRST_MOVE", help_heading = "Games")]
    pub ignores_first_move: bool,
    #[command(flatten)]
    pub passwords: Passwords,
    /// Per-address and per-player limits.
    #[command(flatten)]
    pub admission: AdmissionLimits,
    /// Proxies that are trusted to name their clients' addresses in `X-Forwarded-For`.
    #[command(flatten)]
    pub proxies: ProxyTrust,
    /// Allow players' webhooks and push services at private and loopback addresses, even without
    /// TLS. Without this flag, they must have public addresses and use https, so that players
    /// cannot reach into your network through this server.
    #[arg(long = "webhooks-to-private", env = "FLAGFALL_WEBHOOKS_TO_PRIVATE",
          action = ArgAction::SetTrue,
          value_parser = BoolValueParser::new().map(Reach::from_private),
          help_heading = "Webhooks")]
    pub webhooks: Reach,
    /// The certificate authorities that webhooks trust.
    #[arg(skip)]
    pub webhook_trust: Trust,
    /// The operator's mail server. Without one, the server sends no mail.
    #[arg(skip)]
    pub relay: Option<MailRelay>,
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
            idle_ms: ms(self.times.idle_game),
            idle_house_ms: ms(self.times.idle_house_game),
            rest_ms: ms(self.times.rest),
            is_relay: self.role == Role::Relay,
            write_form: self.write_format,
            features,
            connections,
        }
    }

    /// Returns an address of the operator in the form that push services accept: the contact for
    /// vulnerabilities, or else the server's address.
    pub fn contact(&self) -> Option<String> {
        let contact = self.security_contact.clone().filter(|contact| !contact.starts_with("tel:"));
        let public = self.public_url.as_ref().filter(|url| url.is_https());
        contact.or_else(|| public.map(ToString::to_string))
    }

    /// Returns the public address of the page, if there is a page and the address is known.
    pub fn page_url(&self) -> Option<String> {
        self.public_url.as_ref().filter(|_| !self.page.is_off).map(ToString::to_string)
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

/// What a server does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Role {
    /// Everything.
    #[default]
    Full,
    /// Shows the lobby and games to anonymous spectators, and does nothing else.
    Relay,
}

/// The addresses that webhooks may reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reach {
    /// Public addresses, over TLS.
    #[default]
    Public,
    /// Also private and loopback addresses, which do not need TLS.
    Private,
}

impl Reach {
    fn from_private(is_private: bool) -> Reach {
        if is_private { Reach::Private } else { Reach::Public }
    }
}

/// The page for browsers.
#[derive(Args, Clone, PartialEq, Eq, Debug, Default)]
#[command(next_help_heading = "Page")]
pub struct PageSettings {
    /// Serve the page from this folder, and read the folder on each request. This is for
    /// developers of the page, with the folder `client-web` of a checkout. Without this flag, the
    /// server serves the page that it was built with.
    #[arg(long = "page", env = "FLAGFALL_PAGE", value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
    /// Serve no page. This flag overrides --page.
    #[arg(long = "no-page", env = "FLAGFALL_NO_PAGE")]
    pub is_off: bool,
}

/// Checks that the address for vulnerability reports is a URI on one line.
fn contact(text: &str) -> Result<String, &'static str> {
    let is_known = ["mailto:", "https://", "tel:"]
        .iter()
        .any(|scheme| text.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty()));
    if is_known && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(text.to_owned())
    } else {
        Err("wanted: mailto:ADDRESS, https://PAGE or tel:NUMBER, without spaces")
    }
}

/// The cost of a password hash (argon2id).
#[derive(Args, Clone, PartialEq, Eq, Debug)]
pub struct Passwords {
    /// Memory that is used for one password hash (argon2id), in KiB.
    #[arg(long = "password-memory-kib", env = "FLAGFALL_PASSWORD_MEMORY_KIB", value_name = "KIB",
          default_value = "19456", value_parser = number(32..=4_194_304),
          help_heading = "Accounts")]
    pub memory_kib: u32,
    /// Number of passes that a password hash makes over its memory.
    #[arg(long = "password-passes", env = "FLAGFALL_PASSWORD_PASSES", value_name = "COUNT",
          default_value = "2", value_parser = number(1..=100), help_heading = "Accounts")]
    pub passes: u32,
    /// Maximum number of password hashes that are computed at once. Each keeps one core busy.
    #[arg(long = "passwords-at-once", env = "FLAGFALL_PASSWORDS_AT_ONCE", value_name = "COUNT",
          default_value = "2", value_parser = count(1..=256), help_heading = "Accounts")]
    pub at_once: usize,
    /// Maximum number of password hashes that wait to be computed.
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
    /// Maximum number of open connections, including HTTP. If unset, this is the number of files
    /// that the system lets this process open, minus some for the store.
    #[arg(long = "max-connections", env = "FLAGFALL_MAX_CONNECTIONS", value_name = "COUNT",
          value_parser = count(1..=1_000_000), help_heading = "Connections")]
    pub connections_max: Option<usize>,
    /// Maximum number of connections of one player. A further connection closes the player's
    /// oldest one.
    #[arg(long, env = "FLAGFALL_CONNECTIONS_PER_PLAYER", value_name = "COUNT", default_value = "8",
          value_parser = count(1..=1_000), help_heading = "Connections")]
    pub connections_per_player: usize,
    /// The number of HTTP requests after which the server closes a connection.
    #[arg(skip = 200_u32)]
    pub requests_per_connection: u32,
    /// Maximum number of messages on one connection within --messages-seconds. Legal moves do not
    /// count.
    #[arg(long = "messages", env = "FLAGFALL_MESSAGES", value_name = "COUNT", default_value = "100",
          value_parser = number(10..=10_000_000), help_heading = "Connections")]
    pub messages_per_window: u32,
    /// Maximum number of games that a connection may have open at a time.
    #[arg(skip = 32_usize)]
    pub open_games_per_connection: usize,
    /// Maximum number of running games of one player.
    #[arg(long, env = "FLAGFALL_GAMES_PER_PLAYER", value_name = "COUNT", default_value = "20",
          value_parser = count(1..=1_000), help_heading = "Games")]
    pub games_per_player: usize,
    /// Maximum number of running games of all players together. Above this limit, new games are
    /// refused.
    #[arg(long = "max-running-games", env = "FLAGFALL_MAX_RUNNING_GAMES", value_name = "COUNT",
          default_value = "100000", value_parser = count(1..=100_000_000), help_heading = "Games")]
    pub running_games: usize,
    /// Memory that this process may use, such as 900M or 2G. At three quarters of it, new games
    /// are refused and running games continue. `auto` uses the limit of the control group, or
    /// else the memory of the machine. `none` sets no limit.
    #[arg(
        long = "memory-limit",
        env = "FLAGFALL_MEMORY_LIMIT",
        value_name = "SIZE|auto|none",
        default_value = "auto",
        help_heading = "Games"
    )]
    pub memory: MemoryLimit,
    /// Maximum number of spectators of one game on this server.
    #[arg(long, env = "FLAGFALL_SPECTATORS_PER_GAME", value_name = "COUNT", default_value = "10000",
          value_parser = count(0..=1_000_000), help_heading = "Games")]
    pub spectators_per_game: usize,
    /// Maximum number of open seeks of one player.
    #[arg(long, env = "FLAGFALL_SEEKS_PER_PLAYER", value_name = "COUNT", default_value = "3",
          value_parser = count(1..=80), help_heading = "Games")]
    pub seeks_per_player: usize,
    /// Maximum number of open seeks of all players together, on all servers of a store.
    #[arg(long = "max-seeks", env = "FLAGFALL_MAX_SEEKS", value_name = "COUNT",
          default_value = "5000", value_parser = count(1..=20_000), help_heading = "Games")]
    pub seeks_max: usize,
    /// Maximum number of open challenges of one player.
    #[arg(long, env = "FLAGFALL_CHALLENGES_PER_PLAYER", value_name = "COUNT", default_value = "10",
          value_parser = count(1..=1_000), help_heading = "Games")]
    pub challenges_per_player: usize,
    /// Maximum number of new guests in a minute.
    #[arg(long = "new-guests-per-minute", env = "FLAGFALL_NEW_GUESTS_PER_MINUTE",
          value_name = "COUNT", default_value = "6000", value_parser = number(1..=10_000_000),
          help_heading = "Connections")]
    pub guests_per_minute: u32,
    /// Maximum number of tokens of one account.
    #[arg(long = "tokens-per-account", env = "FLAGFALL_TOKENS_PER_ACCOUNT", value_name = "COUNT",
          default_value = "16", value_parser = count(2..=24), help_heading = "Accounts")]
    pub tokens_per_player: usize,
    /// Maximum number of wrong passwords for one name from one network within --attempts-minutes.
    /// Networks without a recent sign-in to the account share a limit ten times as high. Each
    /// server counts separately.
    #[arg(long, env = "FLAGFALL_ATTEMPTS_PER_NAME", value_name = "COUNT", default_value = "10",
          value_parser = number(1..=1_000_000), help_heading = "Accounts")]
    pub attempts_per_name: u32,
    /// Maximum number of attempts from one network within --attempts-minutes. Passwords, recovery
    /// codes and new accounts count as attempts.
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
/// If 0 means never, the type is `option::Option`, because clap takes a plain `Option` for a flag
/// that may be missing.
#[derive(Args, Clone, PartialEq, Eq, Debug)]
pub struct Times {
    /// Time to deploy, in seconds.
    #[arg(long = "deploy-seconds", env = "FLAGFALL_DEPLOY_SECONDS", value_name = "SECONDS",
          default_value = "300", value_parser = time(SECOND, 5..=86_400), help_heading = "Games")]
    pub deployment: Duration,
    /// Average network delay that is given back to a player with each move, in milliseconds. The
    /// server measures the delay. Before a player loses on time, the server waits this long for a
    /// move that may still arrive.
    #[arg(long = "lag-ms-per-ply", env = "FLAGFALL_LAG_MS_PER_PLY", value_name = "MS",
          default_value = "500", value_parser = time(MILLISECOND, 0..=5_000),
          help_heading = "Games")]
    pub lag_per_ply: Duration,
    /// Maximum network delay that is given back at once, in milliseconds. 0 gives nothing back.
    #[arg(long = "lag-ms", env = "FLAGFALL_LAG_MS", value_name = "MS", default_value = "3000",
          value_parser = time(MILLISECOND, 0..=60_000), help_heading = "Games")]
    pub lag_stock: Duration,
    /// Time after which a player can claim a game that their opponent has left, in seconds. In
    /// longer games, this time is up to five times as long.
    #[arg(long = "claim-seconds", env = "FLAGFALL_CLAIM_SECONDS", value_name = "SECONDS",
          default_value = "60", value_parser = time(SECOND, 1..=3_600), help_heading = "Games")]
    pub claim: Duration,
    /// Time after which a game without a clock is aborted if nothing happens in it, in days.
    #[arg(long = "idle-game-days", env = "FLAGFALL_IDLE_GAME_DAYS", value_name = "DAYS",
          default_value = "90", value_parser = time(DAY, 1..=3_650), help_heading = "Games")]
    pub idle_game: Duration,
    /// Like --idle-game-days, for games against house players.
    #[arg(long = "idle-house-game-days", env = "FLAGFALL_IDLE_HOUSE_GAME_DAYS",
          value_name = "DAYS", default_value = "7", value_parser = time(DAY, 1..=3_650),
          help_heading = "Games")]
    pub idle_house_game: Duration,
    /// Time after which a running game that no client has open leaves memory, in seconds. In
    /// games with a live clock, this time is at most a minute. The game is loaded again when a
    /// player opens it, or when a player runs out of time.
    #[arg(long = "rest-seconds", env = "FLAGFALL_REST_SECONDS", value_name = "SECONDS",
          default_value = "600", value_parser = time(SECOND, 1..=86_400), help_heading = "Games")]
    pub rest: Duration,
    /// Time after which a finished game is moved to the archive (--archive), in minutes.
    #[arg(long = "archive-after-minutes", env = "FLAGFALL_ARCHIVE_AFTER_MINUTES",
          value_name = "MINUTES", default_value = "15", value_parser = time(MINUTE, 0..=525_600),
          global = true, help_heading = "Store")]
    pub archive_after: Duration,
    /// The time between two searches for games to archive.
    #[arg(skip = Duration::from_secs(10))]
    pub archive_look: Duration,
    /// Time for a client's hello, in seconds.
    #[arg(long = "hello-seconds", env = "FLAGFALL_HELLO_SECONDS", value_name = "SECONDS",
          default_value = "10", value_parser = time(SECOND, 1..=300), help_heading = "Connections")]
    pub hello: Duration,
    /// Time between two pings, in seconds.
    #[arg(long = "ping-seconds", env = "FLAGFALL_PING_SECONDS", value_name = "SECONDS",
          default_value = "5", value_parser = time(SECOND, 1..=300), help_heading = "Connections")]
    pub ping: Duration,
    /// Silence after which a connection counts as dead, in seconds. It must be more than
    /// --ping-seconds.
    #[arg(long = "pong-seconds", env = "FLAGFALL_PONG_SECONDS", value_name = "SECONDS",
          default_value = "10", value_parser = time(SECOND, 2..=600), help_heading = "Connections")]
    pub pong: Duration,
    /// Period for which --messages applies, in seconds.
    #[arg(long = "messages-seconds", env = "FLAGFALL_MESSAGES_SECONDS", value_name = "SECONDS",
          default_value = "20", value_parser = time(SECOND, 1..=3_600),
          help_heading = "Connections")]
    pub message_window: Duration,
    /// The time in which a client must send the head of an HTTP request.
    #[arg(skip = Duration::from_secs(5))]
    pub http_head: Duration,
    /// The time limit for an HTTP request as a whole, including its answer.
    #[arg(skip = Duration::from_secs(30))]
    pub http_request: Duration,
    /// Time for which a connection stays open for another request after an answer to GET or HEAD,
    /// in seconds. 0 closes the connection after each answer. Connections from proxies are always
    /// closed after each answer.
    #[arg(long = "keep-alive-seconds", env = "FLAGFALL_KEEP_ALIVE_SECONDS", value_name = "SECONDS",
          default_value = "15", value_parser = time_or_never(SECOND, 0..=300),
          help_heading = "Connections")]
    pub http_idle: option::Option<Duration>,
    /// The time in which a closing connection must flush its output and receive the client's
    /// close.
    #[arg(skip = Duration::from_secs(3))]
    pub close_grace: Duration,
    /// Time after a player's last connection for which their token is accepted while the store is
    /// unreachable, in minutes. With the token, they can watch games in memory. If another server
    /// has revoked a token, this server accepts it until the store is back. 0 accepts no tokens
    /// while the store is unreachable.
    #[arg(long = "visitor-minutes", env = "FLAGFALL_VISITOR_MINUTES", value_name = "MINUTES",
          default_value = "15", value_parser = time(MINUTE, 0..=1_440),
          help_heading = "Connections")]
    pub visitor_memory: Duration,
    /// Time between two waves of pairing in the pool, in seconds.
    #[arg(long = "pool-wave-seconds", env = "FLAGFALL_POOL_WAVE_SECONDS", value_name = "SECONDS",
          default_value = "5", value_parser = time(SECOND, 1..=600), help_heading = "Games")]
    pub pool_wave: Duration,
    /// The time for which a place in the pool is kept after its player's last connection. The
    /// place lasts at least half of this time. `None` means 30 s plus three waves.
    #[arg(skip)]
    pub pool_grace: Option<Duration>,
    /// Time for which a challenge is open, in hours.
    #[arg(long = "challenge-hours", env = "FLAGFALL_CHALLENGE_HOURS", value_name = "HOURS",
          default_value = "24", value_parser = time(HOUR, 1..=720), help_heading = "Games")]
    pub challenge: Duration,
    /// Time for which a guest is remembered after their last visit, in days.
    #[arg(long = "guest-days", env = "FLAGFALL_GUEST_DAYS", value_name = "DAYS",
          default_value = "90", value_parser = time(DAY, 2..=3_650), help_heading = "Games")]
    pub guest: Duration,
    /// Time for which a guest who has never finished a game is kept, in days since their first
    /// offer. The guest's token stays valid, so they can come back as the same guest. With 0,
    /// such guests are kept as long as other guests.
    #[arg(long = "new-guest-days", env = "FLAGFALL_NEW_GUEST_DAYS", value_name = "DAYS",
          default_value = "2", value_parser = time_or_never(DAY, 0..=3_650), global = true,
          help_heading = "Games")]
    pub new_guest: option::Option<Duration>,
    /// Time for which finished casual games between players without accounts are kept, in days,
    /// together with their logs, records and histories. Rated games and games of accounts are
    /// always kept. 0 keeps all games.
    #[arg(long = "guest-game-days", env = "FLAGFALL_GUEST_GAME_DAYS", value_name = "DAYS",
          default_value = "90", value_parser = time_or_never(DAY, 0..=3_650), global = true,
          help_heading = "Games")]
    pub guest_game: option::Option<Duration>,
    /// Period for which --attempts-per-name and --attempts-per-address apply, in minutes.
    #[arg(long = "attempts-minutes", env = "FLAGFALL_ATTEMPTS_MINUTES", value_name = "MINUTES",
          default_value = "15", value_parser = time(MINUTE, 1..=1_440), help_heading = "Accounts")]
    pub attempt_window: Duration,
    /// The time between two checks for tokens that other servers have revoked.
    #[arg(skip = Duration::from_secs(1))]
    pub revocation_interval: Duration,
    /// The time between two checks for work that follows from turns in correspondence games.
    #[arg(skip = Duration::from_secs(2))]
    pub turn_look: Duration,
    /// The time between two heartbeats to the store.
    #[arg(skip = Duration::from_secs(1))]
    pub heartbeat: Duration,
    /// The time that the store may take to answer a heartbeat before clients are told that the
    /// store is unreachable. Together with the pause before the heartbeat, that is 2.25 s after
    /// the last answer.
    #[arg(skip = Duration::from_millis(1_250))]
    pub store_late: Duration,
    /// The time that the store may take for a health check.
    #[arg(skip = Duration::from_secs(2))]
    pub health: Duration,
}

impl Default for Times {
    fn default() -> Times {
        defaults()
    }
}

impl Times {
    /// Returns the time for which a place in the pool is kept after its player's last connection.
    pub fn pool_grace(&self) -> Duration {
        self.pool_grace.unwrap_or_else(|| 30 * SECOND + 3 * self.pool_wave)
    }
}
