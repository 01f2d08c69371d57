//! Notices of turns to browsers, over their push services (RFC 8030).
//!
//! A browser subscribes with an address at its push service and with keys. The update that
//! announces a turn writes one job for each subscription of the player (`pushes/PLAYER/…`). Like
//! notices to webhooks, these jobs wait for a place at their destination, are leased before they
//! are sent, and are tried again when they fail. A notice names only a game and its kind, and
//! only the browser can decrypt it. If the push service says that a subscription has ended, the
//! subscription is deleted.

mod encryption;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use flagfall_base::identity::Principal;
use flagfall_base::jobs::{Claimed, JobError};
use flagfall_base::keys::{DEAD_JOBS, PUSH, PUSHES, last_part};
use flagfall_base::transact::{delete, delete_all, write, write_if};
use flagfall_protocol::{Code, HexBytes, NewPush, Notice, PushInfo, PushKey, Refusal};
use flagfall_store::{StoreError, SystemClock, WallClock as _, Write};
use hyper::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use self::encryption::BrowserKeys;
use super::address::Target;
use super::vapid::VapidKey;
use super::{Notices, TAKEN_MS, WAITING_MAX, WAITS_MS, WaitingNotice, count};
use crate::records::{bytes, find, parse, put};
use crate::refused::{Refused, check_account};

/// The maximum number of subscriptions of a player. A new subscription above this limit replaces
/// the oldest one.
const SUBSCRIPTIONS_MAX: usize = 5;
const ID_LEN: usize = 16;
/// The number of subscriptions that are read. It exceeds the limit, so that surplus subscriptions
/// are found too.
const READ_MAX: usize = 16;
/// The time for which a push service keeps a notice if the game has no deadline, in seconds.
const KEPT_S: u64 = 3 * 24 * 3_600;
/// The longest time for which push services keep a notice, in seconds.
const KEPT_MAX_S: u64 = 28 * 24 * 3_600;

/// A subscription. It does not implement `Debug`, because it contains secrets.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PushRecord {
    endpoint: String,
    p256dh: String,
    auth: String,
    created: u64,
}

impl PushRecord {
    fn keys(&self) -> Option<BrowserKeys> {
        let decode = |text: &str| BASE64.decode(text.trim_end_matches('=')).ok();
        let public = decode(&self.p256dh)?.try_into().ok()?;
        Some(BrowserKeys { public, auth: decode(&self.auth)?.try_into().ok()? })
    }
}

/// Returns the id of a subscription: the beginning of the hash of its address.
fn id_of(endpoint: &str) -> String {
    HexBytes(Sha256::digest(endpoint).into()).to_string().chars().take(ID_LEN).collect()
}

impl Notices {
    pub async fn push_key(&self) -> Result<PushKey, Refused> {
        Ok(PushKey { key: self.vapid().await?.public() })
    }

    /// Subscribes a browser of the requester. Repeating the call only renews the subscription.
    pub async fn subscribe(&self, asker: &Principal, new: &NewPush) -> Result<(), Refused> {
        check_account(asker, "webhooks")?;
        let player = &asker.player.id;
        let endpoint = Target::parse(&new.endpoint, self.sender.reach)?.url;
        let id = id_of(&endpoint);
        let (p256dh, auth) = (new.p256dh.expose().to_owned(), new.auth.expose().to_owned());
        let record = PushRecord { endpoint, p256dh, auth, created: SystemClock.now().0 };
        // Encrypt an empty text, to check that the key is a point of the curve.
        if record.keys().and_then(|keys| keys.encrypt(b"")).is_none() {
            return Err(Refusal::new(Code::MALFORMED).because("body").into());
        }
        let mut others = self.subscriptions(player).await?;
        others.retain(|(other, _)| *other != id);
        others.sort_by_key(|(_, other)| other.created);
        let mut writes = vec![put(PUSH.key([&player, &id])?, &record, None)?];
        for (oldest, _) in others.iter().take((others.len() + 1).saturating_sub(SUBSCRIPTIONS_MAX)) {
            writes.push(Write::Delete { key: PUSH.key([&player, &oldest])? });
        }
        Ok(write(&*self.store, writes).await?)
    }

    /// Ends the subscription of a browser. Does nothing if there is none.
    pub async fn unsubscribe(&self, asker: &Principal, endpoint: &str) -> Result<(), Refused> {
        let key = PUSH.key([&asker.player.id, &id_of(endpoint.trim())])?;
        Ok(delete(&*self.store, vec![key]).await?)
    }

    /// Returns what a player may know about their subscriptions, without addresses and keys.
    pub async fn push_infos(&self, player: &str) -> Result<Vec<PushInfo>, StoreError> {
        let known = self.subscriptions(player).await?;
        let info =
            |(_, PushRecord { endpoint, created, .. })| PushInfo { service: self.host(&endpoint), created };
        Ok(known.into_iter().map(info).collect())
    }

    pub(super) async fn has_push(&self, player: &str) -> Result<bool, StoreError> {
        Ok(!self.store.scan(PUSH.under([&player])?, None, 1).await?.is_empty())
    }

    /// Returns the writes of the jobs that send a notice to the browsers of a player.
    pub(super) async fn push_jobs(&self, player: &str, notice: &Notice) -> Result<Vec<Write>, StoreError> {
        let subscriptions = self.subscriptions(player).await?;
        if subscriptions.is_empty() {
            return Ok(Vec::new());
        }
        if self.store.scan(PUSHES.under([&player])?, None, WAITING_MAX).await?.len() >= WAITING_MAX {
            count("dropped");
            return Ok(Vec::new());
        }
        let mut writes = Vec::new();
        for (id, _) in subscriptions {
            let fields = bytes(&WaitingNotice { notice: notice.clone() })?;
            let key = PUSHES.key([&player, &format!("{id}-{}", notice.id)])?;
            let value = self.jobs.job_with(&fields, self.store.now());
            writes.push(Write::Put { key, value, expires: None });
        }
        Ok(writes)
    }

    /// Does the job of sending a notice to a browser, if the notice is still current.
    pub(crate) async fn do_push(&self, mut job: Claimed) -> Result<(), JobError> {
        let WaitingNotice { notice } = job.fields()?;
        let (player, id) = job.id().split_once('/').unwrap_or_default();
        let (player, id) = (player.to_owned(), id.split('-').next().unwrap_or_default().to_owned());
        let key = PUSH.key([&player, &id])?;
        let Some((record, kept)) = find::<PushRecord>(&*self.store, key.clone(), "a subscription").await?
        else {
            return self.finish(&job).await;
        };
        let place = self.destinations.wait(&self.host(&record.endpoint)).await.ok_or(JobError::NotNow)?;
        if !self.is_current(&player, &notice).await {
            return self.finish(&job).await;
        }
        let wait_ms = WAITS_MS.get(job.attempts() as usize).copied();
        if !job.take(TAKEN_MS).await? {
            // Another server has leased the notice.
            return Ok(());
        }
        let sent = self.push(&record, &notice).await?;
        place.note(sent.is_ok());
        let result = match sent {
            Ok(status) if status.is_success() => "delivered",
            Ok(StatusCode::NOT_FOUND | StatusCode::GONE) => {
                write_if(&*self.store, key.clone(), Some(kept), vec![Write::Delete { key }]).await?;
                "lost"
            }
            // If the push service does not accept a message, repeating it does not help.
            Ok(status) if status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS => {
                let (host, status) = (self.host(&record.endpoint), status.as_u16());
                tracing::info!(host, status, "a push service did not accept a notice");
                "lost"
            }
            Ok(_) | Err(_) if wait_ms.is_some() => "failed",
            Ok(_) | Err(_) => "lost",
        };
        count(result);
        match wait_ms {
            Some(wait_ms) if result == "failed" => Ok(job.put_back(wait_ms).await.map(drop)?),
            _ => self.finish(&job).await,
        }
    }

    /// Sends a notice, and returns the status of the push service's answer.
    async fn push(
        &self,
        record: &PushRecord,
        notice: &Notice,
    ) -> Result<Result<StatusCode, &'static str>, JobError> {
        let unsendable = || JobError::Hopeless("a push message cannot be made".to_owned());
        let text = json!({ "game": notice.game, "kind": notice.kind }).to_string();
        let body = record.keys().and_then(|keys| keys.encrypt(text.as_bytes())).ok_or_else(unsendable)?;
        let now_s = SystemClock.now().0 / 1_000;
        let kept_s = notice.deadline.map_or(KEPT_S, |deadline| (deadline / 1_000).saturating_sub(now_s));
        let service = Target::parse(&record.endpoint, self.sender.reach).map_err(|_| unsendable())?.origin();
        let key = self.vapid().await?;
        let authorization =
            key.authorization(&service, self.contact.as_deref(), now_s).ok_or_else(unsendable)?;
        let mut headers = vec![
            ("authorization", authorization),
            ("content-encoding", "aes128gcm".to_owned()),
            ("content-type", "application/octet-stream".to_owned()),
            ("ttl", kept_s.min(KEPT_MAX_S).to_string()),
            ("urgency", "normal".to_owned()),
        ];
        // If a browser was offline, it gets only the latest notice about each game.
        headers.extend(notice.game.map(|game| ("topic", game.to_string())));
        Ok(Box::pin(self.sender.post(&record.endpoint, headers, body)).await)
    }

    async fn vapid(&self) -> Result<&VapidKey, StoreError> {
        self.vapid.get_or_try_init(|| VapidKey::of_store(&*self.store)).await
    }

    async fn subscriptions(&self, player: &str) -> Result<Vec<(String, PushRecord)>, StoreError> {
        let prefix = PUSH.under([&player])?;
        let mut found = Vec::new();
        for (key, value) in self.store.scan(prefix.clone(), None, READ_MAX).await? {
            let id = last_part(&key, &prefix).unwrap_or_default();
            found.push((id, parse(&value, "a subscription")?));
        }
        Ok(found)
    }

    fn host(&self, endpoint: &str) -> String {
        let target = Target::parse(endpoint, self.sender.reach);
        target.map_or_else(|_| endpoint.to_owned(), |target| target.host.to_ascii_lowercase())
    }

    /// Deletes the subscriptions of a deleted account, and the notices that wait to be sent.
    pub(super) async fn forget_pushes(&self, player: &str) -> Result<(), StoreError> {
        delete_all(&*self.store, PUSH.under([&player])?).await?;
        delete_all(&*self.store, PUSHES.under([&player])?).await?;
        delete_all(&*self.store, DEAD_JOBS.under([&PUSHES.name, &player])?).await
    }
}
