//! Commands of lost branches.
//!
//! When the store has lost acknowledged entries, a new epoch begins. A command from an earlier
//! epoch answers moves that may be gone, yet the remaining log might accept it in a position its
//! player has not seen. So it is refused and changes nothing. A command that is in the log was
//! carried out and is accepted again. Servers learn of an epoch at different times, so a command
//! from a later epoch than the table's is judged as usual: its append shows whether this replica is
//! the log.

use flagfall_protocol::{Code, GameCommand};

use super::table::{Asked, Table};

/// Why a command of an earlier epoch is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the server has lost the last moves of this game, and this was asked for before: look at the game, then ask again"
)]
pub struct StaleEpoch;

impl StaleEpoch {
    /// The code in messages.
    #[must_use]
    pub const fn code(self) -> &'static str {
        Code::STALE_EPOCH
    }
}

impl Table {
    /// True if the command answers a position that may be lost. A deployment answers none: its
    /// player wants it regardless of what has happened since, and may lose by the deadline without
    /// it.
    pub(super) fn is_of_lost_branch(&self, asked: &Asked) -> bool {
        let is_earlier = asked.epoch.is_some_and(|epoch| epoch < self.epoch);
        is_earlier && !matches!(asked.command, GameCommand::Deploy { .. })
    }
}
