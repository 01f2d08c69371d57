//! The lobby server of Flagfall.

#![expect(missing_docs, reason = "a name that says all needs no sentence")]

mod allowance;
pub mod api;
mod app;
pub mod config;
pub mod health_check;
pub mod program;
pub mod redis_tls;
#[cfg(test)]
mod refusals;
pub mod server;
pub mod storage;
