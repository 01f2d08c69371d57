//! One game on the server: a table for each game that is played or watched.
//!
//! A table is a pure state machine (`table`): time, randomness and the store's answers are its
//! inputs, appends and reads its outputs. An `actor` runs it on its own task, so that a defect
//! affects one game only. The registry ([`Tables`]) finds, creates and recovers tables. Clients are
//! told nothing before the store has it. What follows from an event outside the game is up to
//! [`Features`].

#![expect(missing_docs, reason = "a name that says all needs no sentence")]

mod actor;
mod care;
mod creation;
mod due;
mod error;
mod facts;
mod features;
mod finished;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod handle;
mod header;
mod host;
mod house;
mod line_writer;
mod listing;
mod mailbox;
mod others;
mod outages;
mod own_games;
mod public_games;
mod public_list;
mod record;
mod registry;
mod relist;
mod replay;
mod reply;
mod residents;
mod rest;
mod rewrite;
mod search;
mod settings;
mod start;
mod table;
#[cfg(test)]
mod tests;
mod thinking;

pub use creation::NewGame;
pub use error::{CreateError, TableError};
pub use features::{Features, GameEnd, Milestone};
pub use finished::{Archived, Finished, finished};
pub use handle::{TableGone, TableHandle, TableInput};
pub use header::GameHeader;
pub use outages::note_outage;
pub use record::RecordError;
pub use registry::{NewCommand, Tables};
pub use relist::relist;
pub use reply::Opener;
pub use reply::{Answer, Reply};
pub use rewrite::InForm;
pub use settings::TableSettings;
pub use start::StartError;
pub use table::StaleEpoch;
