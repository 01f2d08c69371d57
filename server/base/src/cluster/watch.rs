//! The heartbeats that a server receives from the other servers. As long as they come from exactly
//! the known servers, nothing has changed, and the servers' records are read less often.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use tokio::time::Instant;

/// Before any server writes the newest form of log entries, all servers must be able to read it at
/// this number of consecutive meetings. At a meeting, a server reads the records of all servers.
///
/// The number is large enough for a server that was silent during a short outage to be back before
/// the form changes.
pub(super) const MEETINGS: u32 = 10;
/// A heartbeat is late after this time. Servers send one each second.
const LATE: Duration = Duration::from_secs(2);
/// A server that has not received its own heartbeat for this time may be receiving no notices.
const DEAF: Duration = Duration::from_millis(3_500);
/// The time for which heartbeats of servers without a record are remembered.
const REMEMBERED: Duration = Duration::from_secs(60);
/// The maximum number of meetings from one reading of the records of servers to the next.
const SPACING_MAX: usize = 5;

/// The latest heartbeats of all servers, and how long the set of servers has stayed the same.
#[derive(Default)]
pub(super) struct Watch {
    /// The times of the latest heartbeats, by server. This server's own are among them.
    heard: HashMap<String, Instant>,
    /// The servers that have said that they are stopping. They still send heartbeats for a while.
    gone: HashMap<String, Instant>,
    /// The other servers that had a record at the latest reading.
    known: HashSet<String>,
    /// The number of consecutive readings that found the same servers.
    steady: u32,
    /// The number of meetings since the latest reading.
    passed: usize,
}

impl Watch {
    pub(super) fn note_heard(&mut self, server: &str, now: Instant) {
        if self.gone.contains_key(server) {
            return;
        }
        if let Some(heard) = self.heard.get_mut(server) {
            *heard = now;
        } else {
            self.heard.insert(server.to_owned(), now);
        }
    }

    /// Records that a server is about to stop, so that the records are read at the next meeting.
    pub(super) fn note_gone(&mut self, server: &str, now: Instant) {
        self.heard.remove(server);
        self.gone.insert(server.to_owned(), now);
    }

    /// True if the records of the other servers must be read at this meeting. `own` is the id of
    /// this server.
    pub(super) fn must_read(&mut self, own: &str, now: Instant) -> bool {
        self.passed += 1;
        let is_alive = |heard: &Instant| now.saturating_duration_since(*heard) <= LATE;
        let is_new = |(server, heard): (&String, &Instant)| {
            server != own && !self.known.contains(server) && is_alive(heard)
        };
        self.steady < MEETINGS
            || self.passed >= (self.known.len() + 1).min(SPACING_MAX)
            || !self.known.iter().all(|server| self.heard.get(server).is_some_and(is_alive))
            || self.heard.iter().any(is_new)
    }

    /// Records what was read. `is_same` is true if the servers and their abilities have not
    /// changed.
    pub(super) fn note_read(&mut self, known: HashSet<String>, is_same: bool, now: Instant) {
        let is_same = is_same && known == self.known;
        self.steady = if is_same { self.steady.saturating_add(1) } else { 0 };
        (self.known, self.passed) = (known, 0);
        for times in [&mut self.heard, &mut self.gone] {
            times.retain(|_, at| now.saturating_duration_since(*at) <= REMEMBERED);
        }
    }

    /// Called after the records could not be read.
    pub(super) fn note_failure(&mut self) {
        self.steady = 0;
    }

    /// False if a server is silent although this server (`own`) receives its own heartbeats.
    pub(super) fn may_be_alive(&self, server: &str, own: &str, now: Instant) -> bool {
        let is_heard = |heard: &Instant| now.saturating_duration_since(*heard) <= DEAF;
        self.is_deaf(own, now) || self.heard.get(server).is_some_and(is_heard)
    }

    /// True if a server may be running that is neither this one (`own`) nor one of `others`.
    pub(super) fn may_miss(&self, others: &[&str], own: &str, now: Instant) -> bool {
        let is_stranger = |(server, heard): (&String, &Instant)| {
            let is_known = server == own || others.contains(&server.as_str());
            !is_known && now.saturating_duration_since(*heard) <= LATE
        };
        self.is_deaf(own, now) || self.heard.iter().any(is_stranger)
    }

    pub(super) fn is_deaf(&self, own: &str, now: Instant) -> bool {
        self.heard.get(own).is_none_or(|heard| now.saturating_duration_since(*heard) > DEAF)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_less_often_while_exactly_the_known_servers_are_heard() {
        let start = Instant::now();
        let at = |second: u64| start + Duration::from_secs(second);
        let mut watch = Watch::default();
        let known = || HashSet::from(["b", "c", "d", "e", "f"].map(str::to_owned));
        let mut read = Vec::new();
        for second in 0..40 {
            for server in ["a", "b", "c", "d", "e", "f"] {
                // Server f falls silent after 30 seconds.
                if server != "f" || second < 30 {
                    watch.note_heard(server, at(second));
                }
            }
            if watch.must_read("a", at(second)) {
                watch.note_read(known(), true, at(second));
                read.push(second);
            }
        }
        let expected: Vec<u64> = (0..=10).chain([15, 20, 25, 30]).chain(32..40).collect();
        assert_eq!(read, expected);
        watch.note_heard("f", at(40));
        assert!(!watch.must_read("a", at(40)));
        watch.note_heard("g", at(40));
        assert!(watch.must_read("a", at(40)), "a server without a record");
        let mut with_g = known();
        with_g.insert("g".to_owned());
        watch.note_read(with_g, false, at(40));
        assert!(watch.must_read("a", at(40)), "often after a change");
        assert!(!watch.is_deaf("a", at(42)) && watch.is_deaf("a", at(43)));
    }

    #[test]
    fn a_server_that_is_stopping_counts_as_gone_although_it_is_heard() {
        let start = Instant::now();
        let at = |second: u64| start + Duration::from_secs(second);
        let mut watch = Watch::default();
        let servers = ["a", "b", "c", "d", "e"];
        let known = || servers[1..].iter().map(ToString::to_string).collect::<HashSet<_>>();
        let hear = |watch: &mut Watch, second| {
            servers.iter().for_each(|server| watch.note_heard(server, at(second)));
        };
        (0..=u64::from(MEETINGS)).for_each(|second| watch.note_read(known(), true, at(second)));
        hear(&mut watch, 11);
        assert!(!watch.must_read("a", at(11)));
        watch.note_gone("e", at(11));
        hear(&mut watch, 12);
        assert!(watch.must_read("a", at(12)) && !watch.may_be_alive("e", "a", at(12)));
    }
}
