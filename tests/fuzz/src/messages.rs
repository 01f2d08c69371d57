use flagfall_protocol::{ServerToClient, parse_message};

use crate::text;

/// Parses a message, writes it and parses it again.
///
/// The result must be the same message. This covers client messages, as servers parse them, and
/// server messages, as clients parse them. The text of a refusal must stay short.
///
/// # Panics
/// If one of these does not hold.
pub fn messages(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    match parse_message(text) {
        Ok(message) => {
            let written = serde_json::to_string(&message).expect("a message has JSON");
            assert!(parse_message(&written).as_ref() == Ok(&message), "{written}");
            // The server's fast path for plain moves must give the same message as the protocol.
            assert!(serde_json::from_str(text).ok().as_ref() == Some(&message), "{text}");
        }
        Err(malformed) => {
            let refusal = malformed.refusal.to_string();
            assert!(refusal.len() < 1_000, "{refusal}");
        }
    }
    if let Ok(message) = serde_json::from_str::<ServerToClient>(text) {
        let written = serde_json::to_string(&message).expect("a message has JSON");
        let back = serde_json::from_str::<ServerToClient>(&written);
        assert!(back.ok().as_ref() == Some(&message), "{written}");
    }
}
