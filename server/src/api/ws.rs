//! The only module that knows WebSockets.
//!
//! `listener` accepts connections and speaks HTTP on them, `keep_alive` says how long; `upgrade`
//! turns one into a WebSocket.
//! `connection` is the task of a WebSocket: it runs the pure `session` and writes to its `wire`.
//! `handshake` identifies the player behind a hello, `dispatch` dispatches an identified player's
//! messages, `chat` is chat and reports.

mod chat;
mod connection;
mod dispatch;
mod handshake;
mod keep_alive;
mod listener;
mod meter;
mod session;
mod upgrade;
mod wire;

pub use keep_alive::{KeepAlive, ListenerLimits};
pub use listener::{Doorkeeper, Peer, serve};
pub use session::{Closing, Refused, Session, Step};
pub(crate) use upgrade::{UpgradeRefusal, upgrade};
