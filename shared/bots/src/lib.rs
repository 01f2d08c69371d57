//! House players: they see views and return commands, nothing else.
//!
//! A [`HousePlayer`] plays one side of one game, at a [`Level`]. [`duel::play`] lets two choosers
//! play a game in this process, for measurements and tests. It is the only code here that knows a
//! [`flagfall_rules::Game`], and it gives out only views.

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
