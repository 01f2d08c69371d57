//! What `/api` tells of games that are over: histories, head to head, a player's own statistics.

use flagfall_board::{GameId, PerSide, Side};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::client_to_server::Time;
use crate::rating::GameScore;
use crate::server_to_client::Player;

/// A game of a player that is over.
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
    /// Whether it was rated.
    #[serde(default)]
    pub rated: bool,
    /// Whether only its players see it.
    #[serde(default)]
    pub private: bool,
    /// The player's side.
    pub side: Side,
    /// Against whom.
    pub opponent: Player,
    /// How it ended for the player.
    pub score: GameScore,
    /// Why it ended, as outcomes name it.
    pub reason: String,
    /// Turns taken.
    pub plies: u16,
}

/// A player's games that are over, the latest first. `GET /api/players/NAME/games`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlayedGames {
    /// Who it is.
    pub player: Player,
    /// A page of them.
    pub games: Vec<PlayedGame>,
    /// Names the next page, as `?after=`; none on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// How often somebody won, drew and lost.
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
    /// All games.
    #[must_use]
    pub fn games(&self) -> u32 {
        self.won.saturating_add(self.drawn).saturating_add(self.lost)
    }

    /// One more game.
    pub fn count(&mut self, score: GameScore) {
        let counter = match score {
            GameScore::Won => &mut self.won,
            GameScore::Drawn => &mut self.drawn,
            GameScore::Lost => &mut self.lost,
        };
        *counter = counter.saturating_add(1);
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Tally) -> Tally {
        Tally {
            won: self.won.saturating_add(other.won),
            drawn: self.drawn.saturating_add(other.drawn),
            lost: self.lost.saturating_add(other.lost),
        }
    }
}

/// Two players' games against each other, the latest first. `GET /api/players/NAME/against/OTHER`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HeadToHead {
    /// Who it is.
    pub player: Player,
    /// Against whom.
    pub opponent: Player,
    /// How often the player won, drew and lost, by ruleset; private games count for the two players alone.
    pub tallies: Vec<RulesetTally>,
    /// A page of the games.
    pub games: Vec<PlayedGame>,
    /// Names the next page, as `?after=`; none on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A tally of one ruleset.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RulesetTally {
    /// The ruleset's id.
    pub ruleset: String,
    /// How often.
    pub tally: Tally,
}

/// A deployment and what became of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DeploymentTally {
    /// Its text (§P4 without blanks).
    pub setup: crate::secret::Secret,
    /// How often.
    pub tally: Tally,
}

/// A player's own figures in one ruleset. Games called off do not count.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RulesetStatistics {
    /// The ruleset's id.
    pub ruleset: String,
    /// By the side he played.
    pub by_side: PerSide<Tally>,
    /// By deployment, the most played first; of many the latest.
    pub by_deployment: Vec<DeploymentTally>,
}

/// A player's own figures; nobody else is told. `GET /api/me/statistics`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Statistics {
    /// By ruleset.
    pub rulesets: Vec<RulesetStatistics>,
}
