//! Errors that stop a trial.

use std::io;
use std::path::PathBuf;

/// Why a trial could not be carried out. Faults that the checker counts are not errors.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// The server's program cannot be run.
    #[error("the server {program} cannot be started: {source}")]
    Spawn {
        /// The path of the program.
        program: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The server did not print its address.
    #[error("the server ended or did not print its address; its log: {log}")]
    NotListening {
        /// The last lines of the server's log.
        log: String,
    },
    /// A server did not stop as planned.
    #[error("a server that should stop ended so: {end}; its log: {log}")]
    Unstopped {
        /// How the server ended.
        end: String,
        /// The last lines of the server's log.
        log: String,
    },
    /// An operation of the system failed.
    #[error("{what}: {source}")]
    Io {
        /// The operation.
        what: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// A Redis refused a request of the trial, or did not do in time what the trial waits for.
    #[error("Redis, {what}: {why}")]
    Redis {
        /// The operation.
        what: String,
        /// The cause.
        why: String,
    },
    /// The archive cannot be read.
    #[error("the archive: {0}")]
    Archive(#[from] flagfall_archive::ArchiveError),
    /// A client cannot continue.
    #[error("{who} in game {game}: {what}")]
    Client {
        /// The client.
        who: String,
        /// The game.
        game: String,
        /// A description of the problem.
        what: String,
    },
    /// A task ended because of a defect in this program.
    #[error("a defect of the trial: {0}")]
    Defect(String),
}

impl TrialError {
    /// Turns an IO error into one that names the operation.
    pub fn io(what: &'static str) -> impl FnOnce(io::Error) -> TrialError {
        move |source| TrialError::Io { what, source }
    }
}
