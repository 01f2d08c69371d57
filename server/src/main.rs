//! The program: configuration, logs, listeners, store, signals. Everything else is in the library.

use std::io::{self, IsTerminal, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use flagfall_server::config::{Config, LISTEN, LogFormat, MetricsListen, StoreKind};
use flagfall_server::server::{Listeners, Server};
use flagfall_server::{metrics, settings::Settings};
use flagfall_store::embedded::LostTail;
use flagfall_store::{EmbeddedStore, MemoryStore, OpenError, Options, Store, SystemClock};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::fmt::format::FmtSpan;

/// How long what is left may take to end after the server has stopped.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// Why the program ends early. [`Failure::code`] is its exit code.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{0}")]
    Config(#[from] flagfall_server::config::ConfigError),
    #[error("cannot listen on {address} (--{flag}): {error}")]
    Listen { flag: &'static str, address: SocketAddr, error: io::Error },
    #[error("{0}")]
    Open(#[from] OpenError),
    #[error("{0}")]
    Start(#[from] flagfall_server::table::StartError),
    #[error("the system does not give what a server needs: {0}")]
    System(#[from] io::Error),
}

impl Failure {
    fn code(&self) -> u8 {
        match self {
            Failure::Config(_) => 2,
            Failure::Listen { .. } | Failure::System(_) => 3,
            Failure::Open(_) | Failure::Start(_) => 4,
        }
    }
}

fn main() -> ExitCode {
    let config = Config::parse();
    init_logs(&config);
    match start(&config) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let hint = match failure {
                Failure::Open(OpenError::LostTail { .. } | OpenError::NoWitness { .. }) => {
                    "\nTo accept the loss, start with --accept-lost-tail."
                }
                _ => "",
            };
            writeln!(io::stderr(), "flagfall-server: {failure}{hint}").ok();
            ExitCode::from(failure.code())
        }
    }
}

fn start(config: &Config) -> Result<(), Failure> {
    let settings = config.settings()?;
    if config.check_config {
        say(&format!("the configuration is fine: {settings:#?}"));
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(serve(config, settings));
    runtime.shutdown_timeout(LAST_WAIT);
    served
}

async fn serve(config: &Config, settings: Settings) -> Result<(), Failure> {
    // Signals first: whoever stops the server while it opens a large store stops it in order.
    let mut signals = Signals::new()?;
    let game = listen("listen", config.listen).await?;
    let metrics = match config.metrics_listen {
        MetricsListen::Off => None,
        MetricsListen::At(address) => match metrics::install() {
            Some(handle) => Some((listen("metrics-listen", address).await?, handle)),
            None => None,
        },
    };
    let (store, place) = open_store(config)?;
    let server = Server::start(settings, store).await?;

    let address = game.local_addr()?;
    say(&format!("listening on http://{address}"));
    if let Some((listener, _)) = &metrics {
        say(&format!("metrics on http://{}/metrics", listener.local_addr()?));
    }
    say(&place);
    say(&how_to_play(address));
    server.serve(Listeners { game, metrics }, signals.stop()).await;
    Ok(())
}

async fn listen(flag: &'static str, address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|error| Failure::Listen { flag, address, error })
}

fn open_store(config: &Config) -> Result<(Arc<dyn Store>, String), Failure> {
    Ok(match config.store {
        StoreKind::Memory => (
            Arc::new(MemoryStore::new(SystemClock)),
            "data in memory alone: everything is gone when the server stops".to_owned(),
        ),
        StoreKind::Embedded => {
            let lost_tail = if config.accept_lost_tail { LostTail::Accept } else { LostTail::Refuse };
            let options = Options { lost_tail, ..Options::default() };
            let store = EmbeddedStore::open(&config.data, SystemClock, &options)?;
            let folder = std::fs::canonicalize(&config.data).unwrap_or_else(|_| config.data.clone());
            (Arc::new(store), format!("data in {}", shown(&folder)))
        }
    })
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn how_to_play(address: SocketAddr) -> String {
    let server =
        if address.to_string() == LISTEN { String::new() } else { format!(" --server ws://{address}/ws") };
    let line = |command: &str| format!("\n  cargo run --release -p flagfall -- {command}{server}");
    format!(
        "to play, in another terminal:{}\nto play somebody else, in two:{}\nto watch:{}",
        line("play --rules classic --bot random"),
        line("play --rules classic"),
        line("watch"),
    )
}

/// A line for whoever started the program. Whether anybody reads it does not matter.
fn say(line: &str) {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).ok();
}

/// Logs to standard error. Lines of the `log` crate are not taken: libraries below write whole messages there, deployments
/// among them, and a log is a socket too.
fn init_logs(config: &Config) {
    let logs = tracing_subscriber::fmt()
        .with_env_filter(config.log.filter())
        .with_span_events(FmtSpan::NONE)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none());
    let set = match config.log_format {
        LogFormat::Human => tracing::subscriber::set_global_default(logs.finish()),
        LogFormat::Json => tracing::subscriber::set_global_default(logs.json().flatten_event(true).finish()),
    };
    if set.is_err() {
        writeln!(io::stderr(), "flagfall-server: logs go nowhere").ok();
    }
    // What a panic says may hold what nobody may see: only where it happened is written.
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panic");
    }));
}

struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
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

    /// Done at the first signal. A second one ends the process where it stands; the store survives that.
    async fn stop(&mut self) {
        self.next().await;
        let mut again = match Signals::new() {
            Ok(signals) => signals,
            Err(_) => return,
        };
        tokio::spawn(async move {
            again.next().await;
            tracing::warn!("a second signal: cut off");
            std::process::exit(130);
        });
    }
}
