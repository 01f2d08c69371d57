//! Challenges: offers to whoever has the code. They live in the store, so a restart loses none.

use std::sync::Arc;

use flagfall_board::{Side, Stamp};
use flagfall_protocol::{Player, ServerToClient, Terms};
use flagfall_store::{Key, Store, Update, Write};
use serde::{Deserialize, Serialize};

use super::refusal::LobbyRefusal;
use flagfall_base::keys::{CHALLENGES, CHALLENGES_OF};

/// An open challenge, as the store keeps it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Challenge {
    /// Its code: whoever has it may accept.
    pub code: String,
    /// Who offers.
    pub challenger: Player,
    /// What.
    pub terms: Terms,
    /// The side the challenger wants.
    pub side: Option<Side>,
    /// When it expires, in milliseconds since 1970.
    pub expires: u64,
}

impl Challenge {
    /// What it offers, as its code shows it.
    #[must_use]
    pub fn message(self) -> ServerToClient {
        ServerToClient::Challenge {
            challenge: self.code,
            challenger: self.challenger,
            terms: self.terms,
            your_side: self.side.map(Side::opponent),
            expires: self.expires,
        }
    }

    /// What opens it: its record, and its entry in the list of its challenger's.
    pub(super) fn opening(&self) -> Result<[Write; 2], LobbyRefusal> {
        let expires = Some(Stamp(self.expires));
        let value = serde_json::to_vec(self).map_err(|_| LobbyRefusal::Internal("unwritable challenge"))?;
        Ok([
            Write::Put { key: key(&self.code)?, value, expires },
            Write::Put { key: own_key(&self.challenger, &self.code)?, value: Vec::new(), expires },
        ])
    }

    /// What ends it.
    pub(super) fn closing(&self) -> Result<[Write; 2], LobbyRefusal> {
        Ok([
            Write::Delete { key: key(&self.code)? },
            Write::Delete { key: own_key(&self.challenger, &self.code)? },
        ])
    }
}

/// The open challenge of a code, its key, and its record as it lies in the store, for the condition that it is still there.
pub(super) async fn find(
    store: &Arc<dyn Store>,
    code: &str,
) -> Result<(Challenge, Key, Vec<u8>), LobbyRefusal> {
    let is_code = (10..=32).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_code {
        return Err(LobbyRefusal::NoSuchChallenge);
    }
    let key = key(code)?;
    let bytes = store.get(key.clone()).await?.ok_or(LobbyRefusal::NoSuchChallenge)?;
    let challenge = serde_json::from_slice(&bytes).map_err(|error| {
        tracing::error!(%error, "a challenge cannot be read");
        LobbyRefusal::Store
    })?;
    Ok((challenge, key, bytes))
}

/// How many challenges a player has open, counted up to `max`.
pub(super) async fn count(
    store: &Arc<dyn Store>,
    challenger: &Player,
    max: usize,
) -> Result<usize, LobbyRefusal> {
    Ok(store.scan(own_key(challenger, "")?, None, max).await?.len())
}

/// Closes what a player has open; which those were.
pub(super) async fn close_all(
    store: &Arc<dyn Store>,
    challenger: &Player,
) -> Result<Vec<Challenge>, LobbyRefusal> {
    let prefix = own_key(challenger, "")?;
    let mut closed = Vec::new();
    for (own, _) in store.scan(prefix.clone(), None, usize::MAX).await? {
        let code = own.as_bytes().strip_prefix(prefix.as_bytes()).map(std::str::from_utf8);
        let Some(Ok(code)) = code else { continue };
        closed.extend(find(store, code).await.ok().map(|(challenge, ..)| challenge));
        let writes = vec![Write::Delete { key: key(code)? }, Write::Delete { key: own }];
        store.update(Update { conditions: Vec::new(), writes }).await?;
    }
    Ok(closed)
}

fn key(code: &str) -> Result<Key, LobbyRefusal> {
    CHALLENGES.key([&code]).map_err(|_| LobbyRefusal::NoSuchChallenge)
}

fn own_key(challenger: &Player, code: &str) -> Result<Key, LobbyRefusal> {
    CHALLENGES_OF.key([&challenger.id, &code]).map_err(|_| LobbyRefusal::NoSuchChallenge)
}
