//! The place of a game in the archive.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The place of a game in the archive. It stays valid when other games of the segment are removed.
///
/// Its text consists of three numbers, such as `12.24.871`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    /// The number of the segment.
    pub segment: u32,
    /// The position of the game's frame in the segment.
    pub at: u32,
    /// The length of the game's frame.
    pub length: u32,
}

impl Location {
    /// The length of the binary form in bytes.
    pub const BYTES: usize = 12;

    /// Returns the binary form: the three numbers, little-endian.
    #[must_use]
    pub fn to_bytes(self) -> [u8; Location::BYTES] {
        let mut bytes = [0; Location::BYTES];
        bytes[..4].copy_from_slice(&self.segment.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.at.to_le_bytes());
        bytes[8..].copy_from_slice(&self.length.to_le_bytes());
        bytes
    }

    /// Parses the binary form.
    #[must_use]
    pub fn from_bytes(bytes: [u8; Location::BYTES]) -> Location {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = bytes;
        Location {
            segment: u32::from_le_bytes([a, b, c, d]),
            at: u32::from_le_bytes([e, f, g, h]),
            length: u32::from_le_bytes([i, j, k, l]),
        }
    }
}

/// The error for text that does not describe a place in the archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("a place in the archive consists of three numbers with dots between them")]
pub struct LocationError;

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.segment, self.at, self.length)
    }
}

impl FromStr for Location {
    type Err = LocationError;

    fn from_str(text: &str) -> Result<Location, LocationError> {
        let mut words = text.split('.');
        let mut number = || words.next()?.parse().ok();
        let found = (number(), number(), number());
        let (Some(segment), Some(at), Some(length)) = found else { return Err(LocationError) };
        let location = Location { segment, at, length };
        // Each place has exactly one valid text.
        if location.to_string() == text { Ok(location) } else { Err(LocationError) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_survives_both_short_forms() {
        for (segment, at, length) in [(0, 0, 0), (12, 24, 871), (u32::MAX, 1, u32::MAX - 1)] {
            let location = Location { segment, at, length };
            assert_eq!(Location::from_bytes(location.to_bytes()), location);
            assert_eq!(location.to_string().parse(), Ok(location));
        }
        for bad in ["", "1", "1.2", "1.2.3.4", "1.2.3.", "01.2.3", "+1.2.3", "1.2.4294967296", "1 .2.3"] {
            assert_eq!(bad.parse::<Location>(), Err(LocationError), "{bad}");
        }
    }
}
