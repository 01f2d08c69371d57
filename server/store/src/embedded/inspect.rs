//! Inspects a store by means of a copy, so that the store itself is not changed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::convert::{self, MARK, remove};
use super::disk::if_there;
use super::error::EmbeddedOpenError;
use super::files::number_of;
use super::folder_lock::FolderLock;
use super::notes;
use super::open::{ALIVE, LOG};

/// The folder for the copy. It is inside the store's folder, so that the copy can use hard links
/// for segments that do not grow.
const COPY: &str = "check";

/// A copy of a store, which is removed when this value is dropped.
///
/// The copy has no index, so opening it reads the whole log.
#[derive(Debug)]
pub struct Inspection {
    pub(super) folder: PathBuf,
    pub(super) copy: PathBuf,
    /// Prevents other processes from using the store during the inspection.
    _lock: FolderLock,
}

impl Inspection {
    /// Copies a store. The store must not be in use. Blocks.
    ///
    /// # Errors
    /// [`EmbeddedOpenError::Locked`] if the store is in use. [`EmbeddedOpenError::Io`] for other
    /// errors, such as a folder without a store.
    pub fn of(folder: &Path) -> Result<Inspection, EmbeddedOpenError> {
        let failed = EmbeddedOpenError::io(folder);
        let has_log = folder.join(LOG).is_dir() || folder.join(ALIVE).exists();
        if !has_log && !convert::is_needed(folder) {
            return Err(failed(io::Error::new(io::ErrorKind::NotFound, "there is no store in it")));
        }
        let lock = FolderLock::take(folder)?;
        let copy = folder.join(COPY);
        // An interrupted inspection may have left its copy behind.
        remove(&copy).map_err(failed)?;
        let inspection = Inspection { folder: folder.to_owned(), copy, _lock: lock };
        let copied = match has_log {
            true => copy_store(folder, &inspection.copy),
            false => convert::copy(folder, &inspection.copy),
        };
        copied.map_err(failed)?;
        Ok(inspection)
    }
}

impl Drop for Inspection {
    fn drop(&mut self) {
        if let Err(error) = remove(&self.copy) {
            tracing::warn!(%error, folder = %self.copy.display(), "a copy that was looked at stays: delete it");
        }
    }
}

fn copy_store(folder: &Path, copy: &Path) -> io::Result<()> {
    fs::create_dir_all(copy.join(LOG))?;
    let listed = if_there(fs::read_dir(folder.join(LOG)))?.into_iter().flatten();
    let mut segments = listed.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    segments.retain(|path| number_of(path).is_some());
    segments.sort();
    // The last segment is copied, not linked, because opening the copy may cut off the segment's
    // end.
    let last = segments.pop();
    for path in &segments {
        fs::hard_link(path, copy.join(LOG).join(path.file_name().unwrap_or_default()))?;
    }
    let notes = notes::paths(folder)?;
    for path in last.into_iter().chain(notes).chain([folder.join(ALIVE), folder.join(LOG).join(MARK)]) {
        let target = path.strip_prefix(folder).map_err(io::Error::other)?;
        if_there(fs::copy(&path, copy.join(target)))?;
    }
    Ok(())
}
