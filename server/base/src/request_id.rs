//! The id of a request. With this id, an operator finds the log lines about a problem that a
//! player reports.

use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The id of a client's message or of an HTTP request. It is part of every refusal, and of all
/// log lines about the request.
///
/// Two requests almost certainly have different ids, even on different servers. An id reveals
/// nothing about other requests, neither their number nor their order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RequestId(u64);

static COUNT: AtomicU64 = AtomicU64::new(0);

/// The keys that turn numbers into ids. They are random and exist only in this process. A
/// client therefore cannot tell from two ids how many requests other clients made in between.
static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);

impl RequestId {
    pub fn next() -> RequestId {
        RequestId(KEYS.hash_one(COUNT.fetch_add(1, Ordering::Relaxed)))
    }

    /// Returns the id with this number. For tests that compare messages byte for byte.
    pub const fn numbered(number: u64) -> RequestId {
        RequestId(number)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
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
