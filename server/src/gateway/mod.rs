//! The only module that knows WebSockets.
//!
//! `listener` accepts connections and speaks HTTP on them; `upgrade` turns one into a WebSocket.
//! `connection` is the task of a WebSocket: it runs the pure `session` and writes to its `wire`.
//! `entrance` identifies the player behind a hello, from `visitors` while the store is unavailable.
//! `desk` dispatches an identified player's messages. Outgoing messages are [`Payload`]s in an
//! [`Outbox`].

mod connection;
mod connections;
mod desk;
mod entrance;
mod listener;
mod manners;
mod meter;
mod outbox;
mod payload;
mod session;
mod upgrade;
mod visitors;
mod wire;

pub use connections::{Connections, Registration};
pub use listener::{Doorkeeper, ListenerLimits, Peer, serve};
#[cfg(test)]
pub(crate) use manners::MannersRefusal;
pub use outbox::{
    ConnectionId, OUTBOX_BYTES_MAX, OUTBOX_MESSAGES_MAX, Outbox, OutboxReader, Outgoing, outbox,
};
pub use payload::{PAYLOAD_BYTES_MAX, PAYLOAD_KINDS, Payload};
pub use session::{Closing, Session, Step};
pub(crate) use upgrade::upgrade;
