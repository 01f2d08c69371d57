//! Delivers due notices. Deliveries to different destinations do not wait for each other. Each
//! notice is leased before it is sent.

use flagfall_protocol::{Notice, OwnGame, WebhookAttempt};
use flagfall_store::StoreError;

use super::sender::Sent;
use super::{LOST_MAX, Notices, TAKEN_MS, WAITS_MS, WaitingNotice, WebhookRecord, count};
use crate::records::change;
use flagfall_base::jobs::{Claimed, JobError};
use flagfall_base::keys::WEBHOOKS;

impl Notices {
    /// Does the job of sending a notice, if the notice is still current. Returns
    /// [`JobError::NotNow`] if nothing may be sent to its destination at the moment.
    pub(crate) async fn do_job(&self, mut job: Claimed) -> Result<(), JobError> {
        let WaitingNotice { notice, .. } = job.fields()?;
        let player = job.id().split('/').next().unwrap_or_default().to_owned();
        let Some(webhook) = self.live_webhook(&player).await? else { return self.finish(&job).await };
        let place = self.destinations.wait(&webhook.host()).await.ok_or(JobError::NotNow)?;
        // Read the webhook again, because it may have changed during the wait.
        let Some(webhook) = self.live_webhook(&player).await? else { return self.finish(&job).await };
        if !self.is_current(&player, &notice).await {
            return self.finish(&job).await;
        }
        let wait_ms = WAITS_MS.get(job.attempts() as usize).copied();
        if !job.take(TAKEN_MS).await? {
            // Another server has leased the notice.
            return Ok(());
        }
        let Sent { attempt, is_well } = self.sender.send(&webhook.url, &webhook.secret, &notice).await;
        place.note(is_well);
        // The notice is lost if all its attempts have failed.
        let (lost, result) = match (attempt.delivered, wait_ms) {
            (true, _) => (Some(false), "delivered"),
            (false, Some(_)) => (None, "failed"),
            (false, None) => (Some(true), "lost"),
        };
        count(result);
        match wait_ms {
            Some(wait_ms) if lost.is_none() => job.put_back(wait_ms).await.map(drop)?,
            _ => self.finish(&job).await?,
        }
        Ok(self.note(&player, &attempt, lost).await?)
    }

    pub(super) async fn finish(&self, job: &Claimed) -> Result<(), JobError> {
        self.store.update(job.finish()).await?;
        Ok(())
    }

    async fn live_webhook(&self, player: &str) -> Result<Option<WebhookRecord>, StoreError> {
        let webhook = self.webhook(player).await?.map(|(webhook, _)| webhook);
        Ok(webhook.filter(|webhook| webhook.lost < LOST_MAX))
    }

    /// True if the notice is still current: the player has to act, and the ply is the same. Also
    /// true if the game cannot be read.
    pub(super) async fn is_current(&self, player: &str, notice: &Notice) -> bool {
        let Some(game) = notice.game else { return false };
        let Ok(handle) = self.tables.find(game).await else { return true };
        let Ok((summary, audience, view)) = handle.look(Some(player)).await else { return true };
        let Some(side) = audience.side() else { return false };
        let own = OwnGame::new(summary, side, &view);
        own.to_act && Some(own.game.ply) == notice.ply
    }

    pub(super) async fn note(
        &self,
        player: &str,
        attempt: &WebhookAttempt,
        lost: Option<bool>,
    ) -> Result<(), StoreError> {
        let note = |found: Option<WebhookRecord>| {
            let record = found?;
            let count = match lost {
                Some(true) => record.lost + 1,
                Some(false) => 0,
                // A delivered test shows that the webhook works again.
                None if attempt.delivered => 0,
                None => record.lost,
            };
            if count >= LOST_MAX && record.lost < LOST_MAX {
                let why = "too many notices in a row could not be delivered";
                tracing::info!(%player, reason = why, "a webhook gets no more notices");
            }
            Some(WebhookRecord { last: Some(attempt.clone()), lost: count, ..record })
        };
        change(&*self.store, WEBHOOKS.key([&player])?, "a webhook", note).await.map(drop)
    }
}
