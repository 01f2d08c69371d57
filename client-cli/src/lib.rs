//! The terminal client of Flagfall: a pure core ([`model`], [`update()`], [`render`], [`plain`])
//! with a thin shell around it.
//!
//! The client depends on the messages of `flagfall-protocol` and the rulesets of
//! `flagfall-rules`, not on the server. Every input is a [`model::Message`]. [`update()`] changes
//! the [`model::Model`] and returns [`model::Effect`]s, and [`shell`] carries them out. The
//! [`faces`] are the full screen, the line-based mode, and the interface for outside programs.

#![expect(missing_docs, reason = "only this program and its tests use the library")]

pub mod advice;
pub mod alerts;
pub mod cli;
pub mod command_text;
pub mod commitments;
pub mod config;
pub mod deployments;
pub mod explain;
pub mod faces;
#[cfg(test)]
mod fixtures;
pub mod input;
pub mod language;
pub mod listing;
pub mod model;
pub mod names;
pub mod net;
mod pictures;
pub mod plain;
pub mod random;
pub mod range;
pub mod records;
pub mod render;
pub mod replay;
pub mod request;
pub mod settings;
pub mod setup_check;
pub mod shell;
pub mod status;
pub mod targets;
pub mod texts;
pub mod umpire;
mod update;
pub mod words;

pub use update::update;
