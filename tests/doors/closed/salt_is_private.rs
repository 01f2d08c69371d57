//! A salt opens to nobody before the end.

fn bytes_of(salt: &flagfall_rules::Salt) {
    let _ = salt.0;
}

fn main() {}
