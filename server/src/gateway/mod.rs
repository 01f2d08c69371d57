//! The only place that knows WebSockets.

mod connections;
mod outbox;
mod payload;

pub use connections::{Connections, Registration};
pub use outbox::{
    ConnectionId, OUTBOX_BYTES_MAX, OUTBOX_MESSAGES_MAX, Outbox, OutboxReader, Outgoing, outbox,
};
pub use payload::{PAYLOAD_BYTES_MAX, PAYLOAD_KINDS, Payload};
