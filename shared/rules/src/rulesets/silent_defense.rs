//! The tournament rules of the 1980s and 1990s (§D).

use super::CLASSIC;
use crate::ruleset::{Disclosure, RuleOption, Ruleset, Ties};

/// The silent defense rules (§D).
pub const SILENT_DEFENSE: Ruleset = Ruleset {
    id: "silent-defense",
    changeable: &[
        RuleOption::Ties,
        RuleOption::Bombs,
        RuleOption::ScoutStrike,
        RuleOption::Winner,
        RuleOption::TwoSquares,
        RuleOption::MoreSquares,
        RuleOption::Quiet,
    ],
    ties: Ties::AttackerWins,
    disclosure: Disclosure::SilentDefense,
    ..CLASSIC
};
