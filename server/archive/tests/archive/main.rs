//! Tests of the archive: no part of a game is lost, damage is found, and the format does not
//! change.
//!
//! The tests print their seeds. `FLAGFALL_SEED` and `FLAGFALL_GAMES` set a different seed or
//! number of games.

mod checked;
mod damage;
mod formats;
mod golden;
mod harm;
mod laws;
mod memory;
mod plain;
mod played;
mod records;
mod s3;
#[allow(dead_code, reason = "tests of the whole server use all of it")]
mod s3_server;
mod segments;
mod stores;
mod whole;

use flagfall_archive::{Encoded, Log};
use flagfall_protocol::{RecordSignature, SignatureText};
use static_assertions::assert_not_impl_any;

assert_not_impl_any!(Encoded: serde::Serialize, std::fmt::Display);
assert_not_impl_any!(Log: serde::Serialize, std::fmt::Display);

fn signature() -> RecordSignature {
    let value = SignatureText(std::array::from_fn(|place| place as u8));
    RecordSignature { key: "00c0ffee12345678".to_owned(), value }
}

fn contains(bytes: &[u8], part: &str) -> bool {
    bytes.windows(part.len()).any(|window| window == part.as_bytes())
}
