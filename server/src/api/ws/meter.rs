//! Counts incoming frames, because the library returns whole messages and does not report
//! fragments.

use std::io::Cursor;

use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Control, OpCode};

/// Parses frame headers as bytes arrive.
#[derive(Default, Debug)]
pub(super) struct Meter {
    /// The bytes of a header that is not complete yet.
    cut_head: Vec<u8>,
    /// Number of bytes of the current frame's payload that have not arrived yet.
    left: u64,
    /// Number of frames, since the last call of [`Meter::take_fragments`], that did not end a
    /// message.
    fragments: u32,
    /// The first bytes of a close frame's payload, which are its code.
    code: [u8; 2],
    code_len: usize,
    /// The mask of a close frame whose code is not complete yet.
    close_mask: Option<[u8; 4]>,
}

impl Meter {
    pub(super) fn read(&mut self, bytes: &[u8]) {
        let mut joined = std::mem::take(&mut self.cut_head);
        let mut bytes = if joined.is_empty() {
            bytes
        } else {
            joined.extend_from_slice(bytes);
            &joined
        };
        while !bytes.is_empty() {
            let taken = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
            let (payload, rest) = bytes.split_at(taken);
            self.note_code(payload);
            self.left -= taken as u64;
            let mut cursor = Cursor::new(rest);
            match FrameHeader::parse(&mut cursor) {
                Ok(Some((head, length))) => self.begin_payload(&head, length),
                Ok(None) => {
                    self.cut_head = rest.to_vec();
                    return;
                }
                // The header is invalid. The library cannot parse it either, and ends the
                // connection.
                Err(_) => return,
            }
            bytes = &rest[cursor.position() as usize..];
        }
    }

    /// Returns the number of frames, since the last call, that did not end a message.
    pub(super) fn take_fragments(&mut self) -> u32 {
        std::mem::take(&mut self.fragments)
    }

    /// Returns the same number as [`Meter::take_fragments`], without resetting it.
    pub(super) const fn fragments(&self) -> u32 {
        self.fragments
    }

    /// Returns the code of the close frame, if one has arrived.
    pub(super) fn close_code(&self) -> Option<u16> {
        (self.code_len == 2).then(|| u16::from_be_bytes(self.code))
    }

    fn begin_payload(&mut self, head: &FrameHeader, length: u64) {
        self.left = length;
        if !head.is_final {
            self.fragments = self.fragments.saturating_add(1);
        }
        let is_close = head.opcode == OpCode::Control(Control::Close) && self.code_len < 2;
        self.close_mask = is_close.then(|| head.mask.unwrap_or_default());
        if is_close {
            self.code_len = 0;
        }
    }

    fn note_code(&mut self, payload: &[u8]) {
        let Some(mask) = self.close_mask else { return };
        for byte in payload.iter().take(2 - self.code_len) {
            self.code[self.code_len] = byte ^ mask[self.code_len];
            self.code_len += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASKED: u8 = 0x80;

    /// Returns a masked frame, as clients send them.
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
