//! Reads all records under a prefix, in chunks.

use flagfall_store::{Key, Reached, Record, Store, StoreError};

const CHUNK: usize = 512;

/// Reads the records under a prefix, in the order of their keys. A record that is written during
/// the scan is included if its key comes after the last key that was read.
pub struct Scan<'store> {
    store: &'store dyn Store,
    prefix: Key,
    chunk: usize,
    /// The last key that was read; `None` before the first read.
    after: Option<Key>,
    is_done: bool,
    /// True if the parts of the store that do not answer are left out.
    is_partial: bool,
    is_whole: bool,
}

impl<'store> Scan<'store> {
    pub fn new(store: &'store dyn Store, prefix: Key) -> Scan<'store> {
        Scan { store, prefix, chunk: CHUNK, after: None, is_done: false, is_partial: false, is_whole: true }
    }

    /// Leaves out the parts of the store that do not answer, unless no part answers.
    #[must_use]
    pub fn of_reachable(self) -> Scan<'store> {
        Scan { is_partial: true, ..self }
    }

    /// Begins after this key.
    #[must_use]
    pub fn after(self, key: Key) -> Scan<'store> {
        Scan { after: Some(key), ..self }
    }

    pub async fn all(store: &dyn Store, prefix: Key) -> Result<Vec<Record>, StoreError> {
        let (mut all, mut scan) = (Vec::new(), Scan::new(store, prefix));
        while let Some(records) = scan.next().await? {
            all.extend(records);
        }
        Ok(all)
    }

    /// Returns all records in the parts of the store that answer.
    pub async fn all_reachable(store: &dyn Store, prefix: Key) -> Result<Reached, StoreError> {
        let (mut all, mut scan) = (Vec::new(), Scan::new(store, prefix).of_reachable());
        while let Some(records) = scan.next().await? {
            all.extend(records);
        }
        Ok(Reached { records: all, is_whole: scan.is_whole })
    }

    /// False if a part of the store has been left out so far.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns the next records. `None` if there are no more.
    pub async fn next(&mut self) -> Result<Option<Vec<Record>>, StoreError> {
        if self.is_done {
            return Ok(None);
        }
        let (prefix, after) = (self.prefix.clone(), self.after.take());
        let records = if self.is_partial {
            let reached = self.store.scan_reachable(prefix, after, self.chunk).await?;
            self.is_whole &= reached.is_whole;
            reached.records
        } else {
            self.store.scan(prefix, after, self.chunk).await?
        };
        match records.last() {
            Some((last, _)) if records.len() == self.chunk => self.after = Some(last.clone()),
            _ => self.is_done = true,
        }
        Ok(Some(records).filter(|records| !records.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use flagfall_board::Stamp;
    use flagfall_store::{Update, Write};
    use flagfall_store_testing::{ManualClock, TestStore};

    use super::*;

    #[tokio::test]
    async fn every_record_comes_once_whatever_the_size_of_a_chunk() {
        let store = TestStore::new(Arc::new(ManualClock::new(Stamp(1))));
        let key = |name: &str| Key::new(name.to_owned()).unwrap();
        let names = ["a/1", "b/1", "b/2", "b/3", "b/4", "c/1"];
        let put = |name: &&str| Write::Put { key: key(name), value: name.as_bytes().to_vec(), expires: None };
        let writes = names.iter().map(put).collect();
        store.update(Update { conditions: Vec::new(), writes }).await.unwrap();
        for (prefix, expected) in [("b/", &names[1..5]), ("d/", &[]), ("c/", &names[5..])] {
            for chunk in 1..=5 {
                let mut scan = Scan { chunk, ..Scan::new(&store, key(prefix)) };
                let mut found = Vec::new();
                while let Some(records) = scan.next().await.unwrap() {
                    assert!((1..=chunk).contains(&records.len()));
                    found.extend(records.into_iter().map(|(_, value)| String::from_utf8(value).unwrap()));
                }
                assert_eq!(found, expected, "{prefix}, {chunk} at a time");
                assert!(scan.next().await.unwrap().is_none(), "it stays at its end");
            }
        }
    }
}
