//! Deployments that an account keeps on its server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::secret::Secret;

/// Keeps a deployment under its ruleset and name. It replaces one that is there. `PUT
/// /api/me/deployments/RULESET/NAME`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SaveDeployment {
    /// The deployment's text (§P4).
    pub setup: Secret,
}

/// A deployment that a player keeps. Only the player can see it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SavedDeployment {
    /// The ruleset's id.
    pub ruleset: String,
    /// The name that its owner gave it: 1 to 30 letters, digits, `-` and `_`.
    pub name: String,
    /// The deployment's text (§P4), without blanks.
    pub setup: Secret,
}

/// The player's kept deployments, by ruleset and name. `GET /api/me/deployments`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SavedDeployments {
    /// The deployments.
    pub deployments: Vec<SavedDeployment>,
}

/// Deployments to start from. `GET /api/rulesets/RULESET/deployments/suggested`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SuggestedDeployments {
    /// The ruleset's id.
    pub ruleset: String,
    /// Three texts of deployments (§P4), without blanks.
    pub setups: Vec<Secret>,
}

impl SavedDeployment {
    /// True if a deployment may have this name. `random` and `suggested` are reserved: commands
    /// that take a name use them for other deployments.
    pub fn is_name(name: &str) -> bool {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let is_word = matches!(name, "random" | "suggested");
        (1..=30).contains(&name.len()) && name.bytes().all(is_allowed) && !is_word
    }
}
