//! Nobody can read a salt before the end.

fn bytes_of(salt: &flagfall_rules::Salt) {
    let _ = salt.0;
}

fn main() {}
