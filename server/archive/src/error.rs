//! Why a game cannot be encoded or decoded.

use thiserror::Error;

/// Why an archived game cannot be decoded. Reveals nothing about the game's content.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum DecodeError {
    /// The game was written by a newer version.
    #[error("the archived game has format {0}, and this version reads formats 0 and 1")]
    NewerFormat(u8),
    /// This version does not support the game's ruleset, or the ruleset does not allow the game's
    /// lakes.
    #[error("this version does not support the ruleset of the archived game")]
    Ruleset,
    /// The bytes are damaged.
    #[error("the archived game is damaged: {0}")]
    Damaged(&'static str),
    /// The bytes are damaged, or this engine decodes them to different events than the engine
    /// that encoded them.
    #[error("the checksum of the archived game does not match its bytes and events")]
    Checksum,
}

pub(crate) const ENDS_EARLY: DecodeError = DecodeError::Damaged("it ends too early");

/// Why a game was not encoded. The log must not be deleted. Reveals nothing about hidden ranks.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Refused {
    /// There are no entries, or they are not numbered from 1 without gaps.
    #[error("the log is not complete")]
    Incomplete,
    /// The hash chain of the entries does not end at the head that the store has.
    #[error("the log's hash chain does not lead to its head")]
    Head,
    /// The game is not over.
    #[error("the game is not over")]
    Running,
    /// The signature names a key whose id is not 16 hexadecimal digits.
    #[error("the signature's key is not 16 hexadecimal digits")]
    Key,
    /// zstd has failed.
    #[error("the log cannot be compressed")]
    Compression,
    /// The encoded game cannot be decoded.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The decoded game differs from the game that was encoded.
    #[error("the decoded game differs from the log in {what}")]
    Differs {
        /// The part that differs, such as an entry, the header, or the record for an audience.
        what: String,
    },
}
