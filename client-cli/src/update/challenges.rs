//! Challenges to this player, and answers to the player's own challenges.

use flagfall_protocol::{ClientToServer, Exit, Invitation, Player};

use super::exit::exit;
use super::{goal, outbox};
use crate::input::{self, Action};
use crate::model::{Goal, How, Model, OpenGame, Prompt, Wish};
use crate::request::Request;
use crate::{text, words};

/// Handles a challenge to this player: shows it immediately, and says what to type or press.
pub(super) fn challenged(model: &mut Model, invitation: Invitation) {
    let server = model.options.server_flag();
    let code = &invitation.challenge;
    let how = if model.options.face.is_program() {
        text!("challenged-program", server, code)
    } else if model.options.face.prints() {
        text!("challenged-type", code)
    } else {
        text!("challenged-press", key = input::key_for(Action::AnswerChallenge))
    };
    if model.options.face.prints() {
        model.say(words(&invitation));
        model.say(how);
    } else {
        model.say(text!("challenged-note", challenge = words(&invitation), how));
    }
    model.challenges.received = Some(invitation);
}

/// Reports that a challenge to this player is no longer open.
pub(super) fn gone(model: &mut Model, challenge: &str, challenger: &Player, reason: Option<&str>) {
    let reason = reason.unwrap_or("other");
    model.say(text!("challenge-gone", player = words::player(challenger), reason));
    if model.challenges.received.take_if(|invitation| invitation.challenge == challenge).is_some()
        && matches!(model.ui.prompt, Some(Prompt::Challenge(_)))
    {
        model.ui.prompt = None;
    }
}

/// Describes a challenge: the challenger, the terms, and the player's side.
pub(super) fn words(invitation: &Invitation) -> String {
    let (player, terms) = (words::player(&invitation.challenger), words::terms(&invitation.terms));
    match invitation.your_side {
        Some(side) => text!("challenged-side", player, terms, side),
        None => text!("challenged", player, terms),
    }
}

/// Asks how to answer the latest challenge (full screen).
pub(super) fn prompt(model: &mut Model) {
    model.ui.prompt =
        model.challenges.received.as_ref().map(|invitation| Prompt::Challenge(words(invitation)));
}

pub(super) fn accept_latest(model: &mut Model) {
    if let Some(invitation) = model.challenges.received.take() {
        accept(model, &invitation.challenge);
    }
}

pub(super) fn decline(model: &mut Model) {
    model.ui.prompt = None;
    if let Some(invitation) = model.challenges.received.take() {
        outbox::request(model, Request::Decline { challenge: invitation.challenge });
    }
}

/// Accepts a challenge by its code. Withdraws the player's own offer, so that only one game
/// starts.
pub(super) fn accept(model: &mut Model, code: &str) {
    outbox::cancel_seek(model);
    let is_free = model.game.as_ref().is_none_or(OpenGame::is_over);
    if is_free && model.is_for_pool() {
        outbox::send_once(model, |cmd_id| ClientToServer::LeavePool { cmd_id });
    }
    if is_free && !model.is_mail() {
        let setup = model.wish().and_then(|wish| wish.setup.clone());
        let how = How::Accept(code.to_owned());
        model.goal = Goal::Play(Wish { how, setup, ..Wish::default() });
        goal::wait(model, &text!("game-begins-soon"), Vec::new());
    }
    outbox::send(model, |cmd_id| ClientToServer::AcceptChallenge {
        cmd_id,
        challenge: code.to_owned(),
        secret: false,
    });
}

pub(super) fn answered(model: &mut Model, code: &str, by: &Player, accepted: bool) {
    let player = words::player(by);
    if accepted {
        return model.say(text!("challenge-accepted", player));
    }
    let word = text!("challenge-declined", player);
    if model.challenges.own.as_deref() == Some(code) {
        // This client was started only to wait for this answer.
        model.challenges.own = None;
        return exit(model, Exit::Refused, word);
    }
    model.say(word);
}
