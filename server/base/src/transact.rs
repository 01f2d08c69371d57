//! Read, decide, write if nothing has changed; again if something has.

use flagfall_store::{Expect, Key, Store, StoreError, Update, UpdateOutcome, Write};

/// Tries before a transaction gives up. Two writers of one record rarely meet more than once.
const ATTEMPTS: u32 = 8;

/// What one try of a transaction decided, from what it read.
#[derive(Debug)]
pub enum Step<T> {
    /// Make this update; the result if it is made.
    Commit(Update, T),
    /// Nothing is to be written; the result.
    Done(T),
}

/// Runs `attempt`, which reads and decides, and makes the update that it returns. If another writer
/// was first, or the store does not say whether it wrote the update, `attempt` runs again: it must
/// find out from what it reads whether its work is done.
///
/// # Errors
/// What `attempt` returns; [`StoreError::Unavailable`] after eight tries, saying that `what` changes
/// too fast.
pub async fn transact<T, E: From<StoreError>>(
    store: &dyn Store,
    what: &str,
    mut attempt: impl AsyncFnMut() -> Result<Step<T>, E>,
) -> Result<T, E> {
    for _ in 0..ATTEMPTS {
        match attempt().await? {
            Step::Done(value) => return Ok(value),
            Step::Commit(update, value) => match store.update(update).await? {
                UpdateOutcome::Ok => return Ok(value),
                UpdateOutcome::Conflict | UpdateOutcome::Unknown => {}
            },
        }
    }
    Err(StoreError::Unavailable { why: format!("{what}: too many changes at once") }.into())
}

/// Makes an update whose repetition does no harm, with no conditions.
///
/// # Errors
/// [`StoreError`]; [`StoreError::Unavailable`] if the store does not say whether it was made.
pub async fn write(store: &dyn Store, writes: Vec<Write>) -> Result<(), StoreError> {
    match store.update(Update { conditions: Vec::new(), writes }).await? {
        UpdateOutcome::Ok => Ok(()),
        UpdateOutcome::Conflict | UpdateOutcome::Unknown => {
            Err(StoreError::Unavailable { why: "it did not say that it took a record".to_owned() })
        }
    }
}

/// Makes the update if the record still has this value (`None`: if there is still none). False if it
/// has changed, or the store does not say whether it was made.
///
/// # Errors
/// [`StoreError`].
pub async fn write_if(
    store: &dyn Store,
    key: Key,
    value: Option<Vec<u8>>,
    writes: Vec<Write>,
) -> Result<bool, StoreError> {
    let conditions = vec![(key, expect(value))];
    Ok(store.update(Update { conditions, writes }).await? == UpdateOutcome::Ok)
}

/// The condition that a record is still as it was read.
#[must_use]
pub fn expect(value: Option<Vec<u8>>) -> Expect {
    value.map_or(Expect::Absent, Expect::Value)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use flagfall_board::Stamp;
    use flagfall_store::{ManualClock, MemoryStore};

    use super::*;

    fn store() -> MemoryStore {
        MemoryStore::new(Arc::new(ManualClock::new(Stamp(1))))
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
        let mut tries = 0;
        let counted = transact::<u8, StoreError>(&store, "the counter", async || {
            let before = store.get(key()).await?;
            let next = before.as_ref().map_or(0, |value| value[0]) + 1;
            tries += 1;
            if tries == 1 {
                write(&store, vec![put(6)]).await?;
            }
            let conditions = vec![(key(), expect(before))];
            Ok(Step::Commit(Update { conditions, writes: vec![put(next)] }, next))
        });
        assert_eq!(counted.await, Ok(7));
        assert_eq!((tries, store.get(key()).await.unwrap()), (2, Some(vec![7])));
    }

    #[tokio::test]
    async fn it_gives_up_in_the_end_and_says_what_changes() {
        let store = store();
        let conditions = vec![(key(), Expect::Value(vec![9]))];
        let update = Update { conditions, writes: vec![put(1)] };
        let never =
            transact::<(), StoreError>(&store, "the counter", async || Ok(Step::Commit(update.clone(), ())));
        let error = never.await.unwrap_err().to_string();
        assert!(error.contains("the counter: too many changes"), "{error}");
    }

    #[tokio::test]
    async fn a_write_with_a_condition_says_whether_it_was_made() {
        let store = store();
        assert_eq!(write_if(&store, key(), None, vec![put(1)]).await, Ok(true));
        assert_eq!(write_if(&store, key(), None, vec![put(2)]).await, Ok(false));
        assert_eq!(write_if(&store, key(), Some(vec![1]), vec![put(2)]).await, Ok(true));
    }
}
