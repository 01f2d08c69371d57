//! The squares to which pieces may move. The code needs no enemy ranks, so it gives the same
//! results for a view as for the complete position.

mod commands;
mod field;
mod legal;
mod reach;

pub use commands::LegalCommands;
pub(crate) use field::{Field, Way};
pub use legal::LegalMoves;
pub(crate) use legal::Tether;
pub(crate) use reach::Reach;
