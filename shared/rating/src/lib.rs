//! Ratings by Glicko-2 (Glickman, "Example of the Glicko-2 system"), updated after every game: the
//! time since a player's last game counts as a fraction of a rating period. Pure: no clock, no IO.
//!
//! A stored [`Rating`] is as of the last rated game. [`Rating::aged`] brings it up to today, and
//! [`rate`] computes both ratings after a game.

mod glicko2;

pub use glicko2::{GameResult, Score, rate_period};

/// A player's estimated strength as of their last rated game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating {
    /// The strength, in points.
    pub value: f64,
    /// The uncertainty: one standard deviation, in points.
    pub deviation: f64,
    /// How much the strength is expected to change in a rating period.
    pub volatility: f64,
}

/// The constraint on how fast volatility changes (Glickman's tau).
pub const TAU: f64 = 0.75;
/// Rating periods in a day.
pub const PERIODS_PER_DAY: f64 = 0.214_36;
/// The smallest deviation, so that ratings can always move.
pub const DEVIATION_MIN: f64 = 45.0;
/// The largest deviation, which is that of a newcomer.
pub const DEVIATION_MAX: f64 = 500.0;
/// Ratings with this deviation or more are provisional, and are shown with a question mark.
pub const PROVISIONAL_DEVIATION: f64 = 110.0;
/// Ratings with this deviation or less are on the leaderboard.
pub const LEADERBOARD_DEVIATION: f64 = 75.0;
/// The largest volatility, so that a wild streak does not make a rating jump forever.
const VOLATILITY_MAX: f64 = 0.1;
/// The smallest rating.
const VALUE_MIN: f64 = 400.0;
/// The largest rating.
const VALUE_MAX: f64 = 4000.0;

impl Rating {
    /// The rating of a newcomer.
    pub const START: Rating = Rating { value: 1500.0, deviation: DEVIATION_MAX, volatility: 0.09 };

    /// The rating after this many days without a game: the same strength, less certain.
    #[must_use]
    pub fn aged(self, days: f64) -> Rating {
        let periods = days.max(0.0) * PERIODS_PER_DAY;
        Rating { deviation: glicko2::deviation_after(self, periods), ..self }.clamped()
    }

    /// True if too little is known for the rating to mean much.
    #[must_use]
    pub fn is_provisional(self) -> bool {
        self.deviation >= PROVISIONAL_DEVIATION
    }

    /// True if it is certain enough for the leaderboard.
    #[must_use]
    pub fn is_for_leaderboard(self) -> bool {
        self.deviation <= LEADERBOARD_DEVIATION
    }

    /// The expected share of points against an opponent, 0 to 1, with an advantage in points (for
    /// moving first; negative for the other side). Both uncertainties count: no win is sure against
    /// an unknown player.
    #[must_use]
    pub fn expected_score(self, opponent: Rating, advantage: f64) -> f64 {
        glicko2::expected_between(self, opponent, advantage)
    }

    fn clamped(self) -> Rating {
        Rating {
            value: self.value.clamp(VALUE_MIN, VALUE_MAX),
            deviation: self.deviation.clamp(DEVIATION_MIN, DEVIATION_MAX),
            volatility: self.volatility.min(VOLATILITY_MAX),
        }
    }
}

/// A player who enters a game: their stored rating and the age of their last rated game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entrant {
    /// The rating as stored.
    pub rating: Rating,
    /// Days since their last rated game ended, not negative.
    pub idle_days: f64,
}

/// Both ratings after a game, given the first player's score and advantage in points (for moving
/// first; 0 if unknown). Both are computed from what was known before the game.
#[must_use]
pub fn rate(first: Entrant, second: Entrant, score: Score, advantage: f64) -> (Rating, Rating) {
    let one = |entrant: Entrant, opponent: Entrant, score, advantage| {
        let against = opponent.rating.aged(opponent.idle_days);
        let periods = entrant.idle_days.max(0.0) * PERIODS_PER_DAY;
        let result = GameResult { opponent: against, score, advantage };
        rate_period(entrant.rating, &[result], periods, TAU).clamped()
    };
    (one(first, second, score, advantage), one(second, first, score.mirrored(), -advantage))
}
