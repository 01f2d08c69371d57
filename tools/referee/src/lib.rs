//! The engine without a network: JSON lines in, one JSON line of answer each.
//!
//! [`Session`] is the pure core: a line in, an answer out, no clock, chance only where the client gave no seed. [`serve`] is the loop between two pipes, and
//! [`serve_standard`] the one between standard input and standard output. `docs/protocol/REFEREE.md` says how programs use it.
//!
//! Whoever talks to a referee sees every rank: it is for tests and tools, never for players.

mod answer;
mod chance;
mod history;
mod lines;
mod pipe;
mod refused;
mod request;
mod session;

pub use answer::{About, Answer, AnswerLine, Done, Everything, RulesetFacts, SeenByAudience};
pub use history::STEPS_MAX;
pub use lines::LINE_BYTES_MAX;
pub use pipe::{PENDING_BYTES_MAX, serve, serve_standard};
pub use refused::Refused;
pub use request::{Look, Request, RequestId, RequestLine};
pub use session::Session;
