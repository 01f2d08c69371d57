//! Who somebody is: guests with a name and a durable token, accounts with a password as well, bot accounts, and the house players.

mod account;
mod attempts;
mod closure;
mod name;
mod password;
mod record;
mod revocation;
mod token;

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use flagfall_board::{PerSide, Side};
use flagfall_bots::Level;
use flagfall_protocol::{Code, Player, PlayerKind, Scope};
use flagfall_store::{Expect, Store, StoreError, SystemClock, Update, UpdateOutcome, WallClock};
use metrics::counter;
use thiserror::Error;
use tokio::time::Instant;

pub use attempts::{Attempts, TooOften};
pub use closure::{ClosureError, find_player, set_closed};
pub use name::{NAME_LEN_MAX, NAME_LEN_MIN, Name, NameError};
pub use password::{
    HashError, Hasher, PASSWORD_LEN_MAX, PASSWORD_LEN_MIN, Password, PasswordError, RecoveryCode,
};
pub use token::{Token, TokenError, TokenHash};

use self::record::{PlayerRecord, TokenRecord, name_key, player_key, token_key};
pub(crate) use self::record::{gone_key, leaving_key};
use crate::chance::{ChanceError, random_below, random_code};
use crate::gateway::Connections;
use crate::rate::TokenBucket;
use crate::settings::Settings;

/// Names that are tried before a guest is told to choose another one.
const NAME_ATTEMPTS: usize = 8;
/// A guest's expiry is moved on when it has come this much closer.
const REFRESH_MS: u64 = 24 * 60 * 60 * 1_000;
/// What a guest's token is called.
const GUEST_TOKEN: &str = "guest";

/// The players the store knows. Cheap to clone.
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
    attempts: Attempts,
    hasher: Hasher,
}

/// Somebody new. The token is told once.
#[derive(Debug)]
pub struct NewGuest {
    /// Who it is.
    pub player: Player,
    /// The credential.
    pub token: Token,
    /// The credential's id.
    pub token_id: String,
}

impl NewGuest {
    /// Whose token it is, and which.
    #[must_use]
    pub fn identity(&self) -> Identity {
        let (player, token_id) = (self.player.clone(), self.token_id.clone());
        Identity { player, token_id, scope: Scope::Play }
    }
}

/// Whose token it is, and which.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// Who it is.
    pub player: Player,
    /// The token's id: not secret.
    pub token_id: String,
    /// What the token may do.
    pub scope: Scope,
}

/// Why somebody did not get in, or not what he wanted. Nothing was written, or at least nothing was promised.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PlayerError {
    /// The name is not allowed.
    #[error("{0}")]
    Name(#[from] NameError),
    /// No other name like it was free.
    #[error("that name is taken, and so are its variations: choose another one")]
    NameTaken,
    /// An account gets the name it wants or none.
    #[error("that name is taken or reserved: choose another one")]
    AccountNameTaken,
    /// The token is no token, or nobody's.
    #[error("this token is unknown: it was mistyped or revoked, or its guest has not been here for too long")]
    UnknownToken,
    /// Too many new guests at once.
    #[error("too many new guests at the moment: try again in a minute")]
    TooManyGuests,
    /// What was chosen cannot be a password.
    #[error("{0}")]
    Password(#[from] PasswordError),
    /// Which of both is wrong is not told.
    #[error(
        "there is no account of this name with this password: check both; names are written the same in capitals and small letters. A lost password is replaced by `flagfall recover NAME` with the recovery code"
    )]
    WrongPassword,
    /// Which of both is wrong is not told.
    #[error("there is no account of this name with this recovery code: check both; each code is good once")]
    WrongRecoveryCode,
    /// An operator has closed the account.
    #[error(
        "this account was closed by the operators of this server: nobody gets in with it. Write to them if you think that is a mistake"
    )]
    Closed,
    /// Too often for this name, or from this address.
    #[error("too many attempts for this name or from your address: try again in {0} seconds")]
    TooManyAttempts(u64),
    /// The queue of those who log in is full.
    #[error("too many people are logging in at the moment: try again in a few seconds")]
    Busy,
    /// Who signs up has an account.
    #[error("you have an account already, this one: log out first to make another one")]
    AlreadyAccount,
    /// A guest asks for what only an account has.
    #[error("only an account can do that: sign up first (`flagfall signup NAME`), and your games stay yours")]
    AccountExpected,
    /// The token does not suffice.
    #[error("this token is for playing alone: log in with the password for anything else")]
    ScopeMissing,
    /// The list has no such token.
    #[error("you have no token of this id; `flagfall tokens` lists those you have")]
    NoSuchToken,
    /// The list is full.
    #[error("you have {0} tokens already: revoke one first")]
    TooManyTokens(usize),
    /// Nothing, or a novel.
    #[error("a token's name has 1 to 40 characters that can be printed")]
    BadTokenName,
    /// A program must not play as a person.
    #[error("tokens of scope bot are for bot accounts: make one with `flagfall signup NAME --bot`")]
    BotScope,
    /// No player has this name.
    #[error("there is no player of this name")]
    NoSuchPlayer,
    /// Nobody leaves a game behind.
    #[error("you have running games: finish or resign them first, then delete the account")]
    GamesRunning,
    /// The store cannot say or take anything now.
    #[error("the server cannot reach its store: try again in a few seconds")]
    Store,
    /// The store answers, but not with what was written.
    #[error("what this server keeps of the player cannot be read: its operators find more in its log")]
    Damaged,
    /// A defect.
    #[error("the server has a defect: a password cannot be hashed")]
    Hash,
    /// No random bits.
    #[error("the server has a defect: {0}")]
    Chance(#[from] ChanceError),
}

impl PlayerError {
    /// The code of messages.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            PlayerError::Name(_) | PlayerError::NameTaken => Code::BAD_NAME,
            PlayerError::AccountNameTaken => Code::NAME_TAKEN,
            PlayerError::UnknownToken => Code::BAD_TOKEN,
            PlayerError::TooManyGuests | PlayerError::TooManyTokens(_) | PlayerError::Busy => Code::TOO_MANY,
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
        crate::trouble::note_refusal(&error, "the store refused a request about a player");
        match error {
            StoreError::Damaged { .. } => PlayerError::Damaged,
            StoreError::Unavailable { .. } | StoreError::Limit(_) => PlayerError::Store,
        }
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
    /// The players in this store. Sockets of revoked tokens are closed through `connections`.
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
                attempts: Attempts::new(settings),
                hasher: Hasher::new(&settings.passwords),
            }),
        }
    }

    /// A new guest, durable when this returns. Without a wanted name it gets one; a taken name gets a number at its end.
    ///
    /// # Errors
    /// [`PlayerError`].
    pub async fn register(&self, wanted: Option<&str>) -> Result<NewGuest, PlayerError> {
        let wanted = wanted.map(Name::new).transpose()?;
        let is_within =
            self.inner.new_guests.lock().unwrap_or_else(PoisonError::into_inner).take(Instant::now());
        if !is_within {
            return Err(PlayerError::TooManyGuests);
        }
        for attempt in 0..NAME_ATTEMPTS {
            let name = match &wanted {
                Some(name) if attempt == 0 && !name.is_reserved() => name.clone(),
                Some(name) => name.with_number()?,
                None => Name::new(&format!("guest-{}", 1_000 + random_below(9_999_000)?))?,
            };
            let (record, token) = PlayerRecord::new(&name, PlayerKind::Guest, GUEST_TOKEN)?;
            let token_id = record.tokens[0].id.clone();
            let record = PlayerRecord { expires: Some(self.guest_expiry()), ..record };
            if self.insert(&record).await? {
                counter!(crate::metrics::GUESTS).increment(1);
                return Ok(NewGuest { player: record.player, token, token_id });
            }
        }
        Err(PlayerError::NameTaken)
    }

    /// Writes a new player down; `false` when the name is taken.
    async fn insert(&self, record: &PlayerRecord) -> Result<bool, PlayerError> {
        let player_key = player_key(&record.player.id)?;
        let update = Update {
            conditions: vec![
                (name_key(&record.name_key)?, Expect::Absent),
                (player_key.clone(), Expect::Absent),
            ],
            writes: record.writes()?,
        };
        match self.inner.store.update(update).await? {
            UpdateOutcome::Ok => Ok(true),
            UpdateOutcome::Conflict => Ok(false),
            // The id is random: if a record lies under it, it is ours, and the update happened as a whole.
            UpdateOutcome::Unknown => match self.inner.store.get(player_key).await? {
                Some(_) => Ok(true),
                None => Err(PlayerError::Store),
            },
        }
    }

    /// The player with this token.
    ///
    /// # Errors
    /// [`PlayerError::UnknownToken`], [`PlayerError::Store`].
    pub async fn authenticate(&self, token: &str) -> Result<Identity, PlayerError> {
        self.look_up(&token.parse().map_err(|_| PlayerError::UnknownToken)?).await
    }

    /// The player with this token, as the store says.
    ///
    /// # Errors
    /// [`PlayerError::UnknownToken`], [`PlayerError::Closed`], [`PlayerError::Store`], [`PlayerError::Damaged`].
    pub async fn look_up(&self, token: &Token) -> Result<Identity, PlayerError> {
        let hash = token.hash();
        let id = self.inner.store.get(token_key(&hash)?).await?.ok_or(PlayerError::UnknownToken)?;
        let id = String::from_utf8(id).map_err(|_| PlayerError::Damaged)?;
        let (record, bytes) = self.read(&id).await?.ok_or(PlayerError::UnknownToken)?;
        let known = record.tokens.iter().find(|known| known.hash == hash);
        let TokenRecord { id, scope, .. } = known.ok_or(PlayerError::UnknownToken)?;
        if record.closed.is_some() {
            return Err(PlayerError::Closed);
        }
        let identity = Identity { player: record.player.clone(), token_id: id.clone(), scope: *scope };
        self.refresh(bytes, record).await;
        Ok(identity)
    }

    /// A player's record, and as it lies in the store, for the condition that it is still so.
    async fn read(&self, id: &str) -> Result<Option<(PlayerRecord, Vec<u8>)>, PlayerError> {
        let Some(bytes) = self.inner.store.get(player_key(id)?).await? else { return Ok(None) };
        let record = PlayerRecord::read(&bytes).inspect_err(|error| {
            tracing::error!(player = %id, %error, "a player is out of reach");
        })?;
        Ok(Some((record, bytes)))
    }

    /// Moves a guest's expiry on, once a day. Nothing depends on it today, so a failure is a line in the log.
    async fn refresh(&self, bytes: Vec<u8>, mut record: PlayerRecord) {
        let later = self.guest_expiry();
        if record.expires.is_none_or(|expires| later.saturating_sub(expires) < REFRESH_MS) {
            return;
        }
        record.expires = Some(later);
        let (Ok(writes), Ok(key)) = (record.writes(), player_key(&record.player.id)) else { return };
        let update = Update { conditions: vec![(key, Expect::Value(bytes))], writes };
        if let Err(error) = self.inner.store.update(update).await {
            tracing::warn!(player = %record.player.id, %error, "a guest's expiry could not be moved on");
        }
    }

    fn guest_expiry(&self) -> u64 {
        SystemClock.now().plus_ms(u64::try_from(self.inner.guest.as_millis()).unwrap_or(u64::MAX)).0
    }

    /// Counts a request from an address.
    ///
    /// # Errors
    /// [`TooOften`]: it must not be answered.
    pub fn take_request(&self, address: IpAddr) -> Result<(), TooOften> {
        self.inner.attempts.take_request(address, Instant::now())
    }

    /// Counts something costly, such as a new account, from an address.
    fn take_address(&self, address: IpAddr) -> Result<(), PlayerError> {
        Ok(self.inner.attempts.take_address(address, Instant::now())?)
    }
}

/// The house player of a level.
#[must_use]
pub fn house_player(level: &str) -> Option<Player> {
    let name = Level::from_name(level)?.name();
    Some(Player { id: format!("house-{name}"), name: name.to_owned(), kind: PlayerKind::House })
}

/// What a player is called whose account was deleted.
pub const DELETED: &str = "deleted";

/// The players of a game as they are called today: guests may have become accounts since, and of deleted accounts no name is shown. When the
/// store does not answer, they are called as they were.
pub async fn players_today(store: &dyn Store, players: &PerSide<Player>) -> PerSide<Player> {
    let mut today = players.clone();
    for side in Side::BOTH {
        let player = &mut today[side];
        if player.kind == PlayerKind::House {
            continue;
        }
        if let Ok(Some(now)) = player_today(store, &player.id).await {
            *player = now;
        }
    }
    today
}

/// A player as he is called today, by his id. Whoever is not known any more is called so.
///
/// # Errors
/// [`StoreError`].
pub async fn player_shown(store: &dyn Store, id: &str, kind: PlayerKind) -> Result<Player, StoreError> {
    let known = player_today(store, id).await?;
    Ok(known.unwrap_or_else(|| Player { id: id.to_owned(), name: DELETED.to_owned(), kind }))
}

/// The player of this id, as he is called today; none of whom nothing is known any more.
///
/// # Errors
/// [`StoreError`].
pub async fn player_named(store: &dyn Store, id: &str) -> Result<Option<Player>, StoreError> {
    Ok(player_today(store, id).await?.filter(|player| player.name != DELETED))
}

async fn player_today(store: &dyn Store, id: &str) -> Result<Option<Player>, StoreError> {
    if let Some(bytes) = store.get(player_key(id)?).await? {
        return PlayerRecord::read(&bytes).map(|record| Some(record.player));
    }
    let gone = store.get(gone_key(id)?).await?;
    Ok(gone.map(|_| Player { id: id.to_owned(), name: DELETED.to_owned(), kind: PlayerKind::Account }))
}

impl PlayerRecord {
    /// Somebody new with one token.
    fn new(name: &Name, kind: PlayerKind, token_name: &str) -> Result<(PlayerRecord, Token), PlayerError> {
        let token = Token::random()?;
        let record = PlayerRecord {
            player: Player { id: random_code()?, name: name.as_str().to_owned(), kind },
            name_key: name.folded(),
            created: SystemClock.now().0,
            expires: None,
            tokens: vec![TokenRecord::new(&token, token_name, Scope::Play)?],
            credentials: None,
            closed: None,
        };
        Ok((record, token))
    }
}

#[cfg(test)]
mod tests {
    use flagfall_store::MemoryStore;

    use super::*;

    fn players(store: &Arc<MemoryStore>) -> Players {
        Players::new(store.clone(), Connections::new(), &Settings::default())
    }

    #[tokio::test]
    async fn a_guest_comes_back_with_his_token_even_to_another_server() {
        let store = Arc::new(MemoryStore::new(SystemClock));
        let guest = players(&store).register(Some("Ana")).await.unwrap();
        assert_eq!(guest.player.name, "Ana");
        let again = players(&store).authenticate(&guest.token.expose()).await.unwrap();
        assert_eq!((again.player, again.token_id), (guest.player, guest.token_id));
    }

    #[tokio::test]
    async fn a_taken_or_reserved_name_gets_a_number() {
        let store = Arc::new(MemoryStore::new(SystemClock));
        let players = players(&store);
        let first = players.register(Some("Ana")).await.unwrap().player;
        for wanted in ["ANA", "Admin", "random"] {
            let other = players.register(Some(wanted)).await.unwrap().player;
            assert!(other.name.starts_with(&format!("{wanted}-")), "{}", other.name);
            assert_ne!(other.id, first.id);
        }
    }

    #[tokio::test]
    async fn without_a_name_one_is_found() {
        let store = Arc::new(MemoryStore::new(SystemClock));
        let guest = players(&store).register(None).await.unwrap().player;
        assert!(guest.name.starts_with("guest-"));
    }

    #[tokio::test]
    async fn unknown_tokens_and_bad_names_are_refused() {
        let store = Arc::new(MemoryStore::new(SystemClock));
        let players = players(&store);
        for token in ["", "nonsense", &"0".repeat(64)] {
            assert_eq!(players.authenticate(token).await, Err(PlayerError::UnknownToken));
        }
        let refused = players.register(Some("a b")).await.unwrap_err();
        assert_eq!(refused, PlayerError::Name(NameError::Character));
    }

    #[tokio::test]
    async fn new_guests_are_limited() {
        let store = Arc::new(MemoryStore::new(SystemClock));
        let mut settings = Settings::default();
        settings.limits.guests_per_minute = 2;
        let players = Players::new(store.clone(), Connections::new(), &settings);
        players.register(None).await.unwrap();
        players.register(None).await.unwrap();
        assert_eq!(players.register(None).await.unwrap_err(), PlayerError::TooManyGuests);
    }

    #[test]
    fn house_players_are_known_by_level() {
        assert_eq!(house_player("random").unwrap().kind, PlayerKind::House);
        assert_eq!(house_player("brilliant"), None);
    }
}
