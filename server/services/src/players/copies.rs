//! Copies of the records of players who are present, which restore a store that was emptied: see
//! [`Store::keep_copies`](flagfall_store::Store::keep_copies).
//!
//! The copies hold the record, name and tokens of everyone who is connected or has a running game.
//! When another server revokes a token or closes a player, the copies of that player are dropped
//! until they come again: restoring must not admit anyone who was shut out.

use std::time::Duration;

use tokio::time::sleep;

use super::Players;
use super::record::PlayerRecord;
use flagfall_base::keys::SEAT;

impl Players {
    /// Keeps copies of the stored records of a player who has just come.
    pub(super) fn keep_copies(&self, record: &PlayerRecord) {
        if let Ok(writes) = record.writes() {
            self.inner.store.keep_copies(&record.player.id, writes);
        }
    }

    /// Drops the copies of players who have left and have no running game. Runs every `every` until
    /// the future is dropped.
    pub async fn tend_copies(&self, every: Duration) {
        loop {
            sleep(every).await;
            for player in self.inner.store.owners_of_copies() {
                if !self.inner.connections.is_online(&player) && !self.has_seat(&player).await {
                    self.inner.store.drop_copies(&player);
                }
            }
        }
    }

    /// True if the player has a running game, or if the store cannot say.
    async fn has_seat(&self, player: &str) -> bool {
        let Ok(seats) = SEAT.under([&player]) else { return false };
        self.inner.store.scan(seats, None, 1).await.map_or(true, |seats| !seats.is_empty())
    }
}
