//! The plan of a pair of sessions.

use flagfall_board::{Side, SquareSet};
use flagfall_rules::Ruleset;

use super::twins::Act;

/// A game to be played twice.
#[derive(Clone, Debug)]
pub(crate) struct PairPlan {
    pub(super) number: usize,
    pub(super) ruleset: &'static Ruleset,
    /// The lakes of both games, if the ruleset draws them.
    pub(super) lakes: SquareSet,
    /// The side with the secret.
    pub(super) hider: Side,
    pub(super) acts: Vec<Act>,
    /// True if the end of the game reveals the secret to the other player.
    pub(super) is_end_open: bool,
    pub(super) name: String,
    pub(super) seed: u64,
}

impl PairPlan {
    /// Returns the acts at which servers are killed.
    pub(super) fn kills(&self) -> Vec<usize> {
        let acts = self.acts.iter().enumerate();
        acts.filter(|(_, act)| matches!(act, Act::Outage)).map(|(number, _)| number).collect()
    }
}
