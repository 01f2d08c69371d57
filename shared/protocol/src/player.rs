//! Public information about players.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Player {
    /// The player's id, which never changes.
    pub id: String,
    /// The name that other players see.
    pub name: String,
    /// The kind of player.
    pub kind: PlayerKind,
}

/// The kind of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlayerKind {
    /// A guest: a player with a name and a token, but no password.
    Guest,
    /// A person with an account, who has a password.
    Account,
    /// A program that plays with its own account.
    Bot,
    /// A house player, which is a program that the server runs.
    House,
}
