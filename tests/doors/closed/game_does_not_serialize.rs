//! Only views are sent to clients, so a game cannot be serialized.

fn send(game: &flagfall_rules::Game) -> String {
    serde_json::to_string(game).unwrap()
}

fn main() {}
