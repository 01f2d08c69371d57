//! The decoded content of an entry, and the errors of encoding and decoding.

use std::borrow::Cow;

use flagfall_board::Rank;
use flagfall_rules::Event;
use flagfall_rules::secret::StruckRecord;
use flagfall_view::Fate;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The content of an entry that is not the first of its log.
#[derive(Clone, Debug)]
pub struct LogEntry {
    /// The command that caused the event; `None` if there was none.
    pub command: Option<CommandStamp<'static>>,
    /// The lag compensation for the side that acted, in milliseconds.
    pub lag_ms: u32,
    pub event: Event,
}

/// Identifies the command that caused an entry, so that a repeated command is recognized.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandStamp<'a> {
    /// The id of the player who sent the command.
    #[serde(rename = "p")]
    pub player: Cow<'a, str>,
    /// The id that the client gave to the command: 1 to 36 bytes.
    #[serde(rename = "c")]
    pub cmd_id: Cow<'a, str>,
    /// A hash of the command. It distinguishes a repeat of the command from a different command
    /// with the same id.
    #[serde(rename = "f")]
    pub fingerprint: u64,
}

/// The effect of a strike on one piece: its rank, its fate, and whether it was shown. Both forms
/// store the effect in this way.
#[derive(Serialize, Deserialize)]
pub(super) struct Part(Rank, Fate, bool);

impl From<StruckRecord> for Part {
    fn from(StruckRecord { rank, fate, shown }: StruckRecord) -> Part {
        Part(rank, fate, shown)
    }
}

impl From<Part> for StruckRecord {
    fn from(Part(rank, fate, shown): Part) -> StruckRecord {
        StruckRecord { rank, fate, shown }
    }
}

/// Why a body could not be encoded or decoded. Reveals nothing about the content.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum EntryError {
    #[error("the entry is not of a form this version knows")]
    Form,
    #[error("the entry has form {0}, and this version reads forms 1 and 2: a newer version wrote it")]
    NewerForm(u8),
    #[error("the entry's event holds what no event holds")]
    Event,
}
