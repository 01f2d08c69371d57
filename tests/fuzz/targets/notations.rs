//! Runs [`flagfall_fuzz::notations`] under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| flagfall_fuzz::notations(bytes));
