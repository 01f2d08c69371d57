//! A server that does not reach its store: one word when it begins and one when it is over, and what was asked meanwhile is asked again then.

use flagfall_protocol::{ClientToServer, Code};

use super::link;
use crate::model::{Effect, Link, Model};

/// Whether what the server refuses now goes on waiting: it was refused for want of the store, and everybody knows that.
pub(super) fn is_kept(model: &Model, code: &Code) -> bool {
    let is_coming_back = model.was_online && model.link != Link::Online;
    code.as_str() == Code::STORE_UNAVAILABLE && (model.is_store_away || is_coming_back)
}

/// The store is out of reach, or there again.
pub(super) fn state(model: &mut Model, is_available: bool, out: &mut Vec<Effect>) {
    if std::mem::replace(&mut model.is_store_away, !is_available) != is_available {
        return;
    }
    if !is_available {
        model.say("The server cannot reach its store: nothing can be played for now. What you ask for is done when it is back.");
        return;
    }
    model.say("The server reaches its store again.");
    link::resend(model, out);
    if let Some(open) = &mut model.game {
        open.reopening = false;
    }
    if let Some(game) = model.opening {
        out.push(Effect::Send(ClientToServer::OpenGame { game, since: None }));
    }
}
