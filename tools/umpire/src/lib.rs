//! Lets outside programs play each other, over the line protocol of the 2012 UCC programming
//! competition. docs/protocol/UMPIRE.md explains how to use it.
//!
//! [`bout`] is a game as a pure state machine, [`player`] the program's side of the dialogue, and
//! [`mod@line`] the lines of both. [`process`] is the thin shell around them, and
//! [`series`] plays many games. Tokio runs the pipes, because a game
//! waits for two outputs, two inputs, two standard errors, a limit and a stop at once. Threads
//! would need six of them and a way to interrupt each.

pub mod bout;
pub mod environment;
pub mod fault;
#[cfg(unix)]
mod game;
pub mod line;
pub mod lines;
pub mod player;
#[cfg(unix)]
pub mod process;
#[cfg(unix)]
mod processor;
pub mod program;
#[cfg(unix)]
pub mod progress;
#[cfg(unix)]
pub mod series;
#[cfg(unix)]
mod standings;
#[cfg(unix)]
pub mod table;
