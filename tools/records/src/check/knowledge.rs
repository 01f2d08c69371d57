//! The facts that a record shows about deployments.

use flagfall_board::PerSide;
use flagfall_protocol::GameRecord;
use flagfall_rules::{Ruleset, Start};

/// The known facts about a side's deployment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Knowledge {
    /// The whole deployment and its salt, because they were opened at the end of the game. This
    /// value is also used for games without deployments.
    Opened,
    /// The whole deployment, because the record is the player's own. It contains the deployment
    /// as they submitted it.
    Own,
    /// Only the ranks that were revealed during the game.
    Shown,
}

/// Returns the known facts about each side's deployment.
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
