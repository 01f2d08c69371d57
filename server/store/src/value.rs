//! The small values of the store: secret bytes, keys, hashes, heads.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Bound;

use flagfall_board::GameId;
use sha2::{Digest, Sha256};

use crate::limits::{KEY_BYTES_MAX, LimitError};

/// Bytes that must not be shown by accident: the body of a log entry.
///
/// A body contains information that is hidden from players. So this type has no `Serialize` and
/// no `Display`, and its `Debug` shows only the length. The content is available only through
/// [`SecretBytes::expose`] and [`SecretBytes::into_exposed`].
#[derive(Clone, PartialEq, Eq, Default)]
pub struct SecretBytes(Vec<u8>);

impl SecretBytes {
    /// Wraps bytes of any length. However, [`append`](crate::Store::append) refuses more than
    /// [`BODY_BYTES_MAX`](crate::limits::BODY_BYTES_MAX).
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> SecretBytes {
        SecretBytes(bytes)
    }

    /// Returns the bytes. The caller must keep them secret.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.0
    }

    #[must_use]
    pub fn into_exposed(self) -> Vec<u8> {
        self.0
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for SecretBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretBytes({} bytes)", self.0.len())
    }
}

/// The key of a side record: 1 to [`KEY_BYTES_MAX`] bytes, in byte order.
///
/// By convention, a key begins with the name of its kind and a slash (`players/...`). A key may
/// contain a name or a token's hash, so `Debug` shows only the kind and the length.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(Box<[u8]>);

impl Key {
    /// Makes a key of these bytes.
    ///
    /// # Errors
    /// [`LimitError::KeyLength`] if there are no bytes or too many.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Key, LimitError> {
        let bytes: Vec<u8> = bytes.into();
        if bytes.is_empty() || bytes.len() > KEY_BYTES_MAX {
            return Err(LimitError::KeyLength { bytes: bytes.len() });
        }
        Ok(Key(bytes.into_boxed_slice()))
    }

    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Borrow<[u8]> for Key {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.0.iter().position(|byte| *byte == b'/').map_or(&[][..], |end| &self.0[..=end]);
        write!(f, "Key({}…, {} bytes)", kind.escape_ascii(), self.0.len())
    }
}

/// The range of the keys that begin with a prefix and come after a key, in byte order.
pub(crate) struct KeyRange<'a> {
    from: Bound<&'a [u8]>,
    /// The lowest key that is higher than all keys with the prefix; `None` if no such key exists.
    end: Option<Vec<u8>>,
}

impl<'a> KeyRange<'a> {
    /// Returns the range; `None` if it is empty because `after` comes after all keys with the
    /// prefix.
    pub(crate) fn new(prefix: Option<&'a Key>, after: Option<&'a Key>) -> Option<KeyRange<'a>> {
        let prefix = prefix.map_or(&[][..], Key::as_bytes);
        let from = match after.map(Key::as_bytes) {
            Some(after) if after >= prefix => Bound::Excluded(after),
            Some(_) | None => Bound::Included(prefix),
        };
        let end = prefix.iter().rposition(|byte| *byte != u8::MAX).map(|last| {
            let mut end = prefix[..=last].to_vec();
            end[last] += 1;
            end
        });
        let is_empty = after.zip(end.as_deref()).is_some_and(|(after, end)| after.as_bytes() >= end);
        (!is_empty).then_some(KeyRange { from, end })
    }

    pub(crate) fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        (self.from, self.end.as_deref().map_or(Bound::Unbounded, Bound::Excluded))
    }
}

/// A link in a game's hash chain: a SHA-256 over all entries of the log so far.
///
/// It stops a writer whose copy of the log differs, and it reveals damage. It must **never**
/// reach a client, because a client could use it to test guesses of a body. `Debug` shows only
/// the first four bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    /// The start of every game's chain.
    pub const ZERO: Hash = Hash([0; 32]);

    /// Returns the hash after entry `seq` with this body, where `self` is the hash before it.
    ///
    /// The hash covers a tag, the game, the previous hash, the number and the body. It does not
    /// cover the stamp, because the store assigns the stamp later, while it writes.
    #[must_use]
    pub fn then(self, game: GameId, seq: u64, body: &SecretBytes) -> Hash {
        let mut hasher = Sha256::new();
        hasher.update(b"flagfall log 1\0");
        hasher.update(game.as_str());
        hasher.update(self.0);
        hasher.update(seq.to_be_bytes());
        hasher.update(body.expose());
        Hash(hasher.finalize().into())
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, ..] = self.0;
        write!(f, "Hash({a:02x}{b:02x}{c:02x}{d:02x}…)")
    }
}

/// The end of a log: the number of its last entry, and the hash after that entry.
///
/// Two logs with the same head contain the same bodies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Head {
    /// The number of the last entry; 0 for an empty log.
    pub seq: u64,
    /// The hash after that entry.
    pub hash: Hash,
}

impl Head {
    /// The head of an empty log.
    pub const START: Head = Head { seq: 0, hash: Hash::ZERO };

    /// Returns the head after one more entry.
    #[must_use]
    pub fn then(self, game: GameId, body: &SecretBytes) -> Head {
        let seq = self.seq + 1;
        Head { seq, hash: self.hash.then(game, seq, body) }
    }
}

/// The memory of a shared store.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StoreMemory {
    pub used_bytes: u64,
    /// The number of bytes above which the store refuses writes or its machine may run out of
    /// memory.
    pub limit_bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(byte: u8) -> GameId {
        GameId::from_random([byte; 12])
    }

    #[test]
    fn debug_shows_no_content() {
        let body = SecretBytes::new(b"marshal on a1".to_vec());
        assert_eq!(format!("{body:?}"), "SecretBytes(13 bytes)");
        let key = Key::new("tokens/0123456789").unwrap();
        assert_eq!(format!("{key:?}"), "Key(tokens/…, 17 bytes)");
        assert_eq!(format!("{:?}", Key::new("secret").unwrap()), "Key(…, 6 bytes)");
        assert_eq!(format!("{:?}", Hash([0xab; 32])), "Hash(abababab…)");
    }

    #[test]
    fn the_chain_tells_games_numbers_bodies_and_pasts_apart() {
        let body = SecretBytes::new(vec![1, 2, 3]);
        let head = Head::START.then(game(1), &body);
        assert_eq!(head.seq, 1);
        assert_ne!(head.hash, Head::START.then(game(2), &body).hash);
        assert_ne!(head.hash, Head::START.then(game(1), &SecretBytes::new(vec![1, 2])).hash);
        assert_ne!(head.hash, Hash::ZERO.then(game(1), 2, &body));
        assert_ne!(head.then(game(1), &body).hash, Hash::ZERO.then(game(1), 2, &body));
    }

    #[test]
    fn beyond_a_prefix_comes_what_is_greater_than_all_its_keys() {
        let rows: [(&[u8], Option<&[u8]>); 6] = [
            (b"seat/", Some(b"seat0")),
            (b"a\xff", Some(b"b")),
            (b"a\xff\xff", Some(b"b")),
            (b"\xfe\xff", Some(b"\xff")),
            (b"\xff\xff", None),
            (b"a", Some(b"b")),
        ];
        for (prefix, end) in rows {
            let prefix = Key::new(prefix).unwrap();
            let range = KeyRange::new(Some(&prefix), None).unwrap();
            let end = end.map_or(Bound::Unbounded, Bound::Excluded);
            assert_eq!(range.bounds(), (Bound::Included(prefix.as_bytes()), end), "{prefix:?}");
        }
        let [a, b, ax] = ["a/", "b/", "a/x"].map(|key| Key::new(key).unwrap());
        let from = |prefix, after| KeyRange::new(Some(prefix), Some(after)).map(|range| range.from);
        assert_eq!(from(&a, &ax), Some(Bound::Excluded(&b"a/x"[..])));
        assert_eq!(from(&b, &ax), Some(Bound::Included(&b"b/"[..])));
        assert_eq!(from(&a, &b), None, "no key is after b/ and begins with a/");
        assert_eq!(KeyRange::new(None, None).unwrap().bounds(), (Bound::Included(&[][..]), Bound::Unbounded));
    }

    #[test]
    fn keys_have_a_length() {
        assert_eq!(Key::new(""), Err(LimitError::KeyLength { bytes: 0 }));
        assert!(Key::new(vec![0; KEY_BYTES_MAX]).is_ok());
        assert_eq!(
            Key::new(vec![0; KEY_BYTES_MAX + 1]),
            Err(LimitError::KeyLength { bytes: KEY_BYTES_MAX + 1 })
        );
    }
}
