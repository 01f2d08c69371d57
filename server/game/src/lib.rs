//! One game on the server: a table for each game that is played or watched.
//!
//! A table is a pure state machine (`table`). Its inputs are the time, randomness and the store's
//! answers. Its outputs are appends and reads. An `actor` runs each table on a task of its own,
//! so a defect affects one game only. The registry ([`Tables`]) finds, creates and recovers
//! tables. Clients learn of an event only after the store has it. [`Features`] writes the
//! consequences that an event has outside the game.

#![expect(missing_docs, reason = "a name that says all needs no sentence")]

mod actor;
mod creation;
mod due;
mod error;
mod facts;
mod features;
mod finished;
mod handle;
mod header;
mod host;
mod house;
mod last_commands;
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
pub mod replay;
mod reply;
mod residents;
mod rest;
mod rewrite;
mod search;
mod settings;
mod table;
#[cfg(test)]
mod tests;
mod thinking;
mod told_work;

pub use creation::NewGame;
pub use error::{CreateError, TableError};
pub use features::{Features, GameEnd, Milestone, RATED_PLIES_MIN};
pub use finished::{Archived, Finished, finished};
pub use handle::TableHandle;
pub use header::GameHeader;
pub use last_commands::last_commands;
pub use outages::note_outage;
pub use record::{RecordError, recorder};
pub use registry::{StartError, Tables};
pub use relist::relist;
pub use reply::{Answer, Opener, Reply};
pub use rewrite::InForm;
pub use search::read_all;
pub use settings::TableSettings;
pub use table::{Asked, Author, NewCommand, StaleEpoch, TableInput};
