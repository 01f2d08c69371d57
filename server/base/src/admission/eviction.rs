//! The standing of a connection, and the signal that evicts it.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::task::AtomicWaker;

/// What is known about a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Standing {
    /// No request and no hello yet: it may be evicted.
    Silent,
    /// An HTTP request or a hello is being handled.
    Speaking,
    /// A new guest.
    Newcomer,
    /// A player with a known token.
    Known,
    /// It was evicted, and is being closed.
    Evicted,
}

/// Tells a silent connection that it is evicted.
pub(crate) struct Eviction {
    /// False once the player has said hello: then the connection cannot be evicted any more.
    pub(crate) may_come: AtomicBool,
    pub(super) is_out: AtomicBool,
    pub(super) waker: AtomicWaker,
}

impl Default for Eviction {
    fn default() -> Eviction {
        Eviction {
            may_come: AtomicBool::new(true),
            is_out: AtomicBool::new(false),
            waker: AtomicWaker::new(),
        }
    }
}

impl Eviction {
    pub(crate) fn evict(&self) {
        self.is_out.store(true, Ordering::SeqCst);
        self.waker.wake();
    }
}
