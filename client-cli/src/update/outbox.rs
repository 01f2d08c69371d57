//! Commands and HTTP requests on their way to the server.

use flagfall_protocol::ClientToServer;

use crate::model::{Effect, Link, Model, Pending};
use crate::request::Request;
use crate::text;

/// Most commands that are kept while the connection is down.
const PENDING_MAX: usize = 8;

/// Sends a command, and repeats it on the next connection until it is answered.
pub(super) fn send(model: &mut Model, message: ClientToServer, out: &mut Vec<Effect>) {
    let cmd_id = match &message {
        ClientToServer::Seek { cmd_id, .. }
        | ClientToServer::CancelSeek { cmd_id, .. }
        | ClientToServer::AcceptSeek { cmd_id, .. }
        | ClientToServer::Challenge { cmd_id, .. }
        | ClientToServer::CancelChallenge { cmd_id, .. }
        | ClientToServer::AcceptChallenge { cmd_id, .. }
        | ClientToServer::PlayBot { cmd_id, .. }
        | ClientToServer::EnterPool { cmd_id, .. }
        | ClientToServer::LeavePool { cmd_id }
        | ClientToServer::Rematch { cmd_id, .. }
        | ClientToServer::Say { cmd_id, .. }
        | ClientToServer::Report { cmd_id, .. }
        | ClientToServer::Command { cmd_id, .. } => Some(cmd_id.clone()),
        ClientToServer::Hello { .. }
        | ClientToServer::Pong { .. }
        | ClientToServer::OpenLobby {}
        | ClientToServer::CloseLobby {}
        | ClientToServer::ShowChallenge { .. }
        | ClientToServer::OpenGame { .. }
        | ClientToServer::CloseGame { .. }
        | ClientToServer::MyGames {} => None,
    };
    if let Some(cmd_id) = cmd_id {
        if model.connection.pending.len() >= PENDING_MAX {
            model.say(text!("outbox-full"));
            return;
        }
        model.connection.pending.push(Pending { cmd_id, message: message.clone() });
        if model.connection.link != Link::Online {
            model.say(text!("outbox-waits"));
        }
    }
    if model.connection.link == Link::Online {
        out.push(Effect::Send(message));
    }
}

/// Makes an HTTP request.
pub(super) fn request(model: &mut Model, request: Request, out: &mut Vec<Effect>) {
    model.connection.requests += 1;
    out.push(Effect::Request(request));
}

/// Repeats every unanswered command with the same id. The server repeats its answer to those it
/// already carried out.
pub(super) fn resend(model: &Model, out: &mut Vec<Effect>) {
    out.extend(model.connection.pending.iter().map(|pending| Effect::Send(pending.message.clone())));
}

/// At most `most_ms`; half of it is random.
pub(super) fn jittered_ms(model: &mut Model, most_ms: u64) -> u64 {
    let half = most_ms / 2;
    half + model.random.below(half as usize + 1) as u64
}
