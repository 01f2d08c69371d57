//! The folder as it was opened: whether it and its files are still there under their names.
//!
//! An open file can be written long after its name is gone. So the name of the segment that grows
//! is looked up after every group, before anything is answered, and the others with every
//! heartbeat. If one of them is gone, or is another file by now, the store fails: what it would
//! acknowledge is stored nowhere.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A name, and the file or folder that it should name.
#[derive(Debug)]
pub(super) struct Named {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl Named {
    /// The name of an open file, whose metadata comes from the file itself, or of what the name
    /// stands for now.
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
    /// The folder with these files in it, as they are now.
    pub(super) fn new(folder: &Path, names: &[&str]) -> io::Result<DataFolder> {
        let paths = std::iter::once(folder.to_owned()).chain(names.iter().map(|name| folder.join(name)));
        let look = |path: PathBuf| fs::metadata(&path).map(|metadata| Named::of(path, &metadata));
        let known = paths.map(look).collect::<io::Result<_>>()?;
        Ok(DataFolder { folder: folder.to_owned(), known })
    }

    /// Looks whether everything is where it was. An error says what is not, and what to do.
    pub(super) fn check(&self) -> Result<(), String> {
        self.known.iter().try_for_each(|named| self.check_one(named))
    }

    /// Looks whether this file of the folder is where it was.
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
