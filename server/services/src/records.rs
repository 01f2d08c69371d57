//! Reads and writes records of the store in JSON form.

use flagfall_base::transact::{Transaction, expect};
use flagfall_board::Stamp;
use flagfall_store::{Key, Store, StoreError, Update, Write};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Parses a record. `what` is the name of the record in the error.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8], what: &str) -> Result<T, StoreError> {
    serde_json::from_slice(bytes).map_err(|_| damaged(&format!("{what} cannot be read")))
}

/// Reads a record of the store. Also returns its bytes, for use in the condition of an update.
pub(crate) async fn find<T: DeserializeOwned>(
    store: &dyn Store,
    key: Key,
    what: &str,
) -> Result<Option<(T, Vec<u8>)>, StoreError> {
    let Some(bytes) = store.get(key).await? else { return Ok(None) };
    Ok(Some((parse(&bytes, what)?, bytes)))
}

/// Changes a record, and returns the changed record. `change` gets the record, if it exists, and
/// returns `None` to change nothing. It is called again if another writer was first.
pub(crate) async fn change<T: Serialize + DeserializeOwned>(
    store: &dyn Store,
    key: Key,
    what: &'static str,
    change: impl Fn(Option<T>) -> Option<T>,
) -> Result<Option<T>, StoreError> {
    let mut transaction = Transaction::new(store, what);
    loop {
        let (record, before) = find(store, key.clone(), what).await?.unzip();
        let Some(record) = change(record) else { return Ok(None) };
        let value = bytes(&record)?;
        if before.as_ref() == Some(&value) {
            return Ok(Some(record));
        }
        let conditions = vec![(key.clone(), expect(before))];
        let writes = vec![Write::Put { key: key.clone(), value, expires: None }];
        if transaction.commit(Update { conditions, writes }).await? {
            return Ok(Some(record));
        }
    }
}

pub(crate) fn bytes(record: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(record).map_err(|_| damaged("a record cannot be written"))
}

pub(crate) fn put(key: Key, record: &impl Serialize, expires: Option<Stamp>) -> Result<Write, StoreError> {
    Ok(Write::Put { key, value: bytes(record)?, expires })
}

/// Returns a write that stores an empty record. All information of such a record is in its key.
pub(crate) fn mark(key: Key, expires: Option<Stamp>) -> Write {
    Write::Put { key, value: Vec::new(), expires }
}

pub(crate) fn damaged(what: &str) -> StoreError {
    StoreError::Damaged { what: what.to_owned() }
}
