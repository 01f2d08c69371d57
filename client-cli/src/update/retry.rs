//! Repeats requests that the server temporarily cannot carry out, at growing intervals. Tells the
//! user once.
//!
//! For a program that plays many games in a row, requests are repeated after more kinds of
//! refusals than for a person.

use flagfall_protocol::{ClientToServer, CloseCode, Code, CommandId, ServerToClient};

use super::{goal, outbox};
use crate::model::{How, Link, Model, Retry};
use crate::{text, words};

/// The maximum delay before the first retry.
const FIRST_MS: u64 = 1_000;
/// The maximum delay before each later retry.
const LONGEST_MS: u64 = 30_000;

/// True if a refused request is kept and repeated, because the refusal is temporary.
pub(super) fn is_kept(model: &mut Model, cmd_id: Option<&CommandId>, code: &Code, message: &str) -> bool {
    let is_program = model.options.face.is_program();
    let is_for_now = match code.as_str() {
        // This refusal may also answer a hello, because only the records of this player may be
        // unavailable.
        Code::STORE_UNAVAILABLE => true,
        Code::STOPPING | Code::INTERNAL | Code::TOO_MANY | Code::LEFT_GAMES => is_program,
        _ => false,
    };
    if !is_for_now || model.game.is_some() || model.is_mail() {
        return false;
    }
    let is_asked = match cmd_id {
        Some(cmd_id) => model.connection.pending.iter().any(|pending| pending.cmd_id == *cmd_id),
        // The refusal has no command id, so it may answer a hello, a question about a challenge,
        // or a request to open a game. A client that plays for a program may also have sent too
        // many messages.
        None => {
            model.connection.link != Link::Online
                || model.opening.is_some()
                || is_looking_at_challenge(model)
                || (is_program && code.as_str() == Code::TOO_MANY)
        }
    };
    if is_asked {
        wait(model, message);
    }
    is_asked
}

/// True if the client tries again after a connection that closed before the first welcome.
pub(super) fn outlasts(model: &mut Model, code: Option<u16>, why: &str) -> bool {
    let is_told = code.is_some_and(|code| CloseCode::is_to_wait(code) || code == CloseCode::Shutdown as u16);
    if model.options.face.is_program() && is_told && model.connection.retry.is_none() {
        wait(model, why);
    }
    model.connection.retry.is_some()
}

/// Stops repeating once the awaited answer has arrived.
pub(super) fn heard(model: &mut Model, message: &ServerToClient) {
    let has_come = match message {
        ServerToClient::Accepted { .. } | ServerToClient::Game { .. } | ServerToClient::Challenge { .. } => {
            true
        }
        // A welcome is the awaited answer only if the client waits for no other answer.
        ServerToClient::Welcome { .. } => model.connection.pending.is_empty() && model.opening.is_none(),
        _ => false,
    };
    if has_come {
        model.connection.retry = None;
    }
}

/// Repeats the request when it is due and the store is available.
pub(super) fn tick(model: &mut Model) {
    let Some(retry) = &mut model.connection.retry else { return };
    if model.connection.link != Link::Online
        || model.connection.is_store_away
        || retry.at.is_none_or(|at| model.clock.now < at)
    {
        return;
    }
    retry.at = None;
    if let Some(game) = model.opening {
        model.tell(ClientToServer::OpenGame { game, since: None });
    } else if !model.connection.pending.is_empty() {
        outbox::resend(model);
    } else if is_looking_at_challenge(model) {
        goal::begin(model);
    }
}

/// Tells the user once why the request failed, and schedules the next attempt.
fn wait(model: &mut Model, why: &str) {
    let Retry { refusals, .. } = model.connection.retry.unwrap_or_default();
    if refusals == 0 {
        model.say(text!("retrying", why = words::sentence(why)));
    }
    let delay_ms = outbox::jittered_ms(model, (FIRST_MS << refusals.min(10)).min(LONGEST_MS));
    model.connection.retry =
        Some(Retry { refusals: refusals.saturating_add(1), at: Some(model.clock.now + delay_ms) });
}

fn is_looking_at_challenge(model: &Model) -> bool {
    model.opening.is_none() && matches!(model.wish(), Some(wish) if matches!(wish.how, How::Accept(_)))
}
