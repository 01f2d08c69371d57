//! Moves that a player leaves behind for the turns to come, in games with days per move.

use flagfall_board::{GameId, Ply};
use flagfall_view::Move;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::client_to_server::GameCommand;

/// A ply for a turn to come.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueuedMove {
    /// What is to be done: a move, a removal or a placing.
    pub command: GameCommand,
    /// Only if the other side's ply before it is this move.
    #[serde(default, rename = "if", skip_serializing_if = "Option::is_none")]
    pub after: Option<Move>,
}

/// The plies for the asker's next turns, the next one first; they replace what was queued before. `PUT /api/games/ID/queue`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewQueue {
    /// The ply at which the game stands; refused as stale when it has moved on.
    pub ply: Ply,
    /// The epoch of the view they are planned in, as `game` told it; refused as stale in a later one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u64>,
    /// 1 to 20 plies.
    pub moves: Vec<QueuedMove>,
}

/// What is queued. Nobody but its owner is told. `GET /api/games/ID/queue`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MoveQueue {
    /// The game.
    pub game: GameId,
    /// The ply at which the first of them is to be made.
    pub ply: Ply,
    /// The plies, one for each turn of the asker's; empty when nothing is queued.
    pub moves: Vec<QueuedMove>,
}
