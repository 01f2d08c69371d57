//! Players are told of their turns where they want: webhooks, and feeds.
//!
//! When a turn is due (see [`crate::turns`]), a notice is written down in one update with the mark that this turn was told of: once, however many servers
//! find the due. Whoever finds a notice whose time has come takes it for a minute by a conditional update and sends it; a server that dies meanwhile
//! leaves it to be taken again. So a notice may come twice, with one id, and no turn is forgotten.

mod address;
mod feed;
mod sender;

use std::sync::Arc;
use std::time::Duration;

use flagfall_board::{GameId, Stamp};
use flagfall_protocol::{
    Code, HexBytes, NewWebhook, Notice, NoticeKind, OwnGame, Phase, PlayerKind, Secret, WebhookAttempt,
    WebhookInfo, WebhookSet,
};
use flagfall_store::{Expect, Key, Store, StoreError, SystemClock, Update, UpdateOutcome, WallClock, Write};
use futures_util::StreamExt as _;
use metrics::counter;
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

pub use self::address::{Reach, Target, TargetError};
pub use self::sender::Sender;
use crate::chance::{random_bytes, random_code};
use crate::metrics as names;
use crate::players::Identity;
use crate::scan::Scan;
use crate::table::Tables;

/// Notices read at a time, and sent at once.
const CHUNK: usize = 256;
const SENT_AT_ONCE: usize = 8;
/// How long whoever has taken a notice has for it, in milliseconds.
const TAKEN_MS: u64 = 60_000;
/// How long until each further attempt, in milliseconds; after the last one the notice is lost.
const WAITS_MS: [u64; 5] = [10_000, 60_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000];
/// Notices of one player that may wait; further ones are lost.
const WAITING_MAX: usize = 100;
/// Notices lost in a row after which a webhook is given up.
pub const LOST_MAX: u32 = 5;
/// The least time between two tests of one webhook, in milliseconds.
const TEST_EVERY_MS: u64 = 10_000;
/// How long it is remembered which turn of a game was told of, in milliseconds: longer than any turn.
const TOLD_MS: u64 = 60 * 24 * 3_600_000;
/// How often an update is tried anew.
const ATTEMPTS: usize = 8;

/// Notices in a store. Cheap to clone.
#[derive(Clone)]
pub struct Notices {
    store: Arc<dyn Store>,
    tables: Tables,
    sender: Sender,
}

/// What the store keeps of a webhook. It has no `Debug`: it holds a secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct WebhookRecord {
    url: String,
    secret: String,
    created: u64,
    lost: u32,
    last: Option<WebhookAttempt>,
    tested: u64,
}

/// A notice that waits.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct WaitingNotice {
    notice: Notice,
    /// Attempts so far.
    attempts: usize,
    /// When the next one is due.
    at: u64,
}

/// Why nothing came of a request about a webhook.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WebhookError {
    /// Guests have none.
    #[error("webhooks and feeds are for accounts: sign up first (`flagfall signup NAME`)")]
    AccountExpected,
    /// Not an address that is called.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// There is none.
    #[error("you have no webhook: flagfall webhook set URL makes one")]
    NotFound,
    /// No such feed.
    #[error("there is no such feed: it was made anew or removed, or its address is mistyped")]
    NoSuchFeed,
    /// Tested a moment ago.
    #[error("it was tested a moment ago: try again in a few seconds")]
    TooOften,
    /// The store does not answer.
    #[error("the store cannot be reached now; try again in a moment")]
    Store,
    /// No random bits.
    #[error("the server has a defect: the operating system gives no random bits")]
    Chance,
}

impl WebhookError {
    /// The code of messages.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            WebhookError::AccountExpected => Code::ACCOUNT_EXPECTED,
            WebhookError::Target(_) => Code::BAD_WEBHOOK,
            WebhookError::NotFound | WebhookError::NoSuchFeed => Code::NO_SUCH_WEBHOOK,
            WebhookError::TooOften => Code::TOO_MANY,
            WebhookError::Store => Code::STORE_UNAVAILABLE,
            WebhookError::Chance => Code::INTERNAL,
        }
    }
}

impl From<StoreError> for WebhookError {
    fn from(error: StoreError) -> WebhookError {
        crate::trouble::note_refusal(&error, "the store refused a request about notices");
        WebhookError::Store
    }
}

impl Notices {
    /// The notices in this store, sent by this sender.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, tables: Tables, sender: Sender) -> Notices {
        Notices { store, tables, sender }
    }

    /// Sets the asker's webhook, in the place of an earlier one, with a new secret.
    ///
    /// # Errors
    /// [`WebhookError`]; nothing has changed then.
    pub async fn set(&self, asker: &Identity, new: &NewWebhook) -> Result<WebhookSet, WebhookError> {
        check_account(asker)?;
        let target = Target::parse(&new.url, self.sender.reach())?;
        let secret = HexBytes(random_bytes().map_err(|_| WebhookError::Chance)?).to_string();
        let record = WebhookRecord {
            url: target.url().to_owned(),
            secret: secret.clone(),
            created: SystemClock.now().0,
            lost: 0,
            last: None,
            tested: 0,
        };
        self.put(vec![], vec![put(webhook_key(&asker.player.id)?, &record, None)?]).await?;
        Ok(WebhookSet { url: record.url, secret: Secret::new(secret) })
    }

    /// The asker's webhook.
    ///
    /// # Errors
    /// [`WebhookError::NotFound`], [`WebhookError::Store`].
    pub async fn info(&self, asker: &Identity) -> Result<WebhookInfo, WebhookError> {
        let (record, _) = self.webhook(&asker.player.id).await?.ok_or(WebhookError::NotFound)?;
        let waiting = self.store.scan(waiting_of(&asker.player.id)?, None, WAITING_MAX).await?.len();
        let WebhookRecord { url, secret: _, created, lost, last, tested: _ } = record;
        let waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
        Ok(WebhookInfo { url, created, active: lost < LOST_MAX, lost, waiting, last })
    }

    /// Removes the asker's webhook and what waits for it.
    ///
    /// # Errors
    /// [`WebhookError::NotFound`], [`WebhookError::Store`].
    pub async fn remove(&self, asker: &Identity) -> Result<(), WebhookError> {
        self.webhook(&asker.player.id).await?.ok_or(WebhookError::NotFound)?;
        Ok(self.forget_webhook(&asker.player.id).await?)
    }

    /// Sends the asker's webhook a test, at once.
    ///
    /// # Errors
    /// [`WebhookError`]. An attempt that fails is no error: the answer tells of it.
    pub async fn test(&self, asker: &Identity) -> Result<WebhookAttempt, WebhookError> {
        let player = &asker.player.id;
        let (record, bytes) = self.webhook(player).await?.ok_or(WebhookError::NotFound)?;
        let now = SystemClock.now();
        if now.0.saturating_sub(record.tested) < TEST_EVERY_MS {
            return Err(WebhookError::TooOften);
        }
        let record = WebhookRecord { tested: now.0, ..record };
        let key = webhook_key(player)?;
        let conditions = vec![(key.clone(), Expect::Value(bytes))];
        self.put(conditions, vec![put(key, &record, None)?]).await?;
        let id = random_code().map_err(|_| WebhookError::Chance)?;
        let kind = NoticeKind::Test;
        let notice = Notice { id, kind, game: None, ruleset: None, ply: None, deadline: None };
        let attempt = self.sender.send(&record.url, &record.secret, &notice).await;
        self.note(player, &attempt, None).await?;
        Ok(attempt)
    }

    /// A player is to act in a game: his webhook is to hear of it, once.
    ///
    /// # Errors
    /// [`StoreError`]: it was written down or not; asking again tells.
    pub async fn note_turn(&self, player: &str, own: &OwnGame) -> Result<(), StoreError> {
        let game = &own.game;
        let is_wanted = self.webhook(player).await?.is_some_and(|(record, _)| record.lost < LOST_MAX);
        if !own.to_act || !is_wanted {
            return Ok(());
        }
        let phase = if game.phase == Phase::Deploying { "d" } else { "p" };
        let id = format!("{}-{phase}{}", game.id, game.ply);
        let told = told_key(player, game.id)?;
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
        if self.store.scan(waiting_of(player)?, None, WAITING_MAX).await?.len() < WAITING_MAX {
            let waiting = WaitingNotice { notice, attempts: 0, at: now.0 };
            writes.push(put(waiting_key(player, &id)?, &waiting, None)?);
        } else {
            count("dropped");
        }
        // A conflict means that another server has written it down.
        let conditions = vec![(told, before.map_or(Expect::Absent, Expect::Value))];
        self.store.update(Update { conditions, writes }).await?;
        Ok(())
    }

    /// Sends what is due, with so much time between two looks, until the future is dropped.
    pub async fn run(&self, every: Duration) {
        loop {
            sleep(every).await;
            if let Err(error) = self.send_due(SystemClock.now()).await {
                crate::trouble::note_refusal(&error, "notices could not be looked for; they will be");
            }
        }
    }

    /// Sends everything that is due at this moment.
    ///
    /// # Errors
    /// [`StoreError`]: what is left will be found again.
    pub async fn send_due(&self, now: Stamp) -> Result<(), StoreError> {
        let mut scan = Scan::new(self.store.as_ref(), Key::new("notices/")?, CHUNK);
        while let Some(found) = scan.next().await? {
            let mut sending = Vec::new();
            for (key, value) in &found {
                let waiting: Option<WaitingNotice> = serde_json::from_slice(value).ok();
                if let (Some(waiting), Some(player)) = (waiting, player_of(key))
                    && waiting.at <= now.0
                {
                    sending.push(self.try_to_deliver(now, key.clone(), value.clone(), waiting, player));
                }
            }
            futures_util::stream::iter(sending).buffer_unordered(SENT_AT_ONCE).collect::<()>().await;
        }
        Ok(())
    }

    async fn try_to_deliver(
        &self,
        now: Stamp,
        key: Key,
        value: Vec<u8>,
        waiting: WaitingNotice,
        player: String,
    ) {
        if let Err(error) = self.deliver(now, key, value, waiting, &player).await {
            tracing::warn!(%error, "a notice could not be sent now; it will be");
        }
    }

    /// Takes a notice and sends it, unless another server has it or its turn is over.
    async fn deliver(
        &self,
        now: Stamp,
        key: Key,
        value: Vec<u8>,
        waiting: WaitingNotice,
        player: &str,
    ) -> Result<(), StoreError> {
        let drop_it = Write::Delete { key: key.clone() };
        let Some((webhook, _)) = self.webhook(player).await? else {
            return self.put_if(key, value, vec![drop_it]).await.map(drop);
        };
        if webhook.lost >= LOST_MAX || !self.is_current(player, &waiting.notice).await {
            return self.put_if(key, value, vec![drop_it]).await.map(drop);
        }
        let wait_ms = WAITS_MS.get(waiting.attempts).copied();
        let attempts = waiting.attempts + 1;
        let taken = WaitingNotice { attempts, at: now.0 + TAKEN_MS, ..waiting.clone() };
        if !self.put_if(key.clone(), value, vec![put(key.clone(), &taken, None)?]).await? {
            return Ok(());
        }
        let attempt = self.sender.send(&webhook.url, &webhook.secret, &waiting.notice).await;
        let (write, lost) = match (attempt.delivered, wait_ms) {
            (true, _) => (drop_it, Some(false)),
            (false, Some(wait_ms)) => {
                let again = WaitingNotice { at: now.0 + wait_ms, ..taken };
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
        self.note(player, &attempt, lost).await
    }

    /// Whether the player is still to act in the game as it was noted.
    async fn is_current(&self, player: &str, notice: &Notice) -> bool {
        let Some(game) = notice.game else { return false };
        let Ok(handle) = self.tables.find(game).await else { return true };
        let Ok((summary, audience, view)) = handle.look(Some(player)).await else { return true };
        let Some(side) = audience.side() else { return false };
        let own = OwnGame::new(summary, side, &view);
        own.to_act && Some(own.game.ply) == notice.ply
    }

    /// Notes what came of an attempt, where the webhook is still there; `lost` is whether a notice was lost or delivered with it.
    async fn note(
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
                // A test that is delivered says that it works again.
                None if attempt.delivered => 0,
                None => record.lost,
            };
            if count >= LOST_MAX && record.lost < LOST_MAX {
                tracing::info!(%player, "a webhook is given up: too many notices in a row could not be delivered");
            }
            let record = WebhookRecord { last: Some(attempt.clone()), lost: count, ..record };
            let key = webhook_key(player)?;
            if self.put_if(key.clone(), bytes, vec![put(key, &record, None)?]).await? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Deletes what is kept for a player who is no more.
    ///
    /// # Errors
    /// [`StoreError`]: some may be left.
    pub async fn forget(&self, player: &str) -> Result<(), StoreError> {
        self.forget_webhook(player).await?;
        self.forget_feed(player).await
    }

    async fn forget_webhook(&self, player: &str) -> Result<(), StoreError> {
        let mut writes = vec![Write::Delete { key: webhook_key(player)? }];
        let waiting = self.store.scan(waiting_of(player)?, None, WAITING_MAX).await?;
        writes.extend(waiting.into_iter().map(|(key, _)| Write::Delete { key }));
        for writes in writes.chunks(32) {
            self.put(vec![], writes.to_vec()).await?;
        }
        Ok(())
    }

    async fn webhook(&self, player: &str) -> Result<Option<(WebhookRecord, Vec<u8>)>, StoreError> {
        let Some(bytes) = self.store.get(webhook_key(player)?).await? else { return Ok(None) };
        let record = serde_json::from_slice(&bytes)
            .map_err(|_| StoreError::Damaged { what: "a webhook cannot be read".to_owned() })?;
        Ok(Some((record, bytes)))
    }

    async fn put(&self, conditions: Vec<(Key, Expect)>, writes: Vec<Write>) -> Result<(), StoreError> {
        let busy = |why: &str| Err(StoreError::Unavailable { why: why.to_owned() });
        match self.store.update(Update { conditions, writes }).await? {
            UpdateOutcome::Ok => Ok(()),
            UpdateOutcome::Conflict => busy("it changed meanwhile"),
            UpdateOutcome::Unknown => busy("nobody knows whether it was written"),
        }
    }

    /// Writes if the record is still so; whether it was.
    async fn put_if(&self, key: Key, value: Vec<u8>, writes: Vec<Write>) -> Result<bool, StoreError> {
        let conditions = vec![(key, Expect::Value(value))];
        Ok(self.store.update(Update { conditions, writes }).await? == UpdateOutcome::Ok)
    }
}

fn count(result: &'static str) {
    counter!(names::NOTICES, "result" => result).increment(1);
}

fn check_account(asker: &Identity) -> Result<(), WebhookError> {
    match asker.player.kind {
        PlayerKind::Account | PlayerKind::Bot => Ok(()),
        PlayerKind::Guest | PlayerKind::House => Err(WebhookError::AccountExpected),
    }
}

fn put(key: Key, record: &impl Serialize, expires: Option<Stamp>) -> Result<Write, StoreError> {
    let value = serde_json::to_vec(record)
        .map_err(|_| StoreError::Damaged { what: "a notice cannot be written".to_owned() })?;
    Ok(Write::Put { key, value, expires })
}

/// The player in the key of a notice.
fn player_of(key: &Key) -> Option<String> {
    std::str::from_utf8(key.as_bytes()).ok()?.split('/').nth(1).map(str::to_owned)
}

fn webhook_key(player: &str) -> Result<Key, StoreError> {
    Ok(Key::new(format!("webhooks/{player}"))?)
}

fn waiting_of(player: &str) -> Result<Key, StoreError> {
    Ok(Key::new(format!("notices/{player}/"))?)
}

fn waiting_key(player: &str, id: &str) -> Result<Key, StoreError> {
    Ok(Key::new(format!("notices/{player}/{id}"))?)
}

fn told_key(player: &str, game: GameId) -> Result<Key, StoreError> {
    Ok(Key::new(format!("told/{player}/{game}"))?)
}
