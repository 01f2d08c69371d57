//! Delivery of messages to connections.
//!
//! A message is serialized once, into a [`Payload`]. The payload is put into the bounded
//! [`Outbox`] of each connection, and the task of the connection writes it to the socket, unless
//! it was written at once ([`together`]).
//! [`Connections`] maps players to their connections.

mod payload;
#[cfg(test)]
pub(crate) mod reading;
mod recent_tokens;
mod send_queue;
mod sessions;

pub use payload::{PAYLOAD_BYTES_MAX, Payload};
pub use send_queue::{
    Account, ConnectionId, OUTBOX_BYTES_MAX, OUTBOX_MESSAGES_MAX, Outbox, OutboxReader, Sink, outbox,
    together,
};
pub use sessions::{Connections, Registration};
