//! Runs [`flagfall_fuzz::messages`] under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| flagfall_fuzz::messages(bytes));
