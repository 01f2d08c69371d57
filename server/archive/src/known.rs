//! The store's record of its archive.

use std::fmt;

use flagfall_store::{ARCHIVE_KEY, Expect, Key, Store, StoreError, Update, UpdateOutcome, Write};
use serde::{Deserialize, Serialize};

/// The archive that a store remembers. It has the store's finished games, so no other archive can
/// take its place.
///
/// The record is written before the first game or volume leaves the store.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KnownArchive {
    /// The archive's id.
    pub id: u64,
    /// A description, for people, of where the archive was at last.
    pub place: String,
}

impl fmt::Display for KnownArchive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "archive {:016x} ({})", self.id, self.place)
    }
}

fn damaged() -> StoreError {
    StoreError::Damaged { what: "the record of the archive cannot be read".to_owned() }
}

impl KnownArchive {
    /// Reads the record. `None` if nothing has left the store yet.
    ///
    /// # Errors
    /// [`StoreError`] if the record cannot be read.
    pub async fn of(store: &(impl Store + ?Sized)) -> Result<Option<KnownArchive>, StoreError> {
        let value = store.get(Key::new(ARCHIVE_KEY)?).await?;
        value.map(|value| serde_json::from_slice(&value).map_err(|_| damaged())).transpose()
    }

    /// Writes the record, unless the store has one. Returns the archive that the store then
    /// remembers.
    ///
    /// # Errors
    /// [`StoreError`]: the record may have been written.
    pub async fn claim(self, store: &(impl Store + ?Sized)) -> Result<KnownArchive, StoreError> {
        if let Some(known) = KnownArchive::of(store).await? {
            return Ok(known);
        }
        match self.write(store, vec![(Key::new(ARCHIVE_KEY)?, Expect::Absent)]).await? {
            true => Ok(self),
            // Another server was first.
            false => KnownArchive::of(store).await?.ok_or_else(damaged),
        }
    }

    /// Writes the record, even if the store remembers another archive.
    ///
    /// # Errors
    /// [`StoreError`]: the record may have been written.
    pub async fn replace(&self, store: &(impl Store + ?Sized)) -> Result<(), StoreError> {
        self.write(store, Vec::new()).await.map(drop)
    }

    /// Returns false if a condition is not met.
    async fn write(
        &self,
        store: &(impl Store + ?Sized),
        conditions: Vec<(Key, Expect)>,
    ) -> Result<bool, StoreError> {
        let value = serde_json::to_vec(self).map_err(|_| damaged())?;
        let writes = vec![Write::Put { key: Key::new(ARCHIVE_KEY)?, value, expires: None }];
        match store.update(Update { conditions, writes }).await? {
            UpdateOutcome::Ok => Ok(true),
            UpdateOutcome::Conflict => Ok(false),
            UpdateOutcome::Unknown => Err(StoreError::Unavailable {
                why: "it did not confirm the record of the archive".to_owned(),
            }),
        }
    }
}
