//! One game on the server: a table for each game that is played or watched.
//!
//! A table is a pure state machine (`table`): time, randomness and the store's answers are its
//! inputs, appends and reads its outputs. An `actor` runs it on its own task, so that a defect
//! affects one game only. The registry ([`Tables`]) finds, creates and recovers tables. Clients are
//! told nothing before the store has it. What follows from an event outside the game is up to
//! [`Features`].

mod aborts;
mod actor;
mod answers;
mod audience;
mod claims;
mod commit;
mod compact_ply;
mod creation;
mod due;
mod epochs;
mod error;
mod features;
mod finished;
mod follow;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod header;
mod house;
mod leavers;
mod listing;
mod mailbox;
mod others;
mod outages;
mod own_games;
mod presence;
mod public_games;
mod record;
mod registry;
mod relist;
mod rematch;
mod replay;
mod reply;
mod rest;
mod search;
mod settings;
mod table;
#[cfg(test)]
mod tests;
mod thinking;

pub use actor::{TableGone, TableHandle, TableInput};
pub use creation::{CreateError, NewGame};
pub use epochs::StaleEpoch;
pub use error::TableError;
pub use features::{Features, GameEnd, Milestone};
pub use finished::{Archived, Finished, finished};
pub use header::GameHeader;
pub use outages::note_outage;
pub use record::RecordError;
pub use registry::{NewCommand, StartError, Tables};
pub use relist::relist;
pub use reply::{Answer, Refusal, Reply};
pub use settings::TableSettings;

/// Counts what a thread allocates, for the tests of memory.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;
