//! Checks that the data folder and its files still exist under their names.
//!
//! A process can write to an open file long after the file's name has been removed. So the name
//! of the last segment is checked after every group, before any request is answered, and the
//! other names are checked with every heartbeat. If a file is missing or was replaced, the store
//! fails, because acknowledged changes would be lost.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A path, and the identity of the file or folder that should be there.
#[derive(Debug)]
pub(super) struct Named {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl Named {
    /// Combines a path with the identity of its file. `metadata` may come from the open file or
    /// from the path.
    pub(super) fn of(path: PathBuf, metadata: &Metadata) -> Named {
        Named { path, device: metadata.dev(), inode: metadata.ino() }
    }

    fn is(&self, found: &Metadata) -> bool {
        (found.dev(), found.ino()) == (self.device, self.inode)
    }
}

#[derive(Debug)]
pub(super) struct DataFolder {
    folder: PathBuf,
    known: Vec<Named>,
}

impl DataFolder {
    /// Records the identities of the folder and of these files in it.
    pub(super) fn new(folder: &Path, names: &[&str]) -> io::Result<DataFolder> {
        let paths = std::iter::once(folder.to_owned()).chain(names.iter().map(|name| folder.join(name)));
        let look = |path: PathBuf| fs::metadata(&path).map(|metadata| Named::of(path, &metadata));
        let known = paths.map(look).collect::<io::Result<_>>()?;
        Ok(DataFolder { folder: folder.to_owned(), known })
    }

    /// Checks that all files are in place. The error names a file that is missing or was
    /// replaced, and says what to do.
    pub(super) fn check(&self) -> Result<(), String> {
        self.known.iter().try_for_each(|named| self.check_one(named))
    }

    /// Checks that this file is still in place.
    pub(super) fn check_one(&self, named: &Named) -> Result<(), String> {
        let path = &named.path;
        match fs::metadata(path) {
            Ok(found) if named.is(&found) => Ok(()),
            Ok(_) => Err(self.lost(path, "was replaced")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(self.lost(path, "is gone")),
            Err(error) => Err(self.lost(path, &format!("cannot be looked at: {error}"))),
        }
    }

    fn lost(&self, path: &Path, what: &str) -> String {
        format!(
            "the data folder {} was deleted or replaced while the server ran ({} {what}), so nothing \
             more can be stored in it. Put it back or restore a backup, then start the server again",
            self.folder.display(),
            path.display()
        )
    }
}
