//! Checks that the data folder and its files still exist under their names.
//!
//! A process can write to an open file long after the file's name has been removed. So the name
//! of the last segment is checked after every group, before any request is answered, and the
//! other names are checked with every heartbeat. If a file is missing or was replaced, the store
//! fails, because acknowledged changes would be lost.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, StatxFlags, statx};

/// A path, and the identity of the file or folder that should be there.
#[derive(Debug)]
pub(super) struct Named {
    path: PathBuf,
    identity: Identity,
}

/// The device and the number of a file, which together identify the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Identity {
    device: (u32, u32),
    inode: u64,
}

impl Named {
    /// Records which file is at this path.
    fn of(path: PathBuf) -> io::Result<Named> {
        let identity = identity(CWD, &path, AtFlags::empty())?;
        Ok(Named { path, identity })
    }

    /// Records that this open file should be at this path.
    pub(super) fn of_open(path: PathBuf, file: &File) -> io::Result<Named> {
        let identity = identity(file, Path::new(""), AtFlags::EMPTY_PATH)?;
        Ok(Named { path, identity })
    }
}

/// Reads only the file's number and device. If the time of the last change were also read, the next
/// write would store a more exact time, and its sync would take up to 50% longer.
fn identity(file: impl AsFd, path: &Path, flags: AtFlags) -> io::Result<Identity> {
    let found = statx(file, path, flags, StatxFlags::INO)?;
    Ok(Identity { device: (found.stx_dev_major, found.stx_dev_minor), inode: found.stx_ino })
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
        let known = paths.map(Named::of).collect::<io::Result<_>>()?;
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
        match identity(CWD, path, AtFlags::empty()) {
            Ok(found) if found == named.identity => Ok(()),
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
