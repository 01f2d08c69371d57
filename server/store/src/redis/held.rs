//! The log entries that this process holds, to give them back if Redis loses the end of a log.
//!
//! Held are entries that were acknowledged or read. If there is no room, the logs unused for
//! longest are forgotten first. A game that is being played is read as a whole when it is loaded,
//! and appended to from then on, so its whole log is held.

use std::collections::{HashMap, VecDeque};

use flagfall_board::GameId;

use super::layout::WriteArguments;
use crate::value::Head;

/// Approximate bytes of an entry beyond its content.
const ENTRY_OVERHEAD: usize = 96;

/// An entry as Redis holds it, and where the log stands after it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct HeldEntry {
    pub(super) head: Head,
    /// Stamp, hash, body.
    pub(super) value: Vec<u8>,
    /// The side records that go with it.
    pub(super) writes: Vec<WriteArguments>,
}

impl HeldEntry {
    fn bytes(&self) -> usize {
        let writes: usize = self.writes.iter().flatten().map(Vec::len).sum();
        ENTRY_OVERHEAD + self.value.len() + writes
    }
}

struct HeldLog {
    /// Where the log stood before the first entry held.
    before: Head,
    entries: VecDeque<HeldEntry>,
    bytes: usize,
    used: u64,
}

impl HeldLog {
    fn head(&self) -> Head {
        self.entries.back().map_or(self.before, |entry| entry.head)
    }
}

/// The logs held, up to a limit in bytes.
pub(super) struct Held {
    logs: HashMap<GameId, HeldLog>,
    bytes: usize,
    bytes_max: usize,
    turn: u64,
}

impl Held {
    pub(super) fn new(bytes_max: usize) -> Held {
        Held { logs: HashMap::new(), bytes: 0, bytes_max, turn: 0 }
    }

    /// Notes consecutive entries of a log that follow this head.
    pub(super) fn note(&mut self, game: GameId, before: Head, entries: Vec<HeldEntry>) {
        let Some(last) = entries.last().map(|entry| entry.head) else { return };
        self.turn += 1;
        let log = self.logs.entry(game).or_insert_with(|| HeldLog {
            before,
            entries: VecDeque::new(),
            bytes: 0,
            used: 0,
        });
        log.used = self.turn;
        if log.head().seq >= last.seq && log.entries.iter().any(|entry| entry.head == last) {
            return;
        }
        if log.head() != before {
            // There is a gap. The new entries are the end of the log, and that is what matters.
            self.bytes -= log.bytes;
            *log = HeldLog { before, entries: VecDeque::new(), bytes: 0, used: self.turn };
        }
        for entry in entries {
            log.bytes += entry.bytes();
            self.bytes += entry.bytes();
            log.entries.push_back(entry);
        }
        self.make_room();
    }

    fn make_room(&mut self) {
        if self.bytes <= self.bytes_max {
            return;
        }
        let mut by_use: Vec<(u64, GameId)> = self.logs.iter().map(|(game, log)| (log.used, *game)).collect();
        by_use.sort_unstable_by_key(|(used, _)| *used);
        for (_, game) in by_use {
            if self.bytes <= self.bytes_max / 4 * 3 {
                break;
            }
            self.forget(game);
        }
    }

    pub(super) fn forget(&mut self, game: GameId) {
        if let Some(log) = self.logs.remove(&game) {
            self.bytes -= log.bytes;
        }
    }

    /// The games whose logs are held.
    pub(super) fn games(&self) -> Vec<GameId> {
        self.logs.keys().copied().collect()
    }

    /// Where the log of a game stood when it was last noted.
    pub(super) fn head(&self, game: GameId) -> Option<Head> {
        self.logs.get(&game).map(HeldLog::head)
    }

    /// The side records of a game's appends after `seq`, in order.
    pub(super) fn writes_after(&self, game: GameId, seq: u64) -> Vec<(u64, Vec<WriteArguments>)> {
        let entries = self.logs.get(&game).into_iter().flat_map(|log| &log.entries);
        let wanted = entries.filter(|entry| entry.head.seq > seq && !entry.writes.is_empty());
        wanted.map(|entry| (entry.head.seq, entry.writes.clone())).collect()
    }

    /// The entries, the last ones held, that a log has lost if it stands at `head` in Redis. `None`
    /// if it lacks nothing that is held. What contradicts it is forgotten.
    pub(super) fn missing(&mut self, game: GameId, head: Head) -> Option<Vec<HeldEntry>> {
        let log = self.logs.get(&game)?;
        if head.seq > log.head().seq || head == log.head() {
            return None;
        }
        let from = if head == log.before {
            Some(0)
        } else {
            log.entries.iter().position(|entry| entry.head == head).map(|at| at + 1)
        };
        let missing = from.map(|from| log.entries.range(from..).cloned().collect());
        if missing.is_none() {
            // Older than anything held, or another branch.
            self.forget(game);
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::SecretBytes;

    fn game(number: u8) -> GameId {
        GameId::from_random([number; 12])
    }

    fn entries(game: GameId, mut head: Head, texts: &[&str]) -> Vec<HeldEntry> {
        let entry = |text: &&str| {
            head = head.then(game, &SecretBytes::new(text.as_bytes().to_vec()));
            HeldEntry { head, value: text.as_bytes().to_vec(), writes: Vec::new() }
        };
        texts.iter().map(entry).collect()
    }

    #[test]
    fn a_log_that_lost_its_end_gets_what_is_missing() {
        let mut held = Held::new(1 << 20);
        let all = entries(game(1), Head::START, &["a", "b", "c"]);
        held.note(game(1), Head::START, all[..1].to_vec());
        held.note(game(1), all[0].head, all[1..].to_vec());
        assert!(held.missing(game(1), all[2].head).is_none());
        assert!(held.missing(game(1), all[0].head) == Some(all[1..].to_vec()));
        assert!(held.missing(game(1), Head::START) == Some(all.clone()));
        let beyond = Head { seq: 9, ..all[2].head };
        assert!(held.missing(game(1), beyond).is_none(), "other servers have continued");
        assert!(held.missing(game(2), Head::START).is_none());
    }

    #[test]
    fn another_branch_is_forgotten() {
        let mut held = Held::new(1 << 20);
        held.note(game(1), Head::START, entries(game(1), Head::START, &["a", "b"]));
        let other = entries(game(1), Head::START, &["a", "B"])[1].head;
        assert!(held.missing(game(1), other).is_none());
        assert_eq!((held.bytes, held.games().len()), (0, 0));
    }

    #[test]
    fn entries_after_a_gap_replace_what_was_held() {
        let mut held = Held::new(1 << 20);
        let all = entries(game(1), Head::START, &["a", "b", "c"]);
        held.note(game(1), Head::START, all[..1].to_vec());
        held.note(game(1), all[1].head, all[2..].to_vec());
        assert!(held.missing(game(1), all[1].head) == Some(all[2..].to_vec()));
        held.note(game(1), all[1].head, all[2..].to_vec());
        assert!(held.missing(game(1), all[1].head) == Some(all[2..].to_vec()), "noted twice");
    }

    #[test]
    fn the_longest_unused_goes_when_there_is_no_room() {
        let mut held = Held::new(10 * (ENTRY_OVERHEAD + 1));
        for round in 0..5 {
            for number in 0..20 {
                let at = Head { seq: round, ..Head::START };
                held.note(game(number), at, entries(game(number), at, &["x"]));
                held.note(game(99), at, entries(game(99), at, &["x"]));
                assert!(held.bytes <= held.bytes_max);
                assert_eq!(held.bytes, held.logs.values().map(|log| log.bytes).sum::<usize>());
            }
        }
        assert!(held.games().contains(&game(99)) && !held.games().contains(&game(0)));
    }
}
