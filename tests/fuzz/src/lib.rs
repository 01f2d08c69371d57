//! The properties that must hold for any input. Each fuzz target checks one.
//!
//! A violation panics. Each finding gets a test in the ordinary suite of the faulty crate. The
//! input itself is not kept in the repository.

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

/// The input as text. None if the input is not UTF-8. The properties that need text ignore such
/// input.
fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}
