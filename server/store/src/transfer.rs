//! The trait of stores that can be exported and imported.

use flagfall_board::GameId;
use futures_util::stream::{self, BoxStream, StreamExt as _};

use crate::store::{AppendOutcome, FullRecord, Store, StoreError, StoreResult, StoredEntry};
use crate::value::{Head, Key};

/// The key of a record that exists only while an export is being imported into the store. The value
/// identifies the export.
pub const IMPORT_KEY: &str = "importing";

/// The key of the record that names the store's archive. In a cluster, it is in the bucket of
/// [`OUTAGES_KEY`](crate::OUTAGES_KEY), so that servers need no other master when they start.
pub const ARCHIVE_KEY: &str = "known_archive";

/// Pages of side records. Ends after the last record.
pub type Pages<'a> = BoxStream<'a, Result<Vec<FullRecord>, StoreError>>;

/// A store whose content can be exported and imported as a whole.
pub trait Transfer: Store {
    fn games(&self) -> StoreResult<'_, Vec<GameId>>;

    /// Returns at most `limit` side records in the order of their keys, starting after the key
    /// `after`. Expired records are left out.
    fn records(&self, after: Option<Key>, limit: usize) -> StoreResult<'_, Vec<FullRecord>>;

    /// Returns all side records, like [`Transfer::records`], in pages of at most `limit`.
    fn all_records(&self, limit: usize) -> Pages<'_> {
        let next = move |after| async move {
            let records = self.records(after, limit).await?;
            let last = records.last().map(|(key, ..)| key.clone());
            Ok(last.map(|last| (records, Some(last))))
        };
        stream::try_unfold(None, next).boxed()
    }

    /// Appends at most [`BODIES_MAX`](crate::limits::BODIES_MAX) entries that already have
    /// stamps, and keeps the stamps. In all other respects it works like [`Store::append`].
    ///
    /// # Errors
    /// [`StoreError`](crate::StoreError): nothing was written.
    fn take_over(
        &self,
        game: GameId,
        expected: Head,
        entries: Vec<StoredEntry>,
    ) -> StoreResult<'_, AppendOutcome>;

    fn put_aside(&self, game: GameId, reason: String) -> StoreResult<'_, ()>;
}
