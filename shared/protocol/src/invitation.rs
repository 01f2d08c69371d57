//! Challenges that are addressed to a player by name.

use flagfall_board::Side;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::player::Player;
use crate::terms::Terms;

/// Addresses one of the player's open challenges to another player. `POST /api/me/challenges`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Invite {
    /// The code of the challenge.
    pub challenge: String,
    /// The name of the other player.
    pub name: String,
}

/// A challenge to this player that they have not answered yet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Invitation {
    /// The code that the player needs to accept the challenge.
    pub challenge: String,
    /// The player who made the challenge.
    pub challenger: Player,
    /// The terms of the game.
    pub terms: Terms,
    /// The side that this player gets. If absent, the server chooses the side at random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub your_side: Option<Side>,
    /// The time at which the challenge expires, in milliseconds since 1970.
    pub expires: u64,
}

/// The challenges that are addressed to the player, sorted by the time at which they expire. `GET
/// /api/me/challenges`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Invitations {
    /// The challenges.
    pub challenges: Vec<Invitation>,
}
