//! The bytes of a message, shared by all connections that get the message.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use flagfall_protocol::{ServerMessage, ServerToClient};

/// The maximum number of bytes in a message. An [`Outbox`](super::Outbox) refuses longer ones.
pub const PAYLOAD_BYTES_MAX: usize = 60 * 1024;

/// A message to a client, as JSON text. Clones share the bytes.
///
/// Sockets accept only payloads, and a payload can only be made from a [`ServerToClient`]. So the
/// server sends only messages of the protocol. `Debug` shows only the kind and the length,
/// because a message to a player contains their ranks.
#[derive(Clone, PartialEq, Eq)]
pub struct Payload {
    text: Arc<str>,
    kind: ServerMessage,
}

/// The text that is sent instead of a message that could not be serialized.
const UNWRITTEN: &str =
    r#"{"type":"refused","code":"internal","message":"the server could not write its answer"}"#;

thread_local! {
    /// A reusable buffer for serialization. The length of a message is not known in advance.
    static WRITTEN: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl Payload {
    /// Serializes a message. Call this once per audience, and clone the payload for each viewer.
    pub fn new(message: &ServerToClient) -> Payload {
        let text = WRITTEN.with_borrow_mut(|bytes| {
            bytes.clear();
            let written = serde_json::to_writer(&mut *bytes, message);
            // This should not fail, because messages contain no maps with keys that JSON does not
            // allow.
            let text = written.ok().and_then(|()| std::str::from_utf8(bytes).ok());
            Arc::from(text.unwrap_or(UNWRITTEN))
        });
        Payload { text, kind: message.into() }
    }

    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// True if the payload has no bytes. Messages are never empty.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the type of the message.
    pub fn kind(&self) -> ServerMessage {
        self.kind
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Payload({}, {} bytes)", <&str>::from(self.kind), self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_says_its_kind_and_length_and_nothing_of_its_content() {
        let payload = Payload::new(&ServerToClient::Ping {
            id: 7,
            server_time: 1_234_567,
            heads: Vec::new(),
            pool: None,
        });
        assert_eq!(payload.as_str(), r#"{"type":"ping","id":7,"server_time":1234567,"heads":[]}"#);
        assert_eq!(format!("{payload:?}"), "Payload(ping, 55 bytes)");
    }
}
