//! Moves that a player queues for later turns in correspondence games.

use std::fmt;

use flagfall_board::{GameId, Ply};
use flagfall_view::Move;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::client_to_server::GameCommand;

/// A queued turn.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueuedMove {
    /// The turn: a move, a removal or a placing.
    pub command: GameCommand,
    /// If present, the turn is made only if the opponent's preceding turn is this move.
    #[serde(default, rename = "if", skip_serializing_if = "Option::is_none")]
    pub after: Option<Move>,
}

impl fmt::Debug for QueuedMove {
    /// Hides the move, because a planned move hints at the rank of its piece.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("QueuedMove(hidden)")
    }
}

/// Replaces the queue with turns for the player's next plies, in order. `PUT /api/games/ID/queue`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewQueue {
    /// The game's current ply. The request is refused as stale if the game has moved on.
    pub ply: Ply,
    /// The epoch from `game` of the view in which the turns were planned. The request is refused
    /// as stale in a later epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u64>,
    /// 1 to 20 turns.
    pub moves: Vec<QueuedMove>,
}

/// A player's queue in a game. Only the player can see it. `GET /api/games/ID/queue`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MoveQueue {
    /// The game.
    pub game: GameId,
    /// The ply of the first queued turn.
    pub ply: Ply,
    /// The queued turns, one for each of the player's next plies. Empty if nothing is queued.
    pub moves: Vec<QueuedMove>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_in_a_log_shows_no_planned_move() {
        let moves = r#"[{ "command": { "kind": "move", "move": "a4a5" }, "if": "j7j6" }]"#;
        let new = NewQueue { ply: 4, epoch: None, moves: serde_json::from_str(moves).unwrap() };
        let text = format!("{new:?}");
        assert!(!text.contains("a4") && !text.contains("j7") && text.contains("hidden"), "{text}");
    }
}
