//! The foundation of the server's features.
//!
//! This crate deals with stores, players' connections and other servers. It contains no game
//! logic and no features.

#![expect(missing_docs, reason = "a name that says all needs no sentence")]

// Lets the tests of this crate include a file that imports this crate by its name.
#[cfg(test)]
extern crate self as flagfall_base;

pub mod admission;
pub mod background;
pub mod cluster;
pub mod committed;
pub mod delivery;
pub mod flags;
pub mod identity;
pub mod jobs;
pub mod keys;
pub mod memory;
pub mod names;
pub mod origin;
pub mod places;
pub mod random;
pub mod rate;
pub mod recorder;
pub mod refusals;
pub mod request_id;
pub mod scan;
pub mod store_errors;
pub mod telemetry;
pub mod transact;

/// The program and its version, as shown to clients and operators.
pub const SERVER: &str = concat!("flagfall-server ", env!("CARGO_PKG_VERSION"));
