//! Exports a store together with its archive.

use flagfall_base::keys::PROOF;
use flagfall_board::GameId;
use flagfall_store::{
    ARCHIVED_RECORDS, AppendOutcome, FullRecord, Head, Key, Pages, ReadError, Store, StoreError, StoreResult,
    StoredEntry, Transfer,
};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use super::{ArchivedStore, store_error};
use crate::frame::archived_signature;

/// The number of records that are read from the archive at the same time.
const READS: usize = 64;

/// What the archive contained when a walk through all records reached it. It is listed only once
/// for each walk, because an archive may contain millions of games and records.
#[derive(Default)]
struct Listed {
    games: Option<Vec<GameId>>,
    volumes: Option<Vec<Key>>,
}

/// A page of records, in the order of their keys.
struct Page {
    after: Option<Key>,
    limit: usize,
    records: Vec<FullRecord>,
}

impl Page {
    fn has(&self, key: &Key) -> bool {
        self.records.binary_search_by(|(other, ..)| other.cmp(key)).is_ok()
    }

    /// True if the page is full and ends before this key.
    fn is_past(&self, key: &Key) -> bool {
        self.records.len() >= self.limit && self.records.last().is_none_or(|(last, ..)| last < key)
    }

    /// True if the page may contain keys with this prefix.
    fn may_have(&self, prefix: &Key) -> bool {
        let after = self.after.as_ref().map_or(&[][..], Key::as_bytes);
        !self.is_past(prefix) && (after < prefix.as_bytes() || after.starts_with(prefix.as_bytes()))
    }

    /// Reads the records with these keys from the archive, in order, until the page is full.
    async fn add<'a>(
        &mut self,
        keys: impl Iterator<Item = Key> + Send,
        read: impl Fn(Key) -> BoxFuture<'a, Result<Option<FullRecord>, StoreError>> + Send,
    ) -> Result<(), StoreError> {
        let keys = keys.take_while(|key| !self.is_past(key)).filter(|key| !self.has(key));
        let found = stream::iter(keys).map(read).buffered(READS).try_filter_map(async |record| Ok(record));
        let found: Vec<FullRecord> = found.take(self.limit).try_collect().await?;
        self.records.extend(found);
        self.records.sort_unstable_by(|(one, ..), (other, ..)| one.cmp(other));
        self.records.truncate(self.limit);
        Ok(())
    }
}

impl<S: Transfer + ?Sized> ArchivedStore<S> {
    /// Returns a page of the records in the store and in the archive.
    async fn page(
        &self,
        after: Option<Key>,
        limit: usize,
        listed: &mut Listed,
    ) -> Result<Vec<FullRecord>, StoreError> {
        let records = self.inner.records(after.clone(), limit).await?;
        let mut page = Page { after, limit, records };
        self.add_signatures(&mut page, listed).await?;
        self.add_volumes(&mut page, listed).await?;
        Ok(page.records)
    }

    async fn all_games(&self) -> Result<Vec<GameId>, StoreError> {
        tracing::info!("listing the games of the archive");
        self.archive.all_games().await.map_err(|error| store_error(&error))
    }

    /// Adds the signatures of archived games, as the records that they were before the games were
    /// archived.
    async fn add_signatures(&self, page: &mut Page, listed: &mut Listed) -> Result<(), StoreError> {
        let prefix = PROOF.all()?;
        if !page.may_have(&prefix) {
            return Ok(());
        }
        let games = match &mut listed.games {
            Some(games) => games,
            none => none.insert(self.all_games().await?),
        };
        let is_done = |game: &GameId| PROOF.key([game]).ok().as_ref() <= page.after.as_ref();
        let first = games.partition_point(is_done);
        let keys = (first..games.len()).filter_map(|nth| PROOF.key([&games[nth]]).ok());
        page.add(keys, |key| self.signature(key).boxed()).await
    }

    async fn signature(&self, key: Key) -> Result<Option<FullRecord>, StoreError> {
        let Some(game) = PROOF.game(&key) else { return Ok(None) };
        let signature = match archived_signature(self, game).await {
            Ok(signature) => signature,
            // The export contains the damaged game in quarantine.
            Err(ReadError::Damaged { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let Some(signature) = signature else { return Ok(None) };
        let unwritable = |_| StoreError::Damaged { what: "a signature cannot be written".to_owned() };
        Ok(Some((key, serde_json::to_vec(&signature).map_err(unwritable)?, None)))
    }

    async fn add_volumes(&self, page: &mut Page, listed: &mut Listed) -> Result<(), StoreError> {
        let prefix = Key::new(ARCHIVED_RECORDS)?;
        if !page.may_have(&prefix) {
            return Ok(());
        }
        let volumes = match &mut listed.volumes {
            Some(volumes) => volumes,
            none => {
                tracing::info!("listing the volumes of players' histories in the archive");
                none.insert(self.archived_records(prefix).await?)
            }
        };
        let first = volumes.partition_point(|key| Some(key) <= page.after.as_ref());
        let keys = (first..volumes.len()).map(|nth| volumes[nth].clone());
        page.add(keys, |key| self.volume(key).boxed()).await
    }

    async fn volume(&self, key: Key) -> Result<Option<FullRecord>, StoreError> {
        let value = self.archive.record(&key).await.map_err(|error| store_error(&error))?;
        // The record may have been deleted since its key was listed.
        Ok(value.map(|value| (key, value, None)))
    }
}

/// Exports include the archived games in their decoded form, their signatures, and the archived
/// records. Imports change only the inner store.
impl<S: Transfer + ?Sized> Transfer for ArchivedStore<S> {
    fn games(&self) -> StoreResult<'_, Vec<GameId>> {
        Box::pin(async move {
            let mut games = self.inner.games().await?;
            games.extend(self.all_games().await?);
            games.sort_unstable();
            games.dedup();
            Ok(games)
        })
    }

    fn records(&self, after: Option<Key>, limit: usize) -> StoreResult<'_, Vec<FullRecord>> {
        Box::pin(async move { self.page(after, limit, &mut Listed::default()).await })
    }

    fn all_records(&self, limit: usize) -> Pages<'_> {
        let next = move |(after, mut listed): (_, Listed)| async move {
            let records = self.page(after, limit, &mut listed).await?;
            let last = records.last().map(|(key, ..)| key.clone());
            Ok(last.map(|last| (records, (Some(last), listed))))
        };
        stream::try_unfold((None, Listed::default()), next).boxed()
    }

    flagfall_store::forward! { inner:
        fn take_over(game: GameId, expected: Head, entries: Vec<StoredEntry>)
            -> StoreResult<'_, AppendOutcome>;
        fn put_aside(game: GameId, reason: String) -> StoreResult<'_, ()>;
    }
}
