//! What every feature of the server stands on.
//!
//! This crate knows stores, players' connections and other servers, but no game and no feature.

#![expect(missing_docs, reason = "a name that says all needs no sentence")]

/// Declares the names of an enum's variants as a list, and a function from a value to its index.
macro_rules! kinds {
    ($(#[$doc:meta])+ $visible:vis $list:ident, $index:ident($type:ident): $($variant:ident = $name:literal,)+) => {
        $(#[$doc])+
        $visible const $list: [&str; [$($name),+].len()] = [$($name),+];

        fn $index(value: &$type) -> usize {
            enum Index { $($variant),+ }
            match value { $($type::$variant { .. } => Index::$variant as usize),+ }
        }
    };
}

pub mod admission;
pub mod background;
pub mod cluster;
pub mod committed;
pub mod delivery;
pub mod flags;
pub mod identity;
pub mod jobs;
pub mod keys;
pub mod memory;
pub mod names;
pub mod random;
pub mod rate;
pub mod recorder;
pub mod refusals;
pub mod request_id;
pub mod scan;
pub mod store_errors;
pub mod telemetry;
pub mod transact;

/// The program and its version, as shown to clients and operators.
pub const SERVER: &str = concat!("flagfall-server ", env!("CARGO_PKG_VERSION"));
