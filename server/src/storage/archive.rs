//! Opens the archive of finished games, and copies it for backups.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;
use std::time::Duration;

use flagfall_archive::{
    Archive, ArchiveError, ArchiveStore, FolderStore, KnownArchive, ObjectStoreArchive, RemoteError, Settings,
};
use flagfall_store::embedded::backup::ARCHIVE;
use flagfall_store::{Store, StoreError};
use flagfall_tls::Trust;
use thiserror::Error;
use tokio::time::timeout;

use crate::config::{ArchivePlace, Command, Config, StoreCommand};

/// The folder of an archive that contains the manifests. A backup copies this folder first,
/// because the files that a manifest names are kept for at least another day.
const MANIFESTS: &str = "manifest";

/// Why the archive cannot be opened.
#[derive(Debug, Error)]
pub enum ArchiveFailure {
    #[error("--archive {}: {error}", folder.display())]
    Folder { folder: PathBuf, error: io::Error },
    #[error("--archive {place}: {error}")]
    Remote { place: String, error: RemoteError },
    #[error("the archive cannot be opened: {0}")]
    Archive(#[from] ArchiveError),
    #[error("the store's record of its archive cannot be read: {0}")]
    Store(#[from] StoreError),
    #[error(
        "the finished games of this store are in {known}, but --archive {place} is {}. Name the store's own archive, or bring it back to its place",
        found.map_or_else(|| "no archive".to_owned(), |found| format!("archive {found:016x}"))
    )]
    Other { known: KnownArchive, place: String, found: Option<u64> },
}

/// How long a server waits for the archive before it starts without it.
const START_WAIT: Duration = Duration::from_secs(10);

/// Opens the archive of this store. Returns `None` if it is switched off.
///
/// If the store remembers an archive, only that archive is opened, unless the operator accepts
/// another one. While it is out of reach or damaged, a server starts without it.
pub(super) async fn open(config: &Config, store: &dyn Store) -> Result<Option<Archive>, ArchiveFailure> {
    let (known, place) = (KnownArchive::of(store).await?, config.archive_place());
    let opened = match &known {
        Some(known) => match open_known(config, &place, known).await {
            Err(ArchiveFailure::Other { .. }) if config.accept_other_archive => create(&place).await?,
            opened => Some(opened?),
        },
        None => match create(&place).await {
            // A store remembers the archive that its games are in, so this one has none of them.
            Err(ArchiveFailure::Archive(error)) if may_lack_archive(config) && error.is_damage() => {
                tracing::error!(%error, "the archive is damaged: until it is restored or --archive names another place, no game is archived");
                None
            }
            created => created?,
        },
    };
    let Some(archive) = opened else { return Ok(None) };
    // Earlier versions did not write down where they archived games.
    let is_used = archive.manifest() > 0 && (known.is_some() || archive.games_len() > 0);
    let archives = matches!(config.command, None | Some(Command::Store(StoreCommand::Archive)));
    let found = archive.as_remembered();
    if is_used && archives && known.as_ref() != Some(&found) {
        found.replace(store).await?;
    }
    Ok(Some(archive))
}

/// Opens the archive that the store remembers. Creates nothing.
async fn open_known(
    config: &Config,
    place: &ArchivePlace,
    known: &KnownArchive,
) -> Result<Archive, ArchiveFailure> {
    let objects: Arc<dyn ArchiveStore> = match place {
        ArchivePlace::Folder(folder) => match files(folder, Path::new(MANIFESTS)) {
            // The place may also be a mount point without its file system.
            Ok(manifests) if manifests.is_empty() => return Err(other(config, known, None)),
            Ok(_) => Arc::new(FolderStore::open(folder).unwrap_or_else(|_| FolderStore::known(folder))),
            Err(_) => Arc::new(FolderStore::known(folder)),
        },
        ArchivePlace::S3(place) => bucket(place)?,
        ArchivePlace::Off => return Err(other(config, known, None)),
    };
    let archive = Archive::unread(objects, settings(place), known.id);
    let may_be_away = may_lack_archive(config);
    let opened = match may_be_away {
        true => timeout(START_WAIT, archive.refresh()).await.unwrap_or(Err(ArchiveError::Silent)),
        false => archive.refresh().await,
    };
    match opened {
        Ok(_) => Ok(archive),
        Err(ArchiveError::Other { found, .. }) => Err(other(config, known, found)),
        Err(error) if may_be_away && error.is_away() => {
            tracing::error!(%error, "the archive is out of reach: until it answers, archived games cannot be read, and no game is archived");
            Ok(archive)
        }
        Err(error) if may_be_away && error.is_damage() => {
            tracing::error!(%error, "the archive is damaged: until it is restored, archived games cannot be read, and no game is archived");
            Ok(archive)
        }
        Err(error) => Err(error.into()),
    }
}

/// True for a server, and for operators' commands, most of which need no archive.
fn may_lack_archive(config: &Config) -> bool {
    matches!(config.command, None | Some(Command::Operator(_)))
}

/// Opens the archive at this place, and creates it if there is none.
async fn create(place: &ArchivePlace) -> Result<Option<Archive>, ArchiveFailure> {
    let objects: Arc<dyn ArchiveStore> = match place {
        ArchivePlace::Off => return Ok(None),
        ArchivePlace::Folder(folder) => {
            let failed = |error| ArchiveFailure::Folder { folder: folder.clone(), error };
            Arc::new(FolderStore::open(folder).map_err(failed)?)
        }
        ArchivePlace::S3(place) => bucket(place)?,
    };
    Ok(Some(Archive::open(objects, settings(place)).await?))
}

fn settings(place: &ArchivePlace) -> Settings {
    let place = match place {
        ArchivePlace::Folder(folder) => {
            absolute(folder).unwrap_or_else(|_| folder.clone()).display().to_string()
        }
        place => place.to_string(),
    };
    Settings { place, ..Settings::default() }
}

fn other(config: &Config, known: &KnownArchive, found: Option<u64>) -> ArchiveFailure {
    ArchiveFailure::Other { known: known.clone(), place: config.archive_place().to_string(), found }
}

/// Checks that the archive with the id `found` is the one that the store remembers, unless the
/// operator accepts another one.
pub(super) fn check_known(
    config: &Config,
    known: Option<&KnownArchive>,
    found: Option<u64>,
) -> Result<(), ArchiveFailure> {
    match known {
        Some(known) if found != Some(known.id) && !config.accept_other_archive => {
            Err(other(config, known, found))
        }
        Some(_) | None => Ok(()),
    }
}

/// Returns the store of the archive's objects, and creates nothing. `None` if the archive is
/// switched off.
pub(super) fn objects_to_read(place: &ArchivePlace) -> Result<Option<Arc<dyn ArchiveStore>>, ArchiveFailure> {
    match place {
        ArchivePlace::Off => Ok(None),
        ArchivePlace::Folder(folder) => Ok(Some(Arc::new(FolderStore::to_read(folder)))),
        ArchivePlace::S3(place) => bucket(place).map(Some),
    }
}

fn bucket(place: &str) -> Result<Arc<dyn ArchiveStore>, ArchiveFailure> {
    let failed = |error| ArchiveFailure::Remote { place: place.to_owned(), error };
    Ok(Arc::new(ObjectStoreArchive::s3(place, &Trust::default()).map_err(failed)?))
}

/// Copies an archive into a backup. Returns the number of copied files. A server may be using the
/// archive. Call this after the store was copied, so that every game is in at least one of the
/// two copies.
pub(super) fn back_up(archive: &Path, backup: &Path) -> io::Result<usize> {
    if !archive.is_dir() {
        return Ok(0);
    }
    let target = backup.join(ARCHIVE);
    let mut copied = copy(archive, &target, Path::new(MANIFESTS))?;
    copied += copy(archive, &target, Path::new(""))?;
    // A game that was removed from the archive must not stay in the backup.
    for file in files(&target, Path::new(""))? {
        if !archive.join(&file).exists() {
            fs::remove_file(target.join(file))?;
        }
    }
    Ok(copied)
}

/// Copies the archive in a backup to its place, which must be empty or absent. Returns the number
/// of copied files.
pub(super) fn restore(backup: &Path, archive: &Path) -> io::Result<usize> {
    copy(&backup.join(ARCHIVE), archive, Path::new(""))
}

/// True if an archive has any objects in this folder.
pub(super) fn is_used(archive: &Path) -> io::Result<bool> {
    Ok(!files(archive, Path::new(""))?.is_empty())
}

/// Copies the missing files of a folder inside `from`. Files never change, and each is complete
/// when it gets its name.
fn copy(from: &Path, to: &Path, folder: &Path) -> io::Result<usize> {
    let mut copied = 0;
    for file in files(from, folder)? {
        let target = to.join(&file);
        if target.exists() {
            continue;
        }
        let folder = target.parent().unwrap_or(to);
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        // This name is not the name of an object.
        let unfinished = folder.join(".unfinished");
        match fs::copy(from.join(&file), &unfinished) {
            Ok(_) => {}
            // The file was deleted in the meantime. No manifest has named it for a day, so the
            // copy does not need it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        }
        fs::File::open(&unfinished)?.sync_all()?;
        fs::rename(&unfinished, &target)?;
        fs::File::open(folder)?.sync_all()?;
        copied += 1;
    }
    Ok(copied)
}

/// Returns the objects in a folder inside `root`, and in its subfolders.
fn files(root: &Path, folder: &Path) -> io::Result<Vec<PathBuf>> {
    let listed = match fs::read_dir(root.join(folder)) {
        Ok(listed) => listed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in listed {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        if entry.file_type()?.is_dir() {
            found.extend(files(root, &path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_follows_the_archive_and_is_restored() {
        let folder = tempfile::tempdir().unwrap();
        let [archive, backup, restored] = ["archive", "backup", "new"].map(|name| folder.path().join(name));
        let write = |name: &str| {
            let path = archive.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        };
        assert_eq!(back_up(&archive, &backup).unwrap(), 0, "there is none");
        ["manifest/1", "segments/2026/1", ".unfinished/7"].into_iter().for_each(write);
        assert_eq!(back_up(&archive, &backup).unwrap(), 2);
        write("manifest/2");
        fs::remove_file(archive.join("segments/2026/1")).unwrap();
        assert_eq!(back_up(&archive, &backup).unwrap(), 1);
        assert!(!is_used(&restored).unwrap());
        assert_eq!(restore(&backup, &restored).unwrap(), 2);
        assert!(is_used(&restored).unwrap());
        let mut found = files(&restored, Path::new("")).unwrap();
        found.sort();
        assert_eq!(found, ["manifest/1", "manifest/2"].map(PathBuf::from));
        assert_eq!(fs::read(restored.join("manifest/2")).unwrap(), b"manifest/2");
    }
}
