//! Reads the manifests of a store.

use flagfall_store::segment::Seal;

use super::error::ArchiveError;
use super::manifest::Manifest;
use super::names;
use super::view::View;
use crate::objects::{ArchiveStore, ObjectError};

/// The number of attempts before a writer gives up.
pub(super) const TRIES: u32 = 16;

pub(super) fn random() -> Result<u64, ArchiveError> {
    getrandom::u64().map_err(ArchiveError::Random)
}

/// Returns the numbers of all manifests in ascending order. There are few, because old ones are
/// deleted.
///
/// It would not be enough to look for the successor of a known manifest, because both may have
/// been deleted.
pub(super) async fn numbers(store: &dyn ArchiveStore) -> Result<Vec<u32>, ArchiveError> {
    let names = store.list(&names::folder(names::MANIFESTS)).await?;
    Ok(names.iter().filter_map(names::manifest_number).collect())
}

/// Reads a manifest. `None` if there is no manifest with this number.
pub(super) async fn read(
    store: &dyn ArchiveStore,
    number: u32,
) -> Result<Option<(u64, Manifest)>, ArchiveError> {
    let name = names::manifest(number);
    let Some(length) = store.length(&name).await? else { return Ok(None) };
    match store.get(&name, 0..length).await {
        Ok(bytes) => Manifest::decode(number, &bytes).map(Some),
        Err(ObjectError::Absent(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Checks that the store does not overwrite objects. Some S3-compatible storage ignores the
/// condition that the object must not exist yet.
pub(super) async fn probe(store: &dyn ArchiveStore) -> Result<(), ArchiveError> {
    let name = names::probe(random()?);
    store.put_if_absent(&name, b"first".to_vec()).await?;
    let overwrites = store.put_if_absent(&name, b"second".to_vec()).await?;
    store.delete(&name).await?;
    if overwrites { Err(ArchiveError::Overwrites) } else { Ok(()) }
}

/// Opens the newest readable manifest. Creates the first one if there is none.
pub(super) async fn open(store: &dyn ArchiveStore, resident_games: u32) -> Result<View, ArchiveError> {
    for _ in 0..TRIES {
        if let Some(view) = find(store, resident_games).await? {
            return Ok(view);
        }
        let first = Manifest { nonce: random()?, ..Manifest::default() };
        let seal = Seal { store: random()?, number: 1 };
        store.put_if_absent(&names::manifest(1), first.encode(seal)?).await?;
    }
    Err(ArchiveError::Busy)
}

/// Opens the newest readable manifest. `None` if there is no manifest.
pub(super) async fn find(
    store: &dyn ArchiveStore,
    resident_games: u32,
) -> Result<Option<View>, ArchiveError> {
    let mut fault = None;
    for _ in 0..TRIES {
        let found = numbers(store).await?;
        if found.is_empty() {
            return Ok(None);
        }
        for number in found.into_iter().rev() {
            match read(store, number).await {
                Ok(Some((archive, manifest))) => {
                    let parts = (number, archive, manifest);
                    return View::build(store, parts, None, resident_games).await.map(Some);
                }
                // The manifest was deleted after the list was read.
                Ok(None) => {}
                Err(error) if error.is_damage() => fault = fault.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
        if let Some(fault) = fault {
            return Err(fault);
        }
    }
    Err(ArchiveError::Busy)
}
