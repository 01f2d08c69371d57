//! The lakes of a game: those of the board's shape, or two that are drawn at random (§U2).

use flagfall_board::SquareSet;

use crate::entropy::Entropy;
use crate::ruleset::{Lakes, Ruleset};

/// The number of possible columns for the left half of a drawn lake.
const PLACES: u8 = 9;
/// The number of possible pairs of lakes. The two lakes of a pair do not overlap.
const PAIRS: u8 = 28;

/// Returns the 2x2 lake in rows 5 and 6 with this left column. Column `a` has index 0.
pub(crate) const fn lake(column: u8) -> SquareSet {
    SquareSet::rectangle(column..column + 2, 4..6)
}

/// Every possible pair of lakes, without duplicates.
fn pairs() -> impl Iterator<Item = SquareSet> {
    (0..PLACES).flat_map(|left| (left + 2..PLACES).map(move |right| lake(left).union(lake(right))))
}

impl Ruleset {
    /// Returns the lakes of a new game: the fixed lakes of the board's shape, or a pair that is
    /// drawn with these random bytes. All pairs are equally likely.
    pub fn draw_lakes(&self, entropy: &Entropy) -> SquareSet {
        match self.lakes {
            Lakes::OfTheShape => self.shape.lakes,
            Lakes::Drawn => {
                // Skip byte values at or above the largest multiple of `PAIRS`, because they
                // would favor the first pairs. The probability that all 32 bytes are skipped is
                // 2^-192.
                let fair = entropy.0.into_iter().find(|byte| *byte < u8::MAX / PAIRS * PAIRS);
                pairs().nth(usize::from(fair.unwrap_or(0) % PAIRS)).unwrap_or(self.shape.lakes)
            }
        }
    }

    /// True if a game of this ruleset can have these lakes.
    pub fn allows_lakes(&self, lakes: SquareSet) -> bool {
        match self.lakes {
            Lakes::OfTheShape => lakes == self.shape.lakes,
            Lakes::Drawn => pairs().any(|pair| pair == lakes),
        }
    }
}
