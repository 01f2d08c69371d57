//! Closes the sockets of revoked tokens. The server that revokes a token does so immediately.
//! Other servers do so when they next look for announcements.
//!
//! Announcements of revocations expire, so a server that has not looked for a long time may have
//! missed some. In that case, it checks the token of every open connection against the player's
//! record instead.
//!
//! Each server keeps copies of the records of players who are connected or have a running game.
//! These copies are used to restore a store that was emptied: see
//! [`Store::keep_copies`](flagfall_store::Store::keep_copies). When another server revokes a
//! token or closes a player, the copies of that player are dropped until the player signs in
//! again. So restoring the store admits no player who was shut out.

use super::record::{PlayerRecord, REVOKED_MS, TokenRecord};
use super::{PlayerError, Players};
use flagfall_base::identity::Principal;
use flagfall_base::keys::{GONE, REVOKED, SEAT};
use flagfall_base::scan::Scan;
use flagfall_base::transact::write;
use flagfall_protocol::CloseCode;
use flagfall_store::{Reached, StoreError, Write};
use std::time::Duration;
use tokio::time::{Instant, sleep};

impl Players {
    pub(super) fn close_revoked(&self, before: &PlayerRecord, kept: &[TokenRecord]) {
        for token in before.revoked(kept) {
            self.inner.connections.close_token(&before.player.id, &token.id, CloseCode::TokenRevoked);
        }
    }

    /// Closes the connections of a token on all servers. Use this for a token that is not stored.
    pub(super) async fn close_sockets(&self, asker: &Principal) -> Result<(), PlayerError> {
        let Principal { player, token_id, .. } = asker;
        if self.inner.store.announcements().is_some() {
            let expires = Some(self.inner.store.now().plus_ms(REVOKED_MS));
            let value = player.id.clone().into_bytes();
            let announced = Write::Put { key: REVOKED.key([token_id])?, value, expires };
            write(&*self.inner.store, vec![announced]).await?;
        }
        self.inner.connections.close_token(&player.id, token_id, CloseCode::TokenRevoked);
        Ok(())
    }

    /// Forgets the tokens that are in `before` but not in `kept`. Call this before waiting for
    /// the store again, because the server must not accept these tokens if the store becomes
    /// unreachable.
    pub(super) fn forget_revoked(&self, before: &PlayerRecord, kept: &[TokenRecord]) {
        for token in before.revoked(kept) {
            self.inner.connections.forget_token(&before.player.id, &token.id);
        }
    }

    /// Returns the announcements that were found. `is_whole` is false if a part of the store is
    /// unreachable. `looked_at` is the time of the last complete check.
    pub async fn look_for_revocations(&self, looked_at: Option<Instant>) -> Result<Reached, StoreError> {
        // If the last check was less than half of their lifetime ago, look only for new
        // announcements. The other half is a margin for slow reads and differing clocks.
        let is_fresh = |at: Instant| at.elapsed() < Duration::from_millis(REVOKED_MS / 2);
        if looked_at.is_some_and(is_fresh) {
            return self.look_for_news().await;
        }
        // This fails while a part of the store is unreachable, because not all tokens can be
        // checked then.
        self.look_for_news().await?;
        self.check_all_tokens().await?;
        Ok(Reached { records: Vec::new(), is_whole: true })
    }

    /// Closes the sockets of all players whose accounts are closed, and all sockets with an invalid
    /// token. Forgets the tokens of players who are not connected. These tokens are looked up again
    /// when the players return.
    async fn check_all_tokens(&self) -> Result<(), StoreError> {
        self.inner.connections.forget_absent();
        let mut are_all_read = true;
        for (player, token) in self.inner.connections.tokens() {
            let is_known = match self.read(&player).await {
                Ok(Some((record, _))) if record.closed.is_some() => {
                    self.inner.store.drop_copies(&player);
                    self.inner.connections.close_player(&player, CloseCode::Banned);
                    continue;
                }
                Ok(Some((record, _))) => record.tokens.iter().any(|known| known.id == *token),
                // This is a guest who is not stored. The token is valid unless they became an
                // account that was deleted.
                Ok(None) => {
                    let is_gone = self.inner.store.get(GONE.key([&player])?).await?.is_some();
                    !is_gone && self.inner.connections.pass_of(&player).is_some()
                }
                // The record cannot be read, so it is unknown whether the token is valid.
                Err(_) => {
                    are_all_read = false;
                    continue;
                }
            };
            if !is_known {
                self.inner.store.drop_copies(&player);
                self.inner.connections.close_token(&player, &token, CloseCode::TokenRevoked);
            }
        }
        let why = || "a player could not be read".to_owned();
        are_all_read.then_some(()).ok_or_else(|| StoreError::Unavailable { why: why() })
    }

    /// Closes the sockets of tokens that other servers have recently revoked. Returns the
    /// revocations.
    async fn look_for_news(&self) -> Result<Reached, StoreError> {
        let revoked = Scan::all_reachable(&*self.inner.store, REVOKED.all()?).await?;
        for (key, player) in &revoked.records {
            if let (Some(token), Ok(player)) = (REVOKED.rest(key), std::str::from_utf8(player)) {
                self.inner.store.drop_copies(player);
                self.inner.connections.close_token(player, token, CloseCode::TokenRevoked);
            }
        }
        Ok(revoked)
    }

    /// Keeps copies of the stored records of a player who has just signed in.
    pub(super) fn keep_copies(&self, record: &PlayerRecord) {
        if let Ok(writes) = record.writes() {
            self.inner.store.keep_copies(&record.player.id, writes);
        }
    }

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

    /// True if the player has a running game, or if the store does not answer.
    async fn has_seat(&self, player: &str) -> bool {
        let Ok(seats) = SEAT.under([&player]) else { return false };
        self.inner.store.scan(seats, None, 1).await.map_or(true, |seats| !seats.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::{Context, Waker};

    use flagfall_store::Store;
    use flagfall_store_testing::{ManualClock, TestStore};

    use super::*;
    use crate::settings::Settings;
    use flagfall_base::delivery::{ConnectionId, Connections, OutboxReader, Registration, outbox};

    fn connect(connections: &Connections, player: &str, token: &str) -> (Registration, OutboxReader) {
        let (outbox, reader) = outbox(ConnectionId::next());
        let mut registration = connections.enter(outbox, None);
        registration.identify(player, token, 8);
        (registration, reader)
    }

    fn is_closed(reader: &mut OutboxReader) -> bool {
        reader.poll_write(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_was_cut_off_for_long_closes_what_was_revoked_meanwhile() {
        let clock = Arc::new(ManualClock::new(flagfall_board::Stamp(1_000_000)));
        let store = Arc::new(TestStore::announcing(clock.clone()));
        let connections = Connections::new();
        let players = Players::new(store.clone(), connections.clone(), &Settings::default());
        let kept = players.register(Some("ana")).await.unwrap().identity;
        let standing = players.standing(&kept).await.unwrap();
        let (conditions, writes) = (standing.conditions, standing.writes);
        store.update(flagfall_store::Update { conditions, writes }).await.unwrap();
        let (_kept, mut kept_reader) = connect(&connections, &kept.player.id, &kept.token_id);
        // Another server has revoked the token, and the announcement has already expired.
        let (_revoked, mut revoked_reader) = connect(&connections, &kept.player.id, "revoked");
        let (_gone, mut gone_reader) = connect(&connections, "deleted", "t");
        let looked_at = Instant::now();
        players.look_for_revocations(Some(looked_at)).await.unwrap();
        assert!(!is_closed(&mut revoked_reader), "no announcement of it is left");
        tokio::time::advance(Duration::from_secs(6 * 60)).await;
        players.look_for_revocations(Some(looked_at)).await.unwrap();
        assert!(is_closed(&mut revoked_reader) && is_closed(&mut gone_reader));
        assert!(!is_closed(&mut kept_reader));
    }
}
