//! Guest tokens. A token contains all data of its guest, so the store keeps nothing about a guest
//! until they do something lasting.
//!
//! A token is 32 bytes: the requested name (16), the day it expires (2), random bits (7), and a
//! MAC (7) with a key that all servers on a store share. The player id and the token id are parts
//! of the full MAC, so without the key, a token cannot be derived from an id. Guessing a given
//! player's token means guessing 112 bits. Forging a token that belongs to no player takes 2^56
//! tries on average, each with a hello message, and gains only one new guest.
//!
//! Guest tokens look like all others (64 hexadecimal digits), and the store finds a stored guest
//! under `tokens/HASH`, like every player. So servers of version 0.1 can find stored guests too.

use super::error::PlayerError;
use super::name::{NAME_LEN_MAX, Name};
use crate::mac::mac;
use crate::records::damaged;
use flagfall_base::identity::{GuestPass, Token};
use flagfall_base::keys::{NAMES, PLAYERS, SECRETS, TOKENS};
use flagfall_base::places::{Reach, draw};
use flagfall_base::random::{ChanceError, random_below, random_bytes};
use flagfall_base::transact::read_or_create;
use flagfall_board::{GameId, Stamp};
use flagfall_protocol::{Code, Refusal};
use flagfall_store::{Store, StoreError};
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use subtle::ConstantTimeEq as _;
use tokio::time::Instant;

/// The smallest step by which a guest's expiry is extended, in milliseconds.
pub(super) const REFRESH_MS: u64 = 24 * 60 * 60 * 1_000;
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
/// The domain separator of the MAC. If the layout of tokens changes, this text must change too.
const PURPOSE: &[u8] = b"flagfall guest token 1";
/// The number of a token's bytes that the MAC covers.
const COVERED: usize = 25;
/// The characters of names. The code of a character is its position plus one; code 0 marks the
/// end of the name.
const LETTERS: &[u8; 64] = b"-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
/// The number of the id's characters that a generated name contains.
const GENERATED_LEN: usize = 8;
/// The maximum number of keys that a server remembers. After a store was emptied, servers may
/// have different keys for a short time.
const KEYS_MAX: usize = 4;

/// A key for guest tokens. It cannot be printed, serialized or compared.
pub(super) struct GuestKey([u8; 32]);

impl GuestKey {
    fn mac(&self, covered: &[u8]) -> [u8; 32] {
        mac(&self.0, &[PURPOSE, covered])
    }
}

/// The keys of guest tokens that this server accepts. The first key signs.
#[derive(Default)]
pub(super) struct GuestKeys {
    keys: Mutex<Vec<Arc<GuestKey>>>,
}

pub(super) struct GuestToken {
    pub(super) id: String,
    /// The name that the guest asked for, or a generated one.
    pub(super) name: Name,
    pub(super) expires: Stamp,
    pub(super) pass: Arc<GuestPass>,
}

impl GuestKeys {
    pub(super) async fn issue(
        &self,
        store: &dyn Store,
        wanted: Option<&Name>,
        expires: Stamp,
    ) -> Result<(Token, GuestToken), PlayerError> {
        let signing = self.signing(store).await?;
        let day = u16::try_from(expires.0 / DAY_MS).unwrap_or(u16::MAX);
        let make = || {
            let mut bytes = [0; 32];
            bytes[..16].copy_from_slice(&encode_name(wanted).to_be_bytes());
            bytes[16..18].copy_from_slice(&day.to_be_bytes());
            bytes[18..COVERED].copy_from_slice(&random_bytes::<7>()?);
            let full = signing.mac(&bytes[..COVERED]);
            bytes[COVERED..].copy_from_slice(&full[..7]);
            let token = Token::from_bytes(bytes);
            let guest = describe(&token, full).ok_or(PlayerError::UnknownToken)?;
            Ok((token, guest))
        };
        // While a part of the store is away, a new guest can act if their records are elsewhere.
        let reach = Reach::of(store);
        draw(make, |(_, guest)| {
            let name = wanted.is_some() || reach.has(&NAMES.key([&guest.name.folded()]));
            let token = TOKENS.key([&guest.pass.hash.as_text()]);
            name && reach.has(&PLAYERS.key([&guest.id])) && reach.has(&token)
        })
    }

    /// Returns the guest who has this token, even if it has expired. `None` if the token was not
    /// made with one of these keys.
    pub(super) async fn read(
        &self,
        store: &dyn Store,
        token: &Token,
    ) -> Result<Option<GuestToken>, PlayerError> {
        self.signing(store).await?;
        let keys = self.keys.lock().clone();
        let (covered, mac) = token.bytes().split_at(COVERED);
        for key in keys {
            let full = key.mac(covered);
            // The comparison takes the same time wherever the bytes differ.
            if full[..mac.len()].ct_eq(mac).into() {
                return Ok(describe(token, full));
            }
        }
        Ok(None)
    }

    /// Returns the key that signs. The store keeps this key. The first server on a store creates
    /// it.
    async fn signing(&self, store: &dyn Store) -> Result<Arc<GuestKey>, PlayerError> {
        if let Some(key) = self.keys.lock().first().cloned() {
            return Ok(key);
        }
        Ok(self.agree(store).await?)
    }

    /// Makes this server sign with the store's key, and returns this key. If the store has lost
    /// its key, writes this server's key to the store, so that guests keep their identity.
    pub(super) async fn agree(&self, store: &dyn Store) -> Result<Arc<GuestKey>, StoreError> {
        // Servers of versions without guest tokens ignore this record.
        let place = SECRETS.key([&"guest_tokens"])?;
        let offer = || match self.keys.lock().first() {
            Some(own) => Ok(own.0.to_vec()),
            None => random_bytes::<32>().map(Vec::from).map_err(unavailable),
        };
        self.adopt(&read_or_create(store, place, "the key of guest tokens", offer).await?)
    }

    fn adopt(&self, stored: &[u8]) -> Result<Arc<GuestKey>, StoreError> {
        let mut keys = self.keys.lock();
        if let Some(at) = keys.iter().position(|key| key.0 == stored) {
            let known = keys.remove(at);
            keys.insert(0, known.clone());
            return Ok(known);
        }
        let bytes = stored.try_into().map_err(|_| damaged("the key of guest tokens has the wrong length"))?;
        if !keys.is_empty() {
            tracing::warn!("the store has another key for guest tokens; both are accepted from now on");
        }
        let key = Arc::new(GuestKey(bytes));
        keys.insert(0, key.clone());
        keys.truncate(KEYS_MAX);
        Ok(key)
    }
}

fn unavailable(why: ChanceError) -> StoreError {
    StoreError::Unavailable { why: why.to_string() }
}

/// Returns the guest of a token with this MAC. `None` if the token cannot contain this name.
fn describe(token: &Token, mac: [u8; 32]) -> Option<GuestToken> {
    let bytes = token.bytes();
    let id = code(&mac[7..19]);
    let name = match u128::from_be_bytes(bytes[..16].try_into().ok()?) {
        0 => Name::new(&format!("guest-{}", id.get(..GENERATED_LEN)?)).ok()?,
        encoded => decode_name(encoded)?,
    };
    let day = u16::from_be_bytes(bytes[16..18].try_into().ok()?);
    let pass = Arc::new(GuestPass { token_id: code(&mac[19..31]), hash: token.digest() });
    Some(GuestToken { id, name, expires: Stamp(u64::from(day) * DAY_MS), pass })
}

/// Makes a code of twelve characters from these bytes. All ids have this form.
fn code(bytes: &[u8]) -> String {
    let bytes = bytes.try_into().unwrap_or_default();
    GameId::from_random(bytes).to_string()
}

/// Encodes a name as a number in base 65. `None` becomes 0.
fn encode_name(name: Option<&Name>) -> u128 {
    let letters = name.map_or("", Name::as_str).bytes();
    letters.fold(0, |number, letter| {
        let place = LETTERS.binary_search(&letter).unwrap_or_default();
        number * 65 + place as u128 + 1
    })
}

fn decode_name(mut encoded: u128) -> Option<Name> {
    let mut letters = Vec::with_capacity(NAME_LEN_MAX);
    while encoded > 0 && letters.len() < NAME_LEN_MAX {
        let place = usize::try_from(encoded % 65).ok()?.checked_sub(1)?;
        letters.push(*LETTERS.get(place)?);
        encoded /= 65;
    }
    letters.reverse();
    Name::new(std::str::from_utf8(&letters).ok()?).ok().filter(|_| encoded == 0)
}

/// The time for which a name stays reserved for a guest who has this name but is not stored.
const CLAIM: Duration = Duration::from_secs(15 * 60);
/// The number of claimed names after which a new generation of claims begins.
const CLAIMS_MAX: usize = 20_000;

/// The names of recent guests who are not stored. Claims prevent two guests of one server from
/// getting the same name. A claim lasts for 15 to 30 minutes, or for less if very many names are
/// claimed.
#[derive(Default)]
pub(super) struct Claims {
    generations: Mutex<Generations>,
}

#[derive(Default)]
struct Generations {
    /// The ids and names of the players who claimed names, by folded name.
    current: HashMap<String, (String, Name)>,
    before: HashMap<String, (String, Name)>,
    since: Option<Instant>,
}

impl Claims {
    /// Claims a name for a player. Returns `false` if another player has claimed it.
    pub(super) fn claim(&self, name: &Name, id: &str, now: Instant) -> bool {
        let folded = name.folded();
        let mut names = self.generations.lock();
        let age = names.since.map_or(Duration::MAX, |since| now.saturating_duration_since(since));
        if age >= 2 * CLAIM {
            *names = Generations { since: Some(now), ..Generations::default() };
        } else if age >= CLAIM || names.current.len() >= CLAIMS_MAX {
            names.before = std::mem::take(&mut names.current);
            names.since = Some(now);
        }
        if names.holder(&folded).is_some_and(|(holder, _)| holder != id) {
            return false;
        }
        names.current.insert(folded, (id.to_owned(), name.clone()));
        true
    }

    pub(super) fn holder(&self, folded: &str) -> Option<(String, Name)> {
        self.generations.lock().holder(folded).cloned()
    }
}

impl Generations {
    fn holder(&self, folded: &str) -> Option<&(String, Name)> {
        self.current.get(folded).or_else(|| self.before.get(folded))
    }
}

/// The number of names that are tried for a guest. If none of them is free, the guest must choose
/// another name.
const NAME_ATTEMPTS: usize = 8;

/// Finds a free name that resembles the requested one. Tries the requested name first, then the
/// name with a number derived from the id, and then the name with random numbers. Leaves out names
/// whose part of the store is away. `allows` can reject names that are free in the store.
pub(super) async fn free_name(
    store: &dyn Store,
    id: &str,
    wanted: &str,
    allows: impl Fn(&Name) -> bool,
) -> Result<Name, PlayerError> {
    let wanted = Name::new(wanted)?;
    let reach = Reach::of(store);
    for attempt in 0..NAME_ATTEMPTS {
        let name = match attempt {
            0 if wanted.is_reserved() => continue,
            0 => wanted.clone(),
            1 => {
                let hash = Sha256::digest(id);
                let number = u16::from_be_bytes([hash[0], hash[1]]) % 9_000;
                wanted.numbered(1_000 + u32::from(number))
            }
            _ => wanted.numbered(1_000 + random_below(9_000)?),
        };
        let key = NAMES.key([&name.folded()]);
        if !reach.has(&key) && attempt + 1 < NAME_ATTEMPTS {
            continue;
        }
        let holder = store.get(key?).await?;
        if holder.is_none_or(|holder| holder == id.as_bytes()) && allows(&name) {
            return Ok(name);
        }
    }
    // The name and all numbered names that were tried are taken.
    Err(Refusal::new(Code::BAD_NAME).because("taken").into())
}

#[cfg(test)]
mod tests {
    use flagfall_store_testing::{ManualClock, TestStore};

    use super::*;

    fn store() -> TestStore {
        TestStore::new(Arc::new(ManualClock::new(Stamp(1_000_000))))
    }

    const LATER: Stamp = Stamp(20_000 * DAY_MS);

    #[test]
    fn letters_are_sorted_and_every_name_survives() {
        assert!(LETTERS.is_sorted());
        for text in ["al", "Ana-Maria_7", "zzzzzzzzzzzzzzzzzzzz", "-", "00000000000000000000", "7of9"] {
            let Ok(name) = Name::new(text) else { continue };
            assert_eq!(decode_name(encode_name(Some(&name))), Some(name), "{text}");
        }
        assert_eq!(encode_name(None), 0);
        assert_eq!(decode_name(u128::MAX), None);
    }

    #[tokio::test]
    async fn a_token_says_who_its_guest_is_on_every_server_of_the_store() {
        let store = store();
        let (here, there) = (GuestKeys::default(), GuestKeys::default());
        let ana = Name::new("Ana").unwrap();
        let (token, guest) = here.issue(&store, Some(&ana), LATER).await.unwrap();
        assert_eq!(token.expose().len(), 64);
        let read = there.read(&store, &token).await.unwrap().unwrap();
        assert_eq!((read.id, read.name, read.expires), (guest.id, ana, LATER));
        assert!(read.pass == guest.pass);
    }

    #[tokio::test]
    async fn a_generated_name_follows_from_the_id() {
        let store = store();
        let (_, guest) = GuestKeys::default().issue(&store, None, LATER).await.unwrap();
        assert_eq!(guest.name.as_str(), format!("guest-{}", &guest.id[..8]));
    }

    #[tokio::test]
    async fn any_changed_bit_makes_a_token_nobodys() {
        let store = store();
        let keys = GuestKeys::default();
        let (token, _) = keys.issue(&store, None, LATER).await.unwrap();
        for bit in 0..256 {
            let mut bytes = *token.bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let changed = keys.read(&store, &Token::from_bytes(bytes)).await.unwrap();
            assert!(changed.is_none(), "bit {bit}");
        }
    }

    #[tokio::test]
    async fn an_emptied_store_gets_the_key_back_and_a_foreign_key_is_taken_over() {
        let keys = GuestKeys::default();
        let (token, guest) = keys.issue(&store(), None, LATER).await.unwrap();
        let emptied = store();
        keys.agree(&emptied).await.unwrap();
        let other = GuestKeys::default();
        assert_eq!(other.read(&emptied, &token).await.unwrap().unwrap().id, guest.id);
        // Another server that started on an empty store has made a different key. From now on,
        // both keys are valid.
        let foreign = store();
        let (theirs, _) = GuestKeys::default().issue(&foreign, None, LATER).await.unwrap();
        keys.agree(&foreign).await.unwrap();
        assert!(keys.read(&foreign, &theirs).await.unwrap().is_some());
        assert!(keys.read(&foreign, &token).await.unwrap().is_some());
    }

    #[tokio::test]
    async fn new_guests_have_their_places_where_the_store_answers() {
        let (store, keys) = (store(), GuestKeys::default());
        keys.issue(&store, None, LATER).await.unwrap();
        // Half of each kind of record.
        let half = |kind: &str| ('0'..='7').map(|first| format!("{kind}/{first}")).collect::<Vec<String>>();
        let away =
            [half("players"), half("tokens"), vec!["names/guest-0".to_owned(), "names/ana".to_owned()]];
        let away: Vec<&str> = away.iter().flatten().map(String::as_str).collect();
        store.take_away(&away);
        for _ in 0..20 {
            let (token, guest) = keys.issue(&store, None, LATER).await.unwrap();
            let name = NAMES.key([&guest.name.folded()]);
            for key in [PLAYERS.key([&guest.id]), TOKENS.key([&token.hash()]), name] {
                assert!(store.get(key.unwrap()).await.is_ok());
            }
        }
        let name = free_name(&store, "id", "Bo", |_| true).await.unwrap();
        assert_eq!(name.as_str(), "Bo");
        // The name and its numbered forms are away, so nobody can know whether they are free.
        assert!(matches!(free_name(&store, "id", "Ana", |_| true).await, Err(PlayerError::Store)));
        store.take_away(&[]);
        assert_eq!(free_name(&store, "id", "Ana", |_| true).await.unwrap().as_str(), "Ana");
    }

    #[test]
    fn a_name_stays_claimed_for_a_while() {
        let (claims, now, ana) = (Claims::default(), Instant::now(), Name::new("Ana").unwrap());
        assert!(claims.claim(&ana, "1", now));
        assert_eq!(claims.holder("ana"), Some(("1".to_owned(), ana.clone())));
        assert!(!claims.claim(&ana, "2", now + CLAIM - Duration::from_secs(1)));
        assert!(claims.claim(&ana, "1", now + CLAIM), "a guest's own claim does not block them");
        assert!(!claims.claim(&ana, "2", now + CLAIM));
        assert!(claims.claim(&ana, "2", now + CLAIM * 4));
        for number in 0..3 * CLAIMS_MAX {
            claims.claim(&Name::new(&format!("n{number}")).unwrap(), "3", now + CLAIM * 4);
        }
        let names = claims.generations.lock();
        assert!(names.current.len() + names.before.len() <= 2 * CLAIMS_MAX);
    }
}
