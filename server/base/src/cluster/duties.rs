//! Shares work among the servers of a store, without an agreement between them.

use sha2::{Digest as _, Sha256};

/// The time for which due work is left to its guardian (the server responsible for it), in
/// milliseconds. After that, every server may do it.
pub const OTHERS_WAIT_MS: u64 = 5_000;

/// The number of buckets into which games, players and kinds of work are divided.
const BUCKETS: usize = 256;

/// Another server with which the buckets are shared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Colleague {
    pub(super) id: String,
    /// True if the server takes turns looking for due work, and accepts notices about work that
    /// another server has found.
    pub(super) takes_turns: bool,
}

/// The buckets of which a server is the guardian, and when it looks for work that is due.
pub(super) struct Duties {
    /// The guardian of each bucket, as an index into `others`. `None` means this server.
    guardians: [Option<usize>; BUCKETS],
    others: Vec<Colleague>,
    /// True if this server guards nothing.
    is_free: bool,
    turn: Turn,
}

/// A server's place among the servers that take turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Turn {
    pub(super) place: u64,
    /// The number of servers that take turns, this one included.
    pub(super) servers: u64,
}

impl Turn {
    pub(super) const ALONE: Turn = Turn { place: 0, servers: 1 };

    /// Returns the time until the next turn of this server, in milliseconds; 0 if it is now. Each
    /// server has one turn in a cycle, so that the turns of all servers are `every_ms` apart. A
    /// cycle lasts `cycle_max_ms` at most.
    pub(super) fn wait_ms(self, now_ms: u64, every_ms: u64, cycle_max_ms: u64) -> u64 {
        let cycle = every_ms.saturating_mul(self.servers).min(cycle_max_ms.max(every_ms)).max(1);
        let begin = cycle * self.place / self.servers;
        let since = (now_ms + cycle - begin) % cycle;
        // A server that is this late skips its turn, and leaves the work to the next servers.
        let late = (cycle / self.servers / 2).max(1);
        if self.servers == 1 || since < late { 0 } else { cycle - since }
    }
}

impl Default for Duties {
    /// Returns the duties of a server that is alone, which guards all buckets.
    fn default() -> Duties {
        Duties { guardians: [None; BUCKETS], others: Vec::new(), is_free: false, turn: Turn::ALONE }
    }
}

impl Duties {
    /// Computes the duties of the server `own` again. Without `own`, this server guards nothing.
    ///
    /// Each pair of a server and a bucket has a hash. The guardian of a bucket is the server with
    /// the greatest hash for that bucket. So if a server comes or goes, only the buckets that it
    /// guards change their guardian.
    pub(super) fn share(&mut self, own: Option<&str>, others: Vec<Colleague>) {
        let Some(own) = own else {
            *self = Duties { others, is_free: true, ..Duties::default() };
            return;
        };
        if others == self.others && !self.is_free {
            return;
        }
        let guardian = |bucket: usize| {
            let ids = std::iter::once(own).chain(others.iter().map(|other| other.id.as_str()));
            let greatest = ids.enumerate().max_by_key(|&(_, id)| (weight(id, bucket), id));
            greatest.and_then(|(at, _)| at.checked_sub(1))
        };
        let guardians = std::array::from_fn(guardian);
        let takers = || others.iter().filter(|other| other.takes_turns);
        let place = takers().filter(|other| *other.id < *own).count() as u64;
        let turn = Turn { place, servers: takers().count() as u64 + 1 };
        *self = Duties { guardians, others, is_free: false, turn };
    }

    pub(super) fn includes(&self, subject: &str) -> bool {
        !self.is_free && self.guardians[bucket(subject)].is_none()
    }

    /// Returns the id of the other server that guards this subject, if that server accepts notices
    /// about work.
    pub(super) fn reachable_guardian(&self, subject: &str) -> Option<&str> {
        let guardian = self.others.get(self.guardians[bucket(subject)]?)?;
        guardian.takes_turns.then_some(guardian.id.as_str())
    }

    pub(super) fn turn(&self) -> Turn {
        self.turn
    }
}

fn bucket(subject: &str) -> usize {
    usize::from(Sha256::digest(subject)[0])
}

fn weight(server: &str, bucket: usize) -> [u8; 32] {
    Sha256::digest(format!("{server}/{bucket}")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colleague(id: &str) -> Colleague {
        Colleague { id: id.to_owned(), takes_turns: true }
    }

    fn shares(servers: &[&str]) -> Vec<Duties> {
        let others = |own: &str| -> Vec<Colleague> {
            servers.iter().filter(|server| **server != own).map(|id| colleague(id)).collect()
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
                (0..shares.len()).filter(|server| shares[*server].guardians[bucket].is_none()).collect()
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
        duties.share(Some("a"), vec![colleague("b")]);
        assert!(duties.guardians.iter().any(Option::is_some));
        duties.share(Some("a"), Vec::new());
        assert!(duties.includes("k3v9q2m7x4ab"), "the other one is gone");
        duties.share(None, Vec::new());
        assert!(!duties.includes("k3v9q2m7x4ab"), "a relay guards nothing");
    }

    #[test]
    fn all_servers_name_the_same_guardian() {
        let servers = ["a", "b", "c"];
        for (own, duties) in servers.iter().zip(shares(&servers)) {
            for subject in ["ana", "bo", "cy", "dee"] {
                let guardian = duties.reachable_guardian(subject).unwrap_or(own);
                let shares = shares(&servers);
                let guards = servers.iter().zip(&shares).filter(|(_, duties)| duties.includes(subject));
                assert_eq!(guards.map(|(id, _)| *id).collect::<Vec<_>>(), [guardian], "{own}, {subject}");
            }
        }
        let mut duties = Duties::default();
        duties.share(Some("a"), vec![Colleague { takes_turns: false, ..colleague("b") }]);
        assert!(
            ["ana", "bo", "cy", "dee"].iter().all(|subject| duties.reachable_guardian(subject).is_none())
        );
        assert_eq!(duties.turn(), Turn::ALONE, "a server of an earlier version looks for itself");
    }

    #[test]
    fn turns_of_all_servers_are_equally_far_apart() {
        for servers in 1..=7 {
            let mut turns = Vec::new();
            for place in 0..servers {
                let turn = Turn { place, servers };
                let mut now = 0;
                while now < 42_000 {
                    now += turn.wait_ms(now, 1_000, 60_000);
                    turns.push(now);
                    now += 1_000;
                }
            }
            turns.retain(|at| *at < 42_000);
            turns.sort_unstable();
            assert_eq!(turns, (0..42).map(|second| second * 1_000).collect::<Vec<u64>>(), "{servers}");
        }
        let turn = Turn { place: 9, servers: 1_000 };
        assert_eq!(turn.wait_ms(0, 1_000, 60_000), 540, "a cycle lasts a minute at most");
        assert_eq!(Turn { place: 1, servers: 2 }.wait_ms(1_499, 1_000, 60_000), 0, "a little late");
        assert_eq!(Turn { place: 1, servers: 2 }.wait_ms(1_500, 1_000, 60_000), 1_500);
    }
}
