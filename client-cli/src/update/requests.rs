//! HTTP requests beside the WebSocket.

use crate::model::{Effect, Model};
use crate::request::Request;

pub(super) fn start(model: &mut Model, request: Request, out: &mut Vec<Effect>) {
    model.connection.requests += 1;
    out.push(Effect::Request(request));
}
