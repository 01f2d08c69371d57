//! HTTP and WebSockets written by hand, so that tests can send wrong input.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};

use crate::TIMEOUT;

/// Maximum number of bytes of an answer to read.
const ANSWER_BYTES_MAX: u64 = 1 << 20;

/// An HTTP answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status. 0 if the connection was closed without an answer.
    pub status: u16,
    /// The status line and headers.
    pub head: String,
    /// The body.
    pub body: String,
}

/// Sends these bytes, and returns everything that the server sends until it closes the
/// connection.
///
/// # Panics
/// If the server cannot be reached, or keeps the connection open for too long.
#[must_use]
pub fn exchange(address: SocketAddr, bytes: &[u8]) -> Answer {
    let mut stream = connect(address);
    // Ignore an error, because the server may refuse the request before it has read everything.
    stream.write_all(bytes).ok();
    let mut text = Vec::new();
    if let Err(error) = stream.take(ANSWER_BYTES_MAX).read_to_end(&mut text) {
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}: {}", String::from_utf8_lossy(bytes));
    }
    let text = String::from_utf8_lossy(&text).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Answer { status, head: head.to_owned(), body: body.to_owned() }
}

/// A request without a body.
#[must_use]
pub fn request(address: SocketAddr, method: &str, path: &str) -> Answer {
    exchange(
        address,
        format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes(),
    )
}

/// `GET`.
#[must_use]
pub fn get(address: SocketAddr, path: &str) -> Answer {
    request(address, "GET", path)
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a server");
    stream.set_read_timeout(Some(TIMEOUT)).expect("a bound");
    stream.set_write_timeout(Some(TIMEOUT)).expect("a bound");
    stream
}

/// A WebSocket that sends any bytes, even invalid ones.
#[derive(Debug)]
pub struct Socket(TcpStream);

const TEXT: u8 = 1;
// The opcodes of a binary message and of a close.
const BINARY: u8 = 2;
const CLOSE: u8 = 8;

impl Socket {
    /// Connects and upgrades.
    ///
    /// # Panics
    /// If the server does not accept.
    #[must_use]
    pub fn connect(address: SocketAddr) -> Socket {
        let mut stream = connect(address);
        let upgrade = format!(
            "GET /ws HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(upgrade.as_bytes()).expect("a server");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("an answer");
            head.extend(byte);
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        assert!(head.starts_with("HTTP/1.1 101"), "{head}");
        Socket(stream)
    }

    /// Sends a text message.
    pub fn send_text(&mut self, text: &str) {
        self.send(TEXT, text.as_bytes());
    }

    /// Sends a binary message.
    pub fn send_binary(&mut self, bytes: &[u8]) {
        self.send(BINARY, bytes);
    }

    fn send(&mut self, kind: u8, bytes: &[u8]) {
        let mut frame = vec![0x80 | kind];
        match bytes.len() {
            length @ 0..126 => frame.push(0x80 | length as u8),
            length @ 126..0x1_0000 => {
                frame.push(0x80 | 126);
                frame.extend((length as u16).to_be_bytes());
            }
            length => {
                frame.push(0x80 | 127);
                frame.extend((length as u64).to_be_bytes());
            }
        }
        // A mask of zeros is valid.
        frame.extend([0; 4]);
        frame.extend(bytes);
        self.send_bytes(&frame);
    }

    /// Sends bytes, which need not be a valid frame.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        // Ignore an error, because the server may already have closed the connection. Its answer
        // can still be read.
        self.0.write_all(bytes).ok();
    }

    /// Returns the next message.
    ///
    /// # Errors
    /// The close code if the server closes, or 0 if the connection ended without one.
    ///
    /// # Panics
    /// If no message comes in time.
    pub fn message(&mut self) -> Result<String, u16> {
        let mut head = [0; 2];
        if let Err(error) = self.0.read_exact(&mut head) {
            assert!(!matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "silence");
            return Err(0);
        }
        let length = match head[1] & 0x7f {
            126 => {
                let mut long = [0; 2];
                self.0.read_exact(&mut long).map_err(|_| 0_u16)?;
                usize::from(u16::from_be_bytes(long))
            }
            127 => panic!("a message of more than 64 KiB"),
            short => usize::from(short),
        };
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).map_err(|_| 0_u16)?;
        match head[0] & 0x0f {
            CLOSE => Err(body.first_chunk().copied().map_or(0, u16::from_be_bytes)),
            _ => Ok(String::from_utf8(body).expect("text")),
        }
    }

    /// Returns all remaining messages, and the close code.
    #[must_use]
    pub fn drain(mut self) -> (Vec<String>, u16) {
        let mut messages = Vec::new();
        loop {
            match self.message() {
                Ok(message) => messages.push(message),
                Err(code) => return (messages, code),
            }
        }
    }

    /// Closes the sending direction.
    pub fn finish(&mut self) {
        self.0.shutdown(Shutdown::Write).ok();
    }
}
