//! The engine without a network: JSON lines in, one JSON line of answer each.
//!
//! [`Session`] is the pure core: a line in, an answer out, no clock, and randomness only for games
//! without a seed. [`serve`] is the loop between two pipes, and [`serve_standard`] the one between
//! standard input and standard output. `docs/protocol/REFEREE.md` explains how programs use it.
//!
//! The referee's client sees every rank. It is for tests and tools, never for players.

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
