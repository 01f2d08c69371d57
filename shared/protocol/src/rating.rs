//! Ratings in messages and in `/api`.

use flagfall_board::{GameId, PerSide};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::player::Player;
use crate::terms::Time;

flagfall_board::named! {
    /// The speed of a game, which depends on the time that the clock gives a side for forty
    /// turns. A player has a separate rating for each combination of ruleset and speed.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum Speed, name, from_name {
        /// The clock gives a side less than three minutes for forty turns.
        Bullet = "bullet",
        /// The clock gives a side less than eight minutes for forty turns.
        Blitz = "blitz",
        /// The clock gives a side less than twenty-five minutes for forty turns.
        Rapid = "rapid",
        /// The clock gives a side twenty-five minutes or more for forty turns.
        Classical = "classical",
        /// The clock gives a side a number of days for every turn.
        Correspondence = "correspondence",
    }
}

impl Speed {
    /// The number of turns per side that is assumed when a game's length is estimated.
    pub const PLIES: u64 = 40;

    /// Returns the speed of a time control. Returns `None` for unlimited time.
    pub fn of(time: Time) -> Option<Speed> {
        let (base_s, ply_s) = match time {
            Time::Unlimited {} => return None,
            Time::Correspondence { days: _ } => return Some(Speed::Correspondence),
            Time::Fischer { base_s, increment_s } => (base_s, increment_s),
            // The delay counts as if players used all of it, although they rarely do.
            Time::Delay { base_s, free_s } => (base_s, free_s),
        };
        Some(match u64::from(base_s) + Speed::PLIES * u64::from(ply_s) {
            0..180 => Speed::Bullet,
            180..480 => Speed::Blitz,
            480..1_500 => Speed::Rapid,
            _ => Speed::Classical,
        })
    }
}

/// A rating as other players see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RatingPoint {
    /// The rating, in points.
    pub rating: u32,
    /// The uncertainty of the rating: one standard deviation, in points.
    pub deviation: u32,
    /// True if the rating is too uncertain to mean much. Clients should show such a rating with a
    /// question mark.
    #[serde(default)]
    pub provisional: bool,
}

/// A player's current rating in one ruleset at one speed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RatingInfo {
    /// The ruleset's id.
    pub ruleset: String,
    /// The speed.
    pub speed: Speed,
    /// The current rating. It becomes less certain while the player plays no rated games.
    pub now: RatingPoint,
    /// The number of rated games that the player has played.
    pub games: u32,
    /// The time at which the last rated game ended, in milliseconds since 1970.
    pub last: u64,
}

/// The change that a rated game made to both players' ratings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RatingChange {
    /// The game.
    pub game: GameId,
    /// The ruleset's id.
    pub ruleset: String,
    /// The speed.
    pub speed: Speed,
    /// The advantage of moving first, in points, as assumed by the calculation.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub first_move: i32,
    /// Each side's rating before the game.
    pub before: PerSide<RatingPoint>,
    /// Each side's rating after the game.
    pub after: PerSide<RatingPoint>,
}

/// The result of a game for one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GameScore {
    /// The player won.
    Won,
    /// The game had no winner.
    Drawn,
    /// The player lost.
    Lost,
}

/// A rated game in a player's list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RatedGame {
    /// The game.
    pub game: GameId,
    /// The time at which the game ended, in milliseconds since 1970.
    pub at: u64,
    /// The opponent.
    pub opponent: Player,
    /// The result of the game for the player.
    pub score: GameScore,
    /// The player's rating before the game.
    pub before: RatingPoint,
    /// The player's rating after the game.
    pub after: RatingPoint,
    /// True if the server's operators have reversed the game's rating change.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub undone: bool,
}

/// A player's latest rated games in one ruleset at one speed. `GET
/// /api/players/NAME/ratings/RULESET/SPEED`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RatingHistory {
    /// The player.
    pub player: Player,
    /// The ruleset's id.
    pub ruleset: String,
    /// The speed.
    pub speed: Speed,
    /// The games, latest first.
    pub games: Vec<RatedGame>,
}

/// An entry of a leaderboard.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LeaderboardEntry {
    /// The player's position on the leaderboard, starting at 1.
    pub place: u32,
    /// The player.
    pub player: Player,
    /// The player's current rating.
    pub now: RatingPoint,
    /// The number of rated games that the player has played.
    pub games: u32,
}

/// The best players in one ruleset at one speed. Only players with a deviation of 75 or less are
/// listed. `GET /api/leaderboards/RULESET/SPEED`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Leaderboard {
    /// The ruleset's id.
    pub ruleset: String,
    /// The speed.
    pub speed: Speed,
    /// True for the leaderboard of bots. People and bots have separate leaderboards.
    pub bots: bool,
    /// The entries, best first.
    pub entries: Vec<LeaderboardEntry>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_go_by_the_length_of_a_game() {
        let of = |base_s, increment_s| Speed::of(Time::Fischer { base_s, increment_s });
        assert_eq!(of(60, 2), Some(Speed::Bullet));
        assert_eq!(of(180, 0), Some(Speed::Blitz));
        assert_eq!(of(300, 3), Some(Speed::Blitz));
        assert_eq!(of(600, 5), Some(Speed::Rapid));
        assert_eq!(of(60, 60), Some(Speed::Classical));
        assert_eq!(of(u32::MAX, u32::MAX), Some(Speed::Classical));
        assert_eq!(Speed::of(Time::Unlimited {}), None);
        assert_eq!(Speed::of(Time::Delay { base_s: 300, free_s: 3 }), Some(Speed::Blitz));
        assert_eq!(Speed::of(Time::Correspondence { days: 1 }), Some(Speed::Correspondence));
        assert!(Speed::ALL.into_iter().all(|speed| Speed::from_name(speed.name()) == Some(speed)));
    }
}
