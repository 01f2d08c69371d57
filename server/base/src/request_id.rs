//! The name of one request, by which a player's report and the server's log find each other.

use std::fmt;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::random::random_bytes;

/// A message of a client or a request over HTTP. It is part of every refusal, and of the log lines
/// about the request, so an operator can find what a player reports.
///
/// Unique on a server, and with overwhelming probability among servers. It says nothing of other
/// requests: neither how many there are nor which came before.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestId(u64);

/// An odd number, by which consecutive numbers are scattered. Multiplying by it loses nothing.
const SCATTER: u64 = 0x9E37_79B9_7F4A_7C15;

/// Where this process begins to count. Without random bits it begins at 0: an id is no secret.
static NEXT: LazyLock<AtomicU64> =
    LazyLock::new(|| AtomicU64::new(u64::from_le_bytes(random_bytes().unwrap_or_default())));

impl RequestId {
    /// A new id.
    #[must_use]
    pub fn next() -> RequestId {
        RequestId(NEXT.fetch_add(1, Ordering::Relaxed).wrapping_mul(SCATTER))
    }

    /// The id of this number, for tests that compare messages byte for byte.
    #[must_use]
    pub const fn numbered(number: u64) -> RequestId {
        RequestId(number)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_have_sixteen_digits() {
        let ids: BTreeSet<String> = (0..1_000).map(|_| RequestId::next().to_string()).collect();
        assert_eq!(ids.len(), 1_000);
        assert!(ids.iter().all(|id| id.len() == 16));
    }
}
