//! Repairs one flipped bit in a frame.
//!
//! Memory and disks flip single bits more often than they lose whole sectors. The checksum makes
//! it possible to find such a bit by trying all of them. If flipping a bit makes the frame valid,
//! that bit was almost certainly the damage: the probability that a wrong bit makes the frame
//! valid is one in four billion. For entries of a game, the hash chain is an additional check.

use super::frame::{Frame, PREFIX_BYTES, Seal, split};

/// The maximum size of a frame to repair, in bytes. The time for a repair grows with the square
/// of the length.
pub(crate) const BYTES_MAX: usize = 2048;

/// Returns the frame at the start of these bytes, if flipping one bit makes it valid.
pub(super) fn repair<'a>(bytes: &[u8], seal: Seal, at: u64) -> Option<Frame<'a>> {
    let mut bytes = bytes.get(..bytes.len().min(BYTES_MAX))?.to_vec();
    // The length is read first, because it determines which bits belong to the frame.
    let length = match split(&bytes) {
        Some((length, ..)) => length as usize + PREFIX_BYTES,
        None => PREFIX_BYTES,
    };
    for bit in 0..length.min(bytes.len()) * 8 {
        let mask = 1 << (bit % 8);
        bytes[bit / 8] ^= mask;
        if let Some((length, checksum, body)) = split(&bytes)
            && seal.checksum(at, length, body) == checksum
        {
            return Frame::of(at, length, body).map(Frame::into_owned);
        }
        bytes[bit / 8] ^= mask;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::{FrameWriter, parse, parse_or_repair};
    use super::*;

    const SEAL: Seal = Seal { store: 5, number: 1 };

    fn sample(length: usize) -> Vec<u8> {
        let mut writer = FrameWriter::new(SEAL, 24, Vec::new());
        writer.push(9, |buffer| buffer.extend((0..length).map(|byte| byte as u8)));
        writer.push(1, |buffer| buffer.extend_from_slice(b"the next frame"));
        writer.bytes().to_vec()
    }

    #[test]
    fn any_one_bit_is_mended() {
        for length in [0, 1, 90] {
            let bytes = sample(length);
            let whole = parse(&bytes, SEAL, 24).unwrap();
            for bit in 0..(whole.length * 8) as usize {
                let mut damaged = bytes.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                let mended = parse_or_repair(&damaged, SEAL, 24);
                assert!(mended.is_some_and(|frame| frame == whole && frame.is_repaired()), "{length} {bit}");
            }
        }
    }

    #[test]
    fn two_bits_are_not_mended_into_something_else() {
        let bytes = sample(40);
        let bits = parse(&bytes, SEAL, 24).unwrap().length as usize * 8;
        for first in 0..bits {
            let second = (first * 7 + 11) % bits;
            let mut damaged = bytes.clone();
            damaged[first / 8] ^= 1 << (first % 8);
            damaged[second / 8] ^= 1 << (second % 8);
            if first != second {
                assert_eq!(parse_or_repair(&damaged, SEAL, 24), None, "{first} {second}");
            }
        }
    }

    #[test]
    fn a_long_frame_is_left_alone() {
        let mut bytes = sample(BYTES_MAX);
        bytes[20] ^= 1;
        assert_eq!(parse_or_repair(&bytes, SEAL, 24), None);
    }
}
