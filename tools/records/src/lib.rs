//! Checks records of games, and exchanges games with other programs.
//!
//! [`check`] replays a record with the engine that the servers use, and reports false statements.
//! [`Reader`] reads records from a stream. Everything else is a pure function of a record's text.

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
