//! Limits of one request. Every store enforces the same limits before it writes anything.

use thiserror::Error;

/// Bytes in the body of one entry.
pub const BODY_BYTES_MAX: usize = 64 * 1024;
/// Entries in one append.
pub const BODIES_MAX: usize = 64;
/// Side records written by one append or update.
pub const WRITES_MAX: usize = 64;
/// Conditions of one update.
pub const CONDITIONS_MAX: usize = 64;
/// Bytes in a key.
pub const KEY_BYTES_MAX: usize = 256;
/// Bytes in the value of a side record.
pub const VALUE_BYTES_MAX: usize = 64 * 1024;
/// Bytes in one notice between servers.
pub const NOTICE_BYTES_MAX: usize = 64 * 1024;
/// Entries or records that one read or scan returns, however many were asked for.
pub const READ_MAX: usize = 4096;

/// A request beyond a limit. Nothing was written, and repeating it fails again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum LimitError {
    /// An append without entries.
    #[error("an append needs at least one entry")]
    NoBodies,
    /// More than [`BODIES_MAX`] entries.
    #[error("{count} entries in one append, at most {BODIES_MAX} are allowed")]
    TooManyBodies {
        /// How many there were.
        count: usize,
    },
    /// A body beyond [`BODY_BYTES_MAX`].
    #[error("a body of {bytes} bytes, at most {BODY_BYTES_MAX} are allowed")]
    BodyLength {
        /// How long it was.
        bytes: usize,
    },
    /// A key of no bytes, or beyond [`KEY_BYTES_MAX`].
    #[error("a key of {bytes} bytes, 1 to {KEY_BYTES_MAX} are allowed")]
    KeyLength {
        /// How long it was.
        bytes: usize,
    },
    /// A value beyond [`VALUE_BYTES_MAX`].
    #[error("a value of {bytes} bytes, at most {VALUE_BYTES_MAX} are allowed")]
    ValueLength {
        /// How long it was.
        bytes: usize,
    },
    /// A notice beyond [`NOTICE_BYTES_MAX`].
    #[error("a notice of {bytes} bytes, at most {NOTICE_BYTES_MAX} are allowed")]
    NoticeLength {
        /// How long it was.
        bytes: usize,
    },
    /// More than [`WRITES_MAX`] side records.
    #[error("{count} writes in one request, at most {WRITES_MAX} are allowed")]
    TooManyWrites {
        /// How many there were.
        count: usize,
    },
    /// More than [`CONDITIONS_MAX`] conditions.
    #[error("{count} conditions in one update, at most {CONDITIONS_MAX} are allowed")]
    TooManyConditions {
        /// How many there were.
        count: usize,
    },
}
