//! The terminal client of Flagfall.

pub mod chance;
pub mod deploy;
pub mod layouts;
pub mod targets;
pub mod words;
