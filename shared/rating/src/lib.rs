//! Ratings by Glicko-2 (Glickman, "Example of the Glicko-2 system"), updated after every game: the time since a player's last game counts
//! as a fraction of a rating period. Pure: no clock, no IO.
//!
//! A [`Rating`] is what is stored; what is true of it today is a [`Rating::aged`] one. [`rate`] says what a game makes of both.

mod glicko2;

pub use glicko2::{GameResult, Score, rate_period};

/// How strong a player is believed to be, as of his last rated game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating {
    /// The strength, in points.
    pub value: f64,
    /// How uncertain that is: one standard deviation, in points.
    pub deviation: f64,
    /// How much the strength is expected to change in a rating period.
    pub volatility: f64,
}

/// The constraint on how fast volatility changes (Glickman's tau).
pub const TAU: f64 = 0.75;
/// Rating periods in a day.
pub const PERIODS_PER_DAY: f64 = 0.214_36;
/// No deviation is smaller: a rating stays able to move.
pub const DEVIATION_MIN: f64 = 45.0;
/// No deviation is larger: nobody is less known than a newcomer.
pub const DEVIATION_MAX: f64 = 500.0;
/// From this deviation on a rating is provisional, shown with a question mark.
pub const PROVISIONAL_DEVIATION: f64 = 110.0;
/// Up to this deviation a rating stands on the leaderboard.
pub const LEADERBOARD_DEVIATION: f64 = 75.0;
/// No volatility is larger: a wild streak must not make a rating jump for ever.
const VOLATILITY_MAX: f64 = 0.1;
/// No rating is smaller.
const VALUE_MIN: f64 = 400.0;
/// No rating is larger.
const VALUE_MAX: f64 = 4000.0;

impl Rating {
    /// A newcomer's.
    pub const START: Rating = Rating { value: 1500.0, deviation: DEVIATION_MAX, volatility: 0.09 };

    /// The rating after so many days without a game: the same strength, less certain.
    #[must_use]
    pub fn aged(self, days: f64) -> Rating {
        let periods = days.max(0.0) * PERIODS_PER_DAY;
        Rating { deviation: glicko2::deviation_after(self, periods), ..self }.clamped()
    }

    /// Whether too little is known yet for the figure to mean much.
    #[must_use]
    pub fn is_provisional(self) -> bool {
        self.deviation >= PROVISIONAL_DEVIATION
    }

    /// Whether it is certain enough for the leaderboard.
    #[must_use]
    pub fn is_for_leaderboard(self) -> bool {
        self.deviation <= LEADERBOARD_DEVIATION
    }

    /// The share of points expected against an opponent, 0 to 1, when this side has so many points of advantage (of moving first; negative for the
    /// other side). How uncertain both are counts: nobody is sure to win against an unknown.
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

/// A player as he comes to a game: his stored rating, and how many days ago his last rated game ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entrant {
    /// As stored.
    pub rating: Rating,
    /// Days since then, not negative.
    pub idle_days: f64,
}

/// What a game makes of both ratings: the first player's score, and his advantage in points (for moving first; 0 when none is known).
/// Both are judged by what was known before the game.
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
