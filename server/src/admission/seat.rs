//! A connection's place in the count, and how it loses it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Context;

use futures_util::task::AtomicWaker;

use super::{Admission, Client};

/// What is known of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Standing {
    /// No request and no hello yet: it may have to make room.
    Silent,
    /// An HTTP request is being answered, or a hello looked at.
    Speaking,
    /// A guest who has just come.
    Newcomer,
    /// A player whose token was known.
    Known,
    /// It had to make room, and is closed.
    Evicted,
}

/// How a silent connection is told to make room.
pub(super) struct Eviction {
    /// Whether it may still have to: nobody makes room who has said hello.
    pub(super) may_come: AtomicBool,
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
    pub(super) fn evict(&self) {
        self.is_out.store(true, Ordering::SeqCst);
        self.waker.wake();
    }
}

/// A connection's place in the count: dropping it gives the place back.
pub struct Seat {
    pub(super) admission: Admission,
    pub(super) number: u64,
    pub(super) eviction: Arc<Eviction>,
}

impl Seat {
    /// True if the connection had to make room. If not, and it may have to, the task is woken when
    /// it has to.
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

    /// True if the connection had to make room.
    #[must_use]
    pub fn is_evicted(&self) -> bool {
        self.eviction.is_out.load(Ordering::SeqCst)
    }

    /// Whose connection it is; none as long as a proxy has not named the client.
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
