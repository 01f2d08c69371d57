//! A position's squares are private.

fn rank_on(position: &flagfall_rules::Position) {
    let _ = position.squares;
}

fn main() {}
