//! Records of games: checks them, and exchanges them with other programs.
//!
//! Everything here is a pure function of a record's text. [`check`] replays a record with the
//! servers' engine and reports what is false. [`Reader`] reads the records of a stream.

mod check;
mod exchange;
mod finding;
mod read;
mod signature;
mod strict;

pub use check::{check, check_value_with, check_with, with_changes};
pub use exchange::{ExportError, Format, ImportError, export, import};
pub use finding::{Falsehood, Finding, Report, Status, Unchecked, UncheckedKind};
pub use read::{ReadError, Reader, SIZE_MAX};
pub use signature::{KeysError, PublicKeys, SignatureStatus};
