//! A frame of a segment, and the identity of the segment, which the frame's checksum covers.

use std::borrow::Cow;
use std::fmt;

use xxhash_rust::xxh3::xxh3_64_with_seed;

const MARK: &[u8; 8] = b"FFSEGM\x00\x01";
/// The number of bytes before the first frame of a segment.
pub const HEADER_BYTES: usize = 24;
/// The number of bytes in a frame before its tag.
pub const PREFIX_BYTES: usize = 8;
/// The maximum size of a frame in bytes: twice the size of the largest append with its side
/// records.
pub(crate) const FRAME_BYTES_MAX: usize = 20 * 1024 * 1024;
/// The bit of the tag that marks the first frame of a group.
pub(super) const GROUP: u8 = 0x80;

/// The identity of a segment: its store and its number. All checksums in the segment cover it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seal {
    /// A random number that distinguishes stores.
    pub store: u64,
    /// The number of the segment in its store.
    pub number: u32,
}

impl Seal {
    /// Returns the header of the segment.
    #[must_use]
    pub fn header(self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(MARK);
        bytes[8..16].copy_from_slice(&self.store.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.number.to_le_bytes());
        let checksum = lower_half(xxh3_64_with_seed(&bytes[..20], 0));
        bytes[20..].copy_from_slice(&checksum);
        bytes
    }

    /// Parses the header of a segment; `None` if the header is damaged.
    #[must_use]
    pub fn of_header(bytes: &[u8]) -> Option<Seal> {
        let header: &[u8; HEADER_BYTES] = bytes.first_chunk()?;
        let seal = Seal {
            store: u64::from_le_bytes(*header[8..].first_chunk()?),
            number: u32::from_le_bytes(*header[16..].first_chunk()?),
        };
        (seal.header() == *header).then_some(seal)
    }

    pub(super) fn checksum(self, at: u64, length: u32, body: &[u8]) -> [u8; 4] {
        // The factors are odd constants, so that similar positions or lengths do not give the
        // same seed.
        let seed = self.store
            ^ u64::from(self.number).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ at.wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
            ^ u64::from(length).wrapping_mul(0x1656_67b1_9e37_79f9);
        lower_half(xxh3_64_with_seed(body, seed))
    }
}

fn lower_half(hash: u64) -> [u8; 4] {
    let [a, b, c, d, ..] = hash.to_le_bytes();
    [a, b, c, d]
}

/// A frame. `Debug` shows no content.
#[derive(Clone, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The position of the frame in the segment.
    pub at: u64,
    /// The length of the frame in bytes, including the prefix.
    pub length: u32,
    /// True for the first frame of a group.
    pub begins_group: bool,
    /// The tag, without the bit that marks a group.
    pub tag: u8,
    /// The content, whose kind is given by the tag. Owned if a flipped bit was repaired.
    pub payload: Cow<'a, [u8]>,
}

impl fmt::Debug for Frame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Frame(at {}, {} bytes, tag {})", self.at, self.length, self.tag)
    }
}

impl<'a> Frame<'a> {
    /// Makes a frame from a body that matches the checksum.
    pub(super) fn of(at: u64, length: u32, body: &'a [u8]) -> Option<Frame<'a>> {
        let (tag, payload) = body.split_first()?;
        Some(Frame {
            at,
            length: length + PREFIX_BYTES as u32,
            begins_group: tag & GROUP != 0,
            tag: tag & !GROUP,
            payload: payload.into(),
        })
    }

    pub(crate) fn into_owned(self) -> Frame<'static> {
        Frame { payload: Cow::Owned(self.payload.into_owned()), ..self }
    }

    #[cfg(test)]
    pub(crate) fn is_repaired(&self) -> bool {
        matches!(self.payload, Cow::Owned(_))
    }
}

/// Splits off the length, checksum and body of a possible frame at the start of these bytes.
pub(super) fn split(bytes: &[u8]) -> Option<(u32, [u8; 4], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (checksum, rest) = rest.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length);
    let is_possible = length > 0 && length as usize <= FRAME_BYTES_MAX;
    Some((length, *checksum, rest.get(..length as usize).filter(|_| is_possible)?))
}

/// Parses the frame at the start of these bytes. `at` is their position in the segment.
pub(crate) fn parse(bytes: &[u8], seal: Seal, at: u64) -> Option<Frame<'_>> {
    let (length, checksum, body) = split(bytes)?;
    if seal.checksum(at, length, body) != checksum {
        return None;
    }
    Frame::of(at, length, body)
}
