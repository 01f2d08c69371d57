//! The rules of the original edition of 1966 (§O).

use super::CLASSIC;
use crate::ruleset::Ruleset;

/// The rules of 1966 (§O1).
pub const ORIGINAL: Ruleset = Ruleset {
    id: "original",
    strikes_afar: false,
    winner_advances: true,
    two_squares_limit: None,
    ..CLASSIC
};
