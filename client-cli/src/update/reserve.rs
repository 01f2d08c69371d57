//! Reserve and chips (§S): placing and removing pieces, and the color of a ply's chip.

use flagfall_board::{Rank, Square};
use flagfall_protocol::GameCommand;

use super::game;
use crate::model::{Model, OpenGame, Prompt, Uncolored};
use crate::{targets, text};

/// Plays a ply immediately if the ruleset has no chips. Otherwise asks for the color.
pub(super) fn play_or_prompt_color(model: &mut Model, ply: Uncolored) {
    let lays_chips = model.game.as_ref().and_then(|game| game.ruleset).is_some_and(|ruleset| ruleset.chips);
    match ply {
        _ if lays_chips => model.ui.prompt = Some(Prompt::Color(ply)),
        Uncolored::Move(squares) => game::act(model, GameCommand::from(squares)),
        Uncolored::Place { square, rank, labeled } => {
            game::act(model, GameCommand::Place { square, rank, labeled, color: None });
        }
    }
}

/// Asks which piece of the reserve to place on the square under the cursor.
pub(super) fn prompt_place(model: &mut Model) {
    let Some(game) = model.game.as_ref().filter(|game| has_reserve(game)) else { return };
    let kinds = kinds(game);
    let square = game.cursor;
    match refusal_to_place(game, square) {
        Some(refusal) => model.say(refusal),
        None if kinds.is_empty() => model.say(text!("reserve-empty-own")),
        None => model.ui.prompt = Some(Prompt::Place { square, kinds, cursor: 0 }),
    }
}

/// Asks whether to move the piece under the cursor into the reserve.
pub(super) fn prompt_remove(model: &mut Model) {
    let Some(game) = model.game.as_ref().filter(|game| has_reserve(game)) else { return };
    let square = game.cursor;
    let is_own =
        targets::piece_at(&game.view, square).is_some_and(|piece| Some(piece.side) == game.own_side());
    if !game.is_own_turn() {
        model.say(text!("refusal-not-your-turn"));
    } else if is_own {
        model.ui.prompt = Some(Prompt::Remove(square));
    } else {
        model.say(text!("no-own-piece-on", square));
    }
}

fn has_reserve(game: &OpenGame) -> bool {
    game.view.reserve.is_some() && game.own_side().is_some()
}

/// Returns the kinds of pieces in the player's reserve, strongest first.
fn kinds(game: &OpenGame) -> Vec<(Rank, bool, u8)> {
    let own = game.own_side().zip(game.view.reserve.as_ref()).map(|(side, reserves)| &reserves[side]);
    let Some(reserve) = own else { return Vec::new() };
    let unlabeled = reserve.unlabeled.unwrap_or_default();
    let unlabeled = unlabeled.iter().map(|(rank, count)| (rank, false, count));
    let labeled = reserve.labeled.iter().map(|(rank, count)| (rank, true, count));
    let mut kinds: Vec<_> = unlabeled.chain(labeled).collect();
    kinds.sort_by_key(|(rank, is_labeled, _)| (std::cmp::Reverse(*rank), *is_labeled));
    kinds
}

fn refusal_to_place(game: &OpenGame, square: Square) -> Option<String> {
    let (ruleset, side) = game.ruleset.zip(game.own_side())?;
    if !game.is_own_turn() {
        return Some(text!("refusal-not-your-turn"));
    }
    if !ruleset.shape.home(side).contains(square) {
        return Some(text!("place-not-home", square));
    }
    targets::piece_at(&game.view, square).map(|_| text!("place-not-empty", square))
}
