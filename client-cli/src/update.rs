//! The pure core of the client: how messages change the model.

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

use crate::input;
use crate::model::{Effect, Link, Message, Model};
use crate::text;

/// Applies a message to the model and returns the effects to carry out.
pub fn update(model: &mut Model, message: Message) -> Vec<Effect> {
    let mut out = Vec::new();
    match message {
        Message::Started => out.push(Effect::Connect { delay_ms: 0 }),
        Message::Tick => {
            absence::tick(model);
            link::tick(model, &mut out);
            retry::tick(model, &mut out);
            saving::tick(model, &mut out);
        }
        Message::Connected => link::connected(model, &mut out),
        Message::ConnectFailed { why, advice } => link::connect_failed(model, &why, &advice, &mut out),
        Message::Disconnected { code, why } => link::disconnected(model, code, &why, &mut out),
        Message::Received(message) => {
            model.connection.heard_at = model.clock.now;
            server::received(model, *message, &mut out);
        }
        Message::NotUnderstood { why } => {
            model.connection.heard_at = model.clock.now;
            model.say(text!("message-not-understood", why));
        }
        Message::Key(key) => {
            if let Some(action) = input::action(model, key) {
                actions::act(model, action, &mut out);
            }
        }
        Message::Click(square) => actions::click(model, square, &mut out),
        Message::Line(line) => commands::typed(model, &line, &mut out),
        Message::Command(command) => game::command(model, command, &mut out),
        Message::Again => goal::again(model, &mut out),
        Message::Answered { request, answer } => answers::answered(model, request, answer, &mut out),
        Message::InputEnded => commands::ended(model, &mut out),
        Message::Stop => leaving::leave(model, &mut out),
        Message::FileError { why } => model.say(why),
        Message::Unsaved { why } => saving::unsaved(model, why),
        Message::Saved => saving::saved(model),
    }
    commands::resume(model, &mut out);
    // Only the hello is sent before the welcome. Other requests are repeated after it.
    let is_online = model.connection.link == Link::Online;
    out.retain(|effect| match effect {
        Effect::Send(ClientToServer::Hello { .. }) => true,
        Effect::Send(_) => is_online,
        _ => true,
    });
    out
}

#[cfg(test)]
mod tests;
