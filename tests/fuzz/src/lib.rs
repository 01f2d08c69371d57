//! What must hold for any input: one law for each fuzz target.
//!
//! A broken law panics. Each finding gets a test in the ordinary suite of the crate that was wrong;
//! the input stays out of the repository.

#![forbid(unsafe_code)]

#[cfg(feature = "server")]
mod entries;
mod imports;
mod messages;
mod notations;
mod records;

#[cfg(feature = "server")]
pub use entries::entries;
pub use imports::imports;
pub use messages::messages;
pub use notations::notations;
pub use records::records;

/// The input as text; none if it is not UTF-8, because laws about texts skip that.
fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}
