//! Delivers due notices: each destination on its own, and each notice taken before it is sent.

use flagfall_board::Stamp;
use flagfall_protocol::{Notice, OwnGame, WebhookAttempt};
use flagfall_store::{Key, StoreError, SystemClock, WallClock as _, Write};
use tokio::time::Instant;

use super::destinations::{Named, Place};
use super::sender::Sent;
use super::{
    ATTEMPTS, CHUNK, LOST_MAX, Notices, Reach, TAKEN_MS, Target, WAITS_MS, WaitingNotice, WebhookRecord,
    count, player_of, put, webhook_key,
};
use flagfall_base::keys::NOTICES;
use flagfall_base::scan::Scan;

/// A notice that is due.
pub(super) struct Due {
    key: Key,
    value: Vec<u8>,
    waiting: WaitingNotice,
    player: String,
    looked: Looked,
}

impl Named for Due {
    fn name(&self) -> &[u8] {
        self.key.as_bytes()
    }
}

/// When a scan started, to know the current time when a notice gets its place later.
#[derive(Clone, Copy)]
struct Looked {
    at: Stamp,
    began: Instant,
}

impl Looked {
    fn now(self) -> Stamp {
        self.at.plus_ms(u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}

impl Notices {
    /// Delivers due notices, sleeping `every` in between, until the future is dropped.
    pub async fn run(&self, every: std::time::Duration) {
        loop {
            tokio::time::sleep(every).await;
            if let Err(error) = self.look(SystemClock.now()).await {
                flagfall_base::store_errors::note_refusal(
                    &error,
                    "could not scan for notices; they will be retried",
                );
            }
        }
    }

    /// Sends everything that is due at `now`, and returns when it is sent.
    ///
    /// # Errors
    /// [`StoreError`]: the remaining notices are found again.
    pub async fn send_due(&self, now: Stamp) -> Result<(), StoreError> {
        self.look(now).await?;
        self.destinations.finished().await;
        Ok(())
    }

    /// Starts sending what is due at `now`, as far as there are places.
    pub(super) async fn look(&self, now: Stamp) -> Result<(), StoreError> {
        let looked = Looked { at: now, began: Instant::now() };
        let mut scan = Scan::new(self.store.as_ref(), NOTICES.all()?, CHUNK);
        while let Some(found) = scan.next().await? {
            for (key, value) in found {
                let waiting: Option<WaitingNotice> = serde_json::from_slice(&value).ok();
                if let (Some(waiting), Some(player)) = (waiting, player_of(&key))
                    && waiting.at <= now.0
                {
                    self.offer(Due { key, value, waiting, player, looked }).await?;
                }
            }
        }
        Ok(())
    }

    /// Offers a notice to its destination. Deletes it if the webhook is gone or disabled.
    async fn offer(&self, due: Due) -> Result<(), StoreError> {
        let webhook = self.webhook(&due.player).await?.map(|(webhook, _)| webhook);
        let webhook = webhook.filter(|webhook| webhook.lost < LOST_MAX);
        let Some(webhook) = webhook else {
            let Due { key, value, .. } = due;
            let drop_it = Write::Delete { key: key.clone() };
            return self.put_if(key, value, vec![drop_it]).await.map(drop);
        };
        if let Some((place, due)) = self.destinations.offer(&host_of(&webhook), due) {
            self.deliver_later(place, due);
        }
        Ok(())
    }

    pub(super) fn deliver_later(&self, place: Place<Due>, due: Due) {
        let notices = self.clone();
        tokio::spawn(async move { notices.deliver_from(place, due).await });
    }

    /// Delivers a notice, then others from the same place that wait for the same host.
    async fn deliver_from(&self, place: Place<Due>, due: Due) {
        let mut next = Some(due);
        while let Some(due) = next {
            next = match self.deliver(due).await {
                Ok(Some(is_well)) => place.next(is_well),
                // Nothing was sent, so this says nothing about the host.
                Ok(None) => place.following(),
                Err(error) => {
                    tracing::warn!(%error, "could not send a notice; it will be retried");
                    place.following()
                }
            };
        }
    }

    /// Takes a notice and sends it, unless another server has taken it or its turn is over. True if
    /// the destination answered, none if nothing was sent.
    async fn deliver(&self, due: Due) -> Result<Option<bool>, StoreError> {
        let Due { key, value, waiting, player, looked } = due;
        let drop_it = Write::Delete { key: key.clone() };
        let webhook = self.webhook(&player).await?.map(|(webhook, _)| webhook);
        let Some(webhook) = webhook.filter(|webhook| webhook.lost < LOST_MAX) else {
            return self.put_if(key, value, vec![drop_it]).await.map(|_| None);
        };
        if !self.is_current(&player, &waiting.notice).await {
            return self.put_if(key, value, vec![drop_it]).await.map(|_| None);
        }
        let wait_ms = WAITS_MS.get(waiting.attempts).copied();
        let attempts = waiting.attempts + 1;
        // Counted from now, because it may have waited for its place.
        let taken = WaitingNotice { attempts, at: looked.now().0 + TAKEN_MS, ..waiting.clone() };
        if !self.put_if(key.clone(), value, vec![put(key.clone(), &taken, None)?]).await? {
            return Ok(None);
        }
        let Sent { attempt, is_well } =
            self.sender.send(&webhook.url, &webhook.secret, &waiting.notice).await;
        let (write, lost) = match (attempt.delivered, wait_ms) {
            (true, _) => (drop_it, Some(false)),
            (false, Some(wait_ms)) => {
                let again = WaitingNotice { at: looked.now().0 + wait_ms, ..taken };
                (put(key, &again, None)?, None)
            }
            (false, None) => (drop_it, Some(true)),
        };
        count(match lost {
            Some(false) => "delivered",
            Some(true) => "lost",
            None => "failed",
        });
        self.put(vec![], vec![write]).await?;
        self.note(&player, &attempt, lost).await?;
        Ok(Some(is_well))
    }

    /// True if the player is still to act in the game at the notice's ply, or if the game cannot be
    /// read.
    async fn is_current(&self, player: &str, notice: &Notice) -> bool {
        let Some(game) = notice.game else { return false };
        let Ok(handle) = self.tables.find(game).await else { return true };
        let Ok((summary, audience, view)) = handle.look(Some(player)).await else { return true };
        let Some(side) = audience.side() else { return false };
        let own = OwnGame::new(summary, side, &view);
        own.to_act && Some(own.game.ply) == notice.ply
    }

    /// Records an attempt if the webhook still exists. `lost` is true if the notice is lost, and
    /// false if it was delivered.
    pub(super) async fn note(
        &self,
        player: &str,
        attempt: &WebhookAttempt,
        lost: Option<bool>,
    ) -> Result<(), StoreError> {
        for _ in 0..ATTEMPTS {
            let Some((record, bytes)) = self.webhook(player).await? else { return Ok(()) };
            let count = match lost {
                Some(true) => record.lost + 1,
                Some(false) => 0,
                // A delivered test shows that the webhook works again.
                None if attempt.delivered => 0,
                None => record.lost,
            };
            if count >= LOST_MAX && record.lost < LOST_MAX {
                tracing::info!(%player, "disabled a webhook: too many notices in a row could not be delivered");
            }
            let record = WebhookRecord { last: Some(attempt.clone()), lost: count, ..record };
            let key = webhook_key(player)?;
            if self.put_if(key.clone(), bytes, vec![put(key, &record, None)?]).await? {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// The host of a webhook, whether or not this server may call it.
pub(super) fn host_of(webhook: &WebhookRecord) -> String {
    let target = Target::parse(&webhook.url, Reach::Private);
    target.map_or_else(|_| webhook.url.clone(), |target| target.host.to_ascii_lowercase())
}
