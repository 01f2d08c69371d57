//! The stored record of a player.
//!
//! The record `players/ID` contains all data of the player; `names/NAME` and `tokens/HASH`
//! contain only the player's id. Each change is one update, on the condition that `players/ID`
//! has not changed since it was read. So concurrent changes of one player are made one after the
//! other, and the three kinds of records always agree.

use flagfall_board::Stamp;
use flagfall_protocol::{Player, PlayerKind, Scope, TokenInfo};
use flagfall_store::{StoreError, SystemClock, WallClock, Write};
use serde::{Deserialize, Serialize};

use super::Name;
use crate::records::{bytes, mark, parse};
use flagfall_base::identity::Token;
use flagfall_base::jobs::JobWriter;
use flagfall_base::keys::{GONE, LEAVING, NAMES, PLAYERS, REVOKED, TOKENS};
use flagfall_base::random::{ChanceError, random_code};

/// The time for which a revocation is announced, in milliseconds. During this time, other servers
/// close the token's sockets.
pub(super) const REVOKED_MS: u64 = 5 * 60 * 1_000;

const FORMER_TOKENS_MAX: usize = 16;

/// Marks an account as closed. The reason for closing it is in the operators' log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Closed {
    /// The time at which the account was closed, in milliseconds since 1970.
    pub(super) at: u64,
}

/// A player's record. It does not implement `Debug`, because it contains hashes of secrets.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PlayerRecord {
    pub(super) player: Player,
    /// The folded name, as in the key below `names/`.
    pub(super) name_key: String,
    pub(super) created: u64,
    /// The time at which a guest who does not return is forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) expires: Option<u64>,
    /// Oldest first.
    #[serde(default)]
    pub(super) tokens: Vec<TokenRecord>,
    /// The hashes of revoked tokens, oldest first. They show that a device that presents such a
    /// token was signed in before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) former_tokens: Vec<String>,
    /// The password and recovery code; `None` for a guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) credentials: Option<Credentials>,
    /// The closure of the account, if an operator has closed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) closed: Option<Closed>,
}

/// The data with which an account signs in without a token.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Credentials {
    /// The hash of the password, with its parameters and salt.
    pub(super) password: String,
    pub(super) recovery: String,
}

/// The data of a token, without the token itself.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TokenRecord {
    pub(super) id: String,
    /// The hash of the token, as in the key below `tokens/`.
    pub(super) hash: String,
    pub(super) name: String,
    pub(super) scope: Scope,
    pub(super) created: u64,
}

impl TokenRecord {
    pub(super) fn new(token: &Token, name: &str, scope: Scope) -> Result<TokenRecord, ChanceError> {
        let (id, name, created) = (random_code()?, name.to_owned(), SystemClock.now().0);
        Ok(TokenRecord { id, hash: token.hash(), name, scope, created })
    }

    pub(super) fn info(&self, current: &str) -> TokenInfo {
        let TokenRecord { id, hash: _, name, scope, created } = self.clone();
        let is_current = id == current;
        TokenInfo { id, name, scope, created, current: is_current }
    }
}

impl PlayerRecord {
    pub(super) fn new(
        id: String,
        name: &Name,
        kind: PlayerKind,
        token: TokenRecord,
        now: Stamp,
    ) -> PlayerRecord {
        PlayerRecord {
            player: Player { id, name: name.as_str().to_owned(), kind },
            name_key: name.folded(),
            created: now.0,
            expires: None,
            tokens: vec![token],
            former_tokens: Vec::new(),
            credentials: None,
            closed: None,
        }
    }

    pub(super) fn knows_device(&self, token: &Token) -> bool {
        let hash = token.hash();
        self.tokens.iter().any(|known| known.hash == hash) || self.former_tokens.contains(&hash)
    }

    /// Remembers these former tokens, and forgets the oldest ones above the limit.
    pub(super) fn note_former(&mut self, gone: impl IntoIterator<Item = TokenRecord>) {
        self.former_tokens.extend(gone.into_iter().map(|token| token.hash));
        let surplus = self.former_tokens.len().saturating_sub(FORMER_TOKENS_MAX);
        self.former_tokens.drain(..surplus);
    }

    pub(super) fn read(bytes: &[u8]) -> Result<PlayerRecord, StoreError> {
        parse(bytes, "a player's record")
    }

    pub(super) fn bytes(&self) -> Result<Vec<u8>, StoreError> {
        bytes(self)
    }

    pub(super) fn writes(&self) -> Result<Vec<Write>, StoreError> {
        let expires = self.expires.map(Stamp);
        let id = self.player.id.clone().into_bytes();
        let mut writes = vec![
            Write::Put { key: PLAYERS.key([&self.player.id])?, value: self.bytes()?, expires },
            Write::Put { key: NAMES.key([&self.name_key])?, value: id.clone(), expires },
        ];
        for token in &self.tokens {
            writes.push(Write::Put { key: TOKENS.key([&token.hash])?, value: id.clone(), expires });
        }
        Ok(writes)
    }

    /// Returns the writes that replace the record `before` with this one. They also delete
    /// outdated keys and announce revoked tokens.
    pub(super) fn writes_after(&self, before: &PlayerRecord, now: Stamp) -> Result<Vec<Write>, StoreError> {
        let mut writes = before.revocations(now, &self.tokens)?;
        if before.name_key != self.name_key {
            writes.push(Write::Delete { key: NAMES.key([&before.name_key])? });
        }
        writes.extend(self.writes()?);
        Ok(writes)
    }

    /// Returns the writes that delete a player. They leave a marker, which shows that the player
    /// existed.
    pub(super) fn deletion(&self, now: Stamp, jobs: &JobWriter) -> Result<Vec<Write>, StoreError> {
        let mut writes = self.revocations(now, &[])?;
        writes.push(Write::Delete { key: PLAYERS.key([&self.player.id])? });
        writes.push(Write::Delete { key: NAMES.key([&self.name_key])? });
        writes.push(mark(GONE.key([&self.player.id])?, None));
        // The job stays until all other data of the player has been deleted.
        let player = serde_json::to_vec(&self.player).unwrap_or_default();
        let value = jobs.job_with(&player, now);
        writes.push(Write::Put { key: LEAVING.key([&self.player.id])?, value, expires: None });
        Ok(writes)
    }

    /// Returns the tokens that are not in `kept`.
    pub(super) fn revoked(&self, kept: &[TokenRecord]) -> impl Iterator<Item = &TokenRecord> {
        self.tokens.iter().filter(|token| kept.iter().all(|kept| kept.hash != token.hash))
    }

    /// Returns the writes that announce revoked tokens to other servers. The announcements expire
    /// by the store's clock, so `now` must be a time of that clock.
    fn revocations(&self, now: Stamp, kept: &[TokenRecord]) -> Result<Vec<Write>, StoreError> {
        let expires = Some(now.plus_ms(REVOKED_MS));
        let mut writes = Vec::new();
        for token in self.revoked(kept) {
            let value = self.player.id.clone().into_bytes();
            writes.push(Write::Delete { key: TOKENS.key([&token.hash])? });
            writes.push(Write::Put { key: REVOKED.key([&token.id])?, value, expires });
        }
        Ok(writes)
    }
}
