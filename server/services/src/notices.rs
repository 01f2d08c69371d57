//! Notices of turns to players, over webhooks, push services, e-mail and feeds.
//!
//! When a turn is due (see [`crate::turns`]), one update writes a notice and marks the turn as
//! announced. So there is one notice per turn, even if several servers find the job. To send a
//! notice, a server first waits until deliveries to its destination are possible. It then leases
//! the notice for a minute with a conditional update, and sends it. If the server dies in the
//! meantime, another server leases the notice after that minute. So a notice may be delivered
//! twice, with the same id, but no turn is missed. Destinations do not delay each other (see
//! `destinations.rs`).

mod address;
mod deliver;
mod destinations;
mod email;
mod feed;
mod letter;
mod mailbox;
mod mailing;
mod push;
mod sender;
mod smtp;
#[cfg(test)]
mod tests;
mod vapid;

use flagfall_base::refusals;
use flagfall_protocol::{
    Code, NewWebhook, Notice, NoticeKind, OwnGame, Phase, Refusal, Secret, WebhookAttempt, WebhookInfo,
    WebhookSet,
};
use flagfall_store::{Expect, Store, StoreError, SystemClock, Update, UpdateOutcome, WallClock, Write};
use metrics::counter;
use ring::hmac;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tokio::sync::OnceCell;

use self::address::Target;
use self::destinations::Destinations;
pub use self::letter::{escaped, language_code, mail_words};
pub use self::mailbox::LinkedEmail;
pub use self::sender::Sender;
use self::sender::{Sent, secret_of};
use self::smtp::Mailer;
use self::vapid::VapidKey;
use crate::mail_relay::MailRelay;
use crate::records::{bytes, find, mark, put};
use crate::refused::{Refused, check_account};
use crate::settings::Reach;
use flagfall_base::identity::Principal;
use flagfall_base::jobs::JobWriter;
use flagfall_base::keys::{DEAD_JOBS, MAILS, NOTICES, PUSHES, TOLD, WEBHOOK_TESTS, WEBHOOKS};
use flagfall_base::random::{random_bytes, random_code};
use flagfall_base::telemetry as names;
use flagfall_base::transact::{delete, delete_all, expect, write};
use flagfall_game::Tables;

/// The time for which a notice is leased when it is sent, in milliseconds.
const TAKEN_MS: u64 = 60_000;
/// The waits before the second and later attempts, in milliseconds. If the last attempt fails,
/// the notice is lost.
const WAITS_MS: [u64; 5] = [10_000, 60_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000];
/// The maximum number of notices that may wait for one player. More notices are dropped.
const WAITING_MAX: usize = 100;
/// The number of notices that must be lost in a row before a webhook is disabled.
pub const LOST_MAX: u32 = 5;
/// The shortest time between two tests of one player's webhook, in milliseconds.
const TEST_EVERY_MS: u64 = 10_000;
/// The time for which a turn stays marked as announced, in milliseconds. It is longer than any
/// turn.
const TOLD_MS: u64 = 60 * 24 * 3_600_000;

/// The notices in a store. Cheap to clone.
#[derive(Clone)]
pub struct Notices {
    store: Arc<dyn Store>,
    tables: Tables,
    jobs: JobWriter,
    sender: Sender,
    destinations: Destinations,
    /// The key for push services, once it has been read.
    vapid: Arc<OnceCell<VapidKey>>,
    /// An address of the operator, for push services.
    contact: Option<Arc<str>>,
    /// Hands mails to the operator's relay, if there is one.
    mailer: Option<Mailer>,
    /// The key that signs links in mails, once it has been read.
    mail_key: Arc<OnceCell<hmac::Key>>,
}

/// The stored record of a webhook. It does not implement `Debug`, because it contains a secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct WebhookRecord {
    url: String,
    secret: String,
    created: u64,
    lost: u32,
    last: Option<WebhookAttempt>,
    /// The time of the last test. Only version 0.1 uses it; in new records it is 0.
    tested: u64,
}

impl WebhookRecord {
    /// Returns the host of the webhook's address. It may be a host that this server must not
    /// call.
    fn host(&self) -> String {
        let target = Target::parse(&self.url, Reach::Private);
        target.map_or_else(|_| self.url.clone(), |target| target.host.to_ascii_lowercase())
    }
}

#[derive(Serialize, Deserialize)]
struct WaitingNotice {
    notice: Notice,
}

impl Notices {
    pub fn new(
        store: Arc<dyn Store>,
        tables: Tables,
        sender: Sender,
        jobs: JobWriter,
        contact: Option<Arc<str>>,
        relay: Option<MailRelay>,
    ) -> Notices {
        let (destinations, vapid, mail_key) = (Destinations::default(), Arc::default(), Arc::default());
        let mailer = relay.map(Mailer::new);
        Notices { store, tables, jobs, sender, destinations, vapid, contact, mailer, mail_key }
    }

    /// Sets the requester's webhook with a new secret. This replaces an earlier webhook. After an
    /// error, usually nothing has changed.
    pub async fn set(&self, asker: &Principal, new: &NewWebhook) -> Result<WebhookSet, Refused> {
        check_account(asker, "webhooks")?;
        let target = Target::parse(&new.url, self.sender.reach)?;
        let secret = secret_of(random_bytes()?);
        let record = WebhookRecord {
            url: target.url,
            secret: secret.clone(),
            created: SystemClock.now().0,
            lost: 0,
            last: None,
            tested: 0,
        };
        write(&*self.store, vec![put(WEBHOOKS.key([&asker.player.id])?, &record, None)?]).await?;
        Ok(WebhookSet { url: record.url, secret: Secret::new(secret) })
    }

    pub async fn info(&self, asker: &Principal) -> Result<WebhookInfo, Refused> {
        let (record, _) = self.webhook(&asker.player.id).await?.ok_or_else(|| no_such("webhook"))?;
        let waiting = self.store.scan(NOTICES.under([&asker.player.id])?, None, WAITING_MAX).await?.len();
        let WebhookRecord { url, secret: _, created, lost, last, tested: _ } = record;
        let waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
        Ok(WebhookInfo { url, created, active: lost < LOST_MAX, lost, waiting, last })
    }

    /// Removes the requester's webhook and the notices that wait to be sent to it.
    pub async fn remove(&self, asker: &Principal) -> Result<(), Refused> {
        self.webhook(&asker.player.id).await?.ok_or_else(|| no_such("webhook"))?;
        Ok(self.forget_webhook(&asker.player.id).await?)
    }

    /// Begins to send no more webhooks, pushes and mails, because the server is stopping.
    pub fn close(&self) {
        self.destinations.close();
    }

    /// Sends a test to the requester's webhook immediately. If the test fails, the answer says
    /// so, and no error is returned.
    pub async fn test(&self, asker: &Principal) -> Result<WebhookAttempt, Refused> {
        let player = &asker.player.id;
        let (record, _) = self.webhook(player).await?.ok_or_else(|| no_such("webhook"))?;
        let place = self.destinations.take(&record.host()).ok_or_else(|| too_many("webhook_busy"))?;
        // Store the time of the test outside the webhook's record. Otherwise, a player could make
        // more tests by replacing or removing the webhook.
        let tested = WEBHOOK_TESTS.key([&player])?;
        let write = mark(tested.clone(), Some(self.store.now().plus_ms(TEST_EVERY_MS)));
        let conditions = vec![(tested, Expect::Absent)];
        match self.store.update(Update { conditions, writes: vec![write] }).await? {
            UpdateOutcome::Ok => {}
            UpdateOutcome::Conflict => return Err(too_many("webhook_test")),
            UpdateOutcome::Unknown => return Err(refusals::store_away().into()),
        }
        let id = random_code()?;
        let kind = NoticeKind::Test;
        let notice = Notice { id, kind, game: None, ruleset: None, ply: None, deadline: None };
        let Sent { attempt, is_well } = self.sender.send(&record.url, &record.secret, &notice).await;
        place.note(is_well);
        drop(place);
        self.note(player, &attempt, None).await?;
        Ok(attempt)
    }

    /// Writes notices for a player who has to act in a game, at most once per turn. Does nothing if
    /// the player has no working webhook, no subscribed browser and no confirmed e-mail address.
    /// After an error, the notices may or may not have been written; it is safe to call this again.
    pub async fn note_turn(&self, player: &str, own: &OwnGame) -> Result<(), StoreError> {
        let game = &own.game;
        let is_wanted = self.webhook(player).await?.is_some_and(|(record, _)| record.lost < LOST_MAX);
        let by_mail = self.wants_mail(player).await?;
        if !own.to_act || !is_wanted && !by_mail && !self.has_push(player).await? {
            return Ok(());
        }
        let id = notice_id(own);
        let told = TOLD.key([&player, &game.id])?;
        let before = self.store.get(told.clone()).await?;
        if before.as_deref() == Some(id.as_bytes()) {
            return Ok(());
        }
        let now = SystemClock.now();
        let notice = Notice {
            id: id.clone(),
            kind: NoticeKind::YourTurn,
            game: Some(game.id),
            ruleset: Some(game.terms.ruleset.clone()),
            ply: Some(game.ply),
            deadline: own.deadline,
        };
        let expires = Some(now.plus_ms(TOLD_MS));
        let mut writes = vec![Write::Put { key: told.clone(), value: id.clone().into_bytes(), expires }];
        writes.extend(self.push_jobs(player, &notice).await?);
        if by_mail {
            writes.extend(self.mail_job(player, notice.clone()).await?);
        }
        if is_wanted {
            match self.webhook_job(player, notice).await? {
                Some(job) => writes.push(job),
                None => count("dropped"),
            }
        }
        // On a conflict, another server has already written the notice.
        let conditions = vec![(told, expect(before))];
        if self.store.update(Update { conditions, writes }).await? == UpdateOutcome::Unknown {
            return Err(StoreError::Unavailable { why: "it did not confirm a notice".to_owned() });
        }
        self.jobs.wake_for(NOTICES.name, NOTICES.key([&player, &id])?);
        self.jobs.wake(PUSHES.name);
        if by_mail {
            self.jobs.wake_for(MAILS.name, MAILS.key([&player, &id])?);
        }
        Ok(())
    }

    /// Returns the write of the job that sends a notice to a player's webhook. `None` if too many
    /// notices of the player wait.
    async fn webhook_job(&self, player: &str, notice: Notice) -> Result<Option<Write>, StoreError> {
        if self.store.scan(NOTICES.under([&player])?, None, WAITING_MAX).await?.len() >= WAITING_MAX {
            return Ok(None);
        }
        let key = NOTICES.key([&player, &notice.id])?;
        let value = self.jobs.job_with(&bytes(&WaitingNotice { notice })?, self.store.now());
        Ok(Some(Write::Put { key, value, expires: None }))
    }

    /// Deletes the webhook, the subscriptions, the e-mail address, the notices and the feed of a
    /// deleted account.
    /// After an error, some of them may still exist.
    pub async fn forget(&self, player: &str) -> Result<(), StoreError> {
        self.forget_webhook(player).await?;
        self.forget_pushes(player).await?;
        self.forget_email(player).await?;
        self.forget_feed(player).await
    }

    async fn forget_webhook(&self, player: &str) -> Result<(), StoreError> {
        delete(&*self.store, vec![WEBHOOKS.key([&player])?]).await?;
        delete_all(&*self.store, NOTICES.under([&player])?).await?;
        // Also delete notices that failed permanently, because they describe the player's games.
        delete_all(&*self.store, DEAD_JOBS.under([&NOTICES.name, &player])?).await
    }

    async fn webhook(&self, player: &str) -> Result<Option<(WebhookRecord, Vec<u8>)>, StoreError> {
        find(&*self.store, WEBHOOKS.key([&player])?, "a webhook").await
    }
}

fn notice_id(own: &OwnGame) -> String {
    let game = &own.game;
    let phase = if game.phase == Phase::Deploying { "d" } else { "p" };
    format!("{}-{phase}{}", game.id, game.ply)
}

fn count(result: &'static str) {
    counter!(names::NOTICES, "result" => result).increment(1);
}

fn no_such(reason: &str) -> Refused {
    Refusal::new(Code::NO_SUCH_WEBHOOK).because(reason).into()
}

fn too_many(reason: &str) -> Refused {
    Refusal::new(Code::TOO_MANY).because(reason).into()
}
