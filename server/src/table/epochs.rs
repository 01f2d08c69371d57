//! Commands of lost branches.
//!
//! Where the store has lost what was acknowledged, a new epoch begins. Whoever made a command before has seen moves that are gone, and the log that is left
//! may take it all the same, in a position that he has not seen: it is refused, and changes nothing. What the log has was carried out before it was lost from
//! sight, and is accepted again. Servers learn of an epoch at different times, so a command of a later one than the table's is judged by the log as ever: its
//! append says whether this replica is the log.

use flagfall_protocol::{Code, GameCommand};

use super::core::{Asked, Table};

/// Why a command of an earlier epoch is not carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the server has lost the last moves of this game, and this was asked for before: look at the game, then ask again"
)]
pub struct StaleEpoch;

impl StaleEpoch {
    /// The code of messages.
    #[must_use]
    pub const fn code(self) -> &'static str {
        Code::STALE_EPOCH
    }
}

impl Table {
    /// Whether the command answers a position that may be lost. A deployment answers none: it is what its player wants whatever has happened since, and without it
    /// he may lose the game by the deadline.
    pub(super) fn is_of_lost_branch(&self, asked: &Asked) -> bool {
        let is_earlier = asked.epoch.is_some_and(|epoch| epoch < self.epoch);
        is_earlier && !matches!(asked.command, GameCommand::Deploy { .. })
    }
}
