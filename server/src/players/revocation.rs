//! Sockets of tokens that were revoked are closed: here at once, on other servers when they look.
//!
//! What is told of revocations expires. A server that could not look for so long that it may have missed one holds every open connection's token
//! against the player's record instead.

use std::time::Duration;

use flagfall_protocol::CloseCode;
use flagfall_store::{Key, StoreError};

use tokio::time::Instant;

use super::Players;
use super::record::{PlayerRecord, REVOKED, REVOKED_MS, TokenRecord, key};

/// Revocations read at a time.
const CHUNK: usize = 512;

impl Players {
    /// Closes the sockets of every token of `before` that `kept` does not have.
    pub(super) fn close_revoked(&self, before: &PlayerRecord, kept: &[TokenRecord]) {
        let is_revoked = |token: &&TokenRecord| kept.iter().all(|kept| kept.hash != token.hash);
        for token in before.tokens.iter().filter(is_revoked) {
            self.inner.connections.close_token(&before.player.id, &token.id, CloseCode::TokenRevoked);
        }
    }

    /// Closes the sockets of tokens that other servers have revoked since the last look, which was `looked_at`.
    ///
    /// # Errors
    /// [`StoreError`]: what was missed is still to be looked for.
    pub async fn look_for_revocations(&self, looked_at: Option<Instant>) -> Result<(), StoreError> {
        // Half of it: a look takes time, and clocks differ.
        let is_fresh = |at: Instant| at.elapsed() < Duration::from_millis(REVOKED_MS / 2);
        if looked_at.is_some_and(is_fresh) {
            self.look_for_news().await
        } else {
            self.check_all_tokens().await
        }
    }

    /// Closes the sockets of all tokens that are not, or no longer, their players'.
    async fn check_all_tokens(&self) -> Result<(), StoreError> {
        for (player, token) in self.inner.connections.tokens() {
            let is_known = match self.read(&player).await {
                Ok(Some((record, _))) => record.tokens.iter().any(|known| known.id == *token),
                Ok(None) => false,
                // Out of reach, which is no verdict.
                Err(_) => {
                    return Err(StoreError::Unavailable { why: "a player could not be read".to_owned() });
                }
            };
            if !is_known {
                self.inner.connections.close_token(&player, &token, CloseCode::TokenRevoked);
            }
        }
        Ok(())
    }

    /// Closes the sockets of tokens that other servers revoked lately.
    async fn look_for_news(&self) -> Result<(), StoreError> {
        let prefix = key(REVOKED, "")?;
        let mut after: Option<Key> = None;
        loop {
            let records = self.inner.store.scan(prefix.clone(), after, CHUNK).await?;
            for (key, player) in &records {
                let token = key.as_bytes().strip_prefix(prefix.as_bytes()).map(std::str::from_utf8);
                if let (Some(Ok(token)), Ok(player)) = (token, std::str::from_utf8(player)) {
                    self.inner.connections.close_token(player, token, CloseCode::TokenRevoked);
                }
            }
            after = match records.last() {
                Some((last, _)) if records.len() == CHUNK => Some(last.clone()),
                _ => return Ok(()),
            };
        }
    }
}
