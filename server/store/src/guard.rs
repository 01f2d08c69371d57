//! The guard of a retired log: a small record that stays for a while in place of the log.
//!
//! Stores that keep their guards as side records use [`guard_key`].

use flagfall_board::{GameId, Stamp};

use crate::encoding::{head_value, parse_head};
use crate::limits::{GUARD_BYTES_MAX, LimitError};
use crate::value::{Head, Key};

/// The time for which a guard is kept, in milliseconds. After that, no client repeats the game's
/// commands, and a server that still holds entries of the log does not give them back.
pub(crate) const GUARD_MS: u64 = 60 * 60 * 1_000;

/// The record that a store keeps after a log was retired with
/// [`Store::retire`](crate::Store::retire).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guard {
    /// The head of the retired log.
    pub head: Head,
    /// The game's place in the archive. The store does not interpret these bytes.
    pub place: Vec<u8>,
    /// The last commands of the game. The store does not interpret these bytes.
    pub commands: Vec<u8>,
}

impl Guard {
    pub(crate) fn check(&self) -> Result<(), LimitError> {
        let bytes = self.place.len() + self.commands.len();
        if bytes > GUARD_BYTES_MAX { Err(LimitError::GuardLength { bytes }) } else { Ok(()) }
    }

    /// Encodes the head, the length of the place, the place, and the commands.
    pub(crate) fn encode(&self) -> Vec<u8> {
        // This cannot overflow, because the length is limited.
        let length = u16::try_from(self.place.len()).unwrap_or(u16::MAX).to_le_bytes();
        [&head_value(self.head)[..], &length, &self.place, &self.commands].concat()
    }

    pub(crate) fn parse(bytes: &[u8]) -> Option<Guard> {
        let (head, rest) = bytes.split_first_chunk::<40>()?;
        let (length, rest) = rest.split_first_chunk::<2>()?;
        let (place, commands) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
        Some(Guard { head: parse_head(head)?, place: place.to_vec(), commands: commands.to_vec() })
    }
}

/// Returns the key under which a store may keep the guard as a side record.
pub(crate) fn guard_key(game: GameId) -> Result<Key, LimitError> {
    Key::new(format!("guard/{game}"))
}

/// Returns the time at which a guard that is written now expires.
pub(crate) fn guard_expires(now: Stamp) -> Option<Stamp> {
    Some(now.plus_ms(GUARD_MS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::SecretBytes;

    #[test]
    fn a_guard_reads_back_and_no_part_of_it_is_one() {
        let game = GameId::from_random([7; 12]);
        let head = Head::START.then(game, &SecretBytes::new(vec![1]));
        let guard = Guard { head, place: b"here".to_vec(), commands: b"then".to_vec() };
        let bytes = guard.encode();
        assert_eq!(Guard::parse(&bytes), Some(guard));
        for length in 0..46 {
            assert_eq!(Guard::parse(&bytes[..length]), None, "{length}");
        }
    }
}
