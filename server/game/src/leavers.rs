//! Which players left a game that ends.

use flagfall_board::{PerSide, Side, Stamp};
use flagfall_rules::{EndReason, Outcome, Phase};

use super::table::Table;

impl Table {
    /// The sides whose player left the game that ends with this outcome, by a command of `asker` or
    /// by itself. Leaving a house player counts for nothing, since it makes nobody wait.
    pub(super) fn leavers(&self, now: Stamp, outcome: Outcome, asker: Option<Side>) -> PerSide<bool> {
        let has_left = |side: Side| match (outcome.reason, asker) {
            (EndReason::Abandoned, Some(claimant)) => side != claimant,
            // A player who thinks for too long has lost but has not left.
            (EndReason::OutOfTime, _) => {
                outcome.winner == Some(side.opponent()) && self.has_gone_away(side, now)
            }
            // The time to deploy is over.
            (EndReason::Aborted, None) => self.game.phase() == Phase::Deploying && !self.game.is_ready(side),
            (EndReason::Aborted, Some(asker)) => self.header.terms.rated && side == asker,
            _ => false,
        };
        PerSide::from_fn(|side| !self.header.has_house() && has_left(side))
    }
}
