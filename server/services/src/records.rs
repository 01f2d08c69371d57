//! Records in the store, as JSON.

use flagfall_board::Stamp;
use flagfall_store::{Key, Store, StoreError, Write};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a record. `what` names it in the error.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8], what: &str) -> Result<T, StoreError> {
    serde_json::from_slice(bytes).map_err(|_| damaged(&format!("{what} cannot be read")))
}

/// A record of the store, and its bytes as the condition of an update.
pub(crate) async fn find<T: DeserializeOwned>(
    store: &dyn Store,
    key: Key,
    what: &str,
) -> Result<Option<(T, Vec<u8>)>, StoreError> {
    let Some(bytes) = store.get(key).await? else { return Ok(None) };
    Ok(Some((parse(&bytes, what)?, bytes)))
}

pub(crate) fn bytes(record: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(record).map_err(|_| damaged("a record cannot be written"))
}

pub(crate) fn put(key: Key, record: &impl Serialize, expires: Option<Stamp>) -> Result<Write, StoreError> {
    Ok(Write::Put { key, value: bytes(record)?, expires })
}

/// Returns the write of an empty record, whose key says everything.
pub(crate) fn mark(key: Key, expires: Option<Stamp>) -> Write {
    Write::Put { key, value: Vec::new(), expires }
}

pub(crate) fn damaged(what: &str) -> StoreError {
    StoreError::Damaged { what: what.to_owned() }
}
