//! What a record tells about deployments.

use flagfall_board::PerSide;
use flagfall_protocol::GameRecord;
use flagfall_rules::{Ruleset, Start};

/// What is known about a side's deployment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Knowledge {
    /// It was opened at the end, with its salt; or there is no deployment, and nothing is hidden.
    Opened,
    /// The record is the player's own and contains the deployment as they handed it in.
    Own,
    /// Only what the game showed of it is known.
    Shown,
}

/// Returns what is known about each side's deployment.
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
