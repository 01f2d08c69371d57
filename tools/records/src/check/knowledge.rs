//! What a record tells of deployments.

use flagfall_board::PerSide;
use flagfall_protocol::GameRecord;
use flagfall_rules::{Ruleset, Start};

/// What is known of a side's deployment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Knowledge {
    /// It was opened at the end, with its salt; or there is no deployment, and nothing is hidden.
    Opened,
    /// The player's own record has it as handed in.
    Own,
    /// Only what was shown.
    Shown,
}

/// What is known of each side's deployment.
pub(super) fn knowledge_of(record: &GameRecord) -> PerSide<Knowledge> {
    let has_coins = |ruleset: &Ruleset| ruleset.start == Start::Coins;
    let is_open = record.start.is_some() || Ruleset::find(&record.terms.ruleset).is_some_and(has_coins);
    PerSide::from_fn(|side| {
        if record.deployments[side].is_some() || is_open {
            Knowledge::Opened
        } else if record.audience.side() == Some(side) && record.own_setup().is_some() {
            Knowledge::Own
        } else {
            Knowledge::Shown
        }
    })
}
