//! Limits of a session.

/// The most accepted commands of one game that are kept: four times the plies of the longest game.
pub const STEPS_MAX: usize = 20_000;
