//! The entries of a game's log in memory.

use flagfall_board::{GameId, Stamp};

use crate::store::StoredEntry;
use crate::value::{Head, SecretBytes};

/// The smallest number of bytes by which a buffer grows.
const GROWTH_MIN: usize = 256;
/// A full buffer grows by its length divided by this number. Doubling it would leave much of the
/// memory of long games unused.
const GROWTH_PART: usize = 8;
/// The maximum length of two encoded numbers.
const NUMBERS_MAX: usize = 20;

/// Consecutive entries of a log. They are in one buffer, which takes a fourth of the memory of a
/// buffer and a head for each entry. There is no `Debug`, because entries are secret.
pub(crate) struct CompactLog {
    /// The head before the first entry.
    before: Head,
    head: Head,
    /// The stamp of the last entry.
    latest: Stamp,
    /// Each entry consists of the time since the previous entry, the length of its body, and the
    /// body.
    entries: Vec<u8>,
}

impl CompactLog {
    pub(crate) fn after(before: Head) -> CompactLog {
        CompactLog { before, head: before, latest: Stamp(0), entries: Vec::new() }
    }

    pub(crate) fn before(&self) -> Head {
        self.before
    }

    pub(crate) fn head(&self) -> Head {
        self.head
    }

    /// Returns the number of bytes that the entries take up in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.entries.capacity()
    }

    /// Adds an entry. `head` is the head after it.
    pub(crate) fn push(&mut self, head: Head, at: Stamp, body: &[u8]) {
        let mut numbers = [0; NUMBERS_MAX];
        let numbers = postcard::to_slice(&(at.0.wrapping_sub(self.latest.0), body.len()), &mut numbers);
        let numbers = numbers.unwrap_or_else(|error| unreachable!("there is room: {error}"));
        let added = numbers.len() + body.len();
        if self.entries.capacity() - self.entries.len() < added {
            self.entries.reserve_exact(added.max(GROWTH_MIN).max(self.entries.len() / GROWTH_PART));
        }
        self.entries.extend_from_slice(numbers);
        self.entries.extend_from_slice(body);
        (self.head, self.latest) = (head, at);
    }

    /// Returns the entries, oldest first.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        Entries { rest: &self.entries, last: (self.before.seq, Stamp(0)) }
    }

    /// Returns the entries, oldest first, each with the head after it. This computes all hashes.
    pub(crate) fn with_heads(&self, game: GameId) -> impl Iterator<Item = (Head, StoredEntry)> {
        let mut head = self.before;
        self.entries().map(StoredEntry::from).map(move |entry| {
            head = head.then(game, &entry.body);
            (head, entry)
        })
    }
}

/// An entry that has not been copied.
pub(crate) struct Entry<'a> {
    pub(crate) seq: u64,
    pub(crate) at: Stamp,
    body: &'a [u8],
}

impl From<Entry<'_>> for StoredEntry {
    fn from(Entry { seq, at, body }: Entry<'_>) -> StoredEntry {
        StoredEntry { seq, at, body: SecretBytes::new(body.to_vec()) }
    }
}

struct Entries<'a> {
    rest: &'a [u8],
    /// The number and the stamp of the last decoded entry.
    last: (u64, Stamp),
}

impl<'a> Iterator for Entries<'a> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        let ((time, length), rest): ((u64, usize), _) = postcard::take_from_bytes(self.rest).ok()?;
        let (body, rest) = rest.split_at_checked(length)?;
        let (seq, Stamp(before)) = self.last;
        self.last = (seq + 1, Stamp(before.wrapping_add(time)));
        self.rest = rest;
        Some(Entry { seq: self.last.0, at: self.last.1, body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_takes_little_more_memory_than_its_bodies_and_gives_them_back() {
        let (game, before) = (GameId::from_random([7; 12]), Head { seq: 3, ..Head::START });
        let (mut log, mut head, mut bytes) = (CompactLog::after(before), before, 0);
        let mut stored = Vec::new();
        for number in 0..200 {
            // The lengths begin at zero and take one or two bytes.
            let body = SecretBytes::new(vec![number; usize::from(number % 140)]);
            let at = Stamp(1_764_000_000_000 + u64::from(number / 2) * 700);
            head = head.then(game, &body);
            log.push(head, at, body.expose());
            bytes += body.len();
            stored.push((head, StoredEntry { seq: head.seq, at, body }));
        }
        assert_eq!((log.before(), log.head()), (before, head));
        assert_eq!(log.with_heads(game).collect::<Vec<_>>(), stored);
        assert!(log.bytes() < (bytes + 4 * stored.len()) * 9 / 8);
    }
}
