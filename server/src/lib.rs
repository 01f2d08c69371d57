//! The lobby server of Flagfall.

pub mod chance;
pub mod gateway;
pub mod lobby;
pub mod metrics;
pub mod players;
pub mod rate;
pub mod settings;
pub mod table;
