//! Delivery of messages to connections.
//!
//! A message is turned into a [`Payload`] once. The payload goes into the bounded [`Outbox`] of
//! each connection, and the connection's task writes it. [`Connections`] maps players to their
//! connections.

mod payload;
mod recent_tokens;
mod send_queue;
mod sessions;

pub use payload::{PAYLOAD_BYTES_MAX, Payload};
pub use send_queue::{
    Account, ConnectionId, OUTBOX_BYTES_MAX, OUTBOX_MESSAGES_MAX, Outbox, OutboxReader, Outgoing, outbox,
};
pub use sessions::{Connections, Registration};
