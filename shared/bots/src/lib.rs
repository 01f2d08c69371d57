//! House players: they see a view and answer a command, nothing else.
//!
//! A [`HousePlayer`] is one side of one game, at a [`Level`]. [`duel::play`] lets two choosers play a game in this process, for
//! measuring and tests; it alone knows a [`flagfall_rules::Game`], and hands out nothing but views.

mod chance;
pub mod duel;
mod good;
mod level;
mod memory;
mod mind;
mod player;
mod quantum;
mod setup;
mod simple;

pub use chance::Chance;
pub use level::{Effort, Level};
pub use player::HousePlayer;
pub use setup::{random_setup, sensible_setup};
