//! The operator's configuration: flags, environment, file and defaults.
//!
//! Each setting is a field, here or in the [`Settings`] that the running server uses. The doc
//! comment of a setting is its help, its comment in the configuration file, and its row in
//! `docs/operating/configure.md`.

mod commands;
mod form;
mod layers;
mod values;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Parser;
use flagfall_store::record::Form;
use flagfall_store::redis::Prefix;
use flagfall_tls::{AuthorityError, Trust};
use rustix::process::{Resource, getrlimit};
use thiserror::Error;

use crate::redis_tls::{RedisTlsError, RedisTlsFiles};
use flagfall_base::flags::number;
use flagfall_services::about::{About, AboutError};
use flagfall_services::mail_relay::{MailRelay, Mailbox, RelayError};
use flagfall_services::proof::{KeyError, SigningKey};
use flagfall_services::secret_or_file::SecretOrFile;
use flagfall_services::settings::{Role, Settings, Times};

pub use self::commands::{ArchiveCommand, Command, JobsCommand, OfPlayer, OperatorCommand, StoreCommand};
pub use self::layers::{LoadError, Loaded};
pub use self::values::{ArchivePlace, LogFilter, LogFormat, MetricsListen, StoreKind};
use self::values::{StoreParser, socket_address};

/// The default address for players.
pub const LISTEN: &str = "127.0.0.1:7171";

/// The lobby server of Flagfall: Stratego over the network.
///
/// Without flags, the server serves only this machine, on 127.0.0.1:7171, and keeps its games in
/// ./flagfall-data. Every setting can be a flag, an environment variable, or a line of a
/// configuration file. A flag overrides the environment, and the environment overrides the file.
#[derive(Parser, Clone, Debug)]
#[command(name = "flagfall-server", version, after_long_help = format!("{AFTER_HELP}\n\n{}", flagfall_protocol::Exit::HELP), max_term_width = 100)]
pub struct Config {
    /// Address and port for players. The server answers here with the page for browsers,
    /// WebSockets at /ws, and the HTTP API. With port 0, the system chooses a free port. To serve
    /// the network, use 0.0.0.0 and put a proxy that speaks TLS in front of the server.
    #[arg(long, env = "FLAGFALL_LISTEN", value_name = "ADDRESS:PORT", default_value = LISTEN,
          value_parser = socket_address, help_heading = "Listening")]
    pub listen: SocketAddr,
    /// Address and port for operators, with Prometheus metrics at /metrics. `none` switches
    /// metrics off.
    #[arg(
        long,
        env = "FLAGFALL_METRICS_LISTEN",
        value_name = "ADDRESS:PORT|none",
        default_value = "127.0.0.1:7172",
        help_heading = "Listening"
    )]
    pub metrics_listen: MetricsListen,
    /// The folder for games, guests and challenges. It is created if it is missing. Only one server
    /// can use it at a time.
    #[arg(
        long,
        env = "FLAGFALL_DATA",
        value_name = "FOLDER",
        default_value = "flagfall-data",
        global = true,
        help_heading = "Store"
    )]
    pub data: PathBuf,
    /// The store. `embedded` keeps all data on disk, in the data folder. `memory` loses all data
    /// when the server stops, and is for trials. `redis://[:PASSWORD@]HOST[:PORT][/DATABASE]`,
    /// `unix:///PATH` and `redis+sentinel://[:PASSWORD@]HOST[:PORT],HOST[:PORT]/NAME` name a
    /// Redis, which several servers can share.
    /// `redis+cluster://[:PASSWORD@]HOST[:PORT],HOST[:PORT]` names some nodes of a Redis Cluster
    /// (experimental). Other users of this machine can see flags, so set a password in the
    /// environment.
    #[arg(
        long,
        env = "FLAGFALL_STORE",
        value_name = "embedded|memory|REDIS",
        default_value = "embedded",
        value_parser = StoreParser,
        hide_env_values = true,
        global = true, help_heading = "Store")]
    pub store: StoreKind,
    /// Where the archive of finished games is: a folder, a bucket of S3-compatible storage, or
    /// `off`. An archived game takes up less than 1 KB, instead of 30 KB or more in the store, and
    /// can be read as before. All servers of a Redis need the same archive, such as a bucket or a
    /// shared file system. For a bucket, the environment variables AWS_ACCESS_KEY_ID,
    /// AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL contain the credentials and the
    /// address, and the storage must support conditional writes (If-None-Match). By default, the
    /// archive of a data folder is in FOLDER/archive, except with --write-format 1, and other
    /// stores have none. Games that were archived can be read only with their archive, so do not
    /// switch it off later.
    #[arg(
        long,
        env = "FLAGFALL_ARCHIVE",
        value_name = "FOLDER|s3://BUCKET/PREFIX|off",
        global = true,
        help_heading = "Store"
    )]
    pub archive: Option<ArchivePlace>,
    /// Go on although the store's finished games are in another archive. Without this flag,
    /// servers and commands then refuse to start. With it, a server moves games to its own archive
    /// from then on, and cannot read those in the other one. An export with --archive off then
    /// leaves out the archived games, for a move that keeps the archive.
    #[arg(long, env = "FLAGFALL_ACCEPT_OTHER_ARCHIVE", global = true, help_heading = "Store")]
    pub accept_other_archive: bool,
    /// The file with the secret key that signs finished games: 64 hexadecimal digits, as printed
    /// by `openssl rand -hex 32`. All servers of a store use the same key. The environment
    /// variable may contain the digits instead of a file name. If unset, a server with a data
    /// folder creates a key, FOLDER/signing.key; other servers do not sign games.
    #[arg(
        long,
        env = "FLAGFALL_SIGNING_KEY",
        value_name = "FILE",
        value_parser = SigningKey::source,
        hide_env_values = true,
        help_heading = "Store"
    )]
    pub signing_key: Option<SecretOrFile>,
    /// Start even if the data folder has lost acknowledged moves and the server cannot tell from
    /// which games. Without this flag, the server then refuses to start and reports the loss.
    /// With the flag, it starts, and clients load their games again. Games that are known to have
    /// lost moves stay in quarantine.
    #[arg(long, env = "FLAGFALL_ACCEPT_LOST_TAIL", help_heading = "Store")]
    pub accept_lost_tail: bool,
    /// The lowest level that is logged to standard error: error, warn, info, debug or trace.
    /// Modules can have their own level, for example info,flagfall_services::lobby=debug.
    #[arg(long, env = "FLAGFALL_LOG", value_name = "FILTER", default_value = "info", help_heading = "Logs")]
    pub log: LogFilter,
    /// The format of the log: text for people, or one JSON object per line.
    #[arg(
        long,
        env = "FLAGFALL_LOG_FORMAT",
        value_name = "FORMAT",
        default_value = "human",
        help_heading = "Logs"
    )]
    pub log_format: LogFormat,
    /// A configuration file (TOML). deploy/flagfall-server.toml lists all settings.
    #[arg(long, env = "FLAGFALL_CONFIG", value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
    /// Check the configuration, print it as a configuration file, and start nothing.
    #[arg(long)]
    pub check_config: bool,

    /// The prefix of all keys in Redis. Servers with the same prefix serve the same games.
    #[arg(
        long,
        env = "FLAGFALL_REDIS_PREFIX",
        value_name = "PREFIX",
        default_value = "flagfall",
        global = true,
        help_heading = "Redis"
    )]
    pub redis_prefix: Prefix,
    /// The number of replicas that must have a move before it is acknowledged. With 0, a failover
    /// may lose the last moves.
    #[arg(long, env = "FLAGFALL_REDIS_REPLICAS", value_name = "COUNT", default_value_t = 0,
          value_parser = number(0..=16), global = true, help_heading = "Redis")]
    pub redis_replicas: u32,
    /// The TLS files for Redis.
    #[command(flatten)]
    pub redis_tls: RedisTlsFiles,
    /// Use a Redis even if it may lose acknowledged moves. Without this flag, the server starts
    /// only if Redis keeps an append-only file, syncs it after every write, and never evicts keys.
    #[arg(long, env = "FLAGFALL_ACCEPT_WEAK_REDIS", global = true, help_heading = "Redis")]
    pub accept_weak_redis: bool,

    /// A text about this server for players: who runs it, how to reach you, privacy, house rules.
    /// Plain UTF-8 text of at most 64 KiB. Blank lines separate paragraphs, and lines that begin
    /// with `# ` are headings. The page shows it at /about, and programs read it at /api/about.
    #[arg(long, env = "FLAGFALL_ABOUT", value_name = "FILE", help_heading = "Listening")]
    pub about: Option<PathBuf>,
    /// The settings of the running server.
    #[command(flatten)]
    pub settings: Settings,
    /// A PEM file with the certificates of additional certificate authorities. The server trusts
    /// them for webhooks, in addition to the authorities that browsers trust.
    #[arg(long, env = "FLAGFALL_WEBHOOK_CA", value_name = "FILE", help_heading = "Webhooks")]
    pub webhook_ca: Option<PathBuf>,

    /// The mail server (relay) that delivers the server's mail, with which players can be told of
    /// their turns in games with days per move: smtps://USER:PASSWORD@HOST:PORT,
    /// smtp://USER:PASSWORD@HOST:PORT, or a file that contains one of these. With smtp, the server
    /// uses STARTTLS, and sends nothing to a relay that does not offer it, except to one on this
    /// machine. In a password, write @ as %40, / as %2F and % as %25. --mail-from and --public-url
    /// are required. All servers of a store need the same setting. Other users of this machine can
    /// see flags, so set a password in the environment or in a file. If unset, the server sends no
    /// mail.
    #[arg(
        long,
        env = "FLAGFALL_SMTP",
        value_name = "URL|FILE",
        value_parser = MailRelay::source,
        hide_env_values = true,
        help_heading = "Mail"
    )]
    pub smtp: Option<SecretOrFile>,
    /// The sender of the server's mail: an address, or a name and an address in angle brackets. The
    /// relay must accept mail from this address, and sign it (DKIM).
    #[arg(long, env = "FLAGFALL_MAIL_FROM", value_name = "ADDRESS", help_heading = "Mail")]
    pub mail_from: Option<Mailbox>,
    /// A PEM file with the certificates of additional certificate authorities. The server trusts
    /// them for the relay, in addition to the authorities that browsers trust.
    #[arg(long, env = "FLAGFALL_SMTP_CA", value_name = "FILE", help_heading = "Mail")]
    pub smtp_ca: Option<PathBuf>,

    /// A command to run instead of serving.
    #[command(subcommand)]
    pub command: Option<Command>,
}

const AFTER_HELP: &str = "\
The first line on standard output is `listening on http://ADDRESS:PORT`, with the real port.
SIGTERM and Ctrl-C stop the server within 10 seconds: it pauses games and asks clients to reconnect. A second signal ends it at once.";

/// Errors in a configuration whose values are valid one by one but do not fit together.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// A connection would count as dead before the first ping.
    #[error("--pong-seconds ({pong}) must be more than --ping-seconds ({ping})")]
    PongBeforePing { ping: u64, pong: u64 },
    #[error(
        "--metrics-listen and --listen are the same ({0}): change one of the ports, or use --metrics-listen none"
    )]
    SamePort(SocketAddr),
    #[error("--archive is of no use with --store memory: leave it out, or write --archive off")]
    ArchiveOfMemory,
    #[error("--data {0} exists but is not a folder: name a folder, or a path that does not exist")]
    DataIsNoFolder(PathBuf),
    /// There is no page to serve in the folder.
    #[error("--page {} has no page/index.html: name the folder client-web of a checkout", .0.display())]
    NoPage(PathBuf),
    #[error("--role relay: a relay shows the games of other servers, so it needs their Redis as --store")]
    RelayAlone,
    #[error("--about {0}")]
    About(#[from] AboutError),
    #[error("--webhook-ca {0}")]
    WebhookAuthorities(#[from] AuthorityError),
    #[error(transparent)]
    RedisTls(#[from] RedisTlsError),
    #[error("--smtp {0}")]
    Relay(#[from] RelayError),
    #[error("--smtp-ca {0}")]
    RelayAuthorities(AuthorityError),
    #[error("--smtp needs {0}")]
    MailNeeds(&'static str),
}

impl Config {
    /// Returns the key that signs finished games: the key from the flag, or else the key in the
    /// data folder, or `None`. The data folder must exist.
    pub fn signing_key(&self) -> Result<Option<SigningKey>, KeyError> {
        // An empty environment variable means that no key is set.
        let source = self.signing_key.as_ref().filter(|source| !source.is_empty());
        match (source, &self.store) {
            (Some(source), _) => SigningKey::read(source).map(Some),
            (None, StoreKind::Embedded) => SigningKey::of_folder(&self.data).map(Some),
            (None, StoreKind::Memory | StoreKind::Redis(_)) => Ok(None),
        }
    }

    /// Returns where the archive is: the place from the flag, or else the folder in the data
    /// folder. A store in memory has none.
    #[must_use]
    pub fn archive_place(&self) -> ArchivePlace {
        match (&self.archive, &self.store) {
            (Some(place), StoreKind::Embedded | StoreKind::Redis(_)) => place.clone(),
            // With --write-format 1, the operator can go back to version 0.1, which cannot read
            // an archive.
            (None, StoreKind::Embedded) if self.settings.write_format != Some(Form::Json) => {
                ArchivePlace::Folder(self.data.join("archive"))
            }
            (None, StoreKind::Embedded | StoreKind::Redis(_)) | (_, StoreKind::Memory) => ArchivePlace::Off,
        }
    }

    /// Returns the mail server; `None` if none is set.
    fn relay(&self) -> Result<Option<MailRelay>, ConfigError> {
        // An empty environment variable means that no relay is set.
        let Some(source) = self.smtp.as_ref().filter(|source| !source.is_empty()) else { return Ok(None) };
        let from = self.mail_from.clone().ok_or(ConfigError::MailNeeds(
            "--mail-from ADDRESS: the sender of the mails, which the relay must accept",
        ))?;
        let public_url = self.settings.public_url.clone().ok_or(ConfigError::MailNeeds(
            "--public-url URL: the address of this server, to which links in mails lead",
        ))?;
        let trust =
            Trust::with_authorities(self.smtp_ca.as_deref()).map_err(ConfigError::RelayAuthorities)?;
        Ok(Some(MailRelay::read(source, trust, from, public_url)?))
    }

    /// Returns the settings of the server.
    pub fn settings(&self) -> Result<Settings, ConfigError> {
        let mut settings = self.settings.clone();
        let Times { ping, pong, .. } = settings.times;
        if pong <= ping {
            return Err(ConfigError::PongBeforePing { ping: ping.as_secs(), pong: pong.as_secs() });
        }
        if self.metrics_listen == MetricsListen::At(self.listen) && self.listen.port() != 0 {
            return Err(ConfigError::SamePort(self.listen));
        }
        if matches!(self.store, StoreKind::Embedded) && self.data.exists() && !self.data.is_dir() {
            return Err(ConfigError::DataIsNoFolder(self.data.clone()));
        }
        if settings.role == Role::Relay && !matches!(self.store, StoreKind::Redis(_)) {
            return Err(ConfigError::RelayAlone);
        }
        let has_archive = self.archive.as_ref().is_some_and(|place| *place != ArchivePlace::Off);
        if has_archive && matches!(self.store, StoreKind::Memory) {
            return Err(ConfigError::ArchiveOfMemory);
        }
        let page = &settings.page;
        if let Some(folder) = page.folder.as_ref().filter(|_| !page.is_off)
            && !folder.join("page/index.html").is_file()
        {
            return Err(ConfigError::NoPage(folder.clone()));
        }
        if let StoreKind::Redis(address) = &self.store {
            self.redis_tls.apply(address)?;
        }
        let limits = &mut settings.limits;
        limits.connections_max.get_or_insert_with(connections_allowed);
        settings.about = self.about.as_deref().map(About::read).transpose()?;
        settings.webhook_trust = Trust::with_authorities(self.webhook_ca.as_deref())?;
        settings.relay = self.relay()?;
        Ok(settings)
    }
}

/// Returns the number of connections that the process's limit on open files allows, minus a
/// reserve for the store.
fn connections_allowed() -> usize {
    const FOR_THE_STORE: usize = 512;
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from(files).unwrap_or(usize::MAX).saturating_sub(FOR_THE_STORE).clamp(64, 1_000_000)
}

#[cfg(test)]
mod tests;
