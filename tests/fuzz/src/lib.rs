//! What must hold for any input: one law for each fuzz target.
//!
//! A law panics when it is broken. What a fuzzer finds gets a test in the ordinary suite of the
//! crate that was wrong, and the input stays out of the repository.

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

/// Text that the laws of texts are held against; anything else is not looked at.
fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}
