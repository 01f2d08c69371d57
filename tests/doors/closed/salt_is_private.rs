//! A salt cannot be read before the end of the game.

fn bytes_of(salt: &flagfall_rules::Salt) {
    let _ = salt.0;
}

fn main() {}
