//! Finds an open offer by its id, and remembers how offers were closed.

use std::sync::Arc;

use flagfall_store::{Key, Store, StoreError, Write};
use serde::de::DeserializeOwned;

use crate::Refused;
use crate::records::find;
use flagfall_base::keys::{CLOSED_OFFERS, RecordKind};

/// The time for which the end of an offer is remembered, in milliseconds.
const KEPT_MS: u64 = 60 * 60 * 1_000;

/// How an offer was closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Closing {
    /// A player accepted the offer.
    Taken,
    /// The player who made the offer withdrew it or left.
    Withdrawn,
    /// A player to whom the offer was addressed declined it.
    Declined,
}

impl Closing {
    const ALL: [Closing; 3] = [Closing::Taken, Closing::Withdrawn, Closing::Declined];

    /// Returns the reason in refusals and messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Closing::Taken => "taken",
            Closing::Withdrawn => "withdrawn",
            Closing::Declined => "declined",
        }
    }

    /// Returns the write that records how the offer was closed.
    pub(super) fn note(self, store: &dyn Store, id: &str) -> Result<Write, StoreError> {
        let expires = Some(store.now().plus_ms(KEPT_MS));
        Ok(Write::Put { key: CLOSED_OFFERS.key([&id])?, value: self.name().into(), expires })
    }
}

/// Returns the write that deletes the record of how an offer was closed. It is needed when the
/// offer is opened again.
pub(super) fn forget_closing(id: &str) -> Result<Write, StoreError> {
    Ok(Write::Delete { key: CLOSED_OFFERS.key([&id])? })
}

/// Returns the refusal for an offer that is not open. If the offer was closed within the last
/// hour, the refusal contains the reason.
pub(super) async fn gone(store: &dyn Store, id: &str, refused: fn() -> Refused) -> Refused {
    let Refused(refusal) = refused();
    match closing(store, id).await {
        Ok(Some(closing)) => refusal.because(closing.name()).into(),
        Ok(None) => refusal.into(),
        Err(error) => error.into(),
    }
}

async fn closing(store: &dyn Store, id: &str) -> Result<Option<Closing>, StoreError> {
    let kept = store.get(CLOSED_OFFERS.key([&id])?).await?;
    Ok(Closing::ALL.into_iter().find(|closing| kept.as_deref() == Some(closing.name().as_bytes())))
}

/// Reads an open offer (a seek or a challenge). Also returns its key and its stored bytes.
pub(super) async fn find_offer<T: DeserializeOwned>(
    store: &Arc<dyn Store>,
    kind: &RecordKind<1>,
    id: &str,
    refused: fn() -> Refused,
) -> Result<(T, Key, Vec<u8>), Refused> {
    let is_id = (10..=32).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_id {
        return Err(refused());
    }
    let key = kind.key([&id])?;
    match find(&**store, key.clone(), "an offer").await? {
        Some((offer, bytes)) => Ok((offer, key, bytes)),
        None => Err(gone(&**store, id, refused).await),
    }
}
