//! The services of the server around a game: accounts, the lobby and its pool, ratings,
//! histories, correspondence, saved deployments, notices, moderation.
//!
//! This crate is built on `flagfall-game` and does not handle sockets or HTTP requests. If an
//! event of a game requires more work, this work is a job. The job is written in the same append
//! as the event (`features`), and a runner does it (`jobs`).

#![expect(missing_docs, reason = "a name that says all needs no sentence")]

pub mod about;
pub mod archive;
pub mod blocks;
pub mod deployments;
pub mod dump;
mod ended;
pub mod erased_games;
pub mod erasure;
mod features;
pub mod histories;
mod jobs;
pub mod left_games;
pub mod lobby;
mod mac;
pub mod mail_relay;
pub mod notices;
pub mod operator;
pub mod players;
pub mod preferences;
pub mod proof;
pub mod prune;
pub mod ratings;
mod records;
mod refused;
pub mod reports;
pub mod secret_or_file;
mod services;
pub mod settings;
pub mod suggestions;
pub mod turns;

pub use refused::Refused;
pub use services::Services;
