//! The advantage of the first move: measured from rated games, and counted once there are enough of
//! them.

use flagfall_board::Side;
use serde::{Deserialize, Serialize};

/// Rated games of a ruleset that are needed before the first move counts.
pub(super) const GAMES_MIN: u32 = 1_000;
/// The largest advantage that is believed, in rating points.
const POINTS_MAX: f64 = 100.0;

/// Results of a ruleset's rated games from the first mover's view. Pairing balances sides, so
/// strengths cancel out over many games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct FirstMoveRecord {
    pub(super) won: u32,
    pub(super) drawn: u32,
    pub(super) lost: u32,
}

impl FirstMoveRecord {
    /// Adds a game; Red has the first move.
    pub(super) fn count(&mut self, winner: Option<Side>) {
        let counter = match winner {
            Some(Side::Red) => &mut self.won,
            None => &mut self.drawn,
            Some(Side::Blue) => &mut self.lost,
        };
        *counter = counter.saturating_add(1);
    }

    pub(super) fn games(self) -> u32 {
        self.won.saturating_add(self.drawn).saturating_add(self.lost)
    }

    /// The advantage in whole rating points; 0 while there are too few games, or if it could be
    /// chance.
    pub(super) fn points(self) -> i32 {
        let games = f64::from(self.games());
        if self.games() < GAMES_MIN {
            return 0;
        }
        // A draw counts half. One win on each side is added, so that the share is never 0 or 1.
        let share = (f64::from(self.won) + f64::from(self.drawn) / 2.0 + 1.0) / (games + 2.0);
        let error = (share * (1.0 - share) / games).sqrt();
        if (share - 0.5).abs() < 2.0 * error {
            return 0;
        }
        let points = 400.0 * (share / (1.0 - share)).log10();
        points.clamp(-POINTS_MAX, POINTS_MAX).round() as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_moves_advantage_follows_from_recorded_games() {
        let worth = |won, drawn, lost| FirstMoveRecord { won, drawn, lost }.points();
        assert_eq!(worth(999, 0, 0), 0, "too few games");
        assert_eq!(worth(505, 0, 495), 0, "this can be chance");
        assert_eq!(worth(5_500, 0, 4_500), 35);
        assert_eq!(worth(4_500, 0, 5_500), -35);
        assert_eq!(worth(5_000, 1_000, 4_000), 35, "a draw is half a game for each");
        assert_eq!(worth(10_000, 0, 0), 100, "the advantage is capped");
    }
}
