//! Lakes: those of the board's shape, or two that chance places (§U2).

use flagfall_board::SquareSet;

use crate::entropy::Entropy;
use crate::ruleset::{Lakes, Ruleset};

/// Columns in which the left half of a drawn lake can lie.
const PLACES: u8 = 9;
/// Pairs of lakes that do not overlap.
const PAIRS: u8 = 28;

/// Two squares of two columns in rows 5 and 6, the left one in this column (0 is `a`).
pub(crate) const fn lake(column: u8) -> SquareSet {
    let both = SquareSet::rectangle(column + 2, 4, 6);
    both.without(SquareSet::rectangle(column, 4, 6))
}

/// Every pair of lakes there can be, each once.
fn pairs() -> impl Iterator<Item = SquareSet> {
    (0..PLACES).flat_map(|left| (left + 2..PLACES).map(move |right| lake(left).union(lake(right))))
}

impl Ruleset {
    /// The lakes of a new game: drawn from these bytes where the ruleset wants it, every pair equally likely; else the shape's own.
    #[must_use]
    pub fn draw_lakes(&self, entropy: &Entropy) -> SquareSet {
        match self.lakes {
            Lakes::OfTheShape => self.shape.lakes,
            Lakes::Drawn => {
                // Bytes beyond the last whole multiple would favor the first pairs. That all 32 are such has a chance of 2^-192.
                let fair = entropy.0.into_iter().find(|byte| *byte < u8::MAX / PAIRS * PAIRS);
                pairs().nth(usize::from(fair.unwrap_or(0) % PAIRS)).unwrap_or(self.shape.lakes)
            }
        }
    }

    /// Whether a game of this ruleset can have these lakes.
    #[must_use]
    pub fn allows_lakes(&self, lakes: SquareSet) -> bool {
        match self.lakes {
            Lakes::OfTheShape => lakes == self.shape.lakes,
            Lakes::Drawn => pairs().any(|pair| pair == lakes),
        }
    }
}
