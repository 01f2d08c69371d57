//! The rulesets, each "the parent, except".

mod classic;
mod original;
mod pbm;

pub use classic::{BARRAGE, CLASSIC, TOURNAMENT};
pub use original::ORIGINAL;
pub use pbm::{PBM, PBM_SMALL};

use crate::Ruleset;

/// In the order in which they are offered.
pub(crate) const ALL: &[&Ruleset] = &[&CLASSIC, &TOURNAMENT, &BARRAGE, &PBM, &PBM_SMALL, &ORIGINAL];
