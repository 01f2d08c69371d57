//! What an entry says besides its bytes, and why it could not be read.

use std::borrow::Cow;

use flagfall_rules::Event;
use thiserror::Error;

/// An entry after the first.
#[derive(Clone, Debug)]
pub struct LogEntry {
    /// The command that caused it; `None` for what happens without a command.
    pub command: Option<CommandStamp<'static>>,
    /// Lag compensation for the side that acted, in milliseconds.
    pub lag_ms: u32,
    /// What happened.
    pub event: Event,
}

/// The command that caused an entry, so that a repeated command is recognized.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandStamp<'a> {
    /// Who sent it: the player's id.
    pub player: Cow<'a, str>,
    /// The client's id for it: 1 to 36 bytes.
    pub cmd_id: Cow<'a, str>,
    /// A hash that detects another command under the same id.
    pub fingerprint: u64,
}

/// Why a body could not be read or written. It reveals nothing of the content.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum RecordError {
    /// The body does not have a form that this version knows.
    #[error("the entry is not of a form this version knows")]
    Form,
    /// The body has a form that only a newer version knows.
    #[error("the entry has form {0}, and this version reads forms 1 and 2: a newer version wrote it")]
    NewerForm(u8),
    /// The body does not describe a valid event.
    #[error("the entry's event holds what no event holds")]
    Event,
}
