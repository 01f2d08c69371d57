//! Quantum (§Q).

use super::CLASSIC;
use crate::ruleset::{RuleOption, Ruleset, Start};

/// The quantum rules (§Q).
pub const QUANTUM: Ruleset = Ruleset {
    id: "quantum",
    changeable: &[RuleOption::Ties, RuleOption::Bombs, RuleOption::TwoSquares, RuleOption::Quiet],
    start: Start::Coins,
    ..CLASSIC
};
