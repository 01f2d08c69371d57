//! Lets outside programs play each other, over the line protocol of the 2012 UCC programming
//! competition. docs/protocol/UMPIRE.md explains how to use the umpire.
//!
//! [`bout`] is a game as a pure state machine. [`player`] is a program's side of the dialogue, and
//! [`mod@line`] contains the lines of both sides. [`process`] is the thin shell around them, and
//! [`series`] plays many games.
//!
//! The umpire uses Tokio, because a game waits for many things at the same time: two outputs, two
//! inputs, two standard errors, a time limit and a signal to stop. Without Tokio, each game would
//! need six threads and a way to interrupt each thread.

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
