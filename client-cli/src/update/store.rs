//! Handles a server that cannot reach its store. Tells the user once when the store is lost, and
//! once when it is back. Repeats the unanswered requests when the store is back.

use flagfall_board::GameId;
use flagfall_protocol::{ClientToServer, Code};

use super::outbox;
use crate::model::{Link, Model};
use crate::text;

/// True if the client keeps a refused request because the server cannot reach its store. In this
/// case the user already knows that the store is unavailable.
pub(super) fn is_kept(model: &Model, game: Option<GameId>, code: &Code) -> bool {
    let is_coming_back = model.connection.was_online && model.connection.link != Link::Online;
    let stands_still = game.is_some_and(|game| model.connection.standing_still.contains(&game));
    code.as_str() == Code::STORE_UNAVAILABLE
        && (model.connection.is_store_away || stands_still || is_coming_back)
}

/// Handles a message about the part of the store that has this game.
pub(super) fn game_state(model: &mut Model, is_available: bool, game: GameId) {
    let games = &mut model.connection.standing_still;
    let is_news = if is_available { games.remove(&game) } else { games.insert(game) };
    if is_news && is_available {
        model.say(text!("store-game-back"));
        outbox::resend(model);
    } else if is_news {
        model.say(text!("store-game-away"));
    }
}

pub(super) fn state(model: &mut Model, is_available: bool) {
    if std::mem::replace(&mut model.connection.is_store_away, !is_available) != is_available {
        return;
    }
    if !is_available {
        model.say(text!("store-away"));
        return;
    }
    model.say(text!("store-back"));
    outbox::resend(model);
    if let Some(open) = &mut model.game {
        open.reopening = false;
    }
    if let Some(game) = model.opening {
        model.tell(ClientToServer::OpenGame { game, since: None });
    }
}
