//! Players, as everyone sees them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Player {
    /// The player's id. It never changes.
    pub id: String,
    /// The name that others see.
    pub name: String,
    /// The kind of player.
    pub kind: PlayerKind,
}

/// The kind of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlayerKind {
    /// A player with a name and a token, but no password.
    Guest,
    /// A player with a password.
    Account,
    /// A program with an account of its own.
    Bot,
    /// A house player: a program that the server runs.
    House,
}
