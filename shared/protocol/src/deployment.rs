//! Deployments that an account keeps on its server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::secret::Secret;

/// Keeps a deployment under its ruleset and name, in the place of one that is there. `PUT /api/me/deployments/RULESET/NAME`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SaveDeployment {
    /// Its text (§P4).
    pub setup: Secret,
}

/// A deployment that its owner keeps. Nobody else is told.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SavedDeployment {
    /// The ruleset's id.
    pub ruleset: String,
    /// What its owner calls it: 1 to 30 letters, digits, `-` and `_`.
    pub name: String,
    /// Its text (§P4 without blanks).
    pub setup: Secret,
}

/// The deployments that the asker keeps, by ruleset and name. `GET /api/me/deployments`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SavedDeployments {
    /// All of them.
    pub deployments: Vec<SavedDeployment>,
}

impl SavedDeployment {
    /// Whether a deployment may be kept under this name. `random` and `suggested` stand for something else where deployments are named.
    #[must_use]
    pub fn is_name(name: &str) -> bool {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let is_word = matches!(name, "random" | "suggested");
        (1..=30).contains(&name.len()) && name.bytes().all(is_allowed) && !is_word
    }
}
