//! HTTP requests beside the WebSocket.

use crate::model::{Effect, Model};
use crate::request::Request;

/// Makes an HTTP request.
pub(super) fn start(model: &mut Model, request: Request, out: &mut Vec<Effect>) {
    model.connection.requests += 1;
    out.push(Effect::Request(request));
}
