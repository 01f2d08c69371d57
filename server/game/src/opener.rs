//! A connection that opens a game.

use flagfall_base::delivery::Outbox;
use flagfall_base::request_id::RequestId;
use flagfall_protocol::{Player, Position};

/// A connection that wants to be shown a game.
#[derive(Clone, Debug)]
pub struct Opener {
    pub outbox: Outbox,
    pub player: Player,
    /// What the client has seen already.
    pub since: Option<Position>,
    pub request: RequestId,
}
