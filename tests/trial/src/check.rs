//! The checker, which computes figures from logs and records. It shares no code with the engine,
//! the server or the views. It reads messages as plain JSON and takes the rules from the second
//! opinion.

mod clocks;
mod commands;
mod epochs;
mod expect;
mod findings;
mod game;
mod leaks;
mod lines;
mod paired;
mod sent_commands;
#[cfg(test)]
mod simulated;
mod truth;

pub use findings::{Fault, Findings, Paired, Played};
pub(crate) use game::check_game;
pub(crate) use paired::{PairLog, Stream, check_pair};
