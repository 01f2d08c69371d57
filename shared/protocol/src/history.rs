//! The parts of `/api` about finished games: game histories, head-to-head results, and a player's
//! private statistics.

use flagfall_board::{GameId, PerSide, Side};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::player::Player;
use crate::rating::GameScore;
use crate::terms::Time;

/// A finished game in a player's history.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlayedGame {
    /// The game.
    pub game: GameId,
    /// The time at which the game ended, in milliseconds since 1970.
    pub ended: u64,
    /// The ruleset's id.
    pub ruleset: String,
    /// The time control of the game.
    pub time: Time,
    /// True if the game was rated.
    #[serde(default)]
    pub rated: bool,
    /// True if only the two players can see the game.
    #[serde(default)]
    pub private: bool,
    /// The player's side.
    pub side: Side,
    /// The opponent.
    pub opponent: Player,
    /// The result of the game for the player.
    pub score: GameScore,
    /// Why the game ended: the `reason` of its outcome.
    pub reason: String,
    /// The number of turns in the game.
    pub plies: u16,
    /// True if the operator of the server has erased the game. Its record cannot be read any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub erased: bool,
}

/// A page of a player's finished games, latest first. `GET /api/players/NAME/games`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlayedGames {
    /// The player.
    pub player: Player,
    /// The games of this page.
    pub games: Vec<PlayedGame>,
    /// The value of `?after=` for the next page. Absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// The numbers of games that a player won, drew and lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// Games won.
    pub won: u32,
    /// The number of games without a winner.
    pub drawn: u32,
    /// Games lost.
    pub lost: u32,
}

impl Tally {
    /// Returns the total number of games.
    pub fn games(&self) -> u32 {
        self.won.saturating_add(self.drawn).saturating_add(self.lost)
    }

    /// Adds one game to the tally.
    pub fn count(&mut self, score: GameScore) {
        let counter = match score {
            GameScore::Won => &mut self.won,
            GameScore::Drawn => &mut self.drawn,
            GameScore::Lost => &mut self.lost,
        };
        *counter = counter.saturating_add(1);
    }

    /// Returns the sum of this tally and another one.
    #[must_use]
    pub fn plus(self, other: Tally) -> Tally {
        Tally {
            won: self.won.saturating_add(other.won),
            drawn: self.drawn.saturating_add(other.drawn),
            lost: self.lost.saturating_add(other.lost),
        }
    }
}

/// The games of two players against each other, latest first. `GET
/// /api/players/NAME/against/OTHER`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HeadToHead {
    /// The player.
    pub player: Player,
    /// The opponent.
    pub opponent: Player,
    /// The first player's results in each ruleset. Private games are counted only if the
    /// requester is one of the two players.
    pub tallies: Vec<RulesetTally>,
    /// The games of this page.
    pub games: Vec<PlayedGame>,
    /// The value of `?after=` for the next page. Absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A player's results in one ruleset.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RulesetTally {
    /// The ruleset's id.
    pub ruleset: String,
    /// The numbers of games that the player won, drew and lost.
    pub tally: Tally,
}

/// A deployment, with the results of the games in which the player used it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DeploymentTally {
    /// The deployment's text (§P4), without spaces.
    pub setup: crate::secret::Secret,
    /// The numbers of games that the player won, drew and lost.
    pub tally: Tally,
}

/// A player's private statistics in one ruleset. Aborted games do not count.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RulesetStatistics {
    /// The ruleset's id.
    pub ruleset: String,
    /// The player's results with each side.
    pub by_side: PerSide<Tally>,
    /// The player's results with each deployment, sorted by the number of games, most used first.
    /// Deployments that the player has not used for a long time may be missing.
    pub by_deployment: Vec<DeploymentTally>,
}

/// A player's private statistics, which only the player can see. `GET /api/me/statistics`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Statistics {
    /// The statistics of each ruleset.
    pub rulesets: Vec<RulesetStatistics>,
}
