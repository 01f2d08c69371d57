//! A message about a game is made of a view, not of the game.

fn view(game: &flagfall_rules::Game) -> flagfall_protocol::GameView {
    flagfall_protocol::GameView::from(game)
}

fn main() {}
