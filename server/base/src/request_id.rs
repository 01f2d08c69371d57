//! The name of one request, by which a player's report and the server's log find each other.

use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// A message of a client or a request over HTTP. It is part of every refusal, and of the log lines
/// about the request, so an operator can find what a player reports.
///
/// Two requests have different ids with overwhelming probability, on one server and among servers.
/// An id says nothing of other requests: neither how many there are nor which came before.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RequestId(u64);

static COUNT: AtomicU64 = AtomicU64::new(0);

/// The keys by which numbers become ids. They are random and known to this process alone, so a
/// client cannot tell from two ids how many requests others made in between.
static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);

impl RequestId {
    pub fn next() -> RequestId {
        RequestId(KEYS.hash_one(COUNT.fetch_add(1, Ordering::Relaxed)))
    }

    /// The id of this number, for tests that compare messages byte for byte.
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
