//! A rating, its limits, and the constants of the rating system.

/// A player's estimated strength after their last rated game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating {
    /// The strength, in points.
    pub value: f64,
    /// The uncertainty of the strength: one standard deviation, in points.
    pub deviation: f64,
    /// The volatility: how much the strength is expected to change in a rating period.
    pub volatility: f64,
}

/// The limit on how fast the volatility changes (Glickman's tau).
pub const TAU: f64 = 0.75;
/// The number of rating periods in a day.
pub const PERIODS_PER_DAY: f64 = 0.214_36;
/// The smallest deviation. If deviations became smaller, ratings would hardly change.
pub const DEVIATION_MIN: f64 = 45.0;
/// The largest deviation. Newcomers have this deviation.
pub const DEVIATION_MAX: f64 = 500.0;
/// The smallest deviation of a provisional rating. Provisional ratings are shown with a question
/// mark.
pub const PROVISIONAL_DEVIATION: f64 = 110.0;
/// The largest deviation with which a player is on the leaderboard.
pub const LEADERBOARD_DEVIATION: f64 = 75.0;
/// The largest volatility. Without this limit, an unusual series of results could make a rating
/// permanently unstable.
const VOLATILITY_MAX: f64 = 0.1;
/// The smallest rating.
const VALUE_MIN: f64 = 400.0;
/// The largest rating.
const VALUE_MAX: f64 = 4000.0;

impl Rating {
    /// The rating of a newcomer.
    pub const START: Rating = Rating { value: 1500.0, deviation: DEVIATION_MAX, volatility: 0.09 };

    /// True if the rating is too uncertain to mean much.
    pub fn is_provisional(self) -> bool {
        self.deviation >= PROVISIONAL_DEVIATION
    }

    /// True if the rating is certain enough for the leaderboard.
    pub fn is_for_leaderboard(self) -> bool {
        self.deviation <= LEADERBOARD_DEVIATION
    }

    pub(crate) fn clamped(self) -> Rating {
        Rating {
            value: self.value.clamp(VALUE_MIN, VALUE_MAX),
            deviation: self.deviation.clamp(DEVIATION_MIN, DEVIATION_MAX),
            volatility: self.volatility.min(VOLATILITY_MAX),
        }
    }
}
