//! Shares work among the servers of a store, without an agreement between them.

use sha2::{Digest as _, Sha256};

/// The time for which due work is left to its guardian (the server responsible for it), in
/// milliseconds. After that, every server may do it.
pub const OTHERS_WAIT_MS: u64 = 5_000;

/// The number of buckets into which games, players and kinds of work are divided.
const BUCKETS: usize = 256;

/// The buckets of which a server is the guardian.
pub(super) struct Duties {
    is_own: [bool; BUCKETS],
    /// The other servers among which the buckets are shared.
    others: Vec<String>,
}

impl Default for Duties {
    /// Returns the duties of a server that is alone, which guards all buckets.
    fn default() -> Duties {
        Duties { is_own: [true; BUCKETS], others: Vec::new() }
    }
}

impl Duties {
    /// Computes the duties of the server `own` again. Without `own`, this server guards nothing.
    ///
    /// Each server and bucket together have a hash. The guardian of a bucket is the server with
    /// the greatest hash for that bucket. So if a server comes or goes, only the buckets that it
    /// guards move.
    pub(super) fn share(&mut self, own: Option<&str>, others: Vec<String>) {
        let Some(own) = own else {
            *self = Duties { is_own: [false; BUCKETS], others };
            return;
        };
        if others == self.others {
            return;
        }
        let is_own = |bucket: usize| {
            let weight = weight(own, bucket);
            others.iter().all(|other| (self::weight(other, bucket), other.as_str()) < (weight, own))
        };
        *self = Duties { is_own: std::array::from_fn(is_own), others };
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
        let share = |own: &&str| {
            let mut duties = Duties::default();
            duties.share(Some(own), others(own));
            duties
        };
        servers.iter().map(share).collect()
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
        let mut duties = Duties::default();
        assert!(duties.includes("k3v9q2m7x4ab"));
        duties.share(Some("a"), vec!["b".to_owned()]);
        assert!(!(0..BUCKETS).all(|bucket| duties.is_own[bucket]));
        duties.share(Some("a"), Vec::new());
        assert!(duties.includes("k3v9q2m7x4ab"), "the other one is gone");
        duties.share(None, Vec::new());
        assert!(!duties.includes("k3v9q2m7x4ab"), "a relay guards nothing");
    }
}
