//! A look at a store that changes nothing: what is wrong with its files, and a copy to open as a start would.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::base::link;
use super::journal::Survey;
use super::mirror::Reflection;
use super::open::{DATABASE, MIRROR, OpenError, SUSPICION, WITNESS, lock, remove};
use super::precheck;
use super::tables::are_whole;
use super::witness::{Found, Witness};

/// Where the copy lies, in the store's own folder: tables need not be copied there, for they are never changed.
const COPY: &str = "check";

/// What was seen of a store's files, and a copy of it. The copy is gone when this is dropped.
#[derive(Debug)]
pub struct Inspection {
    /// What is wrong with the files. A start mends what can be mended.
    pub problems: Vec<String>,
    copy: PathBuf,
    /// Nobody may change the store meanwhile.
    _lock: File,
}

impl Inspection {
    /// Looks at the files of a store, and copies it. No server may be using it. Blocks.
    ///
    /// # Errors
    /// [`OpenError::Locked`] and [`OpenError::Io`]; a folder without a store is the latter.
    pub fn of(folder: &Path) -> Result<Inspection, OpenError> {
        let failed = |source| OpenError::Io { folder: folder.to_owned(), source };
        if !folder.join(DATABASE).is_dir() && !folder.join(WITNESS).exists() {
            return Err(failed(io::Error::new(io::ErrorKind::NotFound, "there is no store in it")));
        }
        let lock = lock(folder)?;
        let copy = folder.join(COPY);
        // One that was ended in the middle leaves it.
        remove(&copy).map_err(failed)?;
        let mut inspection = Inspection { problems: Vec::new(), copy, _lock: lock };
        inspection.problems = problems(folder).map_err(failed)?;
        copy_store(folder, &inspection.copy).map_err(failed)?;
        Ok(inspection)
    }

    /// Where the copy lies: a store as the one that was looked at.
    #[must_use]
    pub fn copy(&self) -> &Path {
        &self.copy
    }
}

impl Drop for Inspection {
    fn drop(&mut self) {
        if let Err(error) = remove(&self.copy) {
            tracing::warn!(%error, folder = %self.copy.display(), "a copy that was looked at stays: delete it");
        }
    }
}

fn problems(folder: &Path) -> io::Result<Vec<String>> {
    let database = folder.join(DATABASE);
    let mut problems = Vec::new();
    let survey = Survey::of(&database)?;
    problems.extend(survey.problem.clone());
    problems.extend(precheck::check(&database)?);
    if !are_whole(&database)? {
        problems.push("a part of a table cannot be read".to_owned());
    }
    let reflection = Reflection::of(&folder.join(MIRROR))?;
    if reflection.last_commit().is_none() && survey.last_commit().is_some() {
        problems.push("the mirror is gone: damage to the newest commits could not be mended".to_owned());
    }
    match Witness::look(&folder.join(WITNESS))? {
        Found::Testimony(testimony) => {
            let acknowledged = testimony.commit.max(reflection.last_commit().unwrap_or(0));
            if let Some(last) = survey.last_commit().filter(|last| *last < acknowledged) {
                problems
                    .push(format!("the journal ends with commit {last}, {acknowledged} were acknowledged"));
            }
        }
        Found::Nothing => problems.push("the witness is gone".to_owned()),
        Found::Damage => problems.push("the witness is damaged".to_owned()),
    }
    Ok(problems)
}

/// Copies a store but for what it keeps of earlier damage.
fn copy_store(folder: &Path, copy: &Path) -> io::Result<()> {
    fs::create_dir_all(copy)?;
    for name in [DATABASE, MIRROR] {
        if folder.join(name).is_dir() {
            link(&folder.join(name), &copy.join(name), &|_| true)?;
        }
    }
    for name in [WITNESS, SUSPICION] {
        match fs::copy(folder.join(name), copy.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(())
}
