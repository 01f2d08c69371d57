//! Shares work among the servers of a store, without an agreement between them.

use sha2::{Digest as _, Sha256};

/// The time for which work that is due is left to its guardian, in milliseconds. After that, every
/// server does it.
pub const OTHERS_WAIT_MS: u64 = 5_000;

/// The number of buckets into which games, players and kinds of work are divided.
const BUCKETS: usize = 256;

/// The buckets of which a server is the guardian.
pub(super) struct Duties {
    is_own: [bool; BUCKETS],
}

impl Default for Duties {
    /// All buckets, as of a server that knows of no other.
    fn default() -> Duties {
        Duties { is_own: [true; BUCKETS] }
    }
}

impl Duties {
    /// Returns the share of server `own`. The guardian of a bucket is the server with the greatest
    /// hash of both. So if a server comes or goes, only the buckets of this server move.
    pub(super) fn share(own: &str, others: &[String]) -> Duties {
        let is_own = |bucket: usize| {
            let weight = weight(own, bucket);
            others.iter().all(|other| (self::weight(other, bucket), other.as_str()) < (weight, own))
        };
        Duties { is_own: std::array::from_fn(is_own) }
    }

    pub(super) fn includes(&self, subject: &str) -> bool {
        self.is_own[usize::from(Sha256::digest(subject)[0])]
    }
}

fn weight(server: &str, bucket: usize) -> [u8; 32] {
    Sha256::digest(format!("{server}/{bucket}")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(servers: &[&str]) -> Vec<Duties> {
        let others = |own: &str| -> Vec<String> {
            servers.iter().filter(|server| **server != own).map(ToString::to_string).collect()
        };
        servers.iter().map(|own| Duties::share(own, &others(own))).collect()
    }

    #[test]
    fn each_bucket_has_one_guardian_and_few_move_when_a_server_comes() {
        let servers = ["a", "b", "c", "d", "e", "f"];
        let (five, six) = (shares(&servers[..5]), shares(&servers));
        let mut moved = 0;
        for bucket in 0..BUCKETS {
            let guardian = |shares: &[Duties]| -> Vec<usize> {
                (0..shares.len()).filter(|server| shares[*server].is_own[bucket]).collect()
            };
            let (before, after) = (guardian(&five), guardian(&six));
            assert_eq!((before.len(), after.len()), (1, 1), "{bucket}");
            moved += usize::from(before != after);
            assert!(before == after || after == [5], "only to the server that came");
        }
        assert!((BUCKETS / 12..BUCKETS / 3).contains(&moved), "{moved} of {BUCKETS}");
    }

    #[test]
    fn a_server_alone_does_everything() {
        assert!(Duties::default().includes("k3v9q2m7x4ab") && Duties::share("a", &[]).includes("wave"));
    }
}
