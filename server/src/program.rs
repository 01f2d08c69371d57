//! The program: configuration, logs, listeners, store, signals.

use std::io::{self, IsTerminal, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use flagfall_base::recorder;
use flagfall_game::{StartError, relist};
use flagfall_protocol::Exit;
use flagfall_services::proof::KeyError;
use flagfall_services::settings::Settings;
use flagfall_store::{EmbeddedOpenError, EmbeddedStore, RedisOpenError, Store, Transfer};
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt as _;

use crate::config::{Command, Config, LISTEN, LoadError, Loaded, LogFormat, MetricsListen};
use crate::health_check::{ProbeError, probe};
use crate::server::{Listeners, Server};
use crate::storage::{self, ArchiveFailure, OpenFailure, Opened, StoreFailure};

/// How often to check whether the store has failed permanently.
const FAILURE_LOOKS: Duration = Duration::from_millis(250);
/// The time that remaining tasks have to finish after the server has stopped.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// Maximum number of connections that wait to be accepted.
const BACKLOG: u32 = 1_024;

/// Maximum number of quarantined games to list at startup.
const QUARANTINED_SHOWN: usize = 100;

/// Why the program ends early. [`Failure::code`] returns the exit code.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Config(#[from] crate::config::ConfigError),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error("cannot listen on {address} (--{flag}): {error}")]
    Listen { flag: &'static str, address: SocketAddr, error: io::Error },
    #[error(transparent)]
    Open(#[from] OpenFailure),
    #[error(transparent)]
    Store(#[from] StoreFailure),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Probe(#[from] ProbeError),
    #[error("the store has failed: {0}")]
    StoreFailed(String),
    #[error("the operating system refused a resource that the server needs: {0}")]
    System(#[from] io::Error),
}

impl Failure {
    fn code(&self) -> Exit {
        match self {
            Failure::Config(_) | Failure::Key(_) => Exit::Usage,
            Failure::Listen { .. } | Failure::System(_) => Exit::Network,
            Failure::Store(StoreFailure::Damaged { .. }) | Failure::Probe(_) => Exit::Refused,
            Failure::Open(_) | Failure::Store(_) | Failure::Start(_) | Failure::StoreFailed(_) => {
                Exit::Storage
            }
        }
    }
}

pub fn main() -> ExitCode {
    let loaded = match Loaded::from_args(std::env::args_os().collect::<Vec<_>>()) {
        Ok(loaded) => loaded,
        Err(LoadError::Flags(error)) => error.exit(),
        Err(error) => {
            writeln!(io::stderr(), "flagfall-server: {error}").ok();
            return ExitCode::from(Exit::Usage.code());
        }
    };
    init_logs(&loaded.config);
    match start(&loaded) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let hint = match &failure {
                Failure::Open(open) | Failure::Store(StoreFailure::Open(open)) => hint(open),
                _ => "",
            };
            writeln!(io::stderr(), "flagfall-server: {failure}{hint}").ok();
            ExitCode::from(failure.code().code())
        }
    }
}

fn hint(open: &OpenFailure) -> &'static str {
    match open {
        OpenFailure::Embedded(EmbeddedOpenError::LostTail { .. }) => {
            "\nTo accept the loss, start with --accept-lost-tail."
        }
        OpenFailure::Redis(RedisOpenError::Weak { .. }) => {
            "\nTo use this Redis anyway, start with --accept-weak-redis."
        }
        OpenFailure::Archive(ArchiveFailure::Other { .. }) => {
            "\nTo go on without those games, add --accept-other-archive."
        }
        _ => "",
    }
}

fn start(loaded: &Loaded) -> Result<(), Failure> {
    let config = &loaded.config;
    let settings = config.settings()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match &config.command {
        Some(Command::Store(command)) => runtime.block_on(storage::run(config, command))?,
        Some(Command::Archive(command)) => runtime.block_on(storage::archive(config, command))?,
        Some(Command::Operator(command)) => runtime.block_on(storage::operate(config, command))?,
        Some(Command::Health { listen }) => say(&probe(listen.unwrap_or(config.listen))?),
        None if config.check_config => say(&loaded.to_toml()),
        None => {
            let served = runtime.block_on(serve(config, settings));
            runtime.shutdown_timeout(LAST_WAIT);
            return served;
        }
    }
    Ok(())
}

async fn serve(config: &Config, settings: Settings) -> Result<(), Failure> {
    // Handle signals first, so that the server can be stopped cleanly while it opens a large
    // store.
    let signals = Signals::new()?;
    let game = Port::reserve("listen", config.listen)?;
    let metrics = match config.metrics_listen {
        MetricsListen::Off => None,
        MetricsListen::At(address) => match recorder::install() {
            Some(handle) => Some((Port::reserve("metrics-listen", address)?, handle)),
            None => None,
        },
    };
    let Opened { store, archive, embedded, place, archive_place } = storage::open(config).await?;
    if let Some(embedded) = &embedded {
        tell_losses(embedded).await?;
    }
    tell_quarantined(&*store).await?;
    let key = config.signing_key()?;
    let signing = match &key {
        Some(key) => format!("finished games are signed with the key {}", key.id),
        None => "finished games are not signed; set a key with --signing-key".to_owned(),
    };
    let has_page = !settings.page.is_off;
    let pages = pages_elsewhere(config.listen, &settings);
    let mut server = Server::start(settings, store, key).await?;
    if let Some((archive, inner)) = archive {
        server = server.with_archive(archive, inner);
    }
    let game = game.listen()?;
    let metrics = match metrics {
        Some((port, handle)) => Some((port.listen()?, handle)),
        None => None,
    };
    tracing::info!(version = env!("CARGO_PKG_VERSION"), store = ?config.store, "started");

    let address = game.local_addr()?;
    say(&format!("listening on http://{address}"));
    if let Some((listener, _)) = &metrics {
        say(&format!("metrics on http://{}/metrics", listener.local_addr()?));
    }
    say(&place);
    say(&archive_place);
    say(&signing);
    say(&how_to_play(address, has_page));
    if let Some(warning) = pages {
        tracing::warn!("{warning}");
    }
    let mut failed = None;
    let stop = async {
        tokio::select! {
            () = signals.stop() => {}
            why = failure_of(embedded) => failed = Some(why),
        }
    };
    server.serve(Listeners { game, metrics }, stop).await;
    failed.map_or(Ok(()), |why| Err(Failure::StoreFailed(why)))
}

/// Waits until the store has failed permanently, and returns the reason. The process then ends: a
/// new process may find a working disk, and no acknowledged data is lost.
async fn failure_of(store: Option<Arc<EmbeddedStore>>) -> String {
    // Other stores may always come back.
    let Some(store) = store else { return std::future::pending().await };
    let mut looks = tokio::time::interval(FAILURE_LOOKS);
    loop {
        looks.tick().await;
        if let Some(why) = store.failure() {
            return why;
        }
    }
}

/// A bound port that does not accept connections yet. Clients are refused immediately, so that they
/// can try another server instead of waiting until this one has recovered its games.
struct Port {
    flag: &'static str,
    address: SocketAddr,
    socket: TcpSocket,
}

impl Port {
    /// Binds the port. Called first, so that an error about the port is reported before any other
    /// work is done.
    ///
    /// # Errors
    /// [`Failure::Listen`].
    fn reserve(flag: &'static str, address: SocketAddr) -> Result<Port, Failure> {
        let bound = || {
            let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
            // Connections left over from a previous server process must not block the port.
            socket.set_reuseaddr(true)?;
            socket.bind(address)?;
            Ok(socket)
        };
        let socket = bound().map_err(|error| Failure::Listen { flag, address, error })?;
        Ok(Port { flag, address, socket })
    }

    /// Starts to accept connections.
    ///
    /// # Errors
    /// [`Failure::Listen`] if another process has reserved the same port and started to listen
    /// first.
    fn listen(self) -> Result<TcpListener, Failure> {
        let Port { flag, address, socket } = self;
        socket.listen(BACKLOG).map_err(|error| Failure::Listen { flag, address, error })
    }
}

/// Reports missing or damaged data that was found while the store was opened. Completes the list
/// of running games from the logs, because records of games may be missing.
async fn tell_losses(store: &EmbeddedStore) -> Result<(), Failure> {
    if store.losses().is_empty() {
        return Ok(());
    }
    let losses = store.losses().join("; ");
    writeln!(
        io::stderr(),
        "flagfall-server: The store is damaged: {losses}.\n\
         Games that have lost moves are in quarantine; the log below names them. Small records (players, \
         tokens, offers) may have lost their last changes. A new epoch has begun, so clients load their \
         games again.\n\
         To recover the lost data, stop the server and restore a backup of the whole folder."
    )
    .ok();
    let unreadable = |error| Failure::Start(StartError::from(error));
    let games = store.games().await.map_err(unreadable)?;
    let listed = relist(store, &games).await.map_err(unreadable)?;
    tracing::warn!(games = listed, "restored missing games to the list of running games");
    store.acknowledge_losses();
    Ok(())
}

async fn tell_quarantined(store: &dyn Store) -> Result<(), Failure> {
    let quarantined = store.quarantined().await.map_err(StartError::from)?;
    for (game, reason) in quarantined.iter().take(QUARANTINED_SHOWN) {
        tracing::error!(%game, reason, "game in quarantine: it cannot continue; other games continue");
    }
    if quarantined.len() > QUARANTINED_SHOWN {
        tracing::error!(games = quarantined.len(), "more games are in quarantine than the log names");
    }
    Ok(())
}

/// Returns a warning if browsers on other machines can only watch, because this server cannot
/// give them sessions.
fn pages_elsewhere(listen: SocketAddr, settings: &Settings) -> Option<&'static str> {
    let has_proxy = settings.proxies.is_everyone || !settings.proxies.ranges.is_empty();
    let can_play = listen.ip().is_loopback() || settings.public_url.is_some() || has_proxy;
    (!can_play).then_some(
        "browsers on other machines can only watch: --public-url names the address that people type into them",
    )
}

/// Returns instructions for playing on a server that listens at this address: the address of its
/// page, and the commands to type.
fn how_to_play(address: SocketAddr, has_page: bool) -> String {
    // A server that listens on all addresses has no single address that others can use.
    let is_everywhere = address.ip().is_unspecified();
    let host = if is_everywhere { format!("HOST:{}", address.port()) } else { address.to_string() };
    let server = if host == LISTEN { String::new() } else { format!(" --server ws://{host}/ws") };
    let page = if has_page { format!("to play in a browser: http://{host}\n") } else { String::new() };
    let meaning = if is_everywhere { "; HOST is this machine's name or address" } else { "" };
    let client = client_command(std::env::current_exe().ok().as_deref());
    let line = |command: &str| format!("\n  {client} {command}{server}");
    format!(
        "{page}to play, in another terminal{meaning}:{}\nto play another person, in two terminals:{}\nto watch:{}",
        line("play --rules classic --bot"),
        line("play --rules classic"),
        line("watch"),
    )
}

/// Returns the command that starts the client: `cargo` if the server was built in its repository,
/// otherwise the installed program.
fn client_command(server: Option<&Path>) -> &'static str {
    let is_built_here =
        server.is_some_and(|server| server.components().any(|part| part.as_os_str() == "target"));
    if is_built_here { "cargo run --release --bin flagfall --" } else { "flagfall" }
}

/// Prints a line for the person who started the program. Ignores errors, because the output is
/// optional.
fn say(line: &str) {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).ok();
}

/// Sends logs to standard error. Drops log lines of the `log` crate, because libraries log whole
/// messages there, including deployments, which must stay secret.
fn init_logs(config: &Config) {
    let levels = tracing_subscriber::registry().with(config.log.0.clone());
    let logs = tracing_subscriber::fmt::layer()
        .with_span_events(FmtSpan::NONE)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none());
    let set = match config.log_format {
        LogFormat::Human => tracing::subscriber::set_global_default(levels.with(logs)),
        LogFormat::Json => {
            tracing::subscriber::set_global_default(levels.with(logs.json().flatten_event(true)))
        }
    };
    if set.is_err() {
        writeln!(io::stderr(), "flagfall-server: logging could not be started; nothing is logged").ok();
    }
    // A panic message may contain secrets, so log only its location.
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(location = place, "panic");
    }));
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    /// Returns when the first signal arrives. A second signal ends the process immediately, which
    /// does not damage the store.
    async fn stop(mut self) {
        self.next().await;
        tokio::spawn(async move {
            self.next().await;
            tracing::warn!("second signal: exiting at once");
            std::process::exit(i32::from(Exit::Interrupted.code()));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_as_clients_can_reach_it() {
        let of = |address: &str| how_to_play(address.parse().unwrap(), true);
        assert!(!of(LISTEN).contains("--server"));
        assert!(of(LISTEN).starts_with("to play in a browser: http://127.0.0.1:7171\n"));
        assert!(of("[::1]:80").starts_with("to play in a browser: http://[::1]:80\n"));
        assert!(!how_to_play(LISTEN.parse().unwrap(), false).contains("browser"));
        assert!(of("10.0.0.7:80").contains("watch --server ws://10.0.0.7:80/ws"));
        for everywhere in ["0.0.0.0:7171", "[::]:7171"] {
            let told = of(everywhere);
            assert!(
                told.contains("watch --server ws://HOST:7171/ws")
                    && told.contains("HOST is this machine's")
                    && told.contains("http://HOST:7171\n")
            );
        }
    }

    #[test]
    fn a_server_for_others_without_a_public_address_is_warned() {
        let warning =
            |listen: &str, settings: &Settings| pages_elsewhere(listen.parse().unwrap(), settings).is_some();
        let mut settings = Settings::default();
        assert!(!warning(LISTEN, &settings) && !warning("[::1]:7171", &settings));
        assert!(warning("0.0.0.0:7171", &settings) && warning("192.168.0.7:7171", &settings));
        settings.public_url = Some("http://192.168.0.7:7171".parse().unwrap());
        assert!(!warning("0.0.0.0:7171", &settings));
        let mut settings = Settings::default();
        settings.proxies.ranges.push("10.0.0.0/8".parse().unwrap());
        assert!(!warning("0.0.0.0:7171", &settings));
    }

    #[test]
    fn the_program_ends_with_the_codes_that_its_help_lists() {
        use clap::{CommandFactory, Parser};

        let help = Config::command().render_long_help().to_string();
        assert!(help.contains("1    refused") && help.contains("130  interrupted"), "{help}");
        let io = || io::Error::other("it is so");
        let listen = Failure::Listen { flag: "listen", address: "127.0.0.1:1".parse().unwrap(), error: io() };
        for (failure, exit) in [
            (listen, Exit::Network),
            (Failure::System(io()), Exit::Network),
            (Failure::StoreFailed("it is so".to_owned()), Exit::Storage),
        ] {
            assert_eq!(failure.code(), exit, "{failure}");
        }
        let wrong = Config::try_parse_from(["flagfall-server", "--listen", "nowhere"]).unwrap_err();
        assert_eq!(wrong.exit_code(), i32::from(Exit::Usage.code()));
    }

    #[test]
    fn start_up_names_the_client_as_it_was_built() {
        let of = |path: &str| client_command(Some(Path::new(path)));
        assert_eq!(of("/usr/local/bin/flagfall-server"), "flagfall");
        assert_eq!(
            of("/home/ana/flagfall/target/release/flagfall-server"),
            "cargo run --release --bin flagfall --"
        );
        assert_eq!(client_command(None), "flagfall");
    }
}
