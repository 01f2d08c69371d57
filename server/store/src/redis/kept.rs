//! Copies of side records, which are given back if Redis is emptied while servers run. This way,
//! players in a game do not lose their seats.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use flagfall_board::Stamp;

use crate::store::Write;
use crate::value::Key;

/// The approximate limit for all copies, in bytes. The records of a guest take up half a KiB.
const BYTES_MAX: usize = 32 * 1024 * 1024;
/// The approximate memory that a copy takes up in addition to its content, in bytes.
const COPY_OVERHEAD: usize = 128;

type SharedKey = Arc<[u8]>;

/// The copies, and the owner of each copy. Both share the keys.
#[derive(Default)]
pub(super) struct Kept {
    records: BTreeMap<SharedKey, Content>,
    owned: HashMap<Box<str>, Box<[SharedKey]>>,
    bytes: usize,
}

struct Content {
    value: Box<[u8]>,
    expires: Option<Stamp>,
}

impl Kept {
    /// Keeps copies of these records for an owner, replacing the owner's earlier copies. Keeps
    /// none of them if there is no room.
    pub(super) fn keep(&mut self, owner: &str, records: Vec<Write>) {
        self.drop_owner(owner);
        let bytes = |record: &Write| bytes_of(record.key().as_bytes(), record.value_bytes());
        if self.bytes + records.iter().map(bytes).sum::<usize>() > BYTES_MAX {
            return;
        }
        let keys = records.into_iter().filter_map(|record| self.insert(record)).collect();
        self.owned.insert(owner.into(), keys);
    }

    pub(super) fn drop_owner(&mut self, owner: &str) {
        let keys = self.owned.remove(owner).unwrap_or_default();
        keys.iter().for_each(|key| self.remove(key));
    }

    pub(super) fn owners(&self) -> Vec<String> {
        self.owned.keys().map(|owner| owner.to_string()).collect()
    }

    pub(super) fn has(&self, key: &Key) -> bool {
        self.records.contains_key(key.as_bytes())
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
                Write::Put { key, value, expires } => {
                    if let Some(content) = self.records.get_mut(key.as_bytes()) {
                        self.bytes = self.bytes - content.value.len() + value.len();
                        *content = Content::new(&value, expires);
                    }
                }
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
        self.remove(key.as_bytes());
    }

    /// Returns all copies, to give them back.
    pub(super) fn all(&self) -> Vec<Write> {
        let put = |(key, Content { value, expires }): (&SharedKey, &Content)| {
            Some(Write::Put { key: Key::new(&**key).ok()?, value: value.to_vec(), expires: *expires })
        };
        self.records.iter().filter_map(put).collect()
    }

    /// Keeps a copy, and returns its key.
    fn insert(&mut self, record: Write) -> Option<SharedKey> {
        let Write::Put { key, value, expires } = record else { return None };
        self.forget(&key);
        let key: SharedKey = key.as_bytes().into();
        self.bytes += bytes_of(&key, value.len());
        self.records.insert(key.clone(), Content::new(&value, expires));
        Some(key)
    }

    fn remove(&mut self, key: &[u8]) {
        if let Some(content) = self.records.remove(key) {
            self.bytes -= bytes_of(key, content.value.len());
        }
    }
}

impl Content {
    /// Copies the value, because an allocator may leave the unused part of a vector as it is.
    fn new(value: &[u8], expires: Option<Stamp>) -> Content {
        Content { value: value.into(), expires }
    }
}

fn bytes_of(key: &[u8], value_bytes: usize) -> usize {
    COPY_OVERHEAD + key.len() + value_bytes
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
