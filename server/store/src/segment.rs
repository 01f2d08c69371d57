//! Segments: append-only files of checksummed frames.
//!
//! ```text
//! header  mark (8) · store (8) · number (4) · checksum (4)
//! frame   length (4) · checksum (4) · tag (1) · payload (length - 1)
//! ```
//!
//! Numbers are little-endian. A checksum is the lower half of an XXH3 over the tag and the
//! payload, seeded with the store, the segment's number, and the frame's position and length. So
//! a frame is valid only where it was written. Bytes of another store or another position are not
//! valid, and neither is a player's message that looks like a frame. The upper bit of the tag
//! marks the first frame of a *group*: the frames that one write and one sync made durable
//! together.
//!
//! A frame has at most 20 MiB, and a segment has at most 4 GiB. The embedded store reads its
//! segments from end to end, and finds the next valid frame after damage. A single flipped bit is
//! repaired in a frame of at most 2 KiB ([`parse_or_repair`]).

mod frame;
mod repair;

use std::fmt;

use self::frame::GROUP;
pub(crate) use self::frame::parse;
pub use self::frame::{Frame, HEADER_BYTES, PREFIX_BYTES, Seal};

/// Collects the frames of a group before they are written to a segment. `Debug` shows no content.
pub struct FrameWriter {
    seal: Seal,
    /// The position in the segment at which the buffer begins.
    from: u64,
    buffer: Vec<u8>,
}

impl FrameWriter {
    /// Begins a group at this position. The buffer must be empty.
    pub fn new(seal: Seal, from: u64, buffer: Vec<u8>) -> FrameWriter {
        FrameWriter { seal, from, buffer }
    }

    /// Adds a frame whose payload `fill` writes. Returns the frame's position and length.
    pub fn push(&mut self, tag: u8, fill: impl FnOnce(&mut Vec<u8>)) -> (u64, u32) {
        let start = self.buffer.len();
        let tag = if start == 0 { tag | GROUP } else { tag };
        self.buffer.extend_from_slice(&[0; PREFIX_BYTES]);
        self.buffer.push(tag);
        fill(&mut self.buffer);
        let at = self.from + start as u64;
        let body = &self.buffer[start + PREFIX_BYTES..];
        let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
        let checksum = self.seal.checksum(at, length, body);
        self.buffer[start..start + 4].copy_from_slice(&length.to_le_bytes());
        self.buffer[start + 4..start + PREFIX_BYTES].copy_from_slice(&checksum);
        (at, length + PREFIX_BYTES as u32)
    }

    /// Returns the segment to which the group will be written.
    #[must_use]
    pub fn seal(&self) -> Seal {
        self.seal
    }

    /// Returns the frames of the group so far.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// Clears the buffer and returns it, for the next group.
    pub fn into_buffer(mut self) -> Vec<u8> {
        self.buffer.clear();
        self.buffer
    }

    /// Returns the position in the segment after the last frame.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.from + self.buffer.len() as u64
    }
}

impl fmt::Debug for FrameWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FrameWriter({} bytes)", self.buffer.len())
    }
}

/// A part of a segment: a frame or damage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Found<'a> {
    Frame(Frame<'a>),
    /// Bytes that are not a valid frame, because of damage or a torn write at the end.
    Damage {
        from: u64,
        /// The position at which the next valid frame begins or the segment ends.
        to: u64,
    },
}

/// Parses the frame at the beginning of these bytes. Repairs one flipped bit if necessary.
#[must_use]
pub fn parse_or_repair(bytes: &[u8], seal: Seal, at: u64) -> Option<Frame<'_>> {
    parse(bytes, seal, at).or_else(|| repair::repair(bytes, seal, at))
}

/// Returns the frames and the damage in a segment, starting at the position `from`. `bytes` is
/// the whole segment.
pub(crate) fn frames(bytes: &[u8], seal: Seal, from: u64) -> impl Iterator<Item = Found<'_>> {
    let mut at = usize::try_from(from).unwrap_or(usize::MAX);
    std::iter::from_fn(move || {
        let from = at as u64;
        if let Some(frame) = parse_or_repair(bytes.get(at..).filter(|rest| !rest.is_empty())?, seal, from) {
            at += frame.length as usize;
            return Some(Found::Frame(frame));
        }
        // Damage ends at the next valid frame, or at the end of the segment.
        let is_whole = |at: &usize| parse(&bytes[*at..], seal, *at as u64).is_some();
        at = (at + 1..bytes.len()).find(is_whole).unwrap_or(bytes.len());
        Some(Found::Damage { from, to: at as u64 })
    })
}

#[cfg(test)]
mod tests {
    use super::frame::HEADER_BYTES;
    use super::*;

    const SEAL: Seal = Seal { store: 77, number: 3 };

    /// Makes a segment with these payloads, one group each. Returns its bytes and the positions
    /// of the frames.
    fn sample(payloads: &[&[u8]]) -> (Vec<u8>, Vec<u64>) {
        let mut bytes = SEAL.header().to_vec();
        let mut places = Vec::new();
        for (tag, payload) in (1..).zip(payloads) {
            let mut writer = FrameWriter::new(SEAL, bytes.len() as u64, Vec::new());
            places.push(writer.push(tag, |buffer| buffer.extend_from_slice(payload)).0);
            bytes.extend_from_slice(writer.bytes());
        }
        (bytes, places)
    }

    fn found(bytes: &[u8]) -> Vec<Found<'_>> {
        frames(bytes, SEAL, HEADER_BYTES as u64).collect()
    }

    fn whole(bytes: &[u8]) -> Vec<u8> {
        let tag = |found: Found<'_>| match found {
            Found::Frame(frame) => Some(frame.tag),
            Found::Damage { .. } => None,
        };
        found(bytes).into_iter().filter_map(tag).collect()
    }

    #[test]
    fn what_is_written_is_found() {
        let (bytes, places) = sample(&[b"one", b"", b"three"]);
        let all = found(&bytes);
        for (number, payload) in [&b"one"[..], b"", b"three"].into_iter().enumerate() {
            let Found::Frame(frame) = &all[number] else { panic!("{all:?}") };
            assert_eq!((frame.at, &*frame.payload), (places[number], payload));
            assert!(frame.begins_group && !frame.is_repaired());
        }
        assert_eq!(all.len(), 3);
        assert_eq!(Seal::of_header(&bytes), Some(SEAL));
    }

    #[test]
    fn only_the_first_frame_of_a_write_begins_a_group() {
        let mut writer = FrameWriter::new(SEAL, HEADER_BYTES as u64, Vec::new());
        for tag in 1..4 {
            writer.push(tag, |_| {});
        }
        let bytes = [&SEAL.header(), writer.bytes()].concat();
        let begins = |found: &Found<'_>| matches!(found, Found::Frame(frame) if frame.begins_group);
        assert_eq!(found(&bytes).iter().map(begins).collect::<Vec<_>>(), [true, false, false]);
        assert_eq!(writer.end(), bytes.len() as u64);
    }

    #[test]
    fn a_torn_end_is_damage_at_every_byte() {
        let (bytes, places) = sample(&[b"first", b"the second frame"]);
        let last = places[1];
        for length in last as usize + 1..bytes.len() {
            let expected = Found::Damage { from: last, to: length as u64 };
            assert_eq!(found(&bytes[..length]).last(), Some(&expected), "{length}");
        }
        assert_eq!(whole(&bytes[..last as usize]), [1]);
    }

    #[test]
    fn damage_ends_at_the_next_whole_frame() {
        let (bytes, places) = sample(&[b"first", b"the second frame", b"third", b"fourth"]);
        for length in 2..17 {
            for from in places[1]..places[2] - length {
                let mut bytes = bytes.clone();
                let range = from as usize..(from + length) as usize;
                bytes[range].iter_mut().for_each(|byte| *byte = !*byte);
                assert_eq!(whole(&bytes), [1, 3, 4], "{from} {length}");
                assert_eq!(found(&bytes)[1], Found::Damage { from: places[1], to: places[2] });
            }
        }
    }

    #[test]
    fn frames_of_other_places_segments_and_stores_are_no_frames() {
        let (bytes, places) = sample(&[b"first", b"second"]);
        let frame = &bytes[places[0] as usize..places[1] as usize];
        for (seal, at) in [
            (SEAL, places[0] + 1),
            (SEAL, places[0] - 1),
            (Seal { store: 78, ..SEAL }, places[0]),
            (Seal { number: 4, ..SEAL }, places[0]),
        ] {
            assert_eq!(parse(frame, seal, at), None, "{seal:?} {at}");
        }
        // A payload that contains the bytes of a frame. A player could send such a payload.
        let (bytes, _) = sample(&[b"first", frame, b"third"]);
        let mut damaged = bytes.clone();
        let start = HEADER_BYTES + PREFIX_BYTES + 6;
        damaged[start..start + 8].copy_from_slice(&[0xff; 8]);
        assert_eq!(whole(&damaged), [1, 3]);
    }

    #[test]
    fn zeros_and_noise_are_no_frames() {
        for byte in [0, 1, 0xff] {
            let bytes = [&SEAL.header()[..], &vec![byte; 3_000]].concat();
            assert_eq!(found(&bytes), [Found::Damage { from: 24, to: 3_024 }]);
        }
    }

    #[test]
    fn every_bit_of_the_header_counts() {
        let header = SEAL.header();
        for bit in 0..HEADER_BYTES * 8 {
            let mut damaged = header;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Seal::of_header(&damaged), None, "{bit}");
        }
        assert_eq!(Seal::of_header(&header[..23]), None);
    }
}
