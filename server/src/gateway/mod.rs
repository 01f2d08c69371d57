//! The only module that knows WebSockets.
//!
//! `listener` accepts connections and speaks HTTP on them; `upgrade` turns one into a WebSocket.
//! `connection` is the task of a WebSocket: it runs the pure `session` and writes to its `wire`.
//! `entrance` identifies the player behind a hello, `desk` dispatches an identified player's messages,
//! `manners` is chat and reports.

mod connection;
mod desk;
mod entrance;
mod listener;
mod manners;
mod meter;
mod session;
mod upgrade;
mod wire;

pub use listener::{Doorkeeper, ListenerLimits, Peer, serve};
#[cfg(test)]
pub(crate) use manners::MannersRefusal;
pub use session::{Closing, Session, Step};
pub(crate) use upgrade::upgrade;
