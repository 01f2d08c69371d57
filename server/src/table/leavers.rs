//! Marks players who left a game that ends, in the append of its end, so once for each game.

use flagfall_board::{Side, Stamp};
use flagfall_rules::{EndReason, Outcome, Phase};
use flagfall_store::Write;
use flagfall_store::record::CommandStamp;

use super::core::Table;
use crate::conduct;

impl Table {
    /// The marks of players who left the game that ends with this outcome, by this command or by
    /// itself. Leaving a house player counts for nothing, since it makes nobody wait.
    pub(super) fn marks(
        &self,
        now: Stamp,
        outcome: Outcome,
        stamp: Option<&CommandStamp>,
    ) -> impl Iterator<Item = Write> {
        let asker = stamp.and_then(|stamp| self.header.side_of(&stamp.player));
        let has_left = |side: &Side| match (outcome.reason, asker) {
            (EndReason::Abandoned, Some(claimant)) => *side != claimant,
            // A player who thinks for too long has lost but has not left.
            (EndReason::OutOfTime, _) => {
                outcome.winner == Some(side.opponent()) && self.has_gone_away(*side, now)
            }
            // The time to deploy is over.
            (EndReason::Aborted, None) => self.game.phase() == Phase::Deploying && !self.game.is_ready(*side),
            (EndReason::Aborted, Some(asker)) => self.header.terms.rated && *side == asker,
            _ => false,
        };
        let leavers = Side::BOTH.into_iter().filter(|_| !self.header.has_house()).filter(has_left);
        let marks: Vec<Write> =
            leavers.filter_map(|side| conduct::mark(&self.header.players[side].id, self.id, now)).collect();
        marks.into_iter()
    }
}
