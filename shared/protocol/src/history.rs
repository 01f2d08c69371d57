//! Ended games as `/api` shows them: game histories, head-to-head results, and a player's own
//! statistics.

use flagfall_board::{GameId, PerSide, Side};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::client_to_server::Time;
use crate::player::Player;
use crate::rating::GameScore;

/// An ended game of a player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlayedGame {
    /// The game.
    pub game: GameId,
    /// When it ended, in milliseconds since 1970.
    pub ended: u64,
    /// The ruleset's id.
    pub ruleset: String,
    /// The clock.
    pub time: Time,
    /// True if the game was rated.
    #[serde(default)]
    pub rated: bool,
    /// True if only its players can see it.
    #[serde(default)]
    pub private: bool,
    /// The player's side.
    pub side: Side,
    /// The opponent.
    pub opponent: Player,
    /// How it ended for the player.
    pub score: GameScore,
    /// Why the game ended, as in the `reason` of an outcome.
    pub reason: String,
    /// Turns taken.
    pub plies: u16,
}

/// A page of a player's ended games, latest first. `GET /api/players/NAME/games`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlayedGames {
    /// The player.
    pub player: Player,
    /// The games of this page.
    pub games: Vec<PlayedGame>,
    /// The `?after=` of the next page. Absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// How often a player won, drew and lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// Games won.
    pub won: u32,
    /// Games without a winner.
    pub drawn: u32,
    /// Games lost.
    pub lost: u32,
}

impl Tally {
    /// The number of games.
    pub fn games(&self) -> u32 {
        self.won.saturating_add(self.drawn).saturating_add(self.lost)
    }

    /// Counts one more game.
    pub fn count(&mut self, score: GameScore) {
        let counter = match score {
            GameScore::Won => &mut self.won,
            GameScore::Drawn => &mut self.drawn,
            GameScore::Lost => &mut self.lost,
        };
        *counter = counter.saturating_add(1);
    }

    /// Returns the sum of both tallies.
    #[must_use]
    pub fn plus(self, other: Tally) -> Tally {
        Tally {
            won: self.won.saturating_add(other.won),
            drawn: self.drawn.saturating_add(other.drawn),
            lost: self.lost.saturating_add(other.lost),
        }
    }
}

/// Two players' games against each other, latest first. `GET /api/players/NAME/against/OTHER`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HeadToHead {
    /// The player.
    pub player: Player,
    /// The opponent.
    pub opponent: Player,
    /// How often the player won, drew and lost, by ruleset. Private games are counted only if one
    /// of the two players asks.
    pub tallies: Vec<RulesetTally>,
    /// The games of this page.
    pub games: Vec<PlayedGame>,
    /// The `?after=` of the next page. Absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// How often a player won, drew and lost in one ruleset.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RulesetTally {
    /// The ruleset's id.
    pub ruleset: String,
    /// The games won, drawn and lost.
    pub tally: Tally,
}

/// A deployment, and how often it won, drew and lost.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DeploymentTally {
    /// The deployment's text (§P4), without blanks.
    pub setup: crate::secret::Secret,
    /// The games won, drawn and lost.
    pub tally: Tally,
}

/// A player's own statistics in one ruleset. Aborted games do not count.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RulesetStatistics {
    /// The ruleset's id.
    pub ruleset: String,
    /// The tally of each side that the player had.
    pub by_side: PerSide<Tally>,
    /// The tally of each deployment, most played first. If there are many deployments, only the
    /// latest are listed.
    pub by_deployment: Vec<DeploymentTally>,
}

/// A player's own statistics, which only the player can see. `GET /api/me/statistics`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Statistics {
    /// The statistics of each ruleset.
    pub rulesets: Vec<RulesetStatistics>,
}
