//! The state that only some rulesets have. It is kept separately so that positions of other
//! rulesets do not take up memory for it.

mod chips;
mod coins;
mod reserve;

pub(crate) use chips::{Lines, Witnessed, flasher};
pub(crate) use coins::{CoinState, Coins, Pending};
pub(crate) use reserve::{Reserve, ReserveState};
