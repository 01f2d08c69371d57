//! Reads and writes numbers and text. No read goes beyond the end of the bytes.

use crate::error::{DecodeError, ENDS_EARLY};

/// Writes a number in base 128, lowest digit first. Each byte except the last has its highest bit
/// set.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Writes the length of some bytes, and then the bytes.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// The bytes that have not been read yet.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader(bytes)
    }

    pub(crate) fn left(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(ENDS_EARLY)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(ENDS_EARLY)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, DecodeError> {
        self.array().map(|[byte]| byte)
    }

    /// Reads a number. Each number has exactly one encoding.
    pub(crate) fn varint<T: TryFrom<u64>>(&mut self) -> Result<T, DecodeError> {
        const WRONG: DecodeError = DecodeError::Damaged("a number is out of range");
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let digit = u64::from(byte & 0x7f);
            if (digit << shift) >> shift != digit || byte == 0 && shift > 0 {
                return Err(WRONG);
            }
            number |= digit << shift;
            if byte & 0x80 == 0 {
                return T::try_from(number).map_err(|_| WRONG);
            }
        }
        Err(WRONG)
    }

    /// Reads a length, and then this number of bytes.
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        let length = self.varint()?;
        self.take(length)
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, DecodeError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| DecodeError::Damaged("a text is not UTF-8"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_encoding() {
        for number in (0..64).flat_map(|bits| [1_u64 << bits, (1 << bits) - 1]).chain([u64::MAX]) {
            let mut out = Vec::new();
            put_varint(&mut out, number);
            let mut reader = Reader::new(&out);
            assert_eq!((reader.varint(), reader.left()), (Ok(number), 0));
            assert_eq!(Reader::new(&out[..out.len() - 1]).varint::<u64>(), Err(ENDS_EARLY));
            // The same number with an unnecessary digit, which is not valid.
            *out.last_mut().unwrap() |= 0x80;
            out.push(0);
            assert!(Reader::new(&out).varint::<u64>().is_err(), "{number}");
        }
        let most = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
        assert_eq!(Reader::new(&most).varint(), Ok(u64::MAX));
        assert!(Reader::new(&[&most[..9], &[2]].concat()).varint::<u64>().is_err());
        assert!(Reader::new(&[0x80, 2]).varint::<u8>().is_err());
    }

    #[test]
    fn a_length_beyond_the_end_is_an_error() {
        let mut out = Vec::new();
        put_varint(&mut out, u64::MAX);
        assert_eq!(Reader::new(&out).bytes(), Err(ENDS_EARLY));
        assert_eq!(Reader::new(&[2, b'a', b'b']).text(), Ok("ab"));
        assert!(Reader::new(&[1, 0xff]).text().is_err());
    }
}
