//! Sends mails: confirmation mails, and notices of turns.
//!
//! The update that announces a turn writes one job (`mails/PLAYER/NOTICE`), as for webhooks and
//! browsers. A player gets at most one mail about turns in ten minutes. After that time, the
//! first job that is due sends one mail about all waiting turns, and deletes their jobs. All
//! mails together have the same limits as the deliveries to one webhook host. A failed mail is
//! tried again until the turn is over or the confirmation link has expired. So if the relay is
//! unavailable for a day, no mail about a turn is lost.

use flagfall_base::identity::Token;
use flagfall_base::jobs::{Claimed, JobError};
use flagfall_base::keys::{EMAIL, MAILS, last_part};
use flagfall_base::names::player_named;
use flagfall_base::telemetry as names;
use flagfall_base::transact::{delete, write_if};
use flagfall_board::Stamp;
use flagfall_game::TableError;
use flagfall_protocol::{EmailState, Notice, OwnGame, Phase, Presence};
use flagfall_store::{Key, StoreError, Write};
use metrics::counter;

use super::letter::{Letter, TurnNews, confirmation, turns};
use super::mailbox::{EmailRecord, LINK_MS, WaitingMail};
use super::smtp::{Handed, Mailer};
use super::{Notices, WAITING_MAX, count, notice_id};
use crate::records::{bytes, change, parse, put};

/// The time for which a mail is leased when it is sent, in milliseconds. It is longer than any
/// attempt.
const TAKEN_MS: u64 = 2 * 60_000;
/// The shortest time between two mails about turns to one player, in milliseconds.
pub(super) const GAP_MS: u64 = 10 * 60_000;
/// The longest time for which a mail waits because the player has the game open, in milliseconds.
/// After that time, the player is probably not looking at the page.
const SEEN_MS: u64 = 60 * 60_000;
/// The waits after a failed attempt, in milliseconds. The last one repeats.
const CONFIRMATION_WAITS_MS: [u64; 4] = [60_000, 5 * 60_000, 15 * 60_000, 60 * 60_000];
const TURN_WAITS_MS: [u64; 3] = [GAP_MS, 2 * GAP_MS, 60 * 60_000];

#[derive(Clone, Copy)]
enum MailKind {
    Confirmation,
    Turns,
}

impl MailKind {
    fn count(self, result: &'static str) {
        let kind = match self {
            MailKind::Confirmation => "confirmation",
            MailKind::Turns => "turns",
        };
        counter!(names::MAILS, "kind" => kind, "result" => result).increment(1);
    }
}

/// The state of an announced turn, which determines whether a mail is sent.
enum MailTurn {
    /// The turn is over, or the game is gone.
    Over,
    /// The player has the game open, so the mail waits.
    Seen,
    Due {
        name: String,
        news: TurnNews,
    },
}

/// The turns that one mail to a player announces, and the jobs that are done once it has been
/// sent.
#[derive(Default)]
struct Collected {
    name: String,
    news: Vec<TurnNews>,
    settled: Vec<Key>,
}

impl Notices {
    /// Returns the write of the job that announces a turn to a player by mail. `None` if too many
    /// mails to the player are waiting.
    pub(super) async fn mail_job(&self, player: &str, notice: Notice) -> Result<Option<Write>, StoreError> {
        if self.store.scan(MAILS.under([&player])?, None, WAITING_MAX).await?.len() >= WAITING_MAX {
            count("dropped");
            return Ok(None);
        }
        let key = MAILS.key([&player, &notice.id])?;
        let now = self.store.now();
        let fields = bytes(&WaitingMail::Turn { notice, announced: now.0 })?;
        Ok(Some(Write::Put { key, value: self.jobs.job_with(&fields, now), expires: None }))
    }

    /// Does the job of sending a mail. Returns [`JobError::NotNow`] if nothing may be handed to
    /// the relay at the moment.
    pub(crate) async fn do_mail(&self, job: Claimed) -> Result<(), JobError> {
        // Without a relay, jobs stay in the store until the operator sets one.
        let Some(mailer) = &self.mailer else { return Err(JobError::NotNow) };
        let player = job.id().split('/').next().unwrap_or_default().to_owned();
        match job.fields()? {
            WaitingMail::Confirmation {} => Box::pin(self.send_confirmation(mailer, &player, job)).await,
            WaitingMail::Turn { notice, announced } => {
                Box::pin(self.send_turns(mailer, &player, job, &notice, announced)).await
            }
        }
    }

    async fn send_confirmation(
        &self,
        mailer: &Mailer,
        player: &str,
        mut job: Claimed,
    ) -> Result<(), JobError> {
        let place = self.destinations.wait(&mailer.lane).await.ok_or(JobError::NotNow)?;
        let now = job.time();
        let named = player_named(&*self.store, player).await?;
        let found = self.email_record(player).await?;
        let asked = found.filter(|(record, _)| {
            record.state == EmailState::Pending && now.0 < record.asked.saturating_add(LINK_MS)
        });
        let (Some(player_now), Some((record, before))) = (named, asked) else {
            return self.finish(&job).await;
        };
        let wait_ms = wait_of(&CONFIRMATION_WAITS_MS, job.attempts());
        if !job.take(TAKEN_MS).await? {
            // Another server has leased the mail.
            return Ok(());
        }
        let token = Token::random().map_err(|error| JobError::Later(error.to_string()))?;
        let mut linked = record.clone();
        linked.add_link(token.hash(), now);
        if !self.replace(player, before, &linked).await? {
            // The record has changed, for example to another address, so the next attempt reads
            // it again.
            return Ok(job.put_back(0).await.map(drop)?);
        }
        let url = Notices::confirm_url(&mailer.server, player, &token);
        let letter = confirmation(record.language, &player_now.name, &mailer.server, url);
        let handed = hand(mailer, &record, &letter).await?;
        place.note(!matches!(handed, Handed::Away(_)));
        drop(place);
        match self.judge(MailKind::Confirmation, player, &record, handed).await? {
            false => Ok(job.put_back(wait_ms).await.map(drop)?),
            true => self.finish(&job).await,
        }
    }

    async fn send_turns(
        &self,
        mailer: &Mailer,
        player: &str,
        mut job: Claimed,
        notice: &Notice,
        announced: u64,
    ) -> Result<(), JobError> {
        let place = self.destinations.wait(&mailer.lane).await.ok_or(JobError::NotNow)?;
        let now = job.time();
        let found = self.email_record(player).await?;
        let Some((record, before)) = found.filter(|(record, _)| record.state == EmailState::Active) else {
            return self.finish(&job).await;
        };
        let early_ms = record.last.saturating_add(GAP_MS).saturating_sub(now.0);
        if early_ms > 0 {
            return Ok(job.put_back(early_ms).await.map(drop)?);
        }
        match self.turn(player, notice, announced, now).await? {
            MailTurn::Over => return self.finish(&job).await,
            // Reset the age of this job, because the age is taken as the time for which the mail
            // has failed.
            MailTurn::Seen => return Ok(job.begin_anew(now.plus_ms(GAP_MS)).await.map(drop)?),
            MailTurn::Due { .. } => {}
        }
        let Collected { name, news, settled } = self.collect(player, now).await?;
        let wait_ms = wait_of(&TURN_WAITS_MS, job.attempts());
        if !job.take(TAKEN_MS).await? {
            return Ok(());
        }
        // If several servers have jobs of this player, only the one that replaces the record
        // sends the mail.
        let sending = EmailRecord { last: now.0, ..record.clone() };
        if news.is_empty() || !self.replace(player, before, &sending).await? {
            return Ok(job.put_back(0).await.map(drop)?);
        }
        let url = self.unsubscribe_url(&mailer.server, player, &record.address).await?;
        let letter = turns(record.language, &name, &mailer.server, url, &news, now);
        let handed = hand(mailer, &record, &letter).await?;
        place.note(!matches!(handed, Handed::Away(_)));
        drop(place);
        match self.judge(MailKind::Turns, player, &record, handed).await? {
            false => Ok(job.put_back(wait_ms).await.map(drop)?),
            true => Ok(delete(&*self.store, settled).await?),
        }
    }

    /// Collects the turns of a player that a mail can announce now.
    async fn collect(&self, player: &str, now: Stamp) -> Result<Collected, JobError> {
        let mut collected = Collected::default();
        let prefix = MAILS.under([&player])?;
        for (key, value) in self.store.scan(prefix.clone(), None, WAITING_MAX).await? {
            // Skip a job that cannot be read. It fails when it runs.
            let Ok(WaitingMail::Turn { notice, announced }) = parse(&value, "a mail") else { continue };
            if last_part(&key, &prefix).is_none_or(|id| id != notice.id) {
                continue;
            }
            match self.turn(player, &notice, announced, now).await {
                Ok(MailTurn::Due { name, news }) => {
                    collected.name = name;
                    collected.news.push(news);
                    collected.settled.push(key);
                }
                Ok(MailTurn::Over) => collected.settled.push(key),
                Ok(MailTurn::Seen) => {}
                // A later mail announces this turn.
                Err(error) => tracing::debug!(%error, "a game is left out of a mail"),
            }
        }
        collected.news.sort_by_key(|news| news.deadline.unwrap_or(u64::MAX));
        Ok(collected)
    }

    async fn turn(
        &self,
        player: &str,
        notice: &Notice,
        announced: u64,
        now: Stamp,
    ) -> Result<MailTurn, JobError> {
        let Some(game) = notice.game else { return Ok(MailTurn::Over) };
        let handle = match self.tables.find(game).await {
            Err(TableError::NotFound) => return Ok(MailTurn::Over),
            found => found?,
        };
        let (summary, audience, view) = handle.look(Some(player)).await?;
        let Some(side) = audience.side() else { return Ok(MailTurn::Over) };
        let own = OwnGame::new(summary, side, &view);
        if !own.to_act || notice_id(&own) != notice.id {
            return Ok(MailTurn::Over);
        }
        let is_open = handle.presence().await?[side] == Presence::Present;
        if is_open && now.0 < announced.saturating_add(SEEN_MS) {
            return Ok(MailTurn::Seen);
        }
        let OwnGame { game, deadline, .. } = own;
        let news = TurnNews {
            game: game.id,
            opponent: game.players[side.opponent()].name.clone(),
            ruleset: game.terms.ruleset.clone(),
            is_deploying: game.phase == Phase::Deploying,
            deadline,
        };
        Ok(MailTurn::Due { name: game.players[side].name.clone(), news })
    }

    /// Counts and logs the result of a mail. Returns true if its job is done, and false if the
    /// mail must be tried again.
    async fn judge(
        &self,
        kind: MailKind,
        player: &str,
        record: &EmailRecord,
        handed: Handed,
    ) -> Result<bool, JobError> {
        let is_done = match handed {
            Handed::Over => {
                kind.count("sent");
                true
            }
            Handed::Away(reason) => {
                tracing::warn!(reason, "the mail server takes no mail; it will be tried again");
                kind.count("failed");
                false
            }
            Handed::Later(reason) => {
                tracing::debug!(reason, "the mail server asks to send a mail later");
                kind.count("failed");
                false
            }
            Handed::Rejected(reason) => {
                tracing::info!(%player, reason, "an e-mail address gets no more mail");
                kind.count("rejected");
                self.suspend(player, &record.address).await?;
                true
            }
            Handed::Refused(reason) => {
                tracing::warn!(reason, "the mail server does not accept a mail");
                kind.count("lost");
                true
            }
        };
        Ok(is_done)
    }

    /// Suspends mail to an address, unless the player has changed the address.
    async fn suspend(&self, player: &str, address: &str) -> Result<(), StoreError> {
        let suspend = |found: Option<EmailRecord>| {
            let record = found.filter(|record| record.address == address)?;
            Some(EmailRecord { state: EmailState::Suspended, links: Vec::new(), ..record })
        };
        match change(&*self.store, EMAIL.key([&player])?, "an e-mail address", suspend).await? {
            Some(_) => self.forget_mails(player).await,
            None => Ok(()),
        }
    }

    /// Replaces a player's record. Returns false if it has changed in the meantime.
    async fn replace(&self, player: &str, before: Vec<u8>, record: &EmailRecord) -> Result<bool, StoreError> {
        let key = EMAIL.key([&player])?;
        write_if(&*self.store, key.clone(), Some(before), vec![put(key, record, None)?]).await
    }
}

async fn hand(mailer: &Mailer, record: &EmailRecord, letter: &Letter) -> Result<Handed, JobError> {
    let unsendable = || JobError::Hopeless("a mail cannot be written".to_owned());
    let to = record.address.parse::<lettre::Address>().map_err(|_| unsendable())?;
    let message = letter.message(record.language, mailer.from(), to.clone()).ok_or_else(unsendable)?;
    Ok(mailer.hand(&to, &message).await)
}

fn wait_of(waits: &[u64], attempts: u32) -> u64 {
    let last = waits.last().copied().unwrap_or(GAP_MS);
    waits.get(attempts as usize).copied().unwrap_or(last)
}
