//! A connection's place in the count, and its eviction.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Context;

use futures_util::task::AtomicWaker;

use super::{Admission, Client};

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
    is_out: AtomicBool,
    waker: AtomicWaker,
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

/// A connection's place in the count. Dropping it frees the place.
pub struct Seat {
    pub(crate) admission: Admission,
    pub(crate) number: u64,
    pub(crate) eviction: Arc<Eviction>,
}

impl Seat {
    /// True if the connection was evicted. Otherwise, if it still can be, the task is woken when it
    /// is.
    pub fn poll_evicted(&self, cx: &Context<'_>) -> bool {
        if !self.eviction.may_come.load(Ordering::Relaxed) {
            return false;
        }
        if self.is_evicted() {
            return true;
        }
        self.eviction.waker.register(cx.waker());
        self.is_evicted()
    }

    /// True if the connection was evicted.
    #[must_use]
    pub fn is_evicted(&self) -> bool {
        self.eviction.is_out.load(Ordering::SeqCst)
    }

    /// The client of the connection; `None` until a proxy has named it.
    #[must_use]
    pub fn client(&self) -> Option<Client> {
        self.admission.client_of(self.number)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.admission.leave(self.number);
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seat({})", self.number)
    }
}
