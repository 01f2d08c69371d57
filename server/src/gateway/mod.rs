//! The only place that knows WebSockets.
//!
//! `listener` takes connections and speaks HTTP on them; `upgrade` turns one into a WebSocket; `connection` is its task, around
//! the pure `session`, and writes on its `wire`; `entrance` finds out who says hello, with `visitors` for whom while the store is away; `desk` hands an identified player's messages on. What goes out is a [`Payload`] in an [`Outbox`].

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
