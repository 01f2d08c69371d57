use flagfall_board::{GameId, PerSide};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::client_to_server::Terms;
use crate::game_view::{GameEvent, Opened, Outcome};
use crate::server_to_client::{Audience, Player};
use crate::text::HexBytes;

/// The version of [`GameRecord`].
pub const RECORD_FORMAT: u32 = 1;

/// A game as one audience may know it, start to end: full after the end, fogged before.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GameRecord {
    /// [`RECORD_FORMAT`].
    pub format: u32,
    /// The game.
    pub game: GameId,
    /// What was played.
    pub terms: Terms,
    /// Who played.
    pub players: PerSide<Player>,
    /// When it was made, in milliseconds since 1970.
    pub created: u64,
    /// As whom it is told.
    pub audience: Audience,
    /// Each side's commitment to its deployment.
    pub commitments: PerSide<Option<HexBytes>>,
    /// The deployments that are open to this audience.
    pub deployments: PerSide<Option<Opened>>,
    /// What happened, oldest first.
    pub events: Vec<RecordedEvent>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

/// An event and when it happened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecordedEvent {
    /// In milliseconds since 1970.
    pub at: u64,
    /// What.
    pub event: GameEvent,
}
