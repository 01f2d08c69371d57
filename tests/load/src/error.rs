//! Errors of the measurements.

use std::path::PathBuf;

/// Why a measurement failed.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The program cannot be started.
    #[error(
        "{0} cannot be started ({1}); build it: cargo build --profile dist -p flagfall-server -p flagfall-load"
    )]
    Start(String, std::io::Error),
    /// A child process did not print the expected line.
    #[error("a process that was started did not print what it should, or is gone")]
    Silent,
    /// Input or output.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A WebSocket failed.
    #[error("a socket failed: {0}")]
    Socket(Box<tokio_tungstenite::tungstenite::Error>),
    /// An answer was not the expected one.
    #[error("the server gave an unexpected answer: {0}")]
    Answer(String),
    /// A measured program did not stop as asked.
    #[error("a measured program stopped with an error: {0}")]
    Stop(std::process::ExitStatus),
    /// A store did not open, or refused an append.
    #[error("a measured store failed: {0}")]
    Store(String),
    /// The bare Redis failed.
    #[error("the bare Redis failed: {0}")]
    Redis(#[from] redis::RedisError),
    /// The measured system has faults, which have already been printed.
    #[error("the server has faults")]
    Faults,
    /// The current folder has no place for a run's file.
    #[error("--record writes into docs/benchmarks: start in the folder of a checkout")]
    NoCheckout,
    /// The file of a run does not have the format that `--record` writes.
    #[error("{path}: {error}", path = .0.display(), error = .1)]
    Run(PathBuf, serde_json::Error),
    /// A client's task failed.
    #[error("a client failed: {0}")]
    Task(#[from] tokio::task::JoinError),
}

impl From<tokio_tungstenite::tungstenite::Error> for LoadError {
    fn from(error: tokio_tungstenite::tungstenite::Error) -> LoadError {
        LoadError::Socket(Box::new(error))
    }
}
