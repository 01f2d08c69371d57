//! The folder as it was opened: whether it and its files are still there under their names.
//!
//! An open file can be written long after its name is gone. So after every commit, before anybody
//! is answered, and with every heartbeat, the names are looked up: folder, lock, witness, mirror,
//! database and the journal that the database writes to. If one of them is gone, or is another file
//! by now, the store fails: what it would acknowledge is stored nowhere.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::journal::journals;
use super::open::{DATABASE, LOCK, MIRROR, WITNESS};

/// By what a file system knows a file.
type Identity = (u64, u64);

pub(super) struct Place {
    folder: PathBuf,
    known: Vec<(PathBuf, Identity)>,
    /// The journal that is written to. The database begins a new one now and then, and deletes old
    /// ones.
    journal: Mutex<Journal>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Journal {
    path: PathBuf,
    identity: Identity,
}

impl Place {
    /// The folder as it is now, completely set up.
    pub(super) fn of(folder: &Path) -> io::Result<Place> {
        let names = [LOCK, WITNESS, MIRROR, DATABASE].map(|name| folder.join(name));
        let paths = std::iter::once(folder.to_owned()).chain(names);
        let known = paths.map(|path| Ok((path.clone(), identity(&path)?))).collect::<io::Result<_>>()?;
        let journal = newest_journal(folder)?.ok_or(io::ErrorKind::NotFound)?;
        Ok(Place { folder: folder.to_owned(), known, journal: Mutex::new(journal) })
    }

    /// Looks whether everything is where it was.
    ///
    /// # Errors
    /// What is not, and what to do, in words.
    pub(super) fn check(&self) -> Result<(), String> {
        for (path, known) in &self.known {
            match identity(path) {
                Ok(found) if found == *known => {}
                Ok(_) => return Err(self.lost(path, "was replaced")),
                Err(error) => return Err(self.lost(path, &missing(&error))),
            }
        }
        self.check_journal()
    }

    fn check_journal(&self) -> Result<(), String> {
        let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(next) = next(&journal.path)
            && let Ok(identity) = identity(&next)
        {
            *journal = Journal { path: next, identity };
        }
        match identity(&journal.path) {
            Ok(found) if found == journal.identity => return Ok(()),
            Ok(_) => return Err(self.lost(&journal.path, "was replaced")),
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(self.lost(&journal.path, &missing(&error)));
            }
            Err(_) => {}
        }
        // Two new ones may have been begun at once, and this one deleted.
        match newest_journal(&self.folder) {
            Ok(Some(newest)) if number(&newest.path) > number(&journal.path) => {
                *journal = newest;
                Ok(())
            }
            Ok(_) => Err(self.lost(&journal.path, "is gone")),
            Err(error) => Err(self.lost(&self.folder.join(DATABASE), &missing(&error))),
        }
    }

    fn lost(&self, path: &Path, what: &str) -> String {
        format!(
            "the data folder {} was deleted or replaced while the server ran ({} {what}), so nothing more can be stored in it. \
             Put it back or restore a backup, then start the server again",
            self.folder.display(),
            path.display()
        )
    }
}

fn missing(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "is gone".to_owned(),
        _ => format!("cannot be looked at: {error}"),
    }
}

fn identity(path: &Path) -> io::Result<Identity> {
    fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino()))
}

fn newest_journal(folder: &Path) -> io::Result<Option<Journal>> {
    let Some(path) = journals(&folder.join(DATABASE))?.pop() else { return Ok(None) };
    let identity = identity(&path)?;
    Ok(Some(Journal { path, identity }))
}

fn number(journal: &Path) -> Option<u64> {
    journal.file_stem()?.to_str()?.parse().ok()
}

fn next(journal: &Path) -> Option<PathBuf> {
    Some(journal.with_file_name(format!("{}.jnl", number(journal)?.checked_add(1)?)))
}
