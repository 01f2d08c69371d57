//! When a key does something.

use flagfall_protocol::Phase;
use flagfall_rules::Start;

use crate::model::{Model, OpenGame, Prompt};

/// Most characters of a typed move.
const MOVE_LEN_MAX: usize = 8;

pub(super) fn game(model: &Model) -> Option<&OpenGame> {
    model.game.as_ref()
}

pub(super) fn is_welcome(model: &Model) -> bool {
    model.login.player.is_some()
}

pub(super) fn is_challenged(model: &Model) -> bool {
    model.challenges.received.as_ref().is_some_and(|invitation| invitation.expires > model.server_now())
}

pub(super) fn is_player(model: &Model) -> bool {
    game(model).is_some_and(|game| game.own_side().is_some())
}

pub(super) fn is_over_for_player(model: &Model) -> bool {
    game(model).is_some_and(|game| game.view.phase == Phase::Over) && is_player(model)
}

pub(super) fn has_picked(model: &Model) -> bool {
    let editor = game(model).and_then(|game| game.editor.as_ref());
    editor.is_some_and(|editor| editor.picked().is_some())
}

pub(super) fn has_selected_or_planned(model: &Model) -> bool {
    game(model).is_some_and(|game| game.selected.is_some() || game.premove.is_some())
}

pub(super) fn has_reserve(model: &Model) -> bool {
    game(model).is_some_and(|game| game.view.reserve.is_some())
}

/// True if some commands of the ruleset need words.
pub(super) fn has_commands(model: &Model) -> bool {
    let ruleset = game(model).and_then(|game| game.ruleset);
    ruleset.is_some_and(|ruleset| ruleset.chips || ruleset.reserve || ruleset.start == Start::Coins)
}

/// True if pieces of several ranks can be placed.
pub(super) fn lists_ranks(model: &Model) -> bool {
    let Some(Prompt::Place { kinds, .. }) = &model.ui.prompt else { return false };
    kinds.windows(2).any(|pair| pair[0].0 != pair[1].0)
}

pub(super) fn has_help_above(model: &Model) -> bool {
    model.ui.help.is_some_and(|help| help.first > 0)
}

pub(super) fn has_help_below(model: &Model) -> bool {
    model.ui.help.is_some_and(|help| help.first < help.last)
}

pub(super) fn has_older(model: &Model) -> bool {
    model.ui.history.is_some_and(|newer| newer + 1 < model.notes.len())
}

pub(super) fn has_newer(model: &Model) -> bool {
    model.ui.history.is_some_and(|newer| newer > 0)
}

pub(super) fn owes_color(model: &Model) -> bool {
    game(model).is_some_and(OpenGame::is_owing_color)
}

pub(super) fn is_choosing(model: &Model) -> bool {
    game(model).is_some_and(OpenGame::is_choosing)
}

pub(super) fn is_offered_draw(model: &Model) -> bool {
    game(model).is_some_and(OpenGame::is_offered_draw)
}

pub(super) fn is_claimable(model: &Model) -> bool {
    game(model).is_some_and(|game| game.claimable_in_ms(model.server_now()).is_some())
}

pub(super) fn is_resignable(model: &Model) -> bool {
    game(model).is_some_and(|game| game.view.phase == Phase::Playing)
}

pub(super) fn is_abortable(model: &Model) -> bool {
    game(model).is_some_and(OpenGame::is_abortable)
}

pub(super) fn is_typing_command(model: &Model) -> bool {
    game(model).is_some_and(|game| game.typed.starts_with(':'))
}

pub(super) fn is_typing_move(model: &Model) -> bool {
    game(model).is_some_and(|game| !game.typed.starts_with(':') && game.typed.len() < MOVE_LEN_MAX)
}

pub(super) fn types_draw(model: &Model) -> bool {
    game(model).is_some_and(|game| game.typed == "d")
}

pub(super) fn types_acceptance(model: &Model) -> bool {
    types_draw(model) && is_offered_draw(model)
}

pub(super) fn may_offer_draw(model: &Model) -> bool {
    game(model).is_some_and(|game| game.view.draw_offer.is_none())
}

/// True if `n` is no column of the board.
pub(super) fn is_narrow(model: &Model) -> bool {
    !is_column(model, 'n')
}

/// True if a letter is a column of the game's board.
pub(super) fn is_column(model: &Model, letter: char) -> bool {
    let ruleset = game(model).and_then(|game| game.ruleset);
    let columns = ruleset.map_or(0, |ruleset| ruleset.shape.columns);
    letter.is_ascii_lowercase() && (letter as u8).wrapping_sub(b'a') < columns
}
