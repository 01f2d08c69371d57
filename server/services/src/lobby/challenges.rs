//! Challenges: offers that anyone who has their code may accept. They are in the store, so they
//! survive a restart of the server.

use std::sync::Arc;

use flagfall_board::{Side, Stamp};
use flagfall_protocol::{CommandId, Player, ServerToClient, Terms};
use flagfall_store::{Key, Store, StoreError, Write};
use serde::{Deserialize, Serialize};

use super::offer::{Closing, find_offer};
use super::refusal::no_such_challenge;
use crate::Refused;
use crate::players::is_closed;
use crate::records::{mark, put};
use flagfall_base::keys::{CHALLENGES, CHALLENGES_OF, INVITED, last_part};
use flagfall_base::transact::delete;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Challenge {
    /// The code of the challenge. Anyone who has the code may accept.
    pub code: String,
    pub challenger: Player,
    pub terms: Terms,
    pub side: Option<Side>,
    /// The time at which the challenge expires, in milliseconds since 1970.
    pub expires: u64,
    /// The challenger's command that opened the challenge. Earlier versions do not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened_by: Option<CommandId>,
}

impl Challenge {
    /// Returns the message that shows the challenge to a player who has its code.
    pub fn message(self) -> ServerToClient {
        ServerToClient::Challenge {
            challenge: self.code,
            challenger: self.challenger,
            terms: self.terms,
            your_side: self.side.map(Side::opponent),
            expires: self.expires,
        }
    }

    /// Returns the writes that open the challenge: its record, and its entry in the challenger's
    /// list.
    pub(super) fn opening(&self) -> Result<[Write; 2], Refused> {
        let expires = Some(Stamp(self.expires));
        let own = own_key(&self.challenger, &self.code)?;
        Ok([put(CHALLENGES.key([&self.code])?, self, expires)?, mark(own, expires)])
    }

    pub(super) fn closing(&self, store: &dyn Store, closing: Closing) -> Result<[Write; 3], Refused> {
        Ok([
            Write::Delete { key: CHALLENGES.key([&self.code])? },
            Write::Delete { key: own_key(&self.challenger, &self.code)? },
            closing.note(store, &self.code)?,
        ])
    }
}

/// Reads an open challenge. A challenge is not open while the challenger's account is closed.
pub(super) async fn find(store: &Arc<dyn Store>, code: &str) -> Result<(Challenge, Key, Vec<u8>), Refused> {
    let found: (Challenge, _, _) = find_offer(store, &CHALLENGES, code, no_such_challenge).await?;
    if is_closed(&**store, &found.0.challenger.id).await? {
        return Err(no_such_challenge());
    }
    Ok(found)
}

pub(super) async fn close_all(
    store: &Arc<dyn Store>,
    challenger: &Player,
) -> Result<Vec<Challenge>, Refused> {
    let prefix = CHALLENGES_OF.under([&challenger.id])?;
    let mut closed = Vec::new();
    for (own, _) in store.scan(prefix.clone(), None, usize::MAX).await? {
        let Some(code) = last_part(&own, &prefix) else { continue };
        closed.extend(find(store, &code).await.ok().map(|(challenge, ..)| challenge));
        delete(&**store, vec![CHALLENGES.key([&code])?, own]).await?;
    }
    Ok(closed)
}

fn own_key(challenger: &Player, code: &str) -> Result<Key, StoreError> {
    CHALLENGES_OF.key([&challenger.id, &code])
}

pub(super) fn invited_key(player_id: &str, code: &str) -> Result<Key, Refused> {
    INVITED.key([&player_id, &code]).map_err(|_| no_such_challenge())
}
