//! Queries about open offers.

use std::collections::BTreeSet;

use flagfall_protocol::{CommandId, Player};

use super::{Lobby, LobbyCommand};

impl Lobby {
    /// True if this command was accepted before: repeating it returns the same outcome.
    pub async fn has_carried_out(&self, player: &Player, cmd_id: &CommandId, command: &LobbyCommand) -> bool {
        matches!(self.inner.memory.recall(player, cmd_id, command).await, Ok(Some(_)))
    }

    /// True if a seek is open, as far as this server knows.
    pub fn has_seek(&self, id: &str) -> bool {
        self.inner.seeks.lock().has(id)
    }

    /// True if a player waits in the pool, or if the store cannot say.
    pub async fn is_waiting(&self, player_id: &str) -> bool {
        self.inner.pool.is_waiting(player_id).await.unwrap_or(true)
    }

    /// The players connected here who have an open seek. Other servers are told of them.
    pub fn seekers_here(&self) -> BTreeSet<String> {
        let seeks = self.inner.seeks.lock();
        let here = seeks.seekers().filter(|player| self.inner.connections.is_online(player));
        here.map(str::to_owned).collect()
    }
}
