//! Commands of lost branches.
//!
//! When the store has lost acknowledged entries, a new epoch begins. A command from an earlier
//! epoch answers moves that may be gone, yet the remaining log might accept it in a position its
//! player has not seen. So it is refused and changes nothing. A command that is in the log was
//! carried out and is accepted again. Servers learn of an epoch at different times, so a command
//! from a later epoch than the table's is judged as usual: its append shows whether this replica is
//! the log.

use flagfall_protocol::{Code, GameCommand, Refusal};

use super::command::Asked;

/// Why a command of an earlier epoch is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", Refusal::from(self))]
pub struct StaleEpoch;

impl From<&StaleEpoch> for Refusal {
    fn from(_: &StaleEpoch) -> Refusal {
        Refusal::new(Code::STALE_EPOCH)
    }
}

/// True if the command answers a position that was lost before this epoch. A deployment answers
/// none: its player wants it regardless of what has happened since, and may lose by the deadline
/// without it.
pub(super) fn is_of_lost_branch(asked: &Asked, epoch: u64) -> bool {
    asked.epoch.is_some_and(|earlier| earlier < epoch) && !matches!(asked.command, GameCommand::Deploy { .. })
}
