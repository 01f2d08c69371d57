//! The log entries that this process holds in memory, to give them back if Redis loses recent
//! entries.
//!
//! Entries are held after they were acknowledged or read. If there is no room, the least recently
//! used logs are dropped first. A game in progress is read completely when it is loaded, and each
//! new entry is added, so its whole log is held.

use std::collections::HashMap;

use flagfall_board::{GameId, Stamp};

use super::layout::{WriteArguments, intent, parse_intent};
use crate::compact_log::CompactLog;
use crate::encoding::{entry_value, parse_entry, stamp_entry};
use crate::store::StoredEntry;
use crate::value::Head;

/// The approximate memory that a log takes up in addition to its entries, in bytes.
const LOG_OVERHEAD: usize = 256;
/// The approximate memory that the side records of an append take up in addition to their content,
/// in bytes.
const WRITES_OVERHEAD: usize = 64;

/// An entry as it is stored in Redis, with the head after it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct HeldEntry {
    pub(super) head: Head,
    /// Stamp, hash, body.
    pub(super) value: Vec<u8>,
    /// The side records of an append, if this entry is the last one of that append.
    pub(super) writes: Vec<WriteArguments>,
}

struct HeldLog {
    /// The entries. Their hashes are computed again when entries are given back.
    log: CompactLog,
    /// The side records of appends as [`intent`] encodes them, each with the number of the
    /// append's last entry.
    writes: Vec<(u64, Box<[u8]>)>,
    /// The approximate memory of the side records, in bytes.
    writes_bytes: usize,
    used: u64,
}

impl HeldLog {
    fn after(before: Head, used: u64) -> HeldLog {
        HeldLog { log: CompactLog::after(before), writes: Vec::new(), writes_bytes: 0, used }
    }

    fn bytes(&self) -> usize {
        LOG_OVERHEAD + self.log.bytes() + self.writes_bytes
    }

    /// Adds an entry. Returns false if its value makes no sense.
    fn push(&mut self, HeldEntry { head, value, writes }: HeldEntry) -> bool {
        let Some((at, _, body)) = parse_entry(&value) else { return false };
        self.log.push(head, at, body);
        if !writes.is_empty() {
            // Copied, because an allocator may leave the unused part of a vector as it is.
            let writes: Box<[u8]> = Box::from(&*intent(&writes));
            self.writes_bytes += WRITES_OVERHEAD + writes.len();
            self.writes.reserve_exact(1);
            self.writes.push((head.seq, writes));
        }
        true
    }

    /// Returns the entries as they are stored in Redis.
    fn entries(&self, game: GameId) -> impl Iterator<Item = HeldEntry> {
        self.log.with_heads(game).map(move |(head, StoredEntry { at, body, .. })| {
            let mut value = entry_value(head.hash, &body);
            stamp_entry(&mut value, at);
            let writes = self.writes.iter().find(|(seq, _)| *seq == head.seq);
            let writes = writes.and_then(|(_, writes)| parse_intent(writes)).unwrap_or_default();
            HeldEntry { head, value, writes }
        })
    }
}

/// The held logs, up to a limit in bytes.
pub(super) struct Held {
    /// Boxed, because the map has room for more games than it holds.
    logs: HashMap<GameId, Box<HeldLog>>,
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
        let log = self.logs.entry(game).or_insert_with(|| {
            let log = HeldLog::after(before, self.turn);
            self.bytes += log.bytes();
            Box::new(log)
        });
        log.used = self.turn;
        let head = log.log.head();
        if head == last || head.seq > last.seq && log.log.with_heads(game).any(|(head, _)| head == last) {
            return;
        }
        self.bytes -= log.bytes();
        if head != before {
            // Some entries before these are missing. Only the new entries are held, because they
            // are the end of the log.
            **log = HeldLog::after(before, self.turn);
        }
        let are_held = entries.into_iter().all(|entry| log.push(entry));
        self.bytes += log.bytes();
        if !are_held {
            tracing::error!(%game, "an entry makes no sense, so its log is not held in memory");
            self.forget(game);
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
            self.bytes -= log.bytes();
        }
    }

    pub(super) fn games(&self) -> Vec<GameId> {
        self.logs.keys().copied().collect()
    }

    /// Returns the head of a game's log after its last held entry.
    pub(super) fn head(&self, game: GameId) -> Option<Head> {
        self.logs.get(&game).map(|log| log.log.head())
    }

    /// Returns the time at which a game's log began; `None` if its beginning is not held.
    pub(super) fn began(&self, game: GameId) -> Option<Stamp> {
        let log = &self.logs.get(&game)?.log;
        log.entries().next().filter(|_| log.before() == Head::START).map(|first| first.at)
    }

    /// Returns the side records of a game's appends after `seq`, in order.
    pub(super) fn writes_after(&self, game: GameId, seq: u64) -> Vec<(u64, Vec<WriteArguments>)> {
        let writes = self.logs.get(&game).into_iter().flat_map(|log| &log.writes);
        let writes = writes.filter(|(last, _)| *last > seq);
        writes.filter_map(|(last, writes)| Some((*last, parse_intent(writes)?))).collect()
    }

    /// Returns the held entries that Redis has lost. `head` is the head of the log in Redis.
    /// Returns `None` if Redis has lost none. If the held entries contradict `head`, they are
    /// forgotten.
    pub(super) fn missing(&mut self, game: GameId, head: Head) -> Option<Vec<HeldEntry>> {
        let held = self.logs.get(&game)?;
        if head.seq > held.log.head().seq || head == held.log.head() {
            return None;
        }
        let mut entries = held.entries(game);
        if head != held.log.before() && !entries.any(|entry| entry.head == head) {
            drop(entries);
            // The held entries do not follow this head: the log in Redis is too short, or its
            // entries differ.
            self.forget(game);
            return None;
        }
        Some(entries.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::write_arguments;
    use super::*;
    use crate::store::Write;
    use crate::value::{Key, SecretBytes};

    fn game(number: u8) -> GameId {
        GameId::from_random([number; 12])
    }

    fn entries(game: GameId, mut head: Head, texts: &[&str]) -> Vec<HeldEntry> {
        let entry = |text: &&str| {
            head = head.then(game, &SecretBytes::new(text.as_bytes().to_vec()));
            let mut value = entry_value(head.hash, &SecretBytes::new(text.as_bytes().to_vec()));
            stamp_entry(&mut value, Stamp(1_764_000_000_000 + head.seq));
            HeldEntry { head, value, writes: Vec::new() }
        };
        texts.iter().map(entry).collect()
    }

    #[test]
    fn a_log_that_lost_its_end_gets_what_is_missing() {
        let mut held = Held::new(1 << 20);
        let mut all = entries(game(1), Head::START, &["a", "b", "c"]);
        all[1].writes = write_arguments(&[Write::Delete { key: Key::new("a").unwrap() }]);
        held.note(game(1), Head::START, all[..1].to_vec());
        held.note(game(1), all[0].head, all[1..].to_vec());
        assert!(held.writes_after(game(1), 1) == [(2, all[1].writes.clone())]);
        assert!(held.writes_after(game(1), 2).is_empty());
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
        let mut held = Held::new(20 * LOG_OVERHEAD);
        for round in 0..5 {
            for number in 0..20 {
                let at = Head { seq: round, ..Head::START };
                held.note(game(number), at, entries(game(number), at, &["x"]));
                held.note(game(99), at, entries(game(99), at, &["x"]));
                assert!(held.bytes <= held.bytes_max);
                assert_eq!(held.bytes, held.logs.values().map(|log| log.bytes()).sum::<usize>());
            }
        }
        assert!(held.games().contains(&game(99)) && !held.games().contains(&game(0)));
    }
}
