//! The screen that receives the keys.

use flagfall_protocol::Phase;

use crate::model::{Model, Page, Prompt};

/// The screen that receives the keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Screen {
    Help,
    Question,
    History,
    Claim,
    Challenge,
    Message,
    Name,
    Color,
    Reserve,
    Saved,
    Record,
    Waiting,
    List,
    Terms,
    Deploying,
    /// The player has typed a part of a move or a command.
    Typing,
    Playing,
    /// A game in which this client can take no action.
    Watching,
}

impl Screen {
    pub const fn has_list(self) -> bool {
        matches!(self, Screen::Help | Screen::History | Screen::List | Screen::Reserve | Screen::Saved)
    }
}

pub fn screen(model: &Model) -> Screen {
    if model.ui.help.is_some() { Screen::Help } else { screen_below(model) }
}

pub(super) fn screen_below(model: &Model) -> Screen {
    if let Some(prompt) = &model.ui.prompt {
        return match prompt {
            Prompt::Resign
            | Prompt::Abort
            | Prompt::Leave(_)
            | Prompt::IllegalMove(_)
            | Prompt::Remove(_) => Screen::Question,
            Prompt::Challenge(_) => Screen::Challenge,
            Prompt::Claim => Screen::Claim,
            Prompt::Say(_) => Screen::Message,
            Prompt::Color(_) => Screen::Color,
            Prompt::Place { .. } => Screen::Reserve,
            Prompt::SaveAs(_) => Screen::Name,
            Prompt::Load { .. } => Screen::Saved,
        };
    }
    match (&model.ui.page, &model.game) {
        _ if model.ui.history.is_some() => Screen::History,
        _ if model.ui.replay.is_some() => Screen::Record,
        (Page::Waiting { .. }, _) | (Page::Game, None) => Screen::Waiting,
        (Page::Choosing(_), _) => Screen::List,
        (Page::Terms { .. }, _) => Screen::Terms,
        (Page::Game, Some(game)) if game.editor.is_some() => Screen::Deploying,
        (Page::Game, Some(game)) if game.view.phase != Phase::Playing || !game.is_acting() => {
            Screen::Watching
        }
        (Page::Game, Some(game)) if game.typed.is_empty() => Screen::Playing,
        (Page::Game, Some(_)) => Screen::Typing,
    }
}
