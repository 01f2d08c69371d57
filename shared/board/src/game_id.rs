use std::fmt;
use std::str::FromStr;

const LENGTH: usize = 12;
/// Digits and lowercase letters. The letters i, l, o and u are left out because they are easy to
/// misread or could form words by accident.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// The index in `ALPHABET` of each byte, or zero for bytes that are not in it.
const VALUES: [u8; 256] = {
    let mut values = [0; 256];
    let mut place = 0;
    while place < ALPHABET.len() {
        values[ALPHABET[place] as usize] = place as u8;
        place += 1;
    }
    values
};

/// A game's id: 12 characters made from 60 random bits. An id is easy to read aloud and to type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", schemars(with = "String", description = "A game's id."))]
#[cfg_attr(feature = "serde", schemars(extend("pattern" = "^[0-9abcdefghjkmnpqrstvwxyz]{12}$")))]
pub struct GameId([u8; LENGTH]);

impl GameId {
    /// Creates an id from random bytes. Only the lowest five bits of each byte are used.
    pub fn from_random(bytes: [u8; 12]) -> GameId {
        GameId(bytes.map(|byte| ALPHABET[usize::from(byte & 31)]))
    }

    /// The id as a 60-bit number, with five bits for each character. The first character is in
    /// the highest bits.
    pub fn bits(&self) -> u64 {
        self.0.iter().fold(0, |bits, letter| (bits << 5) | u64::from(VALUES[usize::from(*letter)]))
    }

    /// The id with these 60 bits. `None` if a higher bit is set.
    pub fn from_bits(bits: u64) -> Option<GameId> {
        let letter = |place: usize| ALPHABET[(bits >> (5 * (LENGTH - 1 - place)) & 31) as usize];
        (bits >> (5 * LENGTH) == 0).then(|| GameId(std::array::from_fn(letter)))
    }

    /// The id's characters.
    pub fn as_str(&self) -> &str {
        // The bytes are always valid UTF-8, because every constructor takes them from the ASCII
        // alphabet.
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

/// The error for text that is not a game id. An id has 12 characters: digits and lowercase
/// letters other than i, l, o and u.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a game id: it must have 12 digits and small letters (no i, l, o, u)")]
pub struct GameIdParseError;

impl FromStr for GameId {
    type Err = GameIdParseError;

    fn from_str(text: &str) -> Result<GameId, GameIdParseError> {
        let bytes: [u8; LENGTH] = text.as_bytes().try_into().map_err(|_| GameIdParseError)?;
        if bytes.iter().all(|byte| ALPHABET[VALUES[usize::from(*byte)] as usize] == *byte) {
            Ok(GameId(bytes))
        } else {
            Err(GameIdParseError)
        }
    }
}

/// Serializes the id as its 12 characters, or as 8 bytes in binary formats.
#[cfg(feature = "serde")]
impl serde::Serialize for GameId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_str(self.as_str())
        } else {
            self.bits().to_le_bytes().serialize(serializer)
        }
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for GameId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<GameId, D::Error> {
        if deserializer.is_human_readable() {
            return crate::parse_text(deserializer, |error| error);
        }
        let bits = u64::from_le_bytes(<[u8; 8]>::deserialize(deserializer)?);
        GameId::from_bits(bits).ok_or_else(|| serde::de::Error::custom(GameIdParseError))
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
    fn ids_are_numbers_of_60_bits() {
        assert_eq!(GameId::from_random([0; 12]).bits(), 0);
        let highest = GameId::from_random([31; 12]);
        assert_eq!((highest.to_string().as_str(), highest.bits()), ("zzzzzzzzzzzz", (1 << 60) - 1));
        assert_eq!(GameId::from_bits(1 << 60), None);
        for id in ["0123456789ab", "cdefghjkmnpq", "rstvwxyz0000", "00000000000z"] {
            let id: GameId = id.parse().unwrap();
            assert_eq!(GameId::from_bits(id.bits()), Some(id));
        }
        let ids = ["000000000000", "00000000000a", "a00000000000"].map(|id| id.parse::<GameId>().unwrap());
        assert!(ids.is_sorted() && ids.is_sorted_by_key(GameId::bits));
    }

    #[test]
    fn invalid_ids_are_refused() {
        for text in ["", "0123456789a", "0123456789abc", "0123456789aI", "0123456789al", "0123456789é"] {
            assert_eq!(text.parse::<GameId>(), Err(GameIdParseError), "{text:?}");
        }
    }
}
