//! A look at a store that changes nothing: a copy to open as a start would.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::convert::{self, remove};
use super::disk::if_there;
use super::error::EmbeddedOpenError;
use super::folder_lock::FolderLock;
use super::notes;
use super::open::{ALIVE, LOG};

/// Where the copy lies, in the store's own folder: segments that do not grow any more need not be
/// copied there.
const COPY: &str = "check";

/// A copy of a store. It is removed when this is dropped.
///
/// It has no index: opening it reads the whole log.
#[derive(Debug)]
pub struct Inspection {
    pub(super) folder: PathBuf,
    pub(super) copy: PathBuf,
    /// The store is not used meanwhile.
    _lock: FolderLock,
}

impl Inspection {
    /// Copies a store. No server may be using it. Blocks.
    ///
    /// # Errors
    /// [`EmbeddedOpenError::Locked`] and [`EmbeddedOpenError::Io`], which a folder without a store
    /// is too.
    pub fn of(folder: &Path) -> Result<Inspection, EmbeddedOpenError> {
        let failed = EmbeddedOpenError::io(folder);
        let has_log = folder.join(LOG).is_dir() || folder.join(ALIVE).exists();
        if !has_log && !convert::is_needed(folder) {
            return Err(failed(io::Error::new(io::ErrorKind::NotFound, "there is no store in it")));
        }
        let lock = FolderLock::take(folder)?;
        let copy = folder.join(COPY);
        // One that was ended in the middle leaves it.
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
    segments.sort();
    // The last one could be cut.
    let last = segments.pop();
    for path in &segments {
        fs::hard_link(path, copy.join(LOG).join(path.file_name().unwrap_or_default()))?;
    }
    let notes = notes::paths(folder)?;
    for path in last.into_iter().chain(notes).chain([folder.join(ALIVE)]) {
        let target = path.strip_prefix(folder).map_err(io::Error::other)?;
        if_there(fs::copy(&path, copy.join(target)))?;
    }
    Ok(())
}
