//! The lobby server of Flagfall.

pub mod chance;
mod conduct;
pub mod config;
pub mod gateway;
pub mod histories;
pub mod http;
pub mod lobby;
pub mod metrics;
pub mod peers;
pub mod players;
pub mod probe;
pub mod rate;
pub mod ratings;
pub mod server;
pub mod settings;
pub mod storage;
pub mod table;
pub mod turns;
