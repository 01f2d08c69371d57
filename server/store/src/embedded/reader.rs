//! Reading: from a snapshot, beside the writer, trusting nothing that lies on the disk.

use std::ops::Bound;

use fjall::{Database, Keyspace, OwnedWriteBatch, Readable};
use flagfall_board::{GameId, Stamp};

use super::layout::{
    Row, Space, entry_key, entry_seq, head_value, parse_entry, parse_game, parse_head, parse_record,
};
use super::open::is_damage;
use crate::archive::FullRecord;
use crate::limits::READ_MAX;
use crate::store::{ReadError, StoreError, StoredEntry};
use crate::value::{Hash, Head, Key, SecretBytes};

/// The database and its keyspaces; see [`Space`] for what lies where.
#[derive(Clone)]
pub(super) struct Spaces {
    pub(super) db: Database,
    pub(super) meta: Keyspace,
    pub(super) logs: Keyspace,
    /// Written with each append: a log whose tail is gone is told by it.
    pub(super) heads: Keyspace,
    pub(super) records: Keyspace,
    pub(super) expiries: Keyspace,
}

/// Why something could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Trouble {
    /// What is there is not what was written.
    Damaged { seq: u64, what: String },
    /// The disk or the database gives no answer.
    Unavailable { why: String },
}

impl Trouble {
    pub(super) fn of_game(self, game: GameId) -> ReadError {
        match self {
            Trouble::Damaged { seq, what } => ReadError::Damaged { game, seq, what },
            Trouble::Unavailable { why } => ReadError::Unavailable { why },
        }
    }

    pub(super) fn of_record(self) -> StoreError {
        match self {
            Trouble::Damaged { what, .. } => StoreError::Damaged { what },
            Trouble::Unavailable { why } => StoreError::Unavailable { why },
        }
    }

    fn damaged(seq: u64, what: &str) -> Trouble {
        Trouble::Damaged { seq, what: what.to_owned() }
    }
}

/// How the reason begins when the database has an error for what should be there.
pub(super) const UNREADABLE: &str = "the database cannot read it";

/// What an error of the database says about the data at `seq`: that it is damaged, or only out of reach.
pub(super) fn trouble(error: &fjall::Error, seq: u64) -> Trouble {
    let io = match error {
        fjall::Error::Io(io) | fjall::Error::Storage(fjall::LsmError::Io(io)) => Some(io.kind()),
        _ => None,
    };
    let is_damage = match io {
        Some(kind) => is_damage(kind),
        None => matches!(error, fjall::Error::Storage(_) | fjall::Error::Decompress(_)),
    };
    if is_damage {
        Trouble::Damaged { seq, what: format!("{UNREADABLE}: {error}") }
    } else {
        Trouble::Unavailable { why: error.to_string() }
    }
}

impl Spaces {
    pub(super) fn of(&self, space: Space) -> &Keyspace {
        match space {
            Space::Meta => &self.meta,
            Space::Logs => &self.logs,
            Space::Heads => &self.heads,
            Space::Records => &self.records,
            Space::Expiries => &self.expiries,
        }
    }

    /// Adds rows to a batch.
    pub(super) fn fill(&self, batch: &mut OwnedWriteBatch, rows: Vec<Row>) {
        for Row { space, key, value } in rows {
            match value {
                Some(value) => batch.insert(self.of(space), key, value),
                None => batch.remove(self.of(space), key),
            }
        }
    }

    /// The head record of a game, as it stands.
    fn head_record(&self, view: &impl Readable, game: GameId) -> Result<Head, Trouble> {
        match view.get(&self.heads, game.as_str()).map_err(|error| trouble(&error, 1))? {
            None => Ok(Head::START),
            Some(value) => match parse_head(&value) {
                Some(head) if head.seq > 0 && head_value(head) == *value => Ok(head),
                Some(_) | None => Err(Trouble::damaged(1, "the record of its head makes no sense")),
            },
        }
    }

    /// The hash of the chain at an entry, as the entry itself says.
    fn hash_at(&self, view: &impl Readable, game: GameId, seq: u64) -> Result<Hash, Trouble> {
        if seq == 0 {
            return Ok(Hash::ZERO);
        }
        let value = view.get(&self.logs, entry_key(game, seq)).map_err(|error| trouble(&error, seq))?;
        let value = value.ok_or_else(|| Trouble::damaged(seq, "it is missing"))?;
        let (_, hash, _) = parse_entry(&value).ok_or_else(|| Trouble::damaged(seq, "it is too short"))?;
        Ok(hash)
    }

    /// Where a log stands, its last entry agreeing and none coming after it.
    pub(super) fn head(&self, game: GameId) -> Result<Head, Trouble> {
        let view = self.db.snapshot();
        let head = self.head_record(&view, game)?;
        if self.hash_at(&view, game, head.seq)? != head.hash {
            return Err(Trouble::damaged(head.seq, "its hash is not that of the head"));
        }
        let beyond = head.seq + 1;
        let found = view.get(&self.logs, entry_key(game, beyond)).map_err(|error| trouble(&error, beyond))?;
        if found.is_some() {
            return Err(Trouble::damaged(beyond, "it lies beyond the head"));
        }
        Ok(head)
    }

    /// Entries of a log, checked.
    pub(super) fn read(
        &self,
        game: GameId,
        after_seq: u64,
        limit: usize,
    ) -> Result<Vec<StoredEntry>, Trouble> {
        let view = self.db.snapshot();
        let head = self.head_record(&view, game)?;
        let limit = limit.min(READ_MAX);
        // Beyond the head there must be nothing, so looking from the head on serves every caller that is ahead.
        let start = after_seq.min(head.seq);
        let mut at = Head { seq: start, hash: self.hash_at(&view, game, start)? };
        if start == head.seq && at.hash != head.hash {
            return Err(Trouble::damaged(start, "its hash is not that of the head"));
        }
        let last = (Bound::Excluded(entry_key(game, start)), Bound::Included(entry_key(game, u64::MAX)));
        let mut entries = Vec::new();
        let mut rows = view.range(&self.logs, last);
        while entries.len() < limit {
            let next = at.seq + 1;
            let Some(row) = rows.next() else { break };
            let (key, value) = row.into_inner().map_err(|error| trouble(&error, next))?;
            if entry_seq(&key) != Some(next) {
                return Err(Trouble::damaged(next, "it is missing"));
            }
            if at.seq >= head.seq {
                return Err(Trouble::damaged(next, "it lies beyond the head"));
            }
            let (stamp, hash, body) =
                parse_entry(&value).ok_or_else(|| Trouble::damaged(next, "it is too short"))?;
            let body = SecretBytes::new(body.to_vec());
            at = at.then(game, &body);
            if at.hash != hash {
                return Err(Trouble::damaged(next, "its hash does not fit"));
            }
            entries.push(StoredEntry { seq: next, at: stamp, body });
        }
        if entries.len() < limit && at.seq < head.seq {
            return Err(Trouble::damaged(at.seq + 1, "it is missing"));
        }
        if at.seq == head.seq && at.hash != head.hash {
            return Err(Trouble::damaged(at.seq, "its hash is not that of the head"));
        }
        Ok(entries)
    }

    /// A whole log, checked entry by entry.
    pub(super) fn verify(&self, game: GameId) -> Result<Head, Trouble> {
        let mut after_seq = 0;
        loop {
            match self.read(game, after_seq, READ_MAX)?.last() {
                Some(last) => after_seq = last.seq,
                None => return self.head(game),
            }
        }
    }

    /// Every game that has a head.
    pub(super) fn games(&self) -> Result<Vec<GameId>, Trouble> {
        let rows = self.heads.iter().map(|row| row.key().map_err(|error| trouble(&error, 0)));
        rows.filter_map(|key| key.map(|key| parse_game(&key)).transpose()).collect()
    }

    /// A record that exists at this time.
    pub(super) fn get(&self, key: &Key, now: Stamp) -> Result<Option<Vec<u8>>, Trouble> {
        let bytes = self.records.get(key.as_bytes()).map_err(|error| trouble(&error, 0))?;
        let Some(bytes) = bytes else { return Ok(None) };
        let (value, expires) = parse_record(&bytes).ok_or_else(|| damaged_record(key))?;
        Ok(expires.is_none_or(|expires| now < expires).then(|| value.to_vec()))
    }

    /// Records that exist at this time, those under a prefix or all, with their expiries.
    pub(super) fn records(
        &self,
        prefix: Option<&Key>,
        after: Option<&Key>,
        limit: usize,
        now: Stamp,
    ) -> Result<Vec<FullRecord>, Trouble> {
        let prefix = prefix.map_or(&[][..], Key::as_bytes);
        let from = match after.map(Key::as_bytes) {
            Some(after) if after >= prefix => Bound::Excluded(after),
            Some(_) | None => Bound::Included(prefix),
        };
        // To the prefix's end and no further: the way to the next record that is there may lead past many that were deleted.
        let end = first_beyond(prefix);
        if after.zip(end.as_deref()).is_some_and(|(after, end)| after.as_bytes() >= end) {
            return Ok(Vec::new());
        }
        let to = end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let mut found = Vec::new();
        for row in self.db.snapshot().range::<&[u8], _>(&self.records, (from, to)) {
            if found.len() >= limit.min(READ_MAX) {
                break;
            }
            let (key, bytes) = row.into_inner().map_err(|error| trouble(&error, 0))?;
            let key = Key::new(key.to_vec())
                .map_err(|_| Trouble::damaged(0, "the key of a record is empty or too long"))?;
            let (value, expires) = parse_record(&bytes).ok_or_else(|| damaged_record(&key))?;
            if expires.is_none_or(|expires| now < expires) {
                found.push((key, value.to_vec(), expires));
            }
        }
        Ok(found)
    }
}

/// The least key that is greater than every key with this prefix; none where no key is.
fn first_beyond(prefix: &[u8]) -> Option<Vec<u8>> {
    let at = prefix.iter().rposition(|byte| *byte != u8::MAX)?;
    let mut beyond = prefix.get(..=at)?.to_vec();
    beyond[at] += 1;
    Some(beyond)
}

fn damaged_record(key: &Key) -> Trouble {
    Trouble::Damaged { seq: 0, what: format!("{key:?} cannot be parsed") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_a_prefix_comes_what_is_greater_than_all_its_keys() {
        let rows: [(&[u8], Option<&[u8]>); 6] = [
            (b"seat/", Some(b"seat0")),
            (b"a\xff", Some(b"b")),
            (b"a\xff\xff", Some(b"b")),
            (b"\xfe\xff", Some(b"\xff")),
            (b"\xff\xff", None),
            (b"", None),
        ];
        for (prefix, beyond) in rows {
            assert_eq!(first_beyond(prefix).as_deref(), beyond, "{prefix:?}");
        }
    }
}
