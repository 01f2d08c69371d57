//! Finds an open offer by its id.

use std::sync::Arc;

use flagfall_store::{Key, Store};
use serde::de::DeserializeOwned;

use crate::Refused;
use crate::records::find;
use flagfall_base::keys::RecordKind;

/// Reads an open offer (a seek or a challenge). Also returns its key and its stored bytes.
pub(super) async fn find_offer<T: DeserializeOwned>(
    store: &Arc<dyn Store>,
    kind: &RecordKind<1>,
    id: &str,
    gone: fn() -> Refused,
) -> Result<(T, Key, Vec<u8>), Refused> {
    let is_id = (10..=32).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_id {
        return Err(gone());
    }
    let key = kind.key([&id])?;
    let (offer, bytes) = find(&**store, key.clone(), "an offer").await?.ok_or_else(gone)?;
    Ok((offer, key, bytes))
}
