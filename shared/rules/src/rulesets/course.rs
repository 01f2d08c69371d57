//! The course rules: lakes are drawn at random, and a side that breaks a rule loses (§U).

use flagfall_board::{BoardShape, SquareSet};

use super::CLASSIC;
use crate::ruleset::{Bombs, Lakes, RuleOption, Ruleset};

/// The course rules (§U).
pub const COURSE: Ruleset = Ruleset {
    id: "course",
    changeable: &[RuleOption::Quiet],
    shape: BoardShape { lakes: SquareSet::EMPTY, ..CLASSIC.shape },
    lakes: Lakes::Drawn,
    bombs: Bombs::LeaveWithAttacker,
    winner_advances: true,
    illegal_act_loses: true,
    two_squares_limit: None,
    ..CLASSIC
};
