//! Conditions for the keys.

use flagfall_rules::Start;

use crate::model::{Model, OpenGame, Prompt};

/// Maximum length of a typed move.
const MOVE_LEN_MAX: usize = 8;

pub(super) fn is_challenged(model: &Model) -> bool {
    model.challenges.received.as_ref().is_some_and(|invitation| invitation.expires > model.server_now())
}

/// True if the prompt for placing a piece offers more than one rank.
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

/// True if the ruleset has commands that the player types as words.
pub(super) fn has_commands(game: &OpenGame) -> bool {
    game.ruleset.is_some_and(|ruleset| ruleset.chips || ruleset.reserve || ruleset.start == Start::Coins)
}

pub(super) fn is_typing_move(game: &OpenGame) -> bool {
    !game.typed.starts_with(':') && game.typed.len() < MOVE_LEN_MAX
}

/// True if a letter is a column of the game's board.
pub(super) fn is_column(game: &OpenGame, letter: char) -> bool {
    let columns = game.ruleset.map_or(0, |ruleset| ruleset.shape.columns);
    letter.is_ascii_lowercase() && (letter as u8).wrapping_sub(b'a') < columns
}
