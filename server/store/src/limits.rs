//! Limits of one request. Every store enforces the same limits before it writes anything.

use thiserror::Error;

pub const BODY_BYTES_MAX: usize = 64 * 1024;
/// The maximum number of entries in one append.
pub const BODIES_MAX: usize = 64;
/// The maximum number of side records that one append or update writes.
pub const WRITES_MAX: usize = 64;
pub const CONDITIONS_MAX: usize = 64;
pub const KEY_BYTES_MAX: usize = 256;
pub const VALUE_BYTES_MAX: usize = 64 * 1024;
pub const NOTICE_BYTES_MAX: usize = 64 * 1024;
/// The maximum length of the place and the commands in a guard together.
pub const GUARD_BYTES_MAX: usize = 1024;
/// The maximum number of entries or records that one read or scan returns, even if the caller
/// asks for more.
pub const READ_MAX: usize = 4096;

/// The error for a request that exceeds a limit. Nothing was written, and a retry would fail as
/// well.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum LimitError {
    #[error("an append needs at least one entry")]
    NoBodies,
    #[error("{count} entries in one append, at most {BODIES_MAX} are allowed")]
    TooManyBodies { count: usize },
    #[error("a body of {bytes} bytes, at most {BODY_BYTES_MAX} are allowed")]
    BodyLength { bytes: usize },
    #[error("a key of {bytes} bytes, 1 to {KEY_BYTES_MAX} are allowed")]
    KeyLength { bytes: usize },
    #[error("a value of {bytes} bytes, at most {VALUE_BYTES_MAX} are allowed")]
    ValueLength { bytes: usize },
    #[error("a notice of {bytes} bytes, at most {NOTICE_BYTES_MAX} are allowed")]
    NoticeLength { bytes: usize },
    #[error("a guard of {bytes} bytes, at most {GUARD_BYTES_MAX} are allowed")]
    GuardLength { bytes: usize },
    #[error("{count} writes in one request, at most {WRITES_MAX} are allowed")]
    TooManyWrites { count: usize },
    #[error("{count} conditions in one update, at most {CONDITIONS_MAX} are allowed")]
    TooManyConditions { count: usize },
}
