//! The lobby server of Flagfall.

mod allowance;
mod app;
pub mod archive;
pub mod blocks;
mod conduct;
pub mod config;
pub mod deployments;
mod erasure;
mod features;
pub mod gateway;
pub mod histories;
pub mod http;
mod jobs;
pub mod lobby;
pub mod notices;
pub mod operator;
pub mod players;
pub mod probe;
pub mod proof;
pub mod prune;
pub mod ratings;
pub mod redis_tls;
#[cfg(test)]
mod refusals;
pub mod reports;
pub mod server;
pub mod settings;
pub mod storage;
pub mod turns;

/// The allocator of the program. In tests it also counts what a thread allocates.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;
