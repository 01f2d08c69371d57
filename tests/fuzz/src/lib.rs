//! The properties that must hold for any input. Each fuzz target checks one.
//!
//! A violation panics. For each finding, a test is added to the ordinary suite of the faulty
//! crate. The input that caused the finding is not kept.

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

/// Returns the input as text, or `None` if it is not UTF-8. Properties that need text ignore such
/// input.
fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}
