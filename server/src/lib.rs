//! The lobby server of Flagfall.

pub mod admission;
mod allowance;
pub mod archive;
mod background;
pub mod blocks;
pub mod chance;
mod committed;
mod conduct;
pub mod config;
pub mod deployments;
mod farewell;
pub mod gateway;
pub mod histories;
pub mod http;
mod keys;
pub mod lobby;
pub mod memory;
pub mod metrics;
pub mod notices;
pub mod operator;
pub mod peers;
pub mod players;
pub mod probe;
pub mod proof;
pub mod prune;
pub mod rate;
pub mod ratings;
pub mod redis_tls;
#[cfg(test)]
mod refusals;
pub mod reports;
mod scan;
pub mod server;
pub mod settings;
pub mod storage;
pub mod table;
mod trouble;
pub mod turns;

/// The allocator of the program. In tests it also counts what a thread allocates.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;
