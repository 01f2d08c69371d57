//! Lakes: those of the board's shape, or two that are drawn at random (§U2).

use flagfall_board::SquareSet;

use crate::entropy::Entropy;
use crate::ruleset::{Lakes, Ruleset};

/// The number of columns in which the left half of a drawn lake can lie.
const PLACES: u8 = 9;
/// The number of pairs of lakes that do not overlap.
const PAIRS: u8 = 28;

/// A 2x2 lake in rows 5 and 6 whose left column is this one (0 is `a`).
pub(crate) const fn lake(column: u8) -> SquareSet {
    SquareSet::rectangle(column..column + 2, 4..6)
}

/// Every possible pair of lakes, once each.
fn pairs() -> impl Iterator<Item = SquareSet> {
    (0..PLACES).flat_map(|left| (left + 2..PLACES).map(move |right| lake(left).union(lake(right))))
}

impl Ruleset {
    /// Returns the lakes of a new game: the shape's own lakes, or a pair that is drawn from these
    /// bytes, with every pair equally likely.
    pub fn draw_lakes(&self, entropy: &Entropy) -> SquareSet {
        match self.lakes {
            Lakes::OfTheShape => self.shape.lakes,
            Lakes::Drawn => {
                // Bytes beyond the last whole multiple of `PAIRS` would favor the first pairs, so
                // they are skipped. The chance that all 32 are skipped is 2^-192.
                let fair = entropy.0.into_iter().find(|byte| *byte < u8::MAX / PAIRS * PAIRS);
                pairs().nth(usize::from(fair.unwrap_or(0) % PAIRS)).unwrap_or(self.shape.lakes)
            }
        }
    }

    /// Whether a game of this ruleset can have these lakes.
    pub fn allows_lakes(&self, lakes: SquareSet) -> bool {
        match self.lakes {
            Lakes::OfTheShape => lakes == self.shape.lakes,
            Lakes::Drawn => pairs().any(|pair| pair == lakes),
        }
    }
}
