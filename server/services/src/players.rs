//! The players: guests who have a name and a permanent token, accounts with a password, bot
//! accounts, and house players.

mod account;
mod attempts;
mod closure;
mod common;
mod error;
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

use std::sync::Arc;
use std::time::Duration;

use flagfall_bots::Level;
use flagfall_protocol::{Code, HousePlayerInfo, Player, PlayerKind, Refusal, Scope};
use flagfall_rules::Ruleset;
use flagfall_store::{Expect, Store, StoreError, SystemClock, Update, UpdateOutcome, WallClock};
use metrics::counter;
use parking_lot::Mutex;
use tokio::time::Instant;

use attempts::Attempts;
pub(crate) use closure::is_closed;
pub use closure::{ClosureError, find_player, set_closed};
pub use error::PlayerError;
use name::Name;
use password::Hasher;
use standing::later;
pub use standing::{Standing, standing};

use self::guest::free_name;
use self::guest::{Claims, GuestKeys, GuestToken};
pub(crate) use self::idle::{Listed, idle_guest, player_kind, stored_guest, stored_kind};
use self::record::{PlayerRecord, TokenRecord};
pub(crate) use self::standing::new_guest;
use crate::settings::Settings;
use flagfall_base::admission::{self, Limit};
use flagfall_base::delivery::Connections;
use flagfall_base::identity::{GuestPass, Principal, Token};
use flagfall_base::keys::{GONE, NAMES, PLAYERS, TOKENS};
use flagfall_base::rate::TokenBucket;
use flagfall_base::transact::write_if;

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

#[derive(Debug)]
pub struct NewGuest {
    pub identity: Principal,
    /// The token of the player. It is sent only once.
    pub token: Token,
}

impl Players {
    /// Returns the conditions and writes to add to the update that carries out a player's action.
    ///
    /// # Errors
    /// [`PlayerError`].
    pub async fn standing(&self, asker: &Principal) -> Result<Standing, PlayerError> {
        standing(&*self.inner.store, &asker.player, asker.pass.as_deref(), self.inner.guest).await
    }

    /// Returns access to the players of this store. When tokens are revoked, their sockets are
    /// closed through `connections`.
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

    /// Creates a guest. Nothing is stored, because the guest's token contains all their data. If
    /// no name is requested, the guest gets a generated one. If the requested name is taken, a
    /// number is added to it.
    pub async fn register(&self, wanted: Option<&str>) -> Result<NewGuest, PlayerError> {
        let wanted = wanted.map(Name::new).transpose()?;
        let is_within = self.inner.new_guests.lock().take(Instant::now());
        if !is_within {
            admission::count_hit(Limit::Guests, admission::Scope::Server);
            return Err(Refusal::new(Code::TOO_MANY).because("new_guests").into());
        }
        let store = &*self.inner.store;
        let expires = later(SystemClock.now(), self.inner.guest);
        let (token, guest) = self.inner.guest_keys.issue(store, wanted.as_ref(), expires).await?;
        let identity = match wanted {
            Some(_) => self.not_stored(guest).await?,
            // Generated names are practically unique, so this one needs no check.
            None => identity_of(guest.name.clone(), guest),
        };
        counter!(flagfall_base::telemetry::GUESTS).increment(1);
        Ok(NewGuest { identity, token })
    }

    /// Returns the identity of a guest who is not stored. Their name is free as far as this
    /// server can tell.
    async fn not_stored(&self, guest: GuestToken) -> Result<Principal, PlayerError> {
        let claims = &self.inner.claims;
        let is_free = |name: &Name| claims.claim(name, &guest.id, Instant::now());
        let name = free_name(&*self.inner.store, &guest.id, guest.name.as_str(), is_free).await?;
        Ok(identity_of(name, guest))
    }

    /// Finds the player with this name, so that something can be addressed to them. Finds stored
    /// players, and guests who are connected to this server but not stored yet.
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

    /// Checks that the store still has the key of guest tokens. If the store was emptied, writes
    /// the key again.
    pub async fn look_after_guest_key(&self) -> Result<(), StoreError> {
        self.inner.guest_keys.agree(&*self.inner.store).await.map(drop)
    }

    /// Stores a new player. Returns `false` if the name is taken.
    async fn insert(&self, record: &PlayerRecord) -> Result<bool, PlayerError> {
        let player_key = PLAYERS.key([&record.player.id])?;
        let update = Update {
            conditions: vec![
                (NAMES.key([&record.name_key])?, Expect::Absent),
                (player_key.clone(), Expect::Absent),
                (GONE.key([&record.player.id])?, Expect::Absent),
            ],
            writes: record.writes()?,
        };
        match self.inner.store.update(update).await? {
            UpdateOutcome::Ok => Ok(true),
            UpdateOutcome::Conflict => Ok(false),
            // If the store contains the bytes of this record, the whole update was written.
            UpdateOutcome::Unknown => {
                let stored = self.inner.store.get(player_key).await?;
                if stored == Some(record.bytes()?) { Ok(true) } else { Err(PlayerError::Store) }
            }
        }
    }

    /// Returns the player who has this token, which is given as text.
    pub async fn authenticate(&self, token: &str) -> Result<Principal, PlayerError> {
        self.look_up(&token.parse().map_err(|_| PlayerError::UnknownToken)?).await
    }

    /// Returns the player who has this token.
    pub async fn look_up(&self, token: &Token) -> Result<Principal, PlayerError> {
        match self.inner.guest_keys.read(&*self.inner.store, token).await? {
            Some(guest) => self.look_up_guest(token, guest).await,
            None => self.look_up_stored(token).await,
        }
    }

    /// Returns the player who has this guest token. This may be a stored guest, an account that
    /// was a guest before, or a guest who is not stored.
    async fn look_up_guest(&self, token: &Token, guest: GuestToken) -> Result<Principal, PlayerError> {
        if let Some((record, bytes)) = self.read(&guest.id).await? {
            let pass = Some(guest.pass).filter(|_| record.player.kind == PlayerKind::Guest);
            return self.admit(token, record, bytes, pass).await;
        }
        let is_expired = guest.expires <= SystemClock.now();
        // The guest may have become an account that was then deleted.
        if is_expired || self.inner.store.get(GONE.key([&guest.id])?).await?.is_some() {
            return Err(PlayerError::UnknownToken);
        }
        self.not_stored(guest).await
    }

    async fn look_up_stored(&self, token: &Token) -> Result<Principal, PlayerError> {
        let id =
            self.inner.store.get(TOKENS.key([&token.hash()])?).await?.ok_or(PlayerError::UnknownToken)?;
        let id = String::from_utf8(id).map_err(|_| PlayerError::Damaged)?;
        let (record, bytes) = self.read(&id).await?.ok_or(PlayerError::UnknownToken)?;
        self.admit(token, record, bytes, None).await
    }

    /// Returns the player of a record, if the token is one of the player's tokens.
    async fn admit(
        &self,
        token: &Token,
        record: PlayerRecord,
        bytes: Vec<u8>,
        pass: Option<Arc<GuestPass>>,
    ) -> Result<Principal, PlayerError> {
        let hash = token.hash();
        let known = record.tokens.iter().find(|known| known.hash == hash);
        let TokenRecord { id, scope, .. } = known.ok_or(PlayerError::UnknownToken)?;
        if record.closed.is_some() {
            return Err(PlayerError::Closed);
        }
        self.keep_copies(&record);
        let player = record.player.clone();
        let identity = Principal { player, token_id: id.clone(), scope: *scope, pass };
        self.refresh(bytes, record).await;
        Ok(identity)
    }

    /// Reads a player's record. Also returns its stored bytes, for use in the condition of an
    /// update.
    async fn read(&self, id: &str) -> Result<Option<(PlayerRecord, Vec<u8>)>, PlayerError> {
        let Some(bytes) = self.inner.store.get(PLAYERS.key([&id])?).await? else { return Ok(None) };
        let record = PlayerRecord::read(&bytes).inspect_err(|error| {
            tracing::error!(player = %id, %error, "a player's record cannot be read");
        })?;
        Ok(Some((record, bytes)))
    }

    /// Extends the expiry of a guest's record, at most once a day. If this fails, it only logs
    /// the error, because there will be more attempts.
    async fn refresh(&self, bytes: Vec<u8>, mut record: PlayerRecord) {
        if !record.extend_stay(SystemClock.now(), self.inner.guest) {
            return;
        }
        let (Ok(writes), Ok(key)) = (record.writes(), PLAYERS.key([&record.player.id])) else { return };
        if let Err(error) = write_if(&*self.inner.store, key, Some(bytes), writes).await {
            tracing::warn!(player = %record.player.id, %error, "a guest's expiry could not be extended");
        }
    }
}

fn identity_of(name: Name, guest: GuestToken) -> Principal {
    let GuestToken { id, pass, .. } = guest;
    let player = Player { id, name: name.as_str().to_owned(), kind: PlayerKind::Guest };
    Principal { player, token_id: pass.token_id.clone(), scope: Scope::Play, pass: Some(pass) }
}

/// The house players, weaker ones first. Each of them plays every ruleset, including custom ones.
pub fn house_players() -> Vec<HousePlayerInfo> {
    let rulesets: Vec<String> = Ruleset::all().iter().map(|ruleset| ruleset.id.to_owned()).collect();
    let info = |level: Level| HousePlayerInfo { level: level.name().to_owned(), rulesets: rulesets.clone() };
    Level::ALL.map(info).into()
}

pub fn house_player(level: &str) -> Option<Player> {
    let name = Level::from_name(level)?.name();
    Some(Player { id: format!("house-{name}"), name: name.to_owned(), kind: PlayerKind::House })
}
