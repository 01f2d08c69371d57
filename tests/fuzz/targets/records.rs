//! Runs [`flagfall_fuzz::records`] under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| flagfall_fuzz::records(bytes));
