//! The pure core of the client. It changes the model in response to messages.

mod absence;
mod actions;
mod answers;
mod challenges;
mod chat;
mod commands;
mod exit;
mod game;
mod goal;
mod leaving;
mod link;
mod mail;
mod outbox;
mod pool;
mod premove;
mod questions;
mod ratings;
mod reserve;
mod retry;
mod saving;
mod server;
mod store;

use flagfall_protocol::ClientToServer;

use crate::model::{Effect, Link, Message, Model};
use crate::{input, text};

/// Applies a message to the model, and returns the effects to carry out.
pub fn update(model: &mut Model, message: Message) -> Vec<Effect> {
    match message {
        Message::Started => model.effects.push(Effect::Connect { delay_ms: 0 }),
        Message::Tick => {
            absence::tick(model);
            link::tick(model);
            retry::tick(model);
            saving::tick(model);
        }
        Message::Connected => link::connected(model),
        Message::ConnectFailed { why, advice } => link::connect_failed(model, &why, &advice),
        Message::Disconnected { code, why } => link::disconnected(model, code, &why),
        Message::Received(message) => {
            model.connection.heard_at = model.clock.now;
            server::received(model, *message);
        }
        Message::NotUnderstood { why } => {
            model.connection.heard_at = model.clock.now;
            model.say(text!("message-not-understood", why));
        }
        Message::Key(key) => {
            if let Some(action) = input::action(model, key) {
                actions::act(model, action);
            }
        }
        Message::Click(square) => actions::click(model, square),
        Message::Line(line) => commands::typed(model, &line),
        Message::Command(command) => game::command(model, command),
        Message::Again => goal::again(model),
        Message::Answered { request, answer } => answers::answered(model, request, answer),
        Message::InputEnded => commands::ended(model),
        Message::Stop => leaving::leave(model),
        Message::FileError { why } => model.say(why),
        Message::Unsaved { why } => saving::unsaved(model, why),
        Message::Saved => saving::saved(model),
    }
    commands::resume(model);
    // Only a hello is sent before the welcome. Other requests are repeated after the welcome.
    let is_online = model.connection.link == Link::Online;
    let is_too_early = |effect: &Effect| matches!(effect, Effect::Send(sent) if !matches!(sent, ClientToServer::Hello { .. }));
    let mut effects = std::mem::take(&mut model.effects);
    effects.retain(|effect| is_online || !is_too_early(effect));
    effects
}

#[cfg(test)]
mod tests;
