use std::fmt;
use std::str::FromStr;

const LENGTH: usize = 12;
/// Digits and lowercase letters without i, l, o and u: hard to misread, and no accidental words.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// A game's id: 12 characters from 60 random bits, easy to read aloud and to type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GameId([u8; LENGTH]);

impl GameId {
    /// The id made of the lowest five bits of each of these random bytes.
    #[must_use]
    pub fn from_random(bytes: [u8; 12]) -> GameId {
        GameId(bytes.map(|byte| ALPHABET[usize::from(byte & 31)]))
    }

    /// The id's characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // The constructors accept only the ASCII characters of the alphabet.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text is not a game id: it needs 12 digits and lowercase letters (no i, l, o, u).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameIdParseError;

impl fmt::Display for GameIdParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a game id: 12 digits and small letters (no i, l, o, u) are wanted")
    }
}

impl std::error::Error for GameIdParseError {}

impl FromStr for GameId {
    type Err = GameIdParseError;

    fn from_str(text: &str) -> Result<GameId, GameIdParseError> {
        let bytes: [u8; LENGTH] = text.as_bytes().try_into().map_err(|_| GameIdParseError)?;
        if bytes.iter().all(|byte| ALPHABET.contains(byte)) {
            Ok(GameId(bytes))
        } else {
            Err(GameIdParseError)
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for GameId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for GameId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<GameId, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_print_and_parse_back() {
        let id = GameId::from_random([0, 1, 31, 32, 255, 17, 9, 8, 7, 6, 5, 4]);
        assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn invalid_ids_are_refused() {
        for text in ["", "0123456789a", "0123456789abc", "0123456789aI", "0123456789al", "0123456789é"] {
            assert_eq!(text.parse::<GameId>(), Err(GameIdParseError), "{text:?}");
        }
    }
}
