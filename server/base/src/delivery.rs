//! From a message to the connections that are to get it.
//!
//! A message becomes a [`Payload`] once, goes into the bounded [`Outbox`] of each connection, and
//! is written by that connection's task. [`Connections`] knows which connections a player has.

mod payload;
mod recent_tokens;
mod send_queue;
mod sessions;

pub use payload::{PAYLOAD_BYTES_MAX, Payload};
pub use send_queue::{
    Account, ConnectionId, OUTBOX_BYTES_MAX, OUTBOX_MESSAGES_MAX, Outbox, OutboxReader, Outgoing, outbox,
};
pub use sessions::{Connections, Registration};
