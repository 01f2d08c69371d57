//! Encodes entries, heads and side records as bytes.
//!
//! All durable stores use the same encoding, so that each can read what another has written.

use flagfall_board::Stamp;

use crate::value::{Hash, Head, SecretBytes};

const STAMP_LENGTH: usize = 8;
const HASH_LENGTH: usize = 32;
/// The number of bytes before the body in a log entry.
const ENTRY_HEADER: usize = STAMP_LENGTH + HASH_LENGTH;
const NEVER: u64 = u64::MAX;

/// Builds the value of an entry: space for the stamp, then the hash and the body. `stamp_entry`
/// adds the stamp.
pub(crate) fn entry_value(hash: Hash, body: &SecretBytes) -> Vec<u8> {
    let mut value = Vec::with_capacity(ENTRY_HEADER + body.len());
    value.extend_from_slice(&[0; STAMP_LENGTH]);
    value.extend_from_slice(&hash.0);
    value.extend_from_slice(body.expose());
    value
}

pub(crate) fn stamp_entry(value: &mut [u8], at: Stamp) {
    if let Some(place) = value.get_mut(..STAMP_LENGTH) {
        place.copy_from_slice(&at.0.to_le_bytes());
    }
}

/// Splits an entry's value into stamp, hash and body.
pub(crate) fn parse_entry(value: &[u8]) -> Option<(Stamp, Hash, &[u8])> {
    let (stamp, rest) = value.split_first_chunk::<STAMP_LENGTH>()?;
    let (hash, body) = rest.split_first_chunk::<HASH_LENGTH>()?;
    Some((Stamp(u64::from_le_bytes(*stamp)), Hash(*hash), body))
}

/// Builds the value of a head: number, then hash.
pub(crate) fn head_value(head: Head) -> [u8; 40] {
    let mut value = [0; 40];
    value[..8].copy_from_slice(&head.seq.to_le_bytes());
    value[8..].copy_from_slice(&head.hash.0);
    value
}

pub(crate) fn parse_head(value: &[u8]) -> Option<Head> {
    let (seq, hash) = value.split_first_chunk::<8>()?;
    Some(Head { seq: u64::from_le_bytes(*seq), hash: Hash(hash.try_into().ok()?) })
}

/// Builds the value of a side record: expiry time, then the value itself.
pub(crate) fn record_value(value: &[u8], expires: Option<Stamp>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8 + value.len());
    bytes.extend_from_slice(&expires.map_or(NEVER, |stamp| stamp.0).to_le_bytes());
    bytes.extend_from_slice(value);
    bytes
}

/// Splits a side record into its value and expiry time.
pub(crate) fn parse_record(bytes: &[u8]) -> Option<(&[u8], Option<Stamp>)> {
    let (expires, value) = bytes.split_first_chunk::<8>()?;
    let expires = u64::from_le_bytes(*expires);
    Some((value, (expires != NEVER).then_some(Stamp(expires))))
}
