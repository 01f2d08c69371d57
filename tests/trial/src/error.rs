//! What keeps a trial from going on.

use std::io;
use std::path::PathBuf;

/// Why a trial could not be carried out. What the checker counts is no error.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// The server's program cannot be run.
    #[error("the server {program} cannot be started: {source}")]
    Spawn {
        /// Its path.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The server does not say where it listens.
    #[error("the server ended, or said nothing, before it listened; its log: {log}")]
    NotListening {
        /// The last of what it wrote.
        log: String,
    },
    /// Something about the system.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// A client met something it cannot go on with.
    #[error("{who} in game {game}: {what}")]
    Client {
        /// Which.
        who: String,
        /// Where.
        game: String,
        /// What.
        what: String,
    },
    /// A task ended by a defect of this program.
    #[error("a defect of the trial: {0}")]
    Defect(String),
}

impl TrialError {
    /// Makes an IO error tell what was tried.
    pub fn io(what: &'static str) -> impl FnOnce(io::Error) -> TrialError {
        move |source| TrialError::Io { what, source }
    }
}
