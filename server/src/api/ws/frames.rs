//! Reads the WebSocket frames that a client sends (RFC 6455).
//!
//! The bytes are parsed where they were read. A connection keeps only what is not complete yet, so
//! most connections keep nothing.

use std::borrow::Cow;
use std::io::Cursor;

use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Control, Data, OpCode};

/// The maximum length of a message in bytes.
const MESSAGE_BYTES_MAX: usize = 8 * 1024;
/// The maximum length of a control frame's payload in bytes (RFC 6455, 5.5).
const CONTROL_BYTES_MAX: usize = 125;
/// The close code of a proxy that could not reach its upstream server. The library does not know
/// this code.
const BAD_GATEWAY: u16 = 1014;

/// A frame that was read. Only tests may print it, because a message can be a deployment.
#[derive(PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(super) enum Frame<'a> {
    /// A whole message, which may have come in several frames.
    Text(Cow<'a, str>),
    Binary,
    /// A frame that does not end its message.
    Fragment,
    Ping(&'a [u8]),
    Pong,
    Close {
        code: Option<u16>,
        /// The code and the reason, as they were sent.
        payload: &'a [u8],
    },
}

/// What a client must not send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Violation {
    Protocol,
    NotUtf8,
    TooLong,
}

/// The frames of a message that is not complete yet.
struct Message {
    is_text: bool,
    bytes: Vec<u8>,
}

/// Joins frames to messages.
#[derive(Default)]
pub(super) struct Frames {
    message: Option<Box<Message>>,
}

impl Frames {
    /// Takes the first frame of `bytes`, and returns it and its length. `None` if the frame is not
    /// complete yet. A long frame is rejected as soon as its length is known.
    pub(super) fn take<'a>(&mut self, bytes: &'a mut [u8]) -> Result<Option<(Frame<'a>, usize)>, Violation> {
        let mut cursor = Cursor::new(&*bytes);
        let parsed = FrameHeader::parse(&mut cursor).map_err(|_| Violation::Protocol)?;
        let Some((head, length)) = parsed else { return Ok(None) };
        let start = usize::try_from(cursor.position()).unwrap_or(usize::MAX);
        let is_control = matches!(head.opcode, OpCode::Control(_));
        let Some(mask) = head.mask.filter(|_| !(head.rsv1 || head.rsv2 || head.rsv3)) else {
            return Err(Violation::Protocol);
        };
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if is_control && (length > CONTROL_BYTES_MAX || !head.is_final) {
            return Err(Violation::Protocol);
        }
        if length > MESSAGE_BYTES_MAX {
            return Err(Violation::TooLong);
        }
        let Some(payload) = bytes.get_mut(start..start + length) else { return Ok(None) };
        unmask(payload, mask);
        Ok(Some((self.receive(head.opcode, head.is_final, payload)?, start + length)))
    }

    fn receive<'a>(
        &mut self,
        opcode: OpCode,
        is_final: bool,
        payload: &'a [u8],
    ) -> Result<Frame<'a>, Violation> {
        match opcode {
            OpCode::Control(Control::Ping) => Ok(Frame::Ping(payload)),
            OpCode::Control(Control::Pong) => Ok(Frame::Pong),
            OpCode::Control(Control::Close) => close(payload),
            OpCode::Data(kind @ (Data::Text | Data::Binary)) if self.message.is_none() => {
                let is_text = kind == Data::Text;
                if !is_final {
                    self.message = Some(Box::new(Message { is_text, bytes: payload.to_vec() }));
                    return Ok(Frame::Fragment);
                }
                if !is_text {
                    return Ok(Frame::Binary);
                }
                let text = std::str::from_utf8(payload).map_err(|_| Violation::NotUtf8)?;
                Ok(Frame::Text(text.into()))
            }
            OpCode::Data(Data::Continue) => self.go_on(is_final, payload),
            _ => Err(Violation::Protocol),
        }
    }

    /// Adds a frame to the message that has begun.
    fn go_on(&mut self, is_final: bool, payload: &[u8]) -> Result<Frame<'static>, Violation> {
        let mut message = self.message.take().ok_or(Violation::Protocol)?;
        if message.bytes.len() + payload.len() > MESSAGE_BYTES_MAX {
            return Err(Violation::TooLong);
        }
        message.bytes.extend_from_slice(payload);
        if !is_final {
            self.message = Some(message);
            return Ok(Frame::Fragment);
        }
        if !message.is_text {
            return Ok(Frame::Binary);
        }
        let text = String::from_utf8(message.bytes).map_err(|_| Violation::NotUtf8)?;
        Ok(Frame::Text(text.into()))
    }
}

fn unmask(payload: &mut [u8], mask: [u8; 4]) {
    let (words, rest) = payload.as_chunks_mut::<8>();
    let [a, b, c, d] = mask;
    let wide = u64::from_ne_bytes([a, b, c, d, a, b, c, d]);
    for word in words {
        *word = (u64::from_ne_bytes(*word) ^ wide).to_ne_bytes();
    }
    rest.iter_mut().zip(mask.into_iter().cycle()).for_each(|(byte, mask)| *byte ^= mask);
}

fn close(payload: &[u8]) -> Result<Frame<'_>, Violation> {
    let code = match payload {
        [] => None,
        [_] => return Err(Violation::Protocol),
        [first, second, reason @ ..] => {
            let code = u16::from_be_bytes([*first, *second]);
            if !CloseCode::from(code).is_allowed() && code != BAD_GATEWAY {
                return Err(Violation::Protocol);
            }
            std::str::from_utf8(reason).map_err(|_| Violation::NotUtf8)?;
            Some(code)
        }
    };
    Ok(Frame::Close { code, payload })
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

    /// Reads all frames, and describes them.
    fn read(chunks: &[&[u8]]) -> (Vec<String>, Option<Violation>) {
        let (mut frames, mut rest, mut read) = (Frames::default(), Vec::new(), Vec::new());
        for chunk in chunks {
            rest.extend_from_slice(chunk);
            loop {
                match frames.take(&mut rest) {
                    Ok(Some((frame, length))) => {
                        read.push(match frame {
                            Frame::Text(text) => format!("text {}", text.len()),
                            other => format!("{other:?}"),
                        });
                        rest.drain(..length);
                    }
                    Ok(None) => break,
                    Err(violation) => return (read, Some(violation)),
                }
            }
        }
        (read, None)
    }

    #[test]
    fn frames_are_the_same_however_the_bytes_are_cut() {
        let (mut bytes, mut expected) = (Vec::new(), Vec::new());
        for length in [0, 1, 7, 8, 125, 126, 8_192] {
            bytes.extend(frame(0x81, &vec![b'x'; length]));
            bytes.extend(frame(0x01, &vec![b'x'; length / 2]));
            bytes.extend(frame(0x00, &[]));
            bytes.extend(frame(0x89, b"ping"));
            bytes.extend(frame(0x80, b"end"));
            let ping = format!("Ping({:?})", b"ping");
            expected.push(format!("text {length}"));
            expected.extend(["Fragment".to_owned(), "Fragment".to_owned(), ping]);
            expected.push(format!("text {}", length / 2 + 3));
        }
        bytes.extend(frame(0x8a, b""));
        bytes.extend(frame(0x82, b"binary"));
        expected.extend(["Pong".to_owned(), "Binary".to_owned()]);
        for chunk in [1, 2, 7, 1_024, usize::MAX] {
            let chunks: Vec<&[u8]> = bytes.chunks(chunk.min(bytes.len())).collect();
            assert_eq!(read(&chunks), (expected.clone(), None), "{chunk}");
        }
    }

    #[test]
    fn text_is_unmasked_and_joined() {
        let mut bytes = frame(0x81, "f\u{fc}nfzehn Felder".as_bytes());
        let taken = Frames::default().take(&mut bytes).unwrap().unwrap();
        assert_eq!(taken.0, Frame::Text("f\u{fc}nfzehn Felder".into()));
        // A character may be cut in two.
        let (first, second) = "f\u{fc}nf".as_bytes().split_at(2);
        let mut frames = Frames::default();
        assert_eq!(frames.take(&mut frame(0x01, first)).unwrap().unwrap().0, Frame::Fragment);
        let mut last = frame(0x80, second);
        assert_eq!(frames.take(&mut last).unwrap().unwrap().0, Frame::Text("f\u{fc}nf".into()));
    }

    #[test]
    fn what_the_protocol_forbids_is_a_violation() {
        let long = vec![b'x'; MESSAGE_BYTES_MAX];
        let rows: &[(&str, Vec<u8>, Violation)] = &[
            ("a reserved bit", frame(0xc1, b"x"), Violation::Protocol),
            ("an unknown kind", frame(0x83, b"x"), Violation::Protocol),
            ("no mask", vec![0x81, 1, b'x'], Violation::Protocol),
            ("a continuation of nothing", frame(0x80, b"x"), Violation::Protocol),
            (
                "a message within another",
                [frame(0x01, b"x"), frame(0x81, b"x")].concat(),
                Violation::Protocol,
            ),
            ("a ping in several frames", frame(0x09, b"x"), Violation::Protocol),
            ("a long ping", frame(0x89, &[0; 126]), Violation::Protocol),
            ("half a close code", frame(0x88, &[3]), Violation::Protocol),
            ("a close code that is never sent", frame(0x88, &1005_u16.to_be_bytes()), Violation::Protocol),
            ("a close reason", frame(0x88, &[3, 0xe8, 0xff]), Violation::NotUtf8),
            ("a text", frame(0x81, &[b'x', 0xff]), Violation::NotUtf8),
            ("a text in two frames", [frame(0x01, &[0xc3]), frame(0x80, b"x")].concat(), Violation::NotUtf8),
            ("a long frame", frame(0x81, &[&*long, b"x"].concat()), Violation::TooLong),
            ("a long message", [frame(0x01, &long), frame(0x80, b"x")].concat(), Violation::TooLong),
        ];
        for (what, bytes, violation) in rows {
            assert_eq!(read(&[bytes]).1, Some(*violation), "{what}");
        }
        // The length is judged before the payload arrives.
        assert_eq!(read(&[&frame(0x81, &[0; 70_000])[..14]]).1, Some(Violation::TooLong));
    }

    #[test]
    fn a_close_frame_has_a_code_or_none() {
        for (payload, code) in [(&[][..], None), (&[3, 0xe8], Some(1000)), (&[3, 0xf6, b'x'], Some(1014))] {
            let mut bytes = frame(0x88, payload);
            assert_eq!(
                Frames::default().take(&mut bytes).unwrap().unwrap().0,
                Frame::Close { code, payload }
            );
        }
    }
}
