//! Sockets of tokens that were revoked are closed: here at once, on other servers when they look.

use flagfall_protocol::CloseCode;
use flagfall_store::{Key, StoreError};

use super::Players;
use super::record::{PlayerRecord, REVOKED, TokenRecord, key};

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

    /// Closes the sockets of tokens that other servers revoked lately.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn look_for_revocations(&self) -> Result<(), StoreError> {
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
