//! A message about a game is made from a view, not from the game.

fn view(game: &flagfall_rules::Game) -> flagfall_protocol::GameView {
    game.into()
}

fn main() {}
