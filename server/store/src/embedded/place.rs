//! The folder as it was opened: whether it and its files are still there under their names.
//!
//! An open file can be written long after its name is gone. So after every group, before anything
//! is answered, and with every heartbeat, the names are looked up. If one of them is gone, or is
//! another file by now, the store fails: what it would acknowledge is stored nowhere.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// By what a file system knows a file.
type Identity = (u64, u64);

/// The names to look up, with what they named when the store was opened.
#[derive(Debug)]
pub(super) struct DataFolder {
    folder: PathBuf,
    known: Vec<(PathBuf, Identity)>,
    /// The segment that grows.
    growing: Option<(PathBuf, Identity)>,
}

impl DataFolder {
    /// The folder with these files in it, as they are now.
    pub(super) fn new(folder: &Path, names: &[&str]) -> io::Result<DataFolder> {
        let paths = std::iter::once(folder.to_owned()).chain(names.iter().map(|name| folder.join(name)));
        let known = paths.map(|path| Ok((path.clone(), identity(&path)?))).collect::<io::Result<_>>()?;
        Ok(DataFolder { folder: folder.to_owned(), known, growing: None })
    }

    /// From now on this segment grows.
    pub(super) fn grows_in(&mut self, path: PathBuf) {
        if self.growing.as_ref().is_none_or(|(known, _)| *known != path) {
            // One that is gone already is noticed as missing.
            let identity = identity(&path).unwrap_or_default();
            self.growing = Some((path, identity));
        }
    }

    /// Looks whether everything is where it was.
    ///
    /// # Errors
    /// What is not, and what to do, in words.
    pub(super) fn check(&self) -> Result<(), String> {
        for (path, known) in self.known.iter().chain(&self.growing) {
            match identity(path) {
                Ok(found) if found == *known => {}
                Ok(_) => return Err(self.lost(path, "was replaced")),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(self.lost(path, "is gone"));
                }
                Err(error) => return Err(self.lost(path, &format!("cannot be looked at: {error}"))),
            }
        }
        Ok(())
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

fn identity(path: &Path) -> io::Result<Identity> {
    fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino()))
}
