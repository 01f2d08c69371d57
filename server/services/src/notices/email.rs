//! The e-mail address of a player: setting, confirming and removing it.
//!
//! Until its owner has confirmed an address, the server sends nothing to it except confirmation
//! mails. The link in such a mail contains a random token, and the record contains the token's
//! hash. The link that ends the mails contains a signature of the player and the address. So it
//! works without a session, and for as long as the address is set. Opening a link only shows a
//! page, because programs that check mails open links too.

use flagfall_base::identity::{Principal, Token};
use flagfall_base::keys::{DEAD_JOBS, EMAIL, EMAIL_ASKED_BY, EMAIL_ASKED_FOR, MAILS, SECRETS};
use flagfall_base::names::player_named;
use flagfall_base::random::random_bytes;
use flagfall_base::transact::{Transaction, delete, delete_all, expect, read_or_create};
use flagfall_board::Stamp;
use flagfall_protocol::{Code, EmailInfo, EmailSetting, EmailState, HexBytes, NewEmail, Refusal};
use flagfall_store::{Expect, Key, StoreError, Update, Write};
use ring::hmac::{self, Key as LinkSigner};

use super::mailbox::{EmailRecord, LinkedEmail, WaitingMail, box_hash, checked};
use super::smtp::Mailer;
use super::{Notices, too_many};
use crate::records::{bytes, change, find, parse, put};
use crate::refused::{Refused, check_account};

/// The maximum number of confirmation mails for one player, and to one address, in a day.
const ASKED_MAX: usize = 3;
const DAY_MS: u64 = 24 * 3_600_000;
/// The name of the job that sends the confirmation mail. No notice has this id.
const CONFIRM: &str = "confirm";
const KEY_NAME: &str = "mail";

impl Notices {
    /// Returns the mailer, or a refusal if the operator has set no relay.
    pub(super) fn mailer(&self) -> Result<&Mailer, Refused> {
        self.mailer.as_ref().ok_or_else(|| Refusal::new(Code::MAIL_OFF).into())
    }

    pub async fn email(&self, asker: &Principal) -> Result<EmailSetting, Refused> {
        self.mailer()?;
        Ok(EmailSetting { email: self.email_info(&asker.player.id).await? })
    }

    pub async fn email_info(&self, player: &str) -> Result<Option<EmailInfo>, StoreError> {
        Ok(self.email_record(player).await?.map(|(record, _)| record.info()))
    }

    /// Sets the requester's address, and sends a confirmation mail to it. If the address is
    /// confirmed already, only the language changes.
    pub async fn set_email(&self, asker: &Principal, new: &NewEmail) -> Result<EmailSetting, Refused> {
        self.mailer()?;
        check_account(asker, "email")?;
        let address = checked(&new.address)?.to_string();
        let player = &asker.player.id;
        let mut transaction = Transaction::new(&*self.store, "this e-mail address");
        loop {
            let found = self.email_record(player).await?;
            let (before, last) = match &found {
                Some((record, bytes)) => (Some(bytes.clone()), record.last),
                None => (None, 0),
            };
            let known = found.map(|(record, _)| record).filter(|record| record.address == address);
            let record = match known {
                Some(record) if record.state == EmailState::Active => {
                    let record = EmailRecord { language: new.language, ..record };
                    let key = EMAIL.key([player])?;
                    let conditions = vec![(key.clone(), expect(before))];
                    let writes = vec![put(key, &record, None)?];
                    if transaction.commit(Update { conditions, writes }).await? {
                        return Ok(EmailSetting { email: Some(record.info()) });
                    }
                    continue;
                }
                Some(record) => record,
                None => EmailRecord::new(address.clone(), self.store.now(), last),
            };
            let (state, language) = (EmailState::Pending, new.language);
            let record = EmailRecord { state, language, asked: self.store.now().0, ..record };
            if self.ask(player, &record, before, &mut transaction).await? {
                return Ok(EmailSetting { email: Some(record.info()) });
            }
        }
    }

    /// Sends another confirmation mail. Does nothing if the address is confirmed.
    pub async fn confirm_again(&self, asker: &Principal) -> Result<(), Refused> {
        self.mailer()?;
        let mut transaction = Transaction::new(&*self.store, "this e-mail address");
        loop {
            let found = self.email_record(&asker.player.id).await?;
            let (record, before) = found.ok_or_else(no_such_email)?;
            if record.state == EmailState::Active {
                return Ok(());
            }
            let record = EmailRecord { state: EmailState::Pending, asked: self.store.now().0, ..record };
            if self.ask(&asker.player.id, &record, Some(before), &mut transaction).await? {
                return Ok(());
            }
        }
    }

    /// Writes a record, and the job that sends its confirmation mail. Returns false if the record
    /// has changed in the meantime.
    async fn ask(
        &self,
        player: &str,
        record: &EmailRecord,
        before: Option<Vec<u8>>,
        transaction: &mut Transaction<'_>,
    ) -> Result<bool, Refused> {
        let now = self.store.now();
        let key = EMAIL.key([&player])?;
        let mut conditions = vec![(key.clone(), expect(before))];
        let mut writes = vec![put(key, record, None)?];
        for (key, reason) in [
            (EMAIL_ASKED_BY.key([&player])?, "mails_of_account"),
            (EMAIL_ASKED_FOR.key([&box_hash(&record.address)])?, "mails_to_address"),
        ] {
            let (condition, write) = self.count_asked(key, now).await?.ok_or_else(|| too_many(reason))?;
            conditions.push(condition);
            writes.push(write);
        }
        let job = MAILS.key([&player, &CONFIRM])?;
        let value = self.jobs.job_with(&bytes(&WaitingMail::Confirmation {})?, now);
        writes.push(Write::Put { key: job.clone(), value, expires: None });
        let is_done = transaction.commit(Update { conditions, writes }).await?;
        if is_done {
            self.jobs.wake_for(MAILS.name, job);
        }
        Ok(is_done)
    }

    /// Returns the condition and the write that count a confirmation mail. `None` if the limit is
    /// reached.
    async fn count_asked(&self, key: Key, now: Stamp) -> Result<Option<((Key, Expect), Write)>, StoreError> {
        let before = self.store.get(key.clone()).await?;
        let mut times: Vec<u64> = match &before {
            Some(bytes) => parse(bytes, "the times of confirmation mails")?,
            None => Vec::new(),
        };
        times.retain(|time| time.saturating_add(DAY_MS) > now.0);
        if times.len() >= ASKED_MAX {
            return Ok(None);
        }
        times.push(now.0);
        let write = put(key.clone(), &times, Some(now.plus_ms(DAY_MS)))?;
        Ok(Some(((key, expect(before)), write)))
    }

    /// Removes the requester's address, and the mails that wait to be sent to it.
    pub async fn remove_email(&self, asker: &Principal) -> Result<(), Refused> {
        self.mailer()?;
        self.email_record(&asker.player.id).await?.ok_or_else(no_such_email)?;
        Ok(self.forget_address(&asker.player.id).await?)
    }

    /// Returns the address that a confirmation link is for. `None` if the link is not valid.
    pub async fn confirmation_link(&self, player: &str, token: &str) -> Result<Option<LinkedEmail>, Refused> {
        self.mailer()?;
        let found = self.linked_record(player).await?;
        let record =
            found.map(|(record, _)| record).filter(|record| record.has_link(token, self.store.now()));
        self.linked(player, record).await
    }

    /// Confirms an address with the token of a confirmation link. All confirmation links for the
    /// address then become invalid. `None` if the link is not valid.
    pub async fn confirm_email(&self, player: &str, token: &str) -> Result<Option<LinkedEmail>, Refused> {
        self.mailer()?;
        if self.linked_record(player).await?.is_none() {
            return Ok(None);
        }
        let confirm = |found: Option<EmailRecord>| {
            let record = found.filter(|record| record.has_link(token, self.store.now()))?;
            Some(EmailRecord { state: EmailState::Active, links: Vec::new(), ..record })
        };
        let confirmed = change(&*self.store, EMAIL.key([&player])?, "an e-mail address", confirm).await?;
        self.linked(player, confirmed).await
    }

    /// Returns the address for which a link ends the mails. `None` if the link is not valid.
    pub async fn unsubscribe_link(
        &self,
        player: &str,
        signature: &str,
    ) -> Result<Option<LinkedEmail>, Refused> {
        self.mailer()?;
        let Some((record, _)) = self.linked_record(player).await? else { return Ok(None) };
        let is_valid = self.is_signed(player, &record.address, signature).await?;
        self.linked(player, Some(record).filter(|_| is_valid)).await
    }

    /// Removes an address with the signature of a link, and returns the address. `None` if the
    /// link is not valid, for example because it has been used before.
    pub async fn unsubscribe_email(
        &self,
        player: &str,
        signature: &str,
    ) -> Result<Option<LinkedEmail>, Refused> {
        let Some(linked) = self.unsubscribe_link(player, signature).await? else { return Ok(None) };
        self.forget_address(player).await?;
        Ok(Some(linked))
    }

    async fn linked(
        &self,
        player: &str,
        record: Option<EmailRecord>,
    ) -> Result<Option<LinkedEmail>, Refused> {
        let Some(EmailRecord { address, language, .. }) = record else { return Ok(None) };
        let named = player_named(&*self.store, player).await?;
        Ok(named.map(|named| LinkedEmail { name: named.name, address, language }))
    }

    /// Returns the record of the player whom a link names. `player` may be any text, because
    /// anyone can write a link.
    async fn linked_record(&self, player: &str) -> Result<Option<(EmailRecord, Vec<u8>)>, StoreError> {
        let is_id = !player.is_empty()
            && player.len() <= 64
            && player.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if is_id { self.email_record(player).await } else { Ok(None) }
    }

    pub(super) async fn email_record(
        &self,
        player: &str,
    ) -> Result<Option<(EmailRecord, Vec<u8>)>, StoreError> {
        find(&*self.store, EMAIL.key([&player])?, "an e-mail address").await
    }

    /// True if the player gets mails about turns.
    pub(super) async fn wants_mail(&self, player: &str) -> Result<bool, StoreError> {
        if self.mailer.is_none() {
            return Ok(false);
        }
        let found = self.email_record(player).await?;
        Ok(found.is_some_and(|(record, _)| record.state == EmailState::Active))
    }

    /// Returns the address of the page on which a player confirms their address.
    pub(super) fn confirm_url(server: &str, player: &str, token: &Token) -> String {
        format!("{server}/mail/confirm/{player}/{}", token.expose())
    }

    /// Returns the URL that ends the mails to an address: a browser gets a page there, and a mail
    /// program can end the mails with one request (RFC 8058).
    pub(super) async fn unsubscribe_url(
        &self,
        server: &str,
        player: &str,
        address: &str,
    ) -> Result<String, StoreError> {
        let tag = hmac::sign(self.mail_key().await?, &signed(player, address));
        let tag: [u8; 32] = tag.as_ref().try_into().unwrap_or_default();
        Ok(format!("{server}/mail/unsubscribe/{player}/{}", HexBytes(tag)))
    }

    async fn is_signed(&self, player: &str, address: &str, signature: &str) -> Result<bool, StoreError> {
        let Ok(HexBytes(tag)) = signature.parse() else { return Ok(false) };
        Ok(hmac::verify(self.mail_key().await?, &signed(player, address), &tag).is_ok())
    }

    /// The key that signs links. All servers of a store share it.
    async fn mail_key(&self) -> Result<&LinkSigner, StoreError> {
        let read = async || {
            let no_chance = |_| StoreError::Unavailable { why: "there are no random bits".to_owned() };
            let make = || random_bytes::<32>().map(|bytes| bytes.to_vec()).map_err(no_chance);
            let what = "the key of links in mails";
            let stored = read_or_create(&*self.store, SECRETS.key([&KEY_NAME])?, what, make).await?;
            Ok(LinkSigner::new(hmac::HMAC_SHA256, &stored))
        };
        self.mail_key.get_or_try_init(read).await
    }

    /// Deletes the address of a player, and the mails that wait to be sent to it.
    pub(super) async fn forget_address(&self, player: &str) -> Result<(), StoreError> {
        delete(&*self.store, vec![EMAIL.key([&player])?]).await?;
        self.forget_mails(player).await
    }

    pub(super) async fn forget_mails(&self, player: &str) -> Result<(), StoreError> {
        delete_all(&*self.store, MAILS.under([&player])?).await?;
        delete_all(&*self.store, DEAD_JOBS.under([&MAILS.name, &player])?).await
    }

    /// Deletes all data about a deleted account's e-mail. For a day, the store keeps the number
    /// of confirmation mails to the address, under a hash of the address.
    pub(super) async fn forget_email(&self, player: &str) -> Result<(), StoreError> {
        self.forget_address(player).await?;
        delete(&*self.store, vec![EMAIL_ASKED_BY.key([&player])?]).await
    }
}

fn signed(player: &str, address: &str) -> Vec<u8> {
    format!("unsubscribe\n{player}\n{address}").into_bytes()
}

fn no_such_email() -> Refused {
    Refusal::new(Code::NO_SUCH_EMAIL).into()
}
