//! Ratings by Glicko-2 (Glickman, "Example of the Glicko-2 system"), updated after every game.
//! The time since a player's last game counts as a fraction of a rating period. The functions are
//! pure: they use no clock and no I/O.
//!
//! A stored [`Rating`] is the rating after the player's last rated game. [`Rating::aged`] adds
//! the uncertainty that has grown since then, and [`rate`] computes both players' ratings after a
//! game.

mod glicko2;
mod rating;

pub use glicko2::{GameResult, Score, rate_period};
pub use rating::{
    DEVIATION_MAX, DEVIATION_MIN, LEADERBOARD_DEVIATION, PERIODS_PER_DAY, PROVISIONAL_DEVIATION, Rating, TAU,
};

impl Rating {
    /// Returns the rating after this many days without a game. The strength stays the same, but
    /// becomes less certain.
    #[must_use]
    pub fn aged(self, days: f64) -> Rating {
        let periods = days.max(0.0) * PERIODS_PER_DAY;
        Rating { deviation: glicko2::deviation_after(self, periods), ..self }.clamped()
    }
}

/// A player before a game: the stored rating, and its age.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entrant {
    /// The rating after the player's last rated game, as it is stored.
    pub rating: Rating,
    /// The number of days since the player's last rated game ended. It must not be negative.
    pub idle_days: f64,
}

/// Returns both players' ratings after a game, given the first player's score. `advantage` is the
/// advantage of moving first in rating points, or 0 if it is unknown. Both new ratings are
/// computed from the ratings before the game.
pub fn rate(first: Entrant, second: Entrant, score: Score, advantage: f64) -> (Rating, Rating) {
    let one = |entrant: Entrant, opponent: Entrant, score, advantage| {
        let against = opponent.rating.aged(opponent.idle_days);
        let periods = entrant.idle_days.max(0.0) * PERIODS_PER_DAY;
        let result = GameResult { opponent: against, score, advantage };
        rate_period(entrant.rating, &[result], periods, TAU).clamped()
    };
    (one(first, second, score, advantage), one(second, first, score.mirrored(), -advantage))
}
