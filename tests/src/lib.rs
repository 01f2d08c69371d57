//! What the checks of whole games share: chance from a printed seed, random deployments, and matches with their log. No product code.

mod chance;
mod matches;
mod rulesets;
mod setups;

pub use chance::Chance;
pub use matches::{Logged, Match, Step};
pub use rulesets::rulesets;
pub use setups::{random_setup, setup_of, wrong_setup};
