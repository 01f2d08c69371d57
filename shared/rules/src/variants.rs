//! State that only some rulesets have. It is separate so that other positions do not carry it.

mod chips;
mod coins;
mod reserve;

pub(crate) use chips::{Lines, Witnessed, flasher};
pub(crate) use coins::{CoinState, Coins, Pending};
pub(crate) use reserve::{Reserve, ReserveState};
