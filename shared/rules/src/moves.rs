//! Where pieces may go. The code works on sets of squares and needs no enemy ranks, so a view,
//! which has no enemy ranks, gives the same answers as the position.

mod commands;
mod field;
mod legal;
mod reach;

pub use commands::LegalCommands;
pub(crate) use field::{Field, Way};
pub use legal::LegalMoves;
pub(crate) use legal::Tether;
pub(crate) use reach::Reach;
