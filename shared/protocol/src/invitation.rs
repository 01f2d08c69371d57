//! Challenges addressed to a player by name.

use flagfall_board::Side;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::client_to_server::Terms;
use crate::player::Player;

/// Addresses the player's own open challenge to another player. `POST /api/me/challenges`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Invite {
    /// The code of the challenge.
    pub challenge: String,
    /// The name of the other player.
    pub name: String,
}

/// A challenge that waits for this player's answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Invitation {
    /// The code with which the player accepts the challenge.
    pub challenge: String,
    /// The player who made the challenge.
    pub challenger: Player,
    /// What to play.
    pub terms: Terms,
    /// The side that this player would have. If absent, the server chooses it at random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub your_side: Option<Side>,
    /// When the challenge expires, in milliseconds since 1970.
    pub expires: u64,
}

/// The challenges addressed to the player, in the order in which they expire. `GET
/// /api/me/challenges`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Invitations {
    /// The challenges.
    pub challenges: Vec<Invitation>,
}
