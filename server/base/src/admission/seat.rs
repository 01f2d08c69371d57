//! The slot that a connection takes up in the connection counts.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Context;

use tokio::time::Instant;

use super::counts::Counts;
use super::network::Client;
use super::state::Eviction;

/// A connection's slot in the connection counts. Dropping this value frees the slot.
pub struct Seat {
    pub(super) counts: Arc<Counts>,
    pub(crate) number: u64,
    pub(crate) eviction: Arc<Eviction>,
}

impl Seat {
    /// True until the player has sent a hello. After that, the connection is never evicted.
    pub fn may_be_evicted(&self) -> bool {
        self.eviction.may_come.load(Ordering::Relaxed)
    }

    /// True if the connection has been evicted. If not, the calling task is woken when the
    /// connection is evicted.
    pub fn poll_evicted(&self, cx: &Context<'_>) -> bool {
        if !self.may_be_evicted() {
            return false;
        }
        if self.is_evicted() {
            return true;
        }
        self.eviction.waker.register(cx.waker());
        self.is_evicted()
    }

    pub fn is_evicted(&self) -> bool {
        self.eviction.is_out.load(Ordering::SeqCst)
    }

    /// Returns the client of the connection. `None` for a connection from a proxy that has not
    /// yet named the client.
    pub fn client(&self) -> Option<Client> {
        self.counts.state.lock().client_of(self.number)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.counts.state.lock().leave(self.number, Instant::now());
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seat({})", self.number)
    }
}
