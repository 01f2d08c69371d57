//! The WebSocket API. No other module uses WebSockets.
//!
//! `listener` accepts connections and speaks HTTP on them, and `keep_alive` limits for how long.
//! `upgrade` turns a request into a WebSocket. `connection` is the task of a WebSocket: it runs the
//! pure `session` and writes to its `wire`. `handshake` identifies the player behind a hello,
//! `dispatch` dispatches the messages of an identified player, and `chat` handles chat and reports.

mod chat;
mod connection;
mod dispatch;
mod frames;
mod handshake;
mod keep_alive;
mod listener;
mod session;
mod upgrade;
mod wire;

pub use keep_alive::{KeepAlive, ListenerLimits};
pub use listener::{Doorkeeper, Peer, serve};
pub use session::{Closing, RefusedMessage, Session, Step};
pub(crate) use upgrade::{UpgradeRefusal, upgrade};
