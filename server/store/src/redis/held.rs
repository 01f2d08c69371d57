//! The log entries that this process holds in memory, to give them back if Redis loses recent
//! entries.
//!
//! Entries are held after they were acknowledged or read. If there is no room, the least recently
//! used logs are dropped first. A game in progress is read completely when it is loaded, and each
//! new entry is added, so its whole log is held.

use std::collections::{HashMap, VecDeque};

use flagfall_board::{GameId, Stamp};

use super::layout::WriteArguments;
use crate::value::Head;

/// The approximate memory that an entry takes up in addition to its content, in bytes.
const ENTRY_OVERHEAD: usize = 96;

/// An entry as it is stored in Redis, with the head after it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct HeldEntry {
    pub(super) head: Head,
    /// Stamp, hash, body.
    pub(super) value: Vec<u8>,
    /// The side records of an append, if this entry is the last one of that append.
    pub(super) writes: Vec<WriteArguments>,
}

impl HeldEntry {
    fn bytes(&self) -> usize {
        let writes: usize = self.writes.iter().flatten().map(Vec::len).sum();
        ENTRY_OVERHEAD + self.value.len() + writes
    }
}

struct HeldLog {
    /// The head before the first held entry.
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

/// The held logs, up to a limit in bytes.
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

    /// Holds consecutive entries of a log. The first entry follows the head `before`.
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
            // Some entries before these are missing. Only the new entries are held, because they
            // are the end of the log.
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

    pub(super) fn games(&self) -> Vec<GameId> {
        self.logs.keys().copied().collect()
    }

    /// Returns the head of a game's log after its last held entry.
    pub(super) fn head(&self, game: GameId) -> Option<Head> {
        self.logs.get(&game).map(HeldLog::head)
    }

    /// Returns the time at which a game's log began; `None` if its beginning is not held.
    pub(super) fn began(&self, game: GameId) -> Option<Stamp> {
        let log = self.logs.get(&game).filter(|log| log.before == Head::START)?;
        let stamp = log.entries.front()?.value.first_chunk()?;
        Some(Stamp(u64::from_le_bytes(*stamp)))
    }

    /// Returns the side records of a game's appends after `seq`, in order.
    pub(super) fn writes_after(&self, game: GameId, seq: u64) -> Vec<(u64, Vec<WriteArguments>)> {
        let entries = self.logs.get(&game).into_iter().flat_map(|log| &log.entries);
        let wanted = entries.filter(|entry| entry.head.seq > seq && !entry.writes.is_empty());
        wanted.map(|entry| (entry.head.seq, entry.writes.clone())).collect()
    }

    /// Returns the held entries that Redis has lost. `head` is the head of the log in Redis.
    /// Returns `None` if Redis has lost none. If the held entries contradict `head`, they are
    /// forgotten.
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
            // The held entries do not follow this head: the log in Redis is too short, or its
            // entries differ.
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
