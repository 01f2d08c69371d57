//! Runs [`flagfall_fuzz::entries`] under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| flagfall_fuzz::entries(bytes));
