//! Copies of side records, which are given back if Redis is emptied while servers run. This way,
//! players in a game do not lose their seats.

use std::collections::{BTreeMap, HashMap};

use crate::store::Write;
use crate::value::Key;

/// The approximate limit for all copies, in bytes. The records of a guest take up half a KiB.
const BYTES_MAX: usize = 32 * 1024 * 1024;
/// The approximate memory that a copy takes up in addition to its content, in bytes.
const COPY_OVERHEAD: usize = 128;

/// The copies, and the owner of each copy.
#[derive(Default)]
pub(super) struct Kept {
    records: BTreeMap<Key, Write>,
    owned: HashMap<String, Vec<Key>>,
    bytes: usize,
}

impl Kept {
    /// Keeps copies of these records for an owner, replacing the owner's earlier copies. Keeps
    /// none of them if there is no room.
    pub(super) fn keep(&mut self, owner: &str, records: Vec<Write>) {
        self.drop_owner(owner);
        let records: Vec<Write> =
            records.into_iter().filter(|record| matches!(record, Write::Put { .. })).collect();
        if self.bytes + records.iter().map(bytes_of).sum::<usize>() > BYTES_MAX {
            return;
        }
        self.owned.insert(owner.to_owned(), records.iter().map(|record| record.key().clone()).collect());
        records.into_iter().for_each(|record| self.insert(record));
    }

    pub(super) fn drop_owner(&mut self, owner: &str) {
        for key in self.owned.remove(owner).unwrap_or_default() {
            self.forget(&key);
        }
    }

    pub(super) fn owners(&self) -> Vec<String> {
        self.owned.keys().cloned().collect()
    }

    pub(super) fn has(&self, key: &Key) -> bool {
        self.records.contains_key(key)
    }

    /// Returns only the writes to records of which a copy is kept.
    pub(super) fn copied(&self, writes: &[Write]) -> Vec<Write> {
        writes.iter().filter(|write| self.has(write.key())).cloned().collect()
    }

    /// Updates the copies after these writes.
    pub(super) fn note(&mut self, writes: Vec<Write>) {
        for write in writes {
            match write {
                // The copy may be missing because its owner was dropped in the meantime.
                Write::Put { .. } if self.has(write.key()) => self.insert(write),
                Write::Put { .. } => {}
                Write::Delete { key } => self.forget(&key),
            }
        }
    }

    /// Forgets the copies of records that a write with an unknown outcome may have changed. It is
    /// unknown which value is correct, so no copy must be given back.
    pub(super) fn forget_all(&mut self, writes: &[Write]) {
        writes.iter().for_each(|write| self.forget(write.key()));
    }

    pub(super) fn forget(&mut self, key: &Key) {
        if let Some(record) = self.records.remove(key) {
            self.bytes -= bytes_of(&record);
        }
    }

    /// Returns all copies, to give them back.
    pub(super) fn all(&self) -> Vec<Write> {
        self.records.values().cloned().collect()
    }

    fn insert(&mut self, record: Write) {
        self.bytes += bytes_of(&record);
        if let Some(before) = self.records.insert(record.key().clone(), record) {
            self.bytes -= bytes_of(&before);
        }
    }
}

fn bytes_of(write: &Write) -> usize {
    COPY_OVERHEAD + write.key().as_bytes().len() + write.value_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(key: &str, value: &str) -> Write {
        Write::Put { key: Key::new(key).unwrap(), value: value.into(), expires: None }
    }

    #[test]
    fn copies_follow_what_is_written_and_go_with_their_owner() {
        let mut kept = Kept::default();
        kept.keep("ana", vec![put("players/ana", "1"), put("tokens/a", "ana")]);
        kept.keep("bo", vec![put("players/bo", "1")]);
        let delete = Write::Delete { key: Key::new("tokens/a").unwrap() };
        let written = kept.copied(&[put("players/ana", "22"), put("players/cy", "3"), delete]);
        assert_eq!(written.len(), 2);
        kept.note(written);
        assert_eq!(kept.all(), [put("players/ana", "22"), put("players/bo", "1")]);
        kept.keep("ana", vec![put("players/ana", "333")]);
        assert_eq!(kept.all(), [put("players/ana", "333"), put("players/bo", "1")]);
        kept.drop_owner("ana");
        kept.note(vec![put("players/ana", "4")]);
        kept.drop_owner("bo");
        assert_eq!((kept.all().len(), kept.bytes, kept.owners().len()), (0, 0, 0));
    }

    #[test]
    fn where_there_is_no_room_nothing_is_kept() {
        let mut kept = Kept::default();
        let large = "x".repeat(BYTES_MAX / 4);
        for owner in 0..8 {
            kept.keep(&owner.to_string(), vec![put(&format!("k/{owner}"), &large)]);
        }
        assert_eq!(kept.owners().len(), 3);
        assert!(kept.bytes <= BYTES_MAX);
    }
}
