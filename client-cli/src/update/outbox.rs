//! Commands and HTTP requests to the server.

use flagfall_protocol::{ClientToServer, CommandId, EventPosition};

use crate::model::{Effect, Link, Model, Pending};
use crate::request::Request;
use crate::text;

/// Maximum number of commands kept while the connection is down.
const PENDING_MAX: usize = 8;

/// Sends a command, and repeats it on each new connection until it is answered. Returns its id.
pub(super) fn send(model: &mut Model, message: impl FnOnce(CommandId) -> ClientToServer) -> CommandId {
    let cmd_id = model.random.command_id();
    if model.connection.pending.len() >= PENDING_MAX {
        model.say(text!("outbox-full"));
        return cmd_id;
    }
    let message = message(cmd_id.clone());
    model.connection.pending.push(Pending { cmd_id: cmd_id.clone(), message: message.clone() });
    if model.connection.link == Link::Online {
        model.tell(message);
    } else {
        model.say(text!("outbox-waits"));
    }
    cmd_id
}

/// Sends a command once, without waiting for the answer.
pub(super) fn send_once(model: &mut Model, message: impl FnOnce(CommandId) -> ClientToServer) {
    let cmd_id = model.random.command_id();
    model.tell(message(cmd_id));
}

pub(super) fn cancel_seek(model: &mut Model) {
    if let Some(seek) = model.lobby.seek.take() {
        send_once(model, |cmd_id| ClientToServer::CancelSeek { cmd_id, seek });
    }
}

/// Asks for the events in the open game since the last one that the client received.
pub(super) fn reopen(model: &mut Model) {
    let Some(game) = &mut model.game else { return };
    game.reopening = true;
    let since = Some(EventPosition { epoch: game.epoch, seq: game.seq });
    let game = game.summary.id;
    model.tell(ClientToServer::OpenGame { game, since });
}

pub(super) fn request(model: &mut Model, request: Request) {
    model.connection.requests += 1;
    model.effects.push(Effect::Request(request));
}

/// Repeats every unanswered command with the same id. If the server has already carried out a
/// command, the server only repeats the answer.
pub(super) fn resend(model: &mut Model) {
    model
        .effects
        .extend(model.connection.pending.iter().map(|pending| Effect::Send(pending.message.clone())));
}

/// Returns a delay of at most `most_ms`, half of which is random.
pub(super) fn jittered_ms(model: &mut Model, most_ms: u64) -> u64 {
    let half = most_ms / 2;
    half + model.random.below(half as usize + 1) as u64
}
