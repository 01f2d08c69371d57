//! Challenges that are addressed to a player by name. The code is in that player's list until
//! they accept or decline, or the challenge is closed.

use flagfall_board::{Side, Stamp};
use flagfall_protocol::{Code, Invitation, Invitations, Player, ServerToClient};
use flagfall_store::{Expect, Key, Update, UpdateOutcome, Write};

use super::challenges::{self, Challenge, invited_key};
use super::offer::Closing;
use super::refusal::{blocked, no_such_challenge, opponent_busy, own_offer, store_unclear, unclear};
use super::{Inner, Lobby};
use crate::Refused;
use crate::blocks::are_apart;
use crate::records::mark;
use flagfall_base::keys::{ADDRESSED, INVITED, last_part};

/// The maximum number of challenges that may wait for one player's answer.
const INVITATIONS_MAX: usize = 50;
/// The maximum number of players to whom one challenge may be addressed.
const ADDRESSEES_MAX: usize = 50;

impl Lobby {
    /// Addresses an open challenge of `challenger` to a player. Repeating the call changes
    /// nothing.
    pub async fn invite(
        &self,
        challenger: &Player,
        code: &str,
        player: &Player,
    ) -> Result<Invitation, Refused> {
        self.try_invite(challenger, code, player).await.map_err(unclear)
    }

    async fn try_invite(
        &self,
        challenger: &Player,
        code: &str,
        player: &Player,
    ) -> Result<Invitation, Refused> {
        let (challenge, open, bytes) = challenges::find(&self.inner.store, code).await?;
        if challenge.challenger.id != challenger.id {
            return Err(no_such_challenge());
        }
        if player.id == challenger.id {
            return Err(own_offer());
        }
        super::check_rated(&challenge.terms, [challenger.kind, player.kind])?;
        if are_apart(&*self.inner.store, &challenger.id, &player.id).await? {
            return Err(blocked());
        }
        let invited = invited_key(&player.id, code)?;
        if self.inner.store.get(invited.clone()).await?.is_some() {
            return Ok(invitation(challenge));
        }
        let waiting = self.inner.store.scan(INVITED.under([&player.id])?, None, INVITATIONS_MAX).await?;
        let addressed = self.inner.store.scan(ADDRESSED.under([&code])?, None, ADDRESSEES_MAX).await?;
        if waiting.len() >= INVITATIONS_MAX || addressed.len() >= ADDRESSEES_MAX {
            return Err(opponent_busy());
        }
        let expires = Some(Stamp(challenge.expires));
        let writes = [invited, ADDRESSED.key([&code, &player.id])?];
        let writes = writes.map(|key| mark(key, expires)).to_vec();
        // Write this only if the challenge is still open. Otherwise, closing the challenge could
        // miss this addressee.
        self.write(vec![(open, Expect::Value(bytes))], writes).await?;
        let invitation = invitation(challenge);
        // A player who is not connected does not get this message, but finds the challenge in
        // their list.
        let message = ServerToClient::Challenged { invitation: invitation.clone() };
        self.inner.tell(player, &message).await;
        Ok(invitation)
    }

    /// Returns the open challenges that are addressed to a player, sorted by the time at which
    /// they expire.
    pub async fn invitations(&self, player: &Player) -> Result<Invitations, Refused> {
        self.try_invitations(player).await.map_err(unclear)
    }

    async fn try_invitations(&self, player: &Player) -> Result<Invitations, Refused> {
        let prefix = INVITED.under([&player.id])?;
        let mut challenges = Vec::new();
        for (key, _) in self.inner.store.scan(prefix.clone(), None, INVITATIONS_MAX).await? {
            let Some(code) = last_part(&key, &prefix) else { continue };
            match challenges::find(&self.inner.store, &code).await {
                Ok((challenge, ..)) => challenges.push(invitation(challenge)),
                // Another player has accepted the challenge, or it was withdrawn.
                Err(refused) if refused.is(Code::NO_SUCH_CHALLENGE) => {}
                Err(refused) => return Err(refused),
            }
        }
        challenges.sort_by_key(|invitation| invitation.expires);
        Ok(Invitations { challenges })
    }

    /// Declines a challenge that is addressed to the player. This closes the challenge.
    pub async fn decline(&self, player: &Player, code: &str) -> Result<(), Refused> {
        self.try_decline(player, code).await.map_err(unclear)
    }

    async fn try_decline(&self, player: &Player, code: &str) -> Result<(), Refused> {
        let own = invited_key(&player.id, code)?;
        if self.inner.store.get(own.clone()).await?.is_none() {
            return Err(no_such_challenge());
        }
        let (challenge, key, bytes) = challenges::find(&self.inner.store, code).await?;
        let mut writes = vec![Write::Delete { key: own }];
        writes.extend(challenge.closing(&*self.inner.store, Closing::Declined)?);
        self.write(vec![(key, Expect::Value(bytes))], writes).await?;
        self.inner.tell_challenger(&challenge, player, false).await;
        self.inner.tell_addressees(&challenge, Closing::Declined, Some(player)).await;
        Ok(())
    }

    async fn write(&self, conditions: Vec<(Key, Expect)>, writes: Vec<Write>) -> Result<(), Refused> {
        match self.inner.store.update(Update { conditions, writes }).await? {
            UpdateOutcome::Ok => Ok(()),
            UpdateOutcome::Conflict => Err(no_such_challenge()),
            UpdateOutcome::Unknown => Err(store_unclear()),
        }
    }
}

impl Inner {
    pub(super) async fn tell_challenger(&self, challenge: &Challenge, by: &Player, accepted: bool) {
        let (code, by) = (challenge.code.clone(), by.clone());
        let message = ServerToClient::ChallengeAnswered { challenge: code, by, accepted };
        self.tell(&challenge.challenger, &message).await;
    }

    pub(super) async fn tell_addressees(
        &self,
        challenge: &Challenge,
        closing: Closing,
        answered_by: Option<&Player>,
    ) {
        if let Err(refusal) = self.try_tell_addressees(challenge, closing, answered_by).await {
            tracing::debug!(%refusal, "could not tell all addressees that a challenge is closed; their lists do not show it");
        }
    }

    async fn try_tell_addressees(
        &self,
        challenge: &Challenge,
        closing: Closing,
        answered_by: Option<&Player>,
    ) -> Result<(), Refused> {
        let code = &challenge.code;
        let prefix = ADDRESSED.under([&code])?;
        let addressed = self.store.scan(prefix.clone(), None, ADDRESSEES_MAX).await?;
        let message = ServerToClient::ChallengeGone {
            challenge: code.clone(),
            challenger: challenge.challenger.clone(),
            reason: Some(closing.name().to_owned()),
        };
        for (addressed, _) in addressed {
            let Some(id) = last_part(&addressed, &prefix) else { continue };
            let writes =
                vec![Write::Delete { key: invited_key(&id, code)? }, Write::Delete { key: addressed }];
            self.store.update(Update { conditions: Vec::new(), writes }).await?;
            if answered_by.is_none_or(|player| player.id != id) {
                self.peers().notify(&self.connections, &[&id], &message).await;
            }
        }
        Ok(())
    }

    async fn tell(&self, player: &Player, message: &ServerToClient) {
        self.peers().notify(&self.connections, &[&player.id], message).await;
    }
}

fn invitation(challenge: Challenge) -> Invitation {
    let Challenge { code, challenger, terms, side, expires, .. } = challenge;
    Invitation { challenge: code, challenger, terms, your_side: side.map(Side::opponent), expires }
}
