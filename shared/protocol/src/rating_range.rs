//! Ranges of ratings, which limit who may accept an open offer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A range of ratings, with at least one bound. The range applies to ratings in the offer's
/// ruleset at the offer's speed, including provisional ones. An account without rated games in
/// this ruleset at this speed counts as 1500.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RatingRange {
    /// The lowest rating in the range, in points. At most 4,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<u32>,
    /// The highest rating in the range, in points. At most 4,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u32>,
}

impl RatingRange {
    /// The maximum value of a bound, in points. No rating is higher.
    pub const POINTS_MAX: u32 = 4_000;

    /// True if the range has at least one bound and can contain a rating.
    pub fn is_allowed(&self) -> bool {
        let is_bounded = self.min.is_some() || self.max.is_some();
        let is_low = |bound: Option<u32>| bound.is_none_or(|points| points <= RatingRange::POINTS_MAX);
        let is_ordered = self.min.zip(self.max).is_none_or(|(min, max)| min <= max);
        is_bounded && is_low(self.min) && is_low(self.max) && is_ordered
    }

    /// True if the range contains this rating, given in points.
    pub fn contains(&self, points: u32) -> bool {
        self.min.is_none_or(|min| min <= points) && self.max.is_none_or(|max| points <= max)
    }
}

/// The range of ratings that a seeker asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum RatingWish {
    /// A range between two fixed ratings.
    Between {
        /// The lowest rating in the range, in points. At most 4,000.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<u32>,
        /// The highest rating in the range, in points. At most 4,000.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<u32>,
    },
    /// A range around the seeker's current rating. The server converts it to fixed bounds.
    Around {
        /// The distance from the seeker's rating down to the lower bound, in points. If absent,
        /// there is no lower bound.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        below: Option<u32>,
        /// The distance from the seeker's rating up to the upper bound, in points. If absent,
        /// there is no upper bound.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        above: Option<u32>,
    },
}

impl RatingWish {
    /// Returns the fixed bounds, given the seeker's rating in points. Returns `None` if the range
    /// is relative to that rating and the seeker has none.
    pub fn range(self, own: Option<u32>) -> Option<RatingRange> {
        match self {
            RatingWish::Between { min, max } => Some(RatingRange { min, max }),
            RatingWish::Around { below, above } => own.map(|own| RatingRange {
                min: below.map(|below| own.saturating_sub(below)),
                max: above.map(|above| own.saturating_add(above).min(RatingRange::POINTS_MAX)),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn range(min: Option<u32>, max: Option<u32>) -> RatingRange {
        RatingRange { min, max }
    }

    #[test]
    fn a_range_holds_its_bounds_and_what_lies_between() {
        let held = |range: RatingRange| [1_399, 1_400, 1_600, 1_601].map(|points| range.contains(points));
        assert_eq!(held(range(Some(1_400), Some(1_600))), [false, true, true, false]);
        assert_eq!(held(range(Some(1_400), None)), [false, true, true, true]);
        assert_eq!(held(range(None, Some(1_600))), [true, true, true, false]);
    }

    #[test]
    fn a_range_has_a_bound_and_somebody_can_be_in_it() {
        assert!(range(Some(1_500), Some(1_500)).is_allowed() && range(None, Some(4_000)).is_allowed());
        for refused in [
            range(None, None),
            range(Some(1_600), Some(1_400)),
            range(Some(4_001), None),
            range(None, Some(u32::MAX)),
        ] {
            assert!(!refused.is_allowed(), "{refused:?}");
        }
    }

    #[test]
    fn a_range_around_a_rating_stays_within_what_there_is() {
        let around = |below, above| RatingWish::Around { below, above };
        assert_eq!(around(Some(100), Some(200)).range(Some(1_500)), Some(range(Some(1_400), Some(1_700))));
        assert_eq!(around(Some(2_000), None).range(Some(1_500)), Some(range(Some(0), None)));
        assert_eq!(around(None, Some(u32::MAX)).range(Some(1_500)), Some(range(None, Some(4_000))));
        assert_eq!(around(Some(1), Some(1)).range(None), None);
    }
}
