//! Who somebody is: guests with a name and a durable token, and the house players.

mod name;
mod token;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use flagfall_bots::Level;
use flagfall_protocol::{Player, PlayerKind};
use flagfall_store::{Expect, Key, Store, StoreError, SystemClock, Update, UpdateOutcome, WallClock, Write};
use metrics::counter;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio::time::Instant;

pub use name::{NAME_LEN_MAX, NAME_LEN_MIN, Name, NameError};
pub use token::{Token, TokenError};

use crate::chance::{ChanceError, random_below, random_code};
use crate::rate::TokenBucket;
use crate::settings::Settings;

/// Names that are tried before a guest is told to choose another one.
const NAME_ATTEMPTS: usize = 8;
/// A guest's expiry is moved on when it has come this much closer.
const REFRESH_MS: u64 = 24 * 60 * 60 * 1_000;

/// The players the store knows. Cheap to clone.
#[derive(Clone)]
pub struct Players {
    inner: Arc<Inner>,
}

struct Inner {
    store: Arc<dyn Store>,
    guest: Duration,
    new_guests: Mutex<TokenBucket>,
}

/// A guest just made. The token is told once.
#[derive(Debug)]
pub struct NewGuest {
    /// Who it is.
    pub player: Player,
    /// The credential.
    pub token: Token,
}

/// Why somebody did not get in. Nothing was written, or at least nothing was promised.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlayerError {
    /// The name is not allowed.
    #[error("{0}")]
    Name(#[from] NameError),
    /// No other name like it was free.
    #[error("that name is taken, and so are its variations: choose another one")]
    NameTaken,
    /// The token is no token, or nobody's.
    #[error("this token is unknown: it was mistyped, or its guest has not been here for too long")]
    UnknownToken,
    /// Too many new guests at once.
    #[error("too many new guests at the moment: try again in a minute")]
    TooManyGuests,
    /// The store cannot say or take anything now.
    #[error("the server cannot reach its store: try again in a moment")]
    Store,
    /// No random bits.
    #[error("the server has a defect: {0}")]
    Chance(#[from] ChanceError),
}

impl From<StoreError> for PlayerError {
    fn from(error: StoreError) -> PlayerError {
        tracing::warn!(%error, "the store refused a request about a player");
        PlayerError::Store
    }
}

/// What the store keeps of a player, under `players/` and his id.
#[derive(Serialize, Deserialize)]
struct PlayerRecord {
    player: Player,
    /// The folded name, under which `names/` leads here.
    name_key: String,
    /// The hash of his token, under which `tokens/` leads here.
    token_hash: String,
    created: u64,
    expires: u64,
}

impl Players {
    /// The players in this store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, settings: &Settings) -> Players {
        let per_minute = settings.limits.guests_per_minute;
        let new_guests = TokenBucket::new(per_minute, Duration::from_secs(60), Instant::now());
        Players {
            inner: Arc::new(Inner { store, guest: settings.times.guest, new_guests: Mutex::new(new_guests) }),
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
            if let Some(guest) = self.try_register(&name).await? {
                counter!(crate::metrics::GUESTS).increment(1);
                return Ok(guest);
            }
        }
        Err(PlayerError::NameTaken)
    }

    /// `None` when the name is taken.
    async fn try_register(&self, name: &Name) -> Result<Option<NewGuest>, PlayerError> {
        let token = Token::random()?;
        let player = Player { id: random_code()?, name: name.as_str().to_owned(), kind: PlayerKind::Guest };
        let now = SystemClock.now();
        let record = PlayerRecord {
            player: player.clone(),
            name_key: name.folded(),
            token_hash: token.hash(),
            created: now.0,
            expires: now.plus_ms(self.guest_ms()).0,
        };
        let (name_key, player_key) = (key("names", &record.name_key)?, key("players", &player.id)?);
        let update = Update {
            conditions: vec![(name_key, Expect::Absent), (player_key.clone(), Expect::Absent)],
            writes: record.writes()?,
        };
        let is_ours = match self.inner.store.update(update).await? {
            UpdateOutcome::Ok => true,
            UpdateOutcome::Conflict => false,
            // The id is random: if a record lies under it, it is ours, and the update happened as a whole.
            UpdateOutcome::Unknown => match self.inner.store.get(player_key).await? {
                Some(_) => true,
                None => return Err(PlayerError::Store),
            },
        };
        Ok(is_ours.then_some(NewGuest { player, token }))
    }

    /// The player with this token.
    ///
    /// # Errors
    /// [`PlayerError::UnknownToken`], [`PlayerError::Store`].
    pub async fn authenticate(&self, token: &str) -> Result<Player, PlayerError> {
        let token: Token = token.parse().map_err(|_| PlayerError::UnknownToken)?;
        let store = &self.inner.store;
        let id = store.get(key("tokens", &token.hash())?).await?.ok_or(PlayerError::UnknownToken)?;
        let id = String::from_utf8(id).map_err(|_| PlayerError::Store)?;
        let player_key = key("players", &id)?;
        let bytes = store.get(player_key.clone()).await?.ok_or(PlayerError::UnknownToken)?;
        let record: PlayerRecord = serde_json::from_slice(&bytes).map_err(|error| {
            tracing::error!(player = %id, %error, "a player's record cannot be read");
            PlayerError::Store
        })?;
        let player = record.player.clone();
        self.refresh(player_key, bytes, record).await;
        Ok(player)
    }

    /// Moves a guest's expiry on, once a day. Nothing depends on it today, so a failure is a line in the log.
    async fn refresh(&self, player_key: Key, bytes: Vec<u8>, mut record: PlayerRecord) {
        let expires = SystemClock.now().plus_ms(self.guest_ms()).0;
        if expires.saturating_sub(record.expires) < REFRESH_MS {
            return;
        }
        record.expires = expires;
        let Ok(writes) = record.writes() else { return };
        let update = Update { conditions: vec![(player_key, Expect::Value(bytes))], writes };
        if let Err(error) = self.inner.store.update(update).await {
            tracing::warn!(player = %record.player.id, %error, "a guest's expiry could not be moved on");
        }
    }

    fn guest_ms(&self) -> u64 {
        u64::try_from(self.inner.guest.as_millis()).unwrap_or(u64::MAX)
    }
}

/// The house player of a level.
#[must_use]
pub fn house_player(level: &str) -> Option<Player> {
    let name = Level::from_name(level)?.name();
    Some(Player { id: format!("house-{name}"), name: name.to_owned(), kind: PlayerKind::House })
}

impl PlayerRecord {
    fn writes(&self) -> Result<Vec<Write>, StoreError> {
        let expires = Some(flagfall_board::Stamp(self.expires));
        let value = serde_json::to_vec(self)
            .map_err(|_| StoreError::Damaged { what: "a player cannot be written".to_owned() })?;
        let id = self.player.id.clone().into_bytes();
        Ok(vec![
            Write::Put { key: key("players", &self.player.id)?, value, expires },
            Write::Put { key: key("names", &self.name_key)?, value: id.clone(), expires },
            Write::Put { key: key("tokens", &self.token_hash)?, value: id, expires },
        ])
    }
}

fn key(kind: &str, rest: &str) -> Result<Key, StoreError> {
    Ok(Key::new(format!("{kind}/{rest}"))?)
}

#[cfg(test)]
mod tests {
    use flagfall_store::MemoryStore;

    use super::*;

    fn players(store: &Arc<MemoryStore>) -> Players {
        Players::new(store.clone(), &Settings::default())
    }

    #[tokio::test]
    async fn a_guest_comes_back_with_his_token_even_to_another_server() {
        let store = Arc::new(MemoryStore::new(SystemClock));
        let guest = players(&store).register(Some("Ana")).await.unwrap();
        assert_eq!(guest.player.name, "Ana");
        assert_eq!(players(&store).authenticate(&guest.token.expose()).await, Ok(guest.player));
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
        let players = Players::new(store.clone(), &settings);
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
