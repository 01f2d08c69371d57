//! Challenges: offers that anyone with the code may accept. They are in the store, so they survive
//! a restart.

use std::sync::Arc;

use flagfall_board::{Side, Stamp};
use flagfall_protocol::{Player, ServerToClient, Terms};
use flagfall_store::{Key, Store, Write};
use serde::{Deserialize, Serialize};

use super::refusal::LobbyRefusal;
use flagfall_base::keys::{CHALLENGES, CHALLENGES_OF, INVITED, last_part};
use flagfall_base::transact::delete;

/// An open challenge, as the store keeps it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Challenge {
    /// The code: anyone who has it may accept.
    pub code: String,
    pub challenger: Player,
    pub terms: Terms,
    pub side: Option<Side>,
    /// When it expires, in milliseconds since 1970.
    pub expires: u64,
}

impl Challenge {
    /// The message that shows the challenge to anyone with the code.
    pub fn message(self) -> ServerToClient {
        ServerToClient::Challenge {
            challenge: self.code,
            challenger: self.challenger,
            terms: self.terms,
            your_side: self.side.map(Side::opponent),
            expires: self.expires,
        }
    }

    /// The writes that open it: its record, and its entry in the challenger's list.
    pub(super) fn opening(&self) -> Result<[Write; 2], LobbyRefusal> {
        let expires = Some(Stamp(self.expires));
        let value = serde_json::to_vec(self).map_err(|error| LobbyRefusal::internal(&error))?;
        Ok([
            Write::Put { key: key(&self.code)?, value, expires },
            Write::Put { key: own_key(&self.challenger, &self.code)?, value: Vec::new(), expires },
        ])
    }

    pub(super) fn closing(&self) -> Result<[Write; 2], LobbyRefusal> {
        Ok([
            Write::Delete { key: key(&self.code)? },
            Write::Delete { key: own_key(&self.challenger, &self.code)? },
        ])
    }
}

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
        tracing::error!(%error, "could not read a challenge");
        LobbyRefusal::Store
    })?;
    Ok((challenge, key, bytes))
}

pub(super) async fn count(
    store: &Arc<dyn Store>,
    challenger: &Player,
    max: usize,
) -> Result<usize, LobbyRefusal> {
    Ok(store.scan(own_key(challenger, "")?, None, max).await?.len())
}

pub(super) async fn close_all(
    store: &Arc<dyn Store>,
    challenger: &Player,
) -> Result<Vec<Challenge>, LobbyRefusal> {
    let prefix = own_key(challenger, "")?;
    let mut closed = Vec::new();
    for (own, _) in store.scan(prefix.clone(), None, usize::MAX).await? {
        let Some(code) = last_part(&own, &prefix) else { continue };
        closed.extend(find(store, &code).await.ok().map(|(challenge, ..)| challenge));
        delete(&**store, vec![key(&code)?, own]).await?;
    }
    Ok(closed)
}

fn key(code: &str) -> Result<Key, LobbyRefusal> {
    CHALLENGES.key([&code]).map_err(|_| LobbyRefusal::NoSuchChallenge)
}

fn own_key(challenger: &Player, code: &str) -> Result<Key, LobbyRefusal> {
    CHALLENGES_OF.key([&challenger.id, &code]).map_err(|_| LobbyRefusal::NoSuchChallenge)
}

/// The write that removes a challenge from a player's list, if it is there.
pub(super) fn closing_invitation(player: &Player, code: &str) -> Result<Write, LobbyRefusal> {
    Ok(Write::Delete { key: invited_key(&player.id, code)? })
}

pub(super) fn invited_key(player_id: &str, code: &str) -> Result<Key, LobbyRefusal> {
    INVITED.key([&player_id, &code]).map_err(|_| LobbyRefusal::NoSuchChallenge)
}
