//! Deployments that a player saves on the server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::secret::Secret;

/// Saves a deployment under its ruleset and name. If the name is in use, the earlier deployment
/// is replaced. `PUT /api/me/deployments/RULESET/NAME`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SaveDeployment {
    /// The deployment's text (§P4).
    pub setup: Secret,
}

/// A deployment that a player has saved. Only the player can see it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SavedDeployment {
    /// The ruleset's id.
    pub ruleset: String,
    /// The name that the owner gave the deployment: 1 to 30 letters, digits, `-` and `_`.
    pub name: String,
    /// The deployment's text (§P4), without spaces.
    pub setup: Secret,
}

/// The player's saved deployments, sorted by ruleset and name. `GET /api/me/deployments`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SavedDeployments {
    /// The deployments.
    pub deployments: Vec<SavedDeployment>,
}

/// Deployments that the server suggests for a ruleset. `GET
/// /api/rulesets/RULESET/deployments/suggested`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SuggestedDeployments {
    /// The ruleset's id.
    pub ruleset: String,
    /// Three deployments in text form (§P4), without spaces.
    pub setups: Vec<Secret>,
}

impl SavedDeployment {
    /// True if a deployment may have this name. The names `random` and `suggested` are reserved,
    /// because clients use them for deployments that are not saved.
    pub fn is_name(name: &str) -> bool {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let is_word = matches!(name, "random" | "suggested");
        (1..=30).contains(&name.len()) && name.bytes().all(is_allowed) && !is_word
    }
}
