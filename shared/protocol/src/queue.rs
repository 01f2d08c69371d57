//! Queued moves, which a player plans for later turns in correspondence games.

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
    /// The queued turn: a move, or a turn that moves a piece to or from the reserve.
    pub command: GameCommand,
    /// The move that the opponent must have made just before this turn. If they made another
    /// move, this turn is not taken. If absent, the turn has no condition.
    #[serde(default, rename = "if", skip_serializing_if = "Option::is_none")]
    pub after: Option<Move>,
}

impl fmt::Debug for QueuedMove {
    /// Writes a placeholder instead of the move, because a planned move hints at the piece's
    /// rank.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("QueuedMove(hidden)")
    }
}

/// Replaces the queue with these turns, one for each of the player's next plies, in order. `PUT
/// /api/games/ID/queue`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewQueue {
    /// The ply of the game when the turns were planned. If the game has moved on, the server
    /// refuses the request as stale.
    pub ply: Ply,
    /// The `epoch` of the `game` message on which the turns are based. If the game's epoch is
    /// later, the server refuses the request as stale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u64>,
    /// The turns to queue, from 1 to 20.
    pub moves: Vec<QueuedMove>,
}

/// A player's queue of turns in a game. Only the player can see it. `GET /api/games/ID/queue`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MoveQueue {
    /// The game.
    pub game: GameId,
    /// The ply of the first queued turn.
    pub ply: Ply,
    /// The queued turns, one for each of the player's next plies, in order.
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
