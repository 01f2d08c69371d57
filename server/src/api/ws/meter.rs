//! Counts incoming frames: the library returns whole messages and does not report fragments.

/// The bit of a frame that ends its message.
const FINAL: u8 = 0x80;
/// The bit of a frame whose payload is masked.
const MASKED: u8 = 0x80;
const OPCODE: u8 = 0x0f;
const CLOSE: u8 = 0x8;
/// Bytes in the longest head of a frame.
const HEAD_LEN_MAX: usize = 14;

/// Parses frame heads as bytes come in.
#[derive(Default, Debug)]
pub(super) struct Meter {
    head: [u8; HEAD_LEN_MAX],
    head_len: usize,
    /// Bytes of the frame's payload that are still to come.
    left: u64,
    /// Frames without a message's end since they were last taken.
    fragments: u32,
    /// The first bytes of a close frame's payload: its code.
    code: [u8; 2],
    code_len: usize,
    is_close: bool,
}

impl Meter {
    pub(super) fn read(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.left > 0 {
                let taken = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
                let (payload, rest) = bytes.split_at(taken);
                self.note_code(payload);
                self.left -= taken as u64;
                bytes = rest;
                continue;
            }
            if let [byte, rest @ ..] = bytes {
                self.head[self.head_len] = *byte;
                self.head_len += 1;
                bytes = rest;
            }
            if self.head_len == self.head_wanted() {
                self.begin_payload();
            }
        }
    }

    /// Returns the number of frames since the last call that ended no message.
    pub(super) fn take_fragments(&mut self) -> u32 {
        std::mem::take(&mut self.fragments)
    }

    /// Number of frames that ended no message and were not taken yet.
    pub(super) const fn fragments(&self) -> u32 {
        self.fragments
    }

    /// The code of the close frame, if one came.
    pub(super) fn close_code(&self) -> Option<u16> {
        (self.code_len == 2).then(|| u16::from_be_bytes(self.code))
    }

    /// Length of the head, as far as known from its bytes so far.
    fn head_wanted(&self) -> usize {
        if self.head_len < 2 {
            return 2;
        }
        let length = match self.head[1] & !MASKED {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        2 + length + self.mask_len()
    }

    const fn mask_len(&self) -> usize {
        if self.head[1] & MASKED == 0 { 0 } else { 4 }
    }

    fn begin_payload(&mut self) {
        let length_at = 2..self.head_len - self.mask_len();
        let long = self.head[length_at].iter().fold(0_u64, |length, byte| length << 8 | u64::from(*byte));
        self.left = match self.head[1] & !MASKED {
            126 | 127 => long,
            short => u64::from(short),
        };
        if self.head[0] & FINAL == 0 {
            self.fragments = self.fragments.saturating_add(1);
        }
        self.is_close = self.head[0] & OPCODE == CLOSE && self.code_len < 2;
        if self.is_close {
            self.code_len = 0;
        }
        self.head_len = 0;
    }

    fn note_code(&mut self, payload: &[u8]) {
        if !self.is_close {
            return;
        }
        // The mask is still in `head`, because no other head has come since. Its place depends on
        // the length.
        let mask_at = match self.head[1] & !MASKED {
            126 => 4,
            127 => 10,
            _ => 2,
        };
        for byte in payload.iter().take(2 - self.code_len) {
            let mask = if self.mask_len() == 0 { 0 } else { self.head[mask_at + self.code_len] };
            self.code[self.code_len] = byte ^ mask;
            self.code_len += 1;
        }
        self.is_close = self.code_len < 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame as a client sends it.
    fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
        let mask = [1, 2, 3, 4];
        let mut bytes = vec![first];
        match u16::try_from(payload.len()) {
            Ok(length) if length < 126 => bytes.push(MASKED | payload.len() as u8),
            Ok(length) => {
                bytes.push(MASKED | 126);
                bytes.extend(length.to_be_bytes());
            }
            Err(_) => {
                bytes.push(MASKED | 127);
                bytes.extend((payload.len() as u64).to_be_bytes());
            }
        }
        bytes.extend(mask);
        bytes.extend(payload.iter().zip(mask.into_iter().cycle()).map(|(byte, mask)| byte ^ mask));
        bytes
    }

    #[test]
    fn fragments_are_counted_however_the_bytes_are_cut() {
        let mut bytes = Vec::new();
        for length in [0, 1, 125, 126, 70_000] {
            bytes.extend(frame(0x81, &vec![0; length]));
            bytes.extend(frame(0x01, &vec![0; length]));
            bytes.extend(frame(0x00, &[]));
            bytes.extend(frame(0x89, b"ping"));
            bytes.extend(frame(0x80, b"end"));
        }
        for chunk in [1, 2, 7, 1_024, usize::MAX] {
            let mut meter = Meter::default();
            bytes.chunks(chunk.min(bytes.len())).for_each(|chunk| meter.read(chunk));
            assert_eq!((meter.take_fragments(), meter.take_fragments()), (10, 0), "{chunk}");
            assert_eq!(meter.close_code(), None);
        }
    }

    #[test]
    fn the_code_of_a_close_frame_is_known() {
        let bytes = [frame(0x81, b"hi"), frame(0x88, &[0x03, 0xf6, b'x'])].concat();
        for chunk in [1, 3, 100] {
            let mut meter = Meter::default();
            bytes.chunks(chunk).for_each(|chunk| meter.read(chunk));
            assert_eq!(meter.close_code(), Some(1014));
        }
        let mut silent = Meter::default();
        silent.read(&frame(0x88, &[]));
        assert_eq!(silent.close_code(), None);
    }
}
