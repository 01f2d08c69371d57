//! Players: guests with a name and a durable token, accounts with a password, bot accounts, and
//! house players.

mod account;
mod attempts;
mod closure;
mod common;
mod copies;
mod guest;
mod hash_queue;
mod idle;
mod name;
mod password;
mod record;
mod revocation;
mod standing;
#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use flagfall_board::Stamp;
use flagfall_bots::Level;
use flagfall_protocol::{Code, Player, PlayerKind, Scope};
use flagfall_store::{Expect, Store, StoreError, SystemClock, Update, UpdateOutcome, WallClock};
use metrics::counter;
use thiserror::Error;
use tokio::time::Instant;

pub use attempts::{Attempts, TooOften};
pub use closure::{ClosureError, find_player, set_closed};
pub use name::{NAME_LEN_MAX, NAME_LEN_MIN, Name, NameError};
pub use password::{HashError, Hasher, Password, PasswordError, RecoveryCode};
pub use standing::{Standing, standing};

use self::guest::{Claims, GuestKeys, GuestToken};
pub(crate) use self::idle::{Listed, idle_guest, player_kind, stored_guests};
pub(crate) use self::record::gone_key;
use self::record::{PlayerRecord, TokenRecord, name_key, player_key, token_key};
pub(crate) use self::standing::NewGuests;
use self::standing::free_name;
use crate::settings::Settings;
use flagfall_base::admission::{self, Limit, TooMany};
use flagfall_base::delivery::Connections;
use flagfall_base::identity::{GuestPass, Identity, Token};
use flagfall_base::random::{ChanceError, random_code};
use flagfall_base::rate::TokenBucket;

/// A guest's expiry is extended once it has come this much closer.
const REFRESH_MS: u64 = 24 * 60 * 60 * 1_000;
/// The name of a guest's token.
const GUEST_TOKEN: &str = "guest";

/// The players in the store. Cheap to clone.
#[derive(Clone)]
pub struct Players {
    inner: Arc<Inner>,
}

struct Inner {
    store: Arc<dyn Store>,
    connections: Connections,
    guest: Duration,
    tokens_max: usize,
    new_guests: Mutex<TokenBucket>,
    guest_keys: GuestKeys,
    claims: Claims,
    attempts: Attempts,
    hasher: Hasher,
}

/// A new guest who is not stored yet.
#[derive(Debug)]
pub struct NewGuest {
    /// The guest.
    pub identity: Identity,
    /// The credential, which is sent once.
    pub token: Token,
}

/// Why a player was not admitted or a request of theirs failed. Nothing was written, or at least
/// nothing was promised.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PlayerError {
    /// The name is not allowed.
    #[error("{0}")]
    Name(#[from] NameError),
    /// The name is taken, and so are similar ones.
    #[error("that name is taken, and so are its variations: choose another one")]
    NameTaken,
    /// The name is taken. An account gets exactly the name it asks for.
    #[error("that name is taken or reserved: choose another one")]
    AccountNameTaken,
    /// The token is malformed, or belongs to no player.
    #[error("this token is unknown: it was mistyped or revoked, or its guest has not been here for too long")]
    UnknownToken,
    /// Too many new guests at once.
    #[error("too many new guests at the moment: try again in a minute, or sign in")]
    TooManyGuests,
    /// The chosen password is not allowed.
    #[error("{0}")]
    Password(#[from] PasswordError),
    /// Wrong name or password; the answer does not say which.
    #[error(
        "wrong name or password: check both (capitals in the name do not matter). With the recovery code you can set a new password"
    )]
    WrongPassword,
    /// Wrong name or recovery code; the answer does not say which.
    #[error("there is no account of this name with this recovery code: check both; each code is good once")]
    WrongRecoveryCode,
    /// An operator has closed the account.
    #[error(
        "this account was closed by the operators of this server: nobody gets in with it. Write to them if you think that is a mistake"
    )]
    Closed,
    /// Too many attempts for this name from this network, or from this network in all. Holds the
    /// seconds to wait.
    #[error(
        "too many attempts for this name or from your network: try again in {0} seconds. From a device or network where you were signed in before you can try at once, and the recovery code works everywhere"
    )]
    TooManyAttempts(u64),
    /// The queue of password hashes is full.
    #[error("too many people are logging in at the moment: try again in a few seconds")]
    Busy,
    /// An account cannot sign up.
    #[error("you have an account already, this one: log out first to make another one")]
    AlreadyAccount,
    /// Only accounts can do this, not guests.
    #[error("only an account can do that: sign up first, and your games stay yours")]
    AccountExpected,
    /// The token's scope does not suffice.
    #[error("this token is for playing alone: log in with the password for anything else")]
    ScopeMissing,
    /// The account has no such token.
    #[error("you have no token of this id: list your tokens to see those you have")]
    NoSuchToken,
    /// The account's list of tokens is full.
    #[error("you have {0} tokens already: revoke one first")]
    TooManyTokens(usize),
    /// The name of a token is empty, too long or not printable.
    #[error("a token's name has 1 to 40 characters that can be printed")]
    BadTokenName,
    /// Only bot accounts can have tokens with the bot scope.
    #[error("tokens of scope bot are for bot accounts: sign up as a bot to get one")]
    BotScope,
    /// No player has this name.
    #[error("there is no player of this name")]
    NoSuchPlayer,
    /// The account still has running games.
    #[error("you have running games: finish or resign them first, then delete the account")]
    GamesRunning,
    /// The server, the address or the player has too many connections, guests or hellos.
    #[error("{0}")]
    TooMany(TooMany),
    /// The store cannot answer or write now.
    #[error("the server cannot reach its store: try again in a few seconds")]
    Store,
    /// The store answers, but its data is damaged.
    #[error("what this server keeps of the player cannot be read: its operators find more in its log")]
    Damaged,
    /// Hashing failed: a defect.
    #[error("the server has a defect: a password cannot be hashed")]
    Hash,
    /// The system gives no random bits.
    #[error("the server has a defect: {0}")]
    Chance(#[from] ChanceError),
}

impl PlayerError {
    /// The code used in messages.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            PlayerError::Name(_) | PlayerError::NameTaken => Code::BAD_NAME,
            PlayerError::AccountNameTaken => Code::NAME_TAKEN,
            PlayerError::UnknownToken => Code::BAD_TOKEN,
            PlayerError::TooManyGuests
            | PlayerError::TooManyTokens(_)
            | PlayerError::Busy
            | PlayerError::TooMany(_) => Code::TOO_MANY,
            PlayerError::Password(_) => Code::BAD_PASSWORD,
            PlayerError::WrongPassword => Code::WRONG_PASSWORD,
            PlayerError::WrongRecoveryCode => Code::WRONG_RECOVERY_CODE,
            PlayerError::Closed => Code::ACCOUNT_CLOSED,
            PlayerError::TooManyAttempts(_) => Code::TOO_MANY_ATTEMPTS,
            PlayerError::AlreadyAccount => Code::ALREADY_ACCOUNT,
            PlayerError::AccountExpected => Code::ACCOUNT_EXPECTED,
            PlayerError::ScopeMissing => Code::SCOPE_MISSING,
            PlayerError::NoSuchToken => Code::NO_SUCH_TOKEN,
            PlayerError::BadTokenName | PlayerError::BotScope => Code::BAD_TOKEN_TERMS,
            PlayerError::NoSuchPlayer => Code::NO_SUCH_PLAYER,
            PlayerError::GamesRunning => Code::GAMES_RUNNING,
            PlayerError::Store | PlayerError::Damaged => Code::STORE_UNAVAILABLE,
            PlayerError::Hash | PlayerError::Chance(_) => Code::INTERNAL,
        }
    }
}

impl From<StoreError> for PlayerError {
    fn from(error: StoreError) -> PlayerError {
        flagfall_base::store_errors::note_refusal(&error, "the store refused a request about a player");
        match error {
            StoreError::Damaged { .. } => PlayerError::Damaged,
            StoreError::Unavailable { .. } | StoreError::Limit(_) => PlayerError::Store,
        }
    }
}

impl From<TooMany> for PlayerError {
    fn from(too_many: TooMany) -> PlayerError {
        PlayerError::TooMany(too_many)
    }
}

impl From<HashError> for PlayerError {
    fn from(error: HashError) -> PlayerError {
        match error {
            HashError::Busy => PlayerError::Busy,
            HashError::Defect => PlayerError::Hash,
        }
    }
}

impl From<TooOften> for PlayerError {
    fn from(often: TooOften) -> PlayerError {
        PlayerError::TooManyAttempts(often.wait.as_secs().max(1))
    }
}

impl Players {
    /// Opens the players of this store. Sockets of revoked tokens are closed through `connections`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, connections: Connections, settings: &Settings) -> Players {
        let per_minute = settings.limits.guests_per_minute;
        let new_guests = TokenBucket::new(per_minute, Duration::from_secs(60), Instant::now());
        Players {
            inner: Arc::new(Inner {
                store,
                connections,
                guest: settings.times.guest,
                tokens_max: settings.limits.tokens_per_player,
                new_guests: Mutex::new(new_guests),
                guest_keys: GuestKeys::default(),
                claims: Claims::default(),
                attempts: Attempts::new(settings),
                hasher: Hasher::new(&settings.passwords),
            }),
        }
    }

    /// Creates a guest. Nothing is stored: the token describes them. Without a wanted name the
    /// guest gets a generated one; if the name is taken, a number is added.
    ///
    /// # Errors
    /// [`PlayerError`].
    pub async fn register(&self, wanted: Option<&str>) -> Result<NewGuest, PlayerError> {
        let wanted = wanted.map(Name::new).transpose()?;
        let is_within =
            self.inner.new_guests.lock().unwrap_or_else(PoisonError::into_inner).take(Instant::now());
        if !is_within {
            admission::count_hit(Limit::Guests, admission::Scope::Server);
            return Err(PlayerError::TooManyGuests);
        }
        let store = &*self.inner.store;
        let expires = Stamp(self.guest_expiry());
        let (token, guest) = self.inner.guest_keys.issue(store, wanted.as_ref(), expires).await?;
        let identity = match wanted {
            Some(_) => self.not_stored(guest).await?,
            // A generated name is practically unique.
            None => identity_of(guest.name.clone(), guest),
        };
        counter!(flagfall_base::telemetry::GUESTS).increment(1);
        Ok(NewGuest { identity, token })
    }

    /// Identity of a guest who is not stored, with a name that is free as far as this server knows.
    async fn not_stored(&self, guest: GuestToken) -> Result<Identity, PlayerError> {
        let claims = &self.inner.claims;
        let is_free = |name: &Name| claims.claim(name, &guest.id, Instant::now());
        let name = free_name(&*self.inner.store, &guest.id, guest.name.as_str(), is_free).await?;
        Ok(identity_of(name, guest))
    }

    /// Finds the player of a name to address something to: a stored player, or a guest who is
    /// connected here and not stored yet.
    ///
    /// # Errors
    /// [`PlayerError::NoSuchPlayer`], [`PlayerError::Store`].
    pub async fn addressee(&self, name: &str) -> Result<Player, PlayerError> {
        match self.profile(name).await {
            Err(PlayerError::NoSuchPlayer) => {}
            known => return Ok(known?.player),
        }
        let folded = Name::new(name).map_err(|_| PlayerError::NoSuchPlayer)?.folded();
        let holder = self.inner.claims.holder(&folded);
        let here = holder.filter(|(id, _)| self.inner.connections.pass_of(id).is_some());
        let (id, name) = here.ok_or(PlayerError::NoSuchPlayer)?;
        Ok(Player { id, name: name.as_str().to_owned(), kind: PlayerKind::Guest })
    }

    /// Checks that the store still has the key of guest tokens, and restores it if the store was
    /// emptied.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn look_after_guest_key(&self) -> Result<(), StoreError> {
        self.inner.guest_keys.agree(&*self.inner.store).await.map(drop)
    }

    /// Stores a new player; `false` if the name is taken.
    async fn insert(&self, record: &PlayerRecord) -> Result<bool, PlayerError> {
        let player_key = player_key(&record.player.id)?;
        let update = Update {
            conditions: vec![
                (name_key(&record.name_key)?, Expect::Absent),
                (player_key.clone(), Expect::Absent),
                (gone_key(&record.player.id)?, Expect::Absent),
            ],
            writes: record.writes()?,
        };
        match self.inner.store.update(update).await? {
            UpdateOutcome::Ok => Ok(true),
            UpdateOutcome::Conflict => Ok(false),
            // If our bytes are stored, the whole update happened.
            UpdateOutcome::Unknown => {
                let stored = self.inner.store.get(player_key).await?;
                if stored == Some(record.bytes()?) { Ok(true) } else { Err(PlayerError::Store) }
            }
        }
    }

    /// The player with this token, given as text.
    ///
    /// # Errors
    /// [`PlayerError::UnknownToken`], [`PlayerError::Store`].
    pub async fn authenticate(&self, token: &str) -> Result<Identity, PlayerError> {
        self.look_up(&token.parse().map_err(|_| PlayerError::UnknownToken)?).await
    }

    /// The player with this token, as the store knows them.
    ///
    /// # Errors
    /// [`PlayerError::UnknownToken`], [`PlayerError::Closed`], [`PlayerError::Store`],
    /// [`PlayerError::Damaged`].
    pub async fn look_up(&self, token: &Token) -> Result<Identity, PlayerError> {
        match self.inner.guest_keys.read(&*self.inner.store, token).await? {
            Some(guest) => self.look_up_guest(token, guest).await,
            None => self.look_up_stored(token).await,
        }
    }

    /// The player with this guest token: a stored guest, an account by now, or a guest who is not
    /// stored.
    async fn look_up_guest(&self, token: &Token, guest: GuestToken) -> Result<Identity, PlayerError> {
        if let Some((record, bytes)) = self.read(&guest.id).await? {
            let pass = Some(guest.pass).filter(|_| record.player.kind == PlayerKind::Guest);
            return self.admit(token, record, bytes, pass).await;
        }
        let is_expired = guest.expires <= SystemClock.now();
        // This guest may have become an account that was deleted.
        if is_expired || self.inner.store.get(gone_key(&guest.id)?).await?.is_some() {
            return Err(PlayerError::UnknownToken);
        }
        self.not_stored(guest).await
    }

    async fn look_up_stored(&self, token: &Token) -> Result<Identity, PlayerError> {
        let id = self.inner.store.get(token_key(&token.hash())?).await?.ok_or(PlayerError::UnknownToken)?;
        let id = String::from_utf8(id).map_err(|_| PlayerError::Damaged)?;
        let (record, bytes) = self.read(&id).await?.ok_or(PlayerError::UnknownToken)?;
        self.admit(token, record, bytes, None).await
    }

    /// The player of a record, if the token is one of theirs.
    async fn admit(
        &self,
        token: &Token,
        record: PlayerRecord,
        bytes: Vec<u8>,
        pass: Option<GuestPass>,
    ) -> Result<Identity, PlayerError> {
        let hash = token.hash();
        let known = record.tokens.iter().find(|known| known.hash == hash);
        let TokenRecord { id, scope, .. } = known.ok_or(PlayerError::UnknownToken)?;
        if record.closed.is_some() {
            return Err(PlayerError::Closed);
        }
        self.keep_copies(&record);
        let player = record.player.clone();
        let identity = Identity { player, token_id: id.clone(), scope: *scope, pass };
        self.refresh(bytes, record).await;
        Ok(identity)
    }

    /// Reads a player's record and its stored bytes, which serve as the condition of an update.
    async fn read(&self, id: &str) -> Result<Option<(PlayerRecord, Vec<u8>)>, PlayerError> {
        let Some(bytes) = self.inner.store.get(player_key(id)?).await? else { return Ok(None) };
        let record = PlayerRecord::read(&bytes).inspect_err(|error| {
            tracing::error!(player = %id, %error, "a player's record cannot be read");
        })?;
        Ok(Some((record, bytes)))
    }

    /// Extends a guest's expiry, once a day. A failure is only logged: nothing depends on it today.
    async fn refresh(&self, bytes: Vec<u8>, mut record: PlayerRecord) {
        if !record.extend_stay(SystemClock.now(), self.inner.guest) {
            return;
        }
        let (Ok(writes), Ok(key)) = (record.writes(), player_key(&record.player.id)) else { return };
        let update = Update { conditions: vec![(key, Expect::Value(bytes))], writes };
        if let Err(error) = self.inner.store.update(update).await {
            tracing::warn!(player = %record.player.id, %error, "a guest's expiry could not be extended");
        }
    }

    fn guest_expiry(&self) -> u64 {
        SystemClock.now().plus_ms(u64::try_from(self.inner.guest.as_millis()).unwrap_or(u64::MAX)).0
    }

    /// Counts a costly action, such as a new account, against an address.
    fn take_address(&self, address: IpAddr) -> Result<(), PlayerError> {
        Ok(self.inner.attempts.take_address(address, Instant::now())?)
    }
}

/// Whose token this is.
fn identity_of(name: Name, guest: GuestToken) -> Identity {
    let GuestToken { id, pass, .. } = guest;
    let player = Player { id, name: name.as_str().to_owned(), kind: PlayerKind::Guest };
    Identity { player, token_id: pass.token_id.clone(), scope: Scope::Play, pass: Some(pass) }
}

/// The house player of a level.
#[must_use]
pub fn house_player(level: &str) -> Option<Player> {
    let name = Level::from_name(level)?.name();
    Some(Player { id: format!("house-{name}"), name: name.to_owned(), kind: PlayerKind::House })
}

impl PlayerRecord {
    /// Creates a player with one token.
    fn new(name: &Name, kind: PlayerKind, token_name: &str) -> Result<(PlayerRecord, Token), PlayerError> {
        let token = Token::random()?;
        let record = PlayerRecord {
            player: Player { id: random_code()?, name: name.as_str().to_owned(), kind },
            name_key: name.folded(),
            created: SystemClock.now().0,
            expires: None,
            tokens: vec![TokenRecord::new(&token, token_name, Scope::Play)?],
            former_tokens: Vec::new(),
            credentials: None,
            closed: None,
        };
        Ok((record, token))
    }
}
