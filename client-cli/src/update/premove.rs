//! Plans one move during the opponent's turn, and sends it when the player's turn comes.

use flagfall_protocol::GameView;
use flagfall_rules::{Move, SeenPiece};

use crate::input::{self, Action};
use crate::model::{Model, Premove};
use crate::{targets, text};

/// Plans a move during the opponent's turn. False if the move cannot be planned.
pub(super) fn plan(model: &mut Model, squares: Move) -> bool {
    let is_for_screen = model.options.face.is_screen();
    let Some(game) = model.game.as_mut().filter(|game| is_for_screen && game.may_plan()) else {
        return false;
    };
    if !game.reach(squares.from).iter().any(|target| target.square == squares.to) {
        return false;
    }
    game.selected = None;
    game.premove = Some(Premove { squares, pieces: pieces_of(&game.view, squares) });
    model.say(text!("premove-planned", squares, key = input::key_for(Action::Deselect)));
    true
}

/// Takes the planned move once it is the player's turn. Drops the move if the pieces on its two
/// squares have changed, or if the rules do not allow it.
pub(super) fn take_due(model: &mut Model) -> Option<Move> {
    let game = model.game.as_mut().filter(|game| game.premove.is_some())?;
    if game.is_over() || !game.is_acting() {
        game.premove = None;
        return None;
    }
    if !game.is_own_turn() || game.view.turn != game.own_side() {
        return None;
    }
    let Premove { squares, pieces } = game.premove.take()?;
    if game.ruleset.is_some_and(|ruleset| targets::is_end_next(&game.view, ruleset)) {
        return None;
    }
    let is_possible = pieces == pieces_of(&game.view, squares)
        && game.reach(squares.from).iter().any(|target| target.square == squares.to);
    if !is_possible {
        model.say(text!("plan-dropped", squares));
    }
    is_possible.then_some(squares)
}

fn pieces_of(view: &GameView, squares: Move) -> [Option<SeenPiece>; 2] {
    [squares.from, squares.to].map(|square| targets::piece_at(view, square))
}
