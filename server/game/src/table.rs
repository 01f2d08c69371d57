//! The table: one game as a pure state machine, `step(now, Input) -> Vec<Output>`.
//!
//! At most one append is under way. Commands that arrive while an append is under way wait in a
//! short queue. A command is judged against the replica. It is then appended, on the condition
//! that the head of the log has not changed since the judgment. After that, the command is
//! carried out, shown and acknowledged. A conflict means that another server has appended first.
//! The table then reads the new entries and judges the command again. An unknown outcome is
//! resolved by looking for the command in the log, never by writing again.

mod aborts;
mod admission;
mod append;
mod audience;
mod claims;
mod command;
mod commit;
mod compact_ply;
mod follow;
mod house_turns;
mod input;
mod judge;
mod outage;
mod presence;
mod rematch;
mod replica;
mod state;
mod step;
mod work;

pub use command::{Asked, Author, NewCommand};
pub(crate) use command::{CommandKey, Done};
pub(crate) use house_turns::HOUSE_TAKEOVER_MS;
pub use input::TableInput;
pub(crate) use input::{Input, Output};
pub use judge::StaleEpoch;
#[cfg(test)]
pub(crate) use state::Health;
pub(crate) use state::{NEAR_MS, Table};
