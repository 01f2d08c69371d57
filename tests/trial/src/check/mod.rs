//! The checker: from logs and records to figures. It shares no code with the engine, the server or the views: it reads JSON as JSON.

mod board;
mod commands;
mod epochs;
mod expect;
mod findings;
mod game;
mod lines;
mod paired;
mod truth;

pub use findings::{Fault, Findings};
pub(crate) use game::check_game;
pub use paired::Paired;
pub(crate) use paired::{PairLog, Stream, check_pair};
