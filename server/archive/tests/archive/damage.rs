//! Tests that damaged bytes cause an error, and never a panic or a large allocation.

use flagfall_archive::{DecodeError, decode, encode};
use flagfall_rules::Ruleset;

use super::plain::game_of_the_future;
use super::played::game_of;
use super::signature;

/// Returns encoded games of several rulesets, each with the maximum memory for decoding it.
fn games() -> Vec<(Vec<u8>, u64)> {
    let ids = ["classic", "barrage,ties=defender", "shadowflash-2", "quantum"];
    let mut games: Vec<(Vec<u8>, u64)> = (0..)
        .zip(ids)
        .map(|(seed, id)| {
            let played = game_of(Ruleset::find(id).expect("a ruleset"), 40 + seed, 8);
            let encoded = encode(played.id, &played.log, Some(&signature())).expect("an encoded game");
            (encoded.into_exposed(), 256 * 1024)
        })
        .collect();
    let played = game_of_the_future();
    let encoded = encode(played.id, &played.log, None).expect("an encoded game");
    // The bytes contain their length before compression, which may seem to be up to 16 MiB if the
    // bytes are damaged.
    games.push((encoded.into_exposed(), 17 * 1024 * 1024));
    games
}

/// Decodes damaged bytes. Fails if this takes more than the given memory.
fn decoded(bytes: &[u8], memory: u64) -> Option<DecodeError> {
    let mut error = None;
    let used = allocation_counter::measure(|| error = decode(bytes).err());
    assert!(used.bytes_max <= memory, "{} bytes allocated, {error:?}", used.bytes_max);
    error
}

#[test]
fn every_flipped_bit_is_found() {
    for (bytes, memory) in games() {
        assert_eq!(decoded(&bytes, memory), None);
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(decoded(&damaged, memory).is_some(), "bit {bit} of {}", bytes.len() * 8);
        }
    }
}

#[test]
fn every_missing_byte_is_found() {
    for (bytes, memory) in games() {
        for length in 0..bytes.len() {
            assert!(decoded(&bytes[..length], memory).is_some(), "{length} of {} bytes", bytes.len());
            let without = [&bytes[..length], &bytes[length + 1..]].concat();
            assert!(decoded(&without, memory).is_some(), "without byte {length}");
        }
        assert!(decoded(&[&bytes[..], &[0]].concat(), memory).is_some());
    }
}

#[test]
fn a_newer_format_is_named() {
    let (mut bytes, _) = games().remove(0);
    bytes[0] = 2;
    assert_eq!(decode(&bytes), Err(DecodeError::NewerFormat(2)));
}
