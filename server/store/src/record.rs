//! The bodies of log entries.
//!
//! Outside the rules engine, only this module and the archive handle hidden ranks as data. A body
//! has one of two [`Form`]s, and a log may contain both. An entry never changes its form, because
//! the hashes of the log cover its bytes. The first entry of a log contains the game's header and
//! is always JSON. All other entries contain an event. Unknown content is refused, because an
//! older server must not continue a game whose log it does not understand.

mod binary;
mod entry;
mod json;
#[cfg(test)]
mod tests;

use std::str::FromStr;

use flagfall_board::PerSide;
use flagfall_rules::Event;
use serde::de::DeserializeOwned;

pub use self::entry::{CommandStamp, EntryError, LogEntry};
pub use self::json::encode_header;
use crate::value::SecretBytes;

/// The encoding of an event's body.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Form {
    /// Form 1: JSON, which version 0.1 can also read.
    #[default]
    Json,
    /// Form 2: one byte that identifies the form, followed by data in postcard. Players are
    /// stored as their seats.
    Binary,
}

impl Form {
    /// The newest form that this version reads and writes.
    pub const NEWEST: Form = Form::Binary;

    /// The form's number.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Form::Json => 1,
            Form::Binary => 2,
        }
    }

    /// Returns the form of a body; `None` if this version does not support the form.
    #[must_use]
    pub fn of(body: &SecretBytes) -> Option<Form> {
        match body.expose() {
            [b'{', ..] => Some(Form::Json),
            [binary::FORM, ..] => Some(Form::Binary),
            _ => None,
        }
    }
}

impl FromStr for Form {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Form, &'static str> {
        match text {
            "1" => Ok(Form::Json),
            "2" => Ok(Form::Binary),
            _ => Err("wanted: 1 or 2"),
        }
    }
}

/// Decodes the body of a log's first entry.
pub fn decode_header<H: DeserializeOwned>(body: &SecretBytes) -> Result<H, EntryError> {
    match newer_form(body) {
        Some(form) => Err(EntryError::NewerForm(form)),
        None => json::decode_header(body.expose()),
    }
}

/// Encodes an event as the body of an entry. `seats` are the ids of the players in the log's
/// header.
///
/// # Errors
/// [`EntryError::Form`] if the command's id is empty or too long for the form.
pub fn encode(
    form: Form,
    seats: PerSide<&str>,
    command: Option<&CommandStamp<'_>>,
    lag_ms: u32,
    event: &Event,
) -> Result<SecretBytes, EntryError> {
    match form {
        Form::Json => json::encode(command, lag_ms, event),
        Form::Binary => binary::encode(seats, command, lag_ms, event),
    }
}

/// Decodes the body of an entry after the first. `seats` are the ids of the players in the log's
/// header.
pub fn decode(body: &SecretBytes, seats: PerSide<&str>) -> Result<LogEntry, EntryError> {
    match (newer_form(body), body.expose()) {
        (Some(form), _) => Err(EntryError::NewerForm(form)),
        (None, [binary::FORM, rest @ ..]) => binary::decode(rest, seats),
        (None, bytes) => json::decode(bytes),
    }
}

/// Returns the number of the body's form if only a newer version supports it. JSON never begins
/// with a byte below 9, so it is not mistaken for such a number.
fn newer_form(body: &SecretBytes) -> Option<u8> {
    body.expose().first().copied().filter(|form| (Form::NEWEST.number() + 1..9).contains(form))
}
