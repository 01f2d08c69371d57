//! Runs [`flagfall_fuzz::imports`] under libFuzzer.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| flagfall_fuzz::imports(bytes));
