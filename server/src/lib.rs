//! The lobby server of Flagfall.

pub mod gateway;
