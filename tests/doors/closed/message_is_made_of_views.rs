//! A message about a game is made of a view, not of the game.

fn view(game: &flagfall_rules::Game) -> flagfall_protocol::GameView {
    game.into()
}

fn main() {}
