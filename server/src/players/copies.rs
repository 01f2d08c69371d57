//! Copies of the records of players who are here, which a store that was emptied gets back: see
//! [`Store::keep_copies`](flagfall_store::Store::keep_copies).
//!
//! Kept are the record, the name and the tokens of everybody who is connected or has a running
//! game. When another server says that a token was revoked or a player closed, nothing is kept of
//! that player until they come again: what is given back must not let anybody in who was shut out.

use std::time::Duration;

use tokio::time::sleep;

use super::Players;
use super::record::PlayerRecord;
use flagfall_base::keys::SEAT;

impl Players {
    /// Keeps copies of what the store has of a player who has just come.
    pub(super) fn keep_copies(&self, record: &PlayerRecord) {
        if let Ok(writes) = record.writes() {
            self.inner.store.keep_copies(&record.player.id, writes);
        }
    }

    /// Drops the copies of players who have left and play no game, with so much time between two
    /// looks, until the future is dropped.
    pub(crate) async fn tend_copies(&self, every: Duration) {
        loop {
            sleep(every).await;
            for player in self.inner.store.owners_of_copies() {
                if !self.inner.connections.is_online(&player) && !self.has_seat(&player).await {
                    self.inner.store.drop_copies(&player);
                }
            }
        }
    }

    /// True if the player has a running game, or nobody can say.
    async fn has_seat(&self, player: &str) -> bool {
        let Ok(seats) = SEAT.under([&player]) else { return false };
        self.inner.store.scan(seats, None, 1).await.map_or(true, |seats| !seats.is_empty())
    }
}
