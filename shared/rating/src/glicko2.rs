//! The formulas, on the internal scale of Glickman's paper. The comments use the paper's symbols
//! and step numbers.

use std::f64::consts::PI;

use crate::rating::Rating;

/// The number of rating points in one unit of the internal scale.
const SCALE: f64 = 173.717_8;
/// The width of the interval at which the search for the new volatility stops.
const TOLERANCE: f64 = 1e-6;
/// The maximum number of steps in the search for the new volatility. A search usually takes only
/// a few.
const STEPS_MAX: u32 = 1_000;

/// The result of a game for a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// The player won, which counts as one point.
    Win,
    /// The game was drawn, which counts as half a point.
    Draw,
    /// The player lost, which counts as no points.
    Loss,
}

impl Score {
    /// Returns the result from the other player's point of view.
    #[must_use]
    pub const fn mirrored(self) -> Score {
        match self {
            Score::Win => Score::Loss,
            Score::Draw => Score::Draw,
            Score::Loss => Score::Win,
        }
    }

    /// The result in points: 1, 0.5 or 0.
    pub const fn points(self) -> f64 {
        match self {
            Score::Win => 1.0,
            Score::Draw => 0.5,
            Score::Loss => 0.0,
        }
    }
}

/// A game that a player finished within a rating period.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GameResult {
    /// The opponent's rating before the game.
    pub opponent: Rating,
    /// The player's result.
    pub score: Score,
    /// The player's advantage in this game, for example from moving first, in rating points.
    pub advantage: f64,
}

/// Returns g(phi): the weight of a game. It is smaller for a more uncertain opponent.
fn weight(deviation: f64) -> f64 {
    let phi = deviation / SCALE;
    (1.0 + 3.0 * phi * phi / (PI * PI)).sqrt().recip()
}

fn logistic(x: f64) -> f64 {
    (1.0 + (-x).exp()).recip()
}

/// Returns E: the player's expected score against an opponent.
fn expected(value: f64, opponent: Rating, advantage: f64) -> f64 {
    logistic(weight(opponent.deviation) * (value + advantage - opponent.value) / SCALE)
}

/// Returns the deviation after this many rating periods without a game. This is step 6 of
/// Glickman's algorithm, except that the number of periods may be a fraction.
pub(crate) fn deviation_after(rating: Rating, periods: f64) -> f64 {
    (rating.deviation.powi(2) + periods * (rating.volatility * SCALE).powi(2)).sqrt()
}

/// Returns the player's rating after the games of one rating period. `periods` is the number of
/// periods since the player's previous games. If `periods` is 1, this is exactly Glickman's
/// algorithm. The result may be outside the permitted range of ratings.
pub fn rate_period(player: Rating, results: &[GameResult], periods: f64, tau: f64) -> Rating {
    if results.is_empty() {
        return Rating { deviation: deviation_after(player, periods), ..player };
    }
    let phi = player.deviation / SCALE;
    // Steps 3 and 4 of Glickman's algorithm: the estimated variance v and the improvement delta.
    let (mut information, mut surprise) = (0.0, 0.0);
    for GameResult { opponent, score, advantage } in results {
        let g = weight(opponent.deviation);
        let e = expected(player.value, *opponent, *advantage);
        information += g * g * e * (1.0 - e);
        surprise += g * (score.points() - e);
    }
    let variance = information.recip();
    let delta = variance * surprise;
    let volatility = new_volatility(player.volatility, phi, variance, delta, tau);
    // Steps 6 to 8 of Glickman's algorithm.
    let widened = deviation_after(Rating { volatility, ..player }, periods) / SCALE;
    let new_phi = (widened.powi(-2) + information).sqrt().recip();
    Rating {
        value: player.value + SCALE * new_phi * new_phi * surprise,
        deviation: SCALE * new_phi,
        volatility,
    }
}

/// Returns the new volatility (step 5): the value that makes the results most likely. The method
/// is the Illinois variant of regula falsi.
fn new_volatility(volatility: f64, phi: f64, variance: f64, delta: f64, tau: f64) -> f64 {
    let start = (volatility * volatility).ln();
    let f = |x: f64| {
        let spread = phi * phi + variance + x.exp();
        x.exp() * (delta * delta - spread) / (2.0 * spread * spread) - (x - start) / (tau * tau)
    };
    let mut low = start;
    let beyond = delta * delta - phi * phi - variance;
    let mut high = if beyond > 0.0 {
        beyond.ln()
    } else {
        let mut steps = 1.0;
        while f(start - steps * tau) < 0.0 && steps < f64::from(STEPS_MAX) {
            steps += 1.0;
        }
        start - steps * tau
    };
    let (mut f_low, mut f_high) = (f(low), f(high));
    for _ in 0..STEPS_MAX {
        if (high - low).abs() <= TOLERANCE {
            break;
        }
        let middle = low + (low - high) * f_low / (f_high - f_low);
        let f_middle = f(middle);
        if f_middle * f_high <= 0.0 {
            (low, f_low) = (high, f_high);
        } else {
            f_low /= 2.0;
        }
        (high, f_high) = (middle, f_middle);
    }
    (low / 2.0).exp()
}
