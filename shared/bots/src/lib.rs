//! House players, which are programs that play. A house player sees only views and returns only
//! commands.
//!
//! A [`HousePlayer`] plays one side of one game, at a [`Level`].

mod good;
mod level;
mod memory;
mod mind;
mod player;
mod quantum;
mod setup;
mod simple;

pub use level::{Effort, Level};
pub use player::HousePlayer;
pub use setup::{random_setup, sensible_setup};
