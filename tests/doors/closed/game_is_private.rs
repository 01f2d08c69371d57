//! A game's deployments are private.

fn deployments_of(game: &flagfall_rules::Game) {
    let _ = &game.deployments;
}

fn main() {}
