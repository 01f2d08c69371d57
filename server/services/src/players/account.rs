//! Accounts: sign-up and login, and changing, exporting and deleting an account.

use std::collections::BTreeMap;
use std::net::IpAddr;

use flagfall_protocol::{
    AccountExport, Code, Conduct, DumpListing, LoggedIn, MadeToken, Player, PlayerKind, Profile, Recovered,
    Refusal, Scope, Secret, SignedUp, Statistics, TokenInfo,
};
use flagfall_store::{Expect, Key, SystemClock, Update, WallClock};
use metrics::counter;
use tokio::time::Instant;

use super::attempts::{Guesser, share_of};
use super::hash_queue::Share;
use super::name::TOKEN_NAME_LEN_MAX;
use super::password::{Password, RecoveryCode};
use super::record::{Credentials, PlayerRecord, TokenRecord};
use super::{Name, PlayerError, Players};
use crate::refused::check_account;
use flagfall_base::identity::{Principal, Token};
use flagfall_base::jobs::JobWriter;
use flagfall_base::keys::{NAMES, PLAYERS, SEAT};
use flagfall_base::random::random_code;
use flagfall_base::telemetry as names;
use flagfall_base::transact::Transaction;

/// The name of a token that was made by a sign-up, by a recovery, or by a login without a token
/// name.
const LOGIN_TOKEN: &str = "login";
/// The id that is looked up if no player has the given name. With this id, the lookup takes the
/// same number of steps as for a known name.
const NOBODY: &str = "000000000000";
/// The rate-limit bucket for confirming the password.
const CONFIRM: &str = "confirm";
const EXPORTED_GAMES_MAX: usize = 1_000;

impl Players {
    /// Creates an account, or turns the guest who sent the request into an account. The guest
    /// keeps their games and token. The account is durable when this returns.
    pub async fn sign_up(
        &self,
        address: IpAddr,
        guest: Option<&Principal>,
        name: &str,
        password: &Secret,
        kind: PlayerKind,
    ) -> Result<SignedUp, PlayerError> {
        if guest.is_some_and(|guest| guest.player.kind != PlayerKind::Guest) {
            return Err(PlayerError::AlreadyAccount);
        }
        let name = Name::new(name)?;
        let password = Password::choose(password, name.as_str())?;
        self.inner.attempts.take_address(address, Instant::now())?;
        if name.is_reserved() {
            return Err(PlayerError::AccountNameTaken);
        }
        let code = RecoveryCode::random()?;
        let credentials = Credentials {
            password: self.inner.hasher.hash(share_of(address), password).await?,
            recovery: code.hash(),
        };
        let (player, token) = match guest {
            Some(guest) => (self.promote(guest, &name, kind, &credentials).await?, None),
            None => {
                let (token, now) = (Token::random()?, SystemClock.now());
                let known = TokenRecord::new(&token, LOGIN_TOKEN, Scope::Play)?;
                let record = PlayerRecord::new(random_code()?, &name, kind, known, now);
                let record = PlayerRecord { credentials: Some(credentials), ..record };
                if !self.insert(&record).await? {
                    return Err(PlayerError::AccountNameTaken);
                }
                (record.player, Some(token.to_secret()))
            }
        };
        self.inner.attempts.note_sign_in(&name.folded(), address, Instant::now());
        counter!(names::ACCOUNTS, "what" => "made").increment(1);
        tracing::info!(player = %player.id, name = %player.name, kind = ?player.kind, "a new account");
        Ok(SignedUp { player, token, recovery_code: Secret::new(code.expose()) })
    }

    async fn promote(
        &self,
        guest: &Principal,
        name: &Name,
        kind: PlayerKind,
        credentials: &Credentials,
    ) -> Result<Player, PlayerError> {
        let become_account = |record: &mut PlayerRecord| {
            if record.player.kind != PlayerKind::Guest {
                return Err(PlayerError::AlreadyAccount);
            }
            record.player = Player { id: record.player.id.clone(), name: name.as_str().to_owned(), kind };
            record.name_key = name.folded();
            record.expires = None;
            record.credentials = Some(credentials.clone());
            Ok(())
        };
        let mut transaction = Transaction::new(&*self.inner.store, "the player's record");
        loop {
            match self.change(&guest.player.id, become_account).await {
                Err(PlayerError::UnknownToken) => {}
                changed => return Ok(changed?.0.player),
            }
            let mut record = self.unstored_record(guest).ok_or(PlayerError::UnknownToken)?;
            become_account(&mut record)?;
            if self.insert(&record).await? {
                return Ok(record.player);
            }
            if self.inner.store.get(NAMES.key([&record.name_key])?).await?.is_some() {
                return Err(PlayerError::AccountNameTaken);
            }
            // Another request stored the guest at the same moment, so try again.
            transaction.count_conflict()?;
        }
    }

    /// Returns the record to be stored for a guest.
    fn unstored_record(&self, guest: &Principal) -> Option<PlayerRecord> {
        let (pass, name) = (guest.pass.as_ref()?, Name::new(&guest.player.name).ok()?);
        Some(PlayerRecord::of_guest(&guest.player, &name, pass, SystemClock.now(), self.inner.guest))
    }

    /// Returns the requester's record. If the requester is a guest who is not stored, returns the
    /// record with which they would be stored.
    async fn own_record(&self, asker: &Principal) -> Result<PlayerRecord, PlayerError> {
        match self.read(&asker.player.id).await? {
            Some((record, _)) => Ok(record),
            None => self.unstored_record(asker).ok_or(PlayerError::UnknownToken),
        }
    }

    /// Logs in with a password, and returns a new token. Neither the answer nor the time it takes
    /// reveals whether the name or the password was wrong. `device` is a token that the device
    /// had before. This token may be invalid. Wrong guesses by other devices do not count against
    /// a device that has had a token of the account.
    pub async fn log_in(
        &self,
        address: IpAddr,
        device: Option<&str>,
        name: &str,
        password: &Secret,
        token_name: Option<&str>,
    ) -> Result<LoggedIn, PlayerError> {
        let token_name = check_token_name(token_name.unwrap_or(LOGIN_TOKEN))?;
        let folded = fold(name);
        let guesser = self.guesser(address, device, &folded).await?;
        let record = self.check_password(&guesser, &folded, password).await?;
        let kept = record.credentials.as_ref().map(|credentials| credentials.password.clone());
        let is_outdated = kept.as_deref().is_some_and(|kept| self.inner.hasher.is_outdated(kept));
        let renewed = match is_outdated {
            true => Some(self.inner.hasher.hash(guesser.share(), Password::attempt(password)).await?),
            false => None,
        };
        let tokens_max = self.inner.tokens_max;
        let (record, (token, _)) = self
            .change(&record.player.id, |record| {
                let credentials = record.credentials.as_mut().ok_or(PlayerError::WrongPassword)?;
                // The password may have been changed after it was checked.
                if Some(&credentials.password) != kept.as_ref() {
                    return Err(PlayerError::WrongPassword);
                }
                if let Some(renewed) = &renewed {
                    credentials.password.clone_from(renewed);
                }
                make_room(record, tokens_max);
                add_token(record, token_name, Scope::Play, tokens_max)
            })
            .await?;
        Ok(LoggedIn { player: record.player, token: token.to_secret() })
    }

    /// Sets a new password with the recovery code. The code cannot be used again. All earlier
    /// tokens are revoked.
    pub async fn recover(
        &self,
        address: IpAddr,
        name: &str,
        code: &Secret,
        new_password: &Secret,
        token_name: Option<&str>,
    ) -> Result<Recovered, PlayerError> {
        let token_name = check_token_name(token_name.unwrap_or(LOGIN_TOKEN))?;
        let new_password = Password::choose(new_password, name)?;
        let folded = fold(name);
        // Count by address only. Recovery codes cannot be guessed, and attempts by others must
        // not prevent the owner from using theirs.
        let counted = self.inner.attempts.take_address(address, Instant::now());
        counted.inspect_err(|_| count_login("too_often"))?;
        // Compute the hash first, whether or not the account exists, so that the time does not
        // reveal it.
        let password = self.inner.hasher.hash(share_of(address), new_password).await?;
        let typed = RecoveryCode::typed(code).hash();
        let record = self.find(&folded).await?;
        let has_code =
            |record: &PlayerRecord| record.credentials.as_ref().is_some_and(|kept| kept.recovery == typed);
        let Some(record) = record.filter(has_code) else {
            count_login("wrong");
            return Err(PlayerError::WrongRecoveryCode);
        };
        if record.closed.is_some() {
            return Err(PlayerError::Closed);
        }
        let next = RecoveryCode::random()?;
        let (record, (token, _)) = self
            .change(&record.player.id, |record| {
                if !has_code(record) {
                    return Err(PlayerError::WrongRecoveryCode);
                }
                record.credentials = Some(Credentials { password: password.clone(), recovery: next.hash() });
                let gone = std::mem::take(&mut record.tokens);
                record.note_former(gone);
                add_token(record, token_name, Scope::Play, 1)
            })
            .await?;
        self.inner.attempts.note_sign_in(&folded, address, Instant::now());
        count_login("good");
        tracing::info!(player = %record.player.id, "an account was recovered");
        let recovery_code = Secret::new(next.expose());
        Ok(Recovered { player: record.player, token: token.to_secret(), recovery_code })
    }

    /// Changes the password, and revokes all tokens except the one that the requester uses.
    pub async fn change_password(
        &self,
        asker: &Principal,
        password: &Secret,
        new_password: &Secret,
    ) -> Result<(), PlayerError> {
        let new_password = Password::choose(new_password, &asker.player.name)?;
        let checked = self.confirm(asker, password).await?;
        let hash = self.inner.hasher.hash(share_of_asker(asker), new_password).await?;
        self.change(&asker.player.id, |record| {
            unchanged(record, &checked)?.password.clone_from(&hash);
            let gone: Vec<_> = record.tokens.extract_if(.., |token| token.id != asker.token_id).collect();
            record.note_former(gone);
            Ok(())
        })
        .await?;
        Ok(())
    }

    /// Makes a new recovery code. The old code becomes invalid.
    pub async fn renew_recovery_code(
        &self,
        asker: &Principal,
        password: &Secret,
    ) -> Result<Secret, PlayerError> {
        let checked = self.confirm(asker, password).await?;
        let code = RecoveryCode::random()?;
        self.change(&asker.player.id, |record| {
            unchanged(record, &checked)?.recovery = code.hash();
            Ok(())
        })
        .await?;
        Ok(Secret::new(code.expose()))
    }

    /// Returns the requester's tokens, oldest first.
    pub async fn tokens(&self, asker: &Principal) -> Result<Vec<TokenInfo>, PlayerError> {
        let record = self.own_record(asker).await?;
        Ok(record.tokens.iter().map(|token| token.info(&asker.token_id)).collect())
    }

    /// Makes another token for the requester's account. If a password is given, it must be right.
    pub async fn make_token(
        &self,
        asker: &Principal,
        name: &str,
        scope: Scope,
        password: Option<&Secret>,
    ) -> Result<MadeToken, PlayerError> {
        let name = check_token_name(name)?;
        check_account(asker, "other")?;
        let checked = match password {
            Some(password) => Some(self.confirm(asker, password).await?),
            None => None,
        };
        // Limit how often tokens are made, because each revoked token leaves a record in the
        // store.
        self.inner.attempts.take_own("tokens", &asker.player.id, Instant::now())?;
        let tokens_max = self.inner.tokens_max;
        let made = self.change(&asker.player.id, |record| {
            if let Some(checked) = &checked {
                unchanged(record, checked)?;
            }
            if scope == Scope::Bot && record.player.kind != PlayerKind::Bot {
                return Err(Refusal::new(Code::BAD_TOKEN_TERMS).because("bot_scope").into());
            }
            add_token(record, name, scope, tokens_max)
        });
        let (_, (token, info)) = made.await?;
        Ok(MadeToken { info, token: token.to_secret() })
    }

    /// Revokes one of the requester's tokens, and closes its sockets.
    pub async fn revoke_token(&self, asker: &Principal, token_id: &str) -> Result<(), PlayerError> {
        // Guests cannot revoke their only token, because they could never sign in again without
        // it.
        check_account(asker, "other")?;
        self.revoke(asker, token_id).await
    }

    /// Ends a session: revokes its token and closes its sockets. This also works for guests. If a
    /// guest is not stored, there is no token to revoke and no data that the token would protect,
    /// so only the sockets are closed.
    pub async fn log_out(&self, asker: &Principal) -> Result<(), PlayerError> {
        match self.revoke(asker, &asker.token_id).await {
            Err(PlayerError::UnknownToken) => self.close_sockets(asker).await,
            revoked => revoked,
        }
    }

    async fn revoke(&self, asker: &Principal, token_id: &str) -> Result<(), PlayerError> {
        self.change(&asker.player.id, |record| {
            let gone: Vec<_> = record.tokens.extract_if(.., |token| token.id == token_id).collect();
            if gone.is_empty() {
                return Err(Refusal::new(Code::NO_SUCH_TOKEN).into());
            }
            // If a device signs itself out, remember it as known. If it was signed out from
            // another device, do not remember it, because it may be stolen.
            if token_id == asker.token_id {
                record.note_former(gone);
            }
            Ok(())
        })
        .await?;
        Ok(())
    }

    /// Returns the public profile of the player with this name, without ratings.
    pub async fn profile(&self, name: &str) -> Result<Profile, PlayerError> {
        let record = self.find(&fold(name)).await?.ok_or(PlayerError::NoSuchPlayer)?;
        Ok(Profile { player: record.player, created: record.created, ratings: Vec::new() })
    }

    pub async fn export(&self, asker: &Principal) -> Result<AccountExport, PlayerError> {
        let record = self.own_record(asker).await?;
        let seats = self.seats(&asker.player.id, EXPORTED_GAMES_MAX).await?;
        let game = |key: &Key| std::str::from_utf8(key.as_bytes()).ok()?.rsplit('/').next()?.parse().ok();
        Ok(AccountExport {
            created: record.created,
            has_password: record.credentials.is_some(),
            tokens: record.tokens.iter().map(|token| token.info(&asker.token_id)).collect(),
            games: seats.iter().filter_map(game).collect(),
            ratings: Vec::new(),
            player: record.player,
            played: Vec::new(),
            statistics: Statistics::default(),
            deployments: Vec::new(),
            preferences: BTreeMap::new(),
            webhook: None,
            push: Vec::new(),
            email: None,
            has_feed: false,
            challenges: Vec::new(),
            blocks: Vec::new(),
            reports: Vec::new(),
            queues: Vec::new(),
            conduct: Conduct::default(),
            dump: DumpListing::default(),
        })
    }

    /// Deletes the requester's account with its name, password and tokens. After that, the
    /// requester's games are shown without their name. A job deletes their other data. Refused
    /// while they have running games.
    pub async fn delete(
        &self,
        asker: &Principal,
        password: &Secret,
        jobs: &JobWriter,
    ) -> Result<(), PlayerError> {
        self.confirm(asker, password).await?;
        if !self.seats(&asker.player.id, 1).await?.is_empty() {
            return Err(Refusal::new(Code::GAMES_RUNNING).into());
        }
        let mut before = None;
        let mut transaction = Transaction::new(&*self.inner.store, "the account");
        // If the record does not exist after an attempt, it was deleted by that attempt.
        while let Some((record, bytes)) = self.read(&asker.player.id).await? {
            self.forget_revoked(&record, &[]);
            let conditions = vec![(PLAYERS.key([&record.player.id])?, Expect::Value(bytes))];
            let writes = record.deletion(self.inner.store.now(), jobs)?;
            before = Some(record);
            if transaction.commit(Update { conditions, writes }).await? {
                break;
            }
        }
        if let Some(record) = before {
            self.close_revoked(&record, &[]);
            counter!(names::ACCOUNTS, "what" => "deleted").increment(1);
            tracing::info!(player = %record.player.id, "an account was deleted");
        }
        Ok(())
    }

    /// Returns the keys of the index records of a player's running games.
    async fn seats(&self, id: &str, max: usize) -> Result<Vec<Key>, PlayerError> {
        let seats = self.inner.store.scan(SEAT.under([&id])?, None, max).await?;
        Ok(seats.into_iter().map(|(key, _)| key).collect())
    }

    /// Checks the requester's password again, and returns their record. Wrong guesses by others,
    /// under this name or from this address, do not prevent the owner from confirming.
    async fn confirm(&self, asker: &Principal, password: &Secret) -> Result<PlayerRecord, PlayerError> {
        check_account(asker, "other")?;
        self.inner.attempts.take_own(CONFIRM, &asker.player.id, Instant::now())?;
        let record = self.checked(share_of_asker(asker), &fold(&asker.player.name), password).await?;
        self.inner.attempts.put_back_own(CONFIRM, &asker.player.id);
        Ok(record)
    }

    /// Returns the source of an attempt to sign in under this name: a known device of the
    /// account, or a stranger.
    async fn guesser(
        &self,
        address: IpAddr,
        device: Option<&str>,
        folded: &str,
    ) -> Result<Guesser, PlayerError> {
        let Some(token) = device.and_then(|device| device.parse::<Token>().ok()) else {
            return Ok(Guesser::Stranger(address));
        };
        let is_known = self.find(folded).await?.is_some_and(|record| record.knows_device(&token));
        Ok(if is_known { Guesser::Device(token.hash()) } else { Guesser::Stranger(address) })
    }

    async fn check_password(
        &self,
        guesser: &Guesser,
        folded: &str,
        password: &Secret,
    ) -> Result<PlayerRecord, PlayerError> {
        let counted = self.inner.attempts.take(folded, guesser, Instant::now());
        counted.inspect_err(|_| count_login("too_often"))?;
        let record = self.checked(guesser.share(), folded, password).await?;
        self.inner.attempts.was_right(folded, guesser, Instant::now());
        Ok(record)
    }

    /// Checks the password of the player with this folded name. Does not count the attempt.
    async fn checked(
        &self,
        share: Share,
        folded: &str,
        password: &Secret,
    ) -> Result<PlayerRecord, PlayerError> {
        let record = self.find(folded).await?;
        let credentials = record.as_ref().and_then(|record| record.credentials.as_ref());
        let kept = credentials.map(|credentials| credentials.password.as_str());
        let is_right = self.inner.hasher.is_right(share, Password::attempt(password), kept).await?;
        match record.filter(|_| is_right) {
            // Do this after checking the password, so that only a person who knows it learns that
            // the account is closed.
            Some(record) if record.closed.is_some() => {
                count_login("closed");
                Err(PlayerError::Closed)
            }
            Some(record) => {
                count_login("good");
                Ok(record)
            }
            None => {
                count_login("wrong");
                Err(PlayerError::WrongPassword)
            }
        }
    }

    /// Finds the player with this folded name. The lookup takes the same number of steps whether
    /// or not the name exists.
    async fn find(&self, folded: &str) -> Result<Option<PlayerRecord>, PlayerError> {
        let id = self.inner.store.get(NAMES.key([&folded])?).await?;
        let id = id.map(String::from_utf8).transpose().map_err(|_| PlayerError::Store)?;
        let found = self.read(id.as_deref().unwrap_or(NOBODY)).await?;
        // The name may have passed to another player between the two reads.
        Ok(found.map(|(record, _)| record).filter(|record| record.name_key == folded))
    }

    /// Changes a player's record. Retries if another writer changes the record in the meantime.
    /// Closes the sockets of tokens that the change removes.
    async fn change<T>(
        &self,
        id: &str,
        mut change: impl FnMut(&mut PlayerRecord) -> Result<T, PlayerError>,
    ) -> Result<(PlayerRecord, T), PlayerError> {
        let player_key = PLAYERS.key([&id])?;
        let mut transaction = Transaction::new(&*self.inner.store, "the player's record");
        loop {
            let (before, bytes) = self.read(id).await?.ok_or(PlayerError::UnknownToken)?;
            let mut after = before.clone();
            let value = change(&mut after)?;
            let is_renamed = after.name_key != before.name_key;
            let new_name = NAMES.key([&after.name_key])?;
            let mut conditions = vec![(player_key.clone(), Expect::Value(bytes))];
            if is_renamed {
                conditions.push((new_name.clone(), Expect::Absent));
            }
            let update = Update { conditions, writes: after.writes_after(&before, self.inner.store.now())? };
            if !transaction.commit(update).await? {
                // The store may have made the change without confirming it.
                self.forget_revoked(&before, &after.tokens);
                if self.inner.store.get(player_key.clone()).await? != Some(after.bytes()?) {
                    if is_renamed && self.inner.store.get(new_name).await?.is_some() {
                        return Err(PlayerError::AccountNameTaken);
                    }
                    continue;
                }
            }
            self.close_revoked(&before, &after.tokens);
            return Ok((after, value));
        }
    }
}

/// Returns the form of a name that is used to count attempts and to find players. For an invalid
/// name, this is text that cannot be a player's name.
fn fold(name: &str) -> String {
    Name::new(name).map_or_else(|_| "-".to_owned(), |name| name.folded())
}

fn unchanged<'a>(
    record: &'a mut PlayerRecord,
    checked: &PlayerRecord,
) -> Result<&'a mut Credentials, PlayerError> {
    let is_same = record.credentials == checked.credentials;
    record.credentials.as_mut().filter(|_| is_same).ok_or(PlayerError::WrongPassword)
}

/// Makes room in a full list of tokens by removing the oldest token with the play scope. This is
/// needed because a login with the right password must always succeed.
fn make_room(record: &mut PlayerRecord, max: usize) {
    while record.tokens.len() >= max.max(1) {
        let oldest = record.tokens.iter().position(|token| token.scope == Scope::Play).unwrap_or(0);
        let gone = record.tokens.remove(oldest);
        record.note_former([gone]);
    }
}

fn add_token(
    record: &mut PlayerRecord,
    name: &str,
    scope: Scope,
    max: usize,
) -> Result<(Token, TokenInfo), PlayerError> {
    if record.tokens.len() >= max {
        let count = record.tokens.len();
        return Err(Refusal::new(Code::TOO_MANY).because("tokens").with("count", count).into());
    }
    let token = Token::random()?;
    let made = TokenRecord::new(&token, name, scope)?;
    let info = made.info("");
    record.tokens.push(made);
    Ok((token, info))
}

/// Returns the client for whom the hash queue computes the hashes of a signed-in player.
fn share_of_asker(asker: &Principal) -> Share {
    Share::Device(asker.token_id.clone())
}

fn check_token_name(name: &str) -> Result<&str, PlayerError> {
    let name = name.trim();
    let is_printable =
        name.chars().all(|letter| letter == ' ' || (!letter.is_whitespace() && !letter.is_control()));
    let is_fit = is_printable && (1..=TOKEN_NAME_LEN_MAX).contains(&name.chars().count());
    let refusal = || Refusal::new(Code::BAD_TOKEN_TERMS).because("name").with("min", 1_u8);
    if is_fit { Ok(name) } else { Err(refusal().with("max", TOKEN_NAME_LEN_MAX).into()) }
}

fn count_login(result: &'static str) {
    counter!(names::LOGINS, "result" => result).increment(1);
}
