//! The engine without a network. It reads requests as JSON lines, and answers each with one JSON
//! line.
//!
//! [`Session`] is the pure core, which returns an answer for each line. It has no clock, and uses
//! the system's randomness only for games without a seed. [`serve`] runs a session between two
//! pipes, and [`serve_standard`] between standard input and standard output.
//! `docs/protocol/REFEREE.md` explains how programs use the referee.
//!
//! The referee's client sees every rank. The referee is for tests and tools, never for players.

mod answer;
mod chance;
mod history;
mod lines;
mod pipe;
mod refused;
mod request;
mod session;

pub use answer::{About, Answer, AnswerLine, Done, Everything, RulesetFacts, SeenByAudience};
pub use lines::LINE_BYTES_MAX;
pub use pipe::{PENDING_BYTES_MAX, serve, serve_standard};
pub use refused::{Refused, STEPS_MAX};
pub use request::{Look, Request, RequestId, RequestLine};
pub use session::Session;
