//! Where pieces may go: squares alone, so that a view, which knows no enemy rank, answers as the
//! position does.

mod commands;
mod field;
mod legal;
mod reach;

pub use commands::LegalCommands;
pub(crate) use field::{Field, Way};
pub use legal::LegalMoves;
pub(crate) use legal::Tether;
pub(crate) use reach::Reach;
