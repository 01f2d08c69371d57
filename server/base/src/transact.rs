//! Transactions: read a record, decide, and write if the record has not changed in the meantime.
//! If it has changed, start again.

use flagfall_store::{Expect, Key, Store, StoreError, Update, UpdateOutcome, Write};

use crate::scan::Scan;

const DELETES_MAX: usize = 32;
/// The maximum number of attempts of a transaction. Two writers of the same record rarely
/// conflict more than once.
const TRIES: u32 = 32;

/// A change that is repeated until no other writer interferes between its read and its write.
///
/// Each round of the caller's loop reads, decides, and commits. The update of the previous round
/// may have failed, or the store may not have said whether it was made. So each round must find
/// out from what it reads whether the work is already done.
///
/// ```
/// # use flagfall_base::transact::{Transaction, expect};
/// # use flagfall_store::{Key, Store, StoreError, Update, Write};
/// async fn count(store: &dyn Store, key: Key) -> Result<u8, StoreError> {
///     let mut transaction = Transaction::new(store, "the counter");
///     loop {
///         let before = store.get(key.clone()).await?;
///         let next = before.as_ref().map_or(0, |value| value[0]) + 1;
///         let write = Write::Put { key: key.clone(), value: vec![next], expires: None };
///         let conditions = vec![(key.clone(), expect(before))];
///         if transaction.commit(Update { conditions, writes: vec![write] }).await? {
///             return Ok(next);
///         }
///     }
/// }
/// ```
pub struct Transaction<'store> {
    store: &'store dyn Store,
    what: &'static str,
    tries: u32,
}

impl<'store> Transaction<'store> {
    /// Begins a transaction. `what` names its subject in error messages.
    pub fn new(store: &'store dyn Store, what: &'static str) -> Transaction<'store> {
        Transaction { store, what, tries: 0 }
    }

    /// Makes the update. Returns false if another writer was first, or if the store does not say
    /// whether the update was made. The caller must then read again. Returns
    /// [`StoreError::Unavailable`] after 32 attempts.
    pub async fn commit(&mut self, update: Update) -> Result<bool, StoreError> {
        match self.store.update(update).await? {
            UpdateOutcome::Ok => Ok(true),
            UpdateOutcome::Conflict | UpdateOutcome::Unknown => self.count_conflict().map(|()| false),
        }
    }

    /// Counts a conflict that the caller found without calling [`Transaction::commit`]. Returns
    /// [`StoreError::Unavailable`] after 32 attempts.
    pub fn count_conflict(&mut self) -> Result<(), StoreError> {
        self.tries += 1;
        if self.tries < TRIES {
            return Ok(());
        }
        Err(StoreError::Unavailable { why: format!("{}: too many changes at once", self.what) })
    }
}

/// Makes an update without conditions. It must be harmless to repeat the update. Returns
/// [`StoreError::Unavailable`] if the store does not say whether the update was made.
pub async fn write(store: &dyn Store, writes: Vec<Write>) -> Result<(), StoreError> {
    match store.update(Update { conditions: Vec::new(), writes }).await? {
        UpdateOutcome::Ok => Ok(()),
        UpdateOutcome::Conflict | UpdateOutcome::Unknown => {
            Err(StoreError::Unavailable { why: "it did not confirm a record".to_owned() })
        }
    }
}

/// Deletes all records under a prefix, however many there are. After an error, some records may
/// still exist; it is safe to repeat the call.
pub async fn delete_all(store: &dyn Store, prefix: Key) -> Result<(), StoreError> {
    let mut scan = Scan::new(store, prefix);
    while let Some(records) = scan.next().await? {
        delete(store, records.into_iter().map(|(key, _)| key).collect()).await?;
    }
    Ok(())
}

pub async fn delete(store: &dyn Store, keys: Vec<Key>) -> Result<(), StoreError> {
    for keys in keys.chunks(DELETES_MAX) {
        write(store, keys.iter().map(|key| Write::Delete { key: key.clone() }).collect()).await?;
    }
    Ok(())
}

/// Makes the update if the record still has this value. `None` means that the record must not
/// exist. Returns false if the record has changed, or if the store does not say whether the
/// update was made.
pub async fn write_if(
    store: &dyn Store,
    key: Key,
    value: Option<Vec<u8>>,
    writes: Vec<Write>,
) -> Result<bool, StoreError> {
    let conditions = vec![(key, expect(value))];
    Ok(store.update(Update { conditions, writes }).await? == UpdateOutcome::Ok)
}

/// Returns the value of a record that all servers share. If it does not exist, creates it with
/// the value that `make` returns, unless another server creates it first.
pub async fn read_or_create(
    store: &dyn Store,
    key: Key,
    what: &'static str,
    make: impl Fn() -> Result<Vec<u8>, StoreError>,
) -> Result<Vec<u8>, StoreError> {
    let mut transaction = Transaction::new(store, what);
    loop {
        if let Some(value) = store.get(key.clone()).await? {
            return Ok(value);
        }
        let value = make()?;
        let conditions = vec![(key.clone(), Expect::Absent)];
        let writes = vec![Write::Put { key: key.clone(), value: value.clone(), expires: None }];
        if transaction.commit(Update { conditions, writes }).await? {
            return Ok(value);
        }
    }
}

/// Returns the condition that a record has not changed since it was read.
pub fn expect(value: Option<Vec<u8>>) -> Expect {
    value.map_or(Expect::Absent, Expect::Value)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use flagfall_board::Stamp;
    use flagfall_store_testing::{ManualClock, TestStore, WriteFault};

    use super::*;

    fn store() -> TestStore {
        TestStore::new(Arc::new(ManualClock::new(Stamp(1))))
    }

    fn key() -> Key {
        Key::new("seek_turn").unwrap()
    }

    fn put(value: u8) -> Write {
        Write::Put { key: key(), value: vec![value], expires: None }
    }

    #[tokio::test]
    async fn another_writer_makes_it_read_again() {
        let store = store();
        let mut transaction = Transaction::new(&store, "the counter");
        let mut committed = Vec::new();
        while committed.last() != Some(&true) {
            let before = store.get(key()).await.unwrap();
            let next = before.as_ref().map_or(0, |value| value[0]) + 1;
            if committed.is_empty() {
                write(&store, vec![put(6)]).await.unwrap();
            }
            let conditions = vec![(key(), expect(before))];
            committed.push(transaction.commit(Update { conditions, writes: vec![put(next)] }).await.unwrap());
        }
        assert_eq!((committed, store.get(key()).await.unwrap()), (vec![false, true], Some(vec![7])));
    }

    #[tokio::test]
    async fn it_gives_up_in_the_end_and_says_what_changes() {
        let store = store();
        let conditions = vec![(key(), Expect::Value(vec![9]))];
        let update = Update { conditions, writes: vec![put(1)] };
        let mut transaction = Transaction::new(&store, "the counter");
        for _ in 1..TRIES {
            assert_eq!(transaction.commit(update.clone()).await, Ok(false));
        }
        let error = transaction.commit(update).await.unwrap_err().to_string();
        assert!(error.contains("the counter: too many changes"), "{error}");
    }

    #[tokio::test]
    async fn everything_under_a_prefix_is_deleted_or_the_answer_is_an_error() {
        let store = store();
        let key = |number: usize| Key::new(format!("a/{number:04}")).unwrap();
        for start in (0..1_000).step_by(32) {
            let put = |number| Write::Put { key: key(number), value: vec![1], expires: None };
            write(&store, (start..start + 32).map(put).collect()).await.unwrap();
        }
        write(&store, vec![put(1)]).await.unwrap();
        let all = Key::new("a/").unwrap();
        store.fail_next(WriteFault::UnknownBeforeWriting);
        assert!(delete_all(&store, all.clone()).await.is_err());
        delete_all(&store, all.clone()).await.unwrap();
        assert_eq!(store.scan(all, None, 9).await.unwrap(), []);
        assert!(store.get(super::tests::key()).await.unwrap().is_some());
    }

    #[tokio::test]
    async fn a_write_with_a_condition_says_whether_it_was_made() {
        let store = store();
        assert_eq!(write_if(&store, key(), None, vec![put(1)]).await, Ok(true));
        assert_eq!(write_if(&store, key(), None, vec![put(2)]).await, Ok(false));
        assert_eq!(write_if(&store, key(), Some(vec![1]), vec![put(2)]).await, Ok(true));
    }
}
