//! The only place that knows WebSockets.
//!
//! `listener` takes connections and speaks HTTP on them; `upgrade` turns one into a WebSocket; `connection` is its task, around
//! the pure `session`, and writes on its `wire`; `entrance` finds out who says hello, `desk` hands an identified player's messages on.

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
