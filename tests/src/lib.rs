//! Code that tests share: random numbers from a printed seed, random deployments, matches with
//! their log, duels of choosers, generated files, the product's sources and texts, the paths of its
//! programs, and ports for them. Nothing here is part of the product.

mod chance;
pub mod duel;
mod generated;
mod matches;
mod ports;
mod programs;
mod rulesets;
mod setups;
mod sources;
mod texts;
mod views;

pub use chance::Chance;
pub use generated::check_generated;
pub use matches::{Logged, Match, Step};
pub use ports::OwnPort;
pub use programs::{OlderPrograms, client_program, older_programs, server_program, write_script};
pub use rulesets::rulesets;
pub use setups::{random_setup, setup_of, wrong_setup};
pub use sources::product_sources;
pub use texts::{Needs, all_texts, check_translation, format_all};
pub use views::views;
