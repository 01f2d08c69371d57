//! Quantum (§Q).

use super::CLASSIC;
use crate::ruleset::{RuleOption, Ruleset, Start};

/// The quantum rules (§Q).
pub const QUANTUM: Ruleset = Ruleset {
    id: "quantum",
    changeable: &[RuleOption::Ties, RuleOption::Bombs, RuleOption::TwoSquares, RuleOption::Quiet],
    title: "Quantum",
    summary: "Classic without deployments: forty coins a side, each of which becomes a piece of its pool when a strike asks what it is.",
    start: Start::Coins,
    ..CLASSIC
};
