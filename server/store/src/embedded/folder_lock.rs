//! The lock on a data folder. Only one process at a time can hold it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::error::EmbeddedOpenError;

pub(super) const LOCK: &str = "lock";

/// A lock on a data folder, held until it is dropped. A killed process loses its lock.
#[derive(Debug)]
pub(super) struct FolderLock {
    file: File,
    folder: PathBuf,
}

impl FolderLock {
    pub(super) fn take(folder: &Path) -> Result<FolderLock, EmbeddedOpenError> {
        let failed = EmbeddedOpenError::io(folder);
        let mut options = OpenOptions::new();
        let options = options.create(true).truncate(false).read(true).write(true);
        let mut file = options.open(folder.join(LOCK)).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // If the holder's name cannot be read, ignore the error, because the name only
                // improves the message.
                file.read_to_string(&mut holder).ok();
                return Err(EmbeddedOpenError::Locked { folder: folder.to_owned(), holder });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        file.set_len(0).map_err(failed)?;
        file.write_all(format!("process {}", std::process::id()).as_bytes()).map_err(failed)?;
        Ok(FolderLock { file, folder: folder.to_owned() })
    }
}

impl Drop for FolderLock {
    /// Unlocks explicitly. Closing the file is not enough, because a child process that was just
    /// forked shares the file until it starts its own program.
    fn drop(&mut self) {
        if let Err(error) = self.file.unlock() {
            tracing::warn!(%error, folder = %self.folder.display(), "the data folder stays locked until this process ends");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_ends_although_a_forked_child_holds_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let lock = FolderLock::take(folder.path()).unwrap();
        assert!(matches!(FolderLock::take(folder.path()), Err(EmbeddedOpenError::Locked { .. })));
        let of_child = lock.file.try_clone().unwrap();
        drop(lock);
        FolderLock::take(folder.path()).unwrap();
        drop(of_child);
    }
}
