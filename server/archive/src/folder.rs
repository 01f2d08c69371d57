//! The archive's objects in a local folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::ops::Range;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::objects::{ArchiveStore, ObjectError, ObjectName, ObjectResult};

/// The subfolder for unfinished files. Its name is not a valid name of an object.
const UNFINISHED: &str = ".unfinished";

/// The archive's objects as files in a folder. Only the owner of the folder can read them, because
/// they contain hidden ranks.
///
/// Each file is first written and synced under a temporary name. Then it is linked to its final
/// name, which fails if that name exists. So an object is always complete, even after a crash.
#[derive(Clone, Debug)]
pub struct FolderStore {
    root: Arc<Path>,
    /// True if the folder certainly was an archive.
    was_there: bool,
}

/// The age above which an unfinished file is certainly left from a crash.
const UNFINISHED_MAX: Duration = Duration::from_hours(24);

impl FolderStore {
    /// Opens the folder, and creates it if it does not exist.
    ///
    /// # Errors
    /// If the folder cannot be created.
    pub fn open(root: impl Into<PathBuf>) -> io::Result<FolderStore> {
        let root = root.into();
        let unfinished = root.join(UNFINISHED);
        create_folders(&unfinished)?;
        delete_old(&unfinished)?;
        Ok(FolderStore { root: root.into(), was_there: true })
    }

    /// Returns a store that reads this folder. Creates nothing, so writing objects works only if
    /// the folder is already an archive.
    #[must_use]
    pub fn to_read(root: impl Into<PathBuf>) -> FolderStore {
        FolderStore { root: root.into().into(), was_there: false }
    }

    /// Returns a store of a folder that is an archive, but may be away at the moment. Creates
    /// nothing.
    #[must_use]
    pub fn known(root: impl Into<PathBuf>) -> FolderStore {
        FolderStore { root: root.into().into(), was_there: true }
    }

    /// Does blocking work on a file, on a blocking thread.
    fn run<T: Send + 'static>(
        &self,
        name: &ObjectName,
        work: impl FnOnce(&Path, &Path) -> io::Result<T> + Send + 'static,
    ) -> ObjectResult<'static, T> {
        let (root, was_there, name) = (self.root.clone(), self.was_there, name.clone());
        let path = root.join(name.as_str());
        let work = tokio::task::spawn_blocking(move || {
            let done = work(&root, &path);
            // If the folder is gone, for example because its file system is not mounted, its
            // objects may still exist.
            if was_there && !root.join(UNFINISHED).is_dir() {
                return Err(io::Error::other("the folder of the archive is gone"));
            }
            done
        });
        Box::pin(async move {
            work.await.map_err(io::Error::other).flatten().map_err(|error| match error.kind() {
                ErrorKind::NotFound => ObjectError::Absent(name),
                ErrorKind::UnexpectedEof => ObjectError::Range(name),
                _ => ObjectError::Unavailable { name, error },
            })
        })
    }
}

fn put_if_absent(root: &Path, path: &Path, bytes: &[u8]) -> io::Result<bool> {
    // The name is random, because servers in other containers may have the same process id.
    let number = getrandom::u64().map_err(io::Error::other)?;
    let unfinished = root.join(UNFINISHED).join(format!("{number:016x}"));
    let result = link(root, &unfinished, path, bytes);
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => result,
    }
}

fn link(root: &Path, unfinished: &Path, path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(unfinished)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    let folder = path.parent().unwrap_or(root);
    create_folders(folder)?;
    match fs::hard_link(unfinished, path) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(error),
    }
    // Sync all folders up to the root, because some of them may be new.
    for folder in folder.ancestors().take_while(|folder| folder.starts_with(root)) {
        File::open(folder)?.sync_all()?;
    }
    Ok(true)
}

/// Deletes unfinished files that are left from a crash.
fn delete_old(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let age = entry.metadata().and_then(|found| found.modified()).map(|at| at.elapsed());
        let is_old = age.is_ok_and(|age| age.is_ok_and(|age| age > UNFINISHED_MAX));
        match if is_old { fs::remove_file(entry.path()) } else { Ok(()) } {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

impl ArchiveStore for FolderStore {
    fn put_if_absent(&self, name: &ObjectName, bytes: Vec<u8>) -> ObjectResult<'_, bool> {
        self.run(name, move |root, path| put_if_absent(root, path, &bytes))
    }

    fn get(&self, name: &ObjectName, range: Range<u64>) -> ObjectResult<'_, Vec<u8>> {
        self.run(name, move |_, path| {
            let file = File::open(path)?;
            // Check the length first, so that a wrong range does not allocate much memory.
            if range.end > file.metadata()?.len() {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let length = usize::try_from(range.end.saturating_sub(range.start)).map_err(io::Error::other)?;
            let mut bytes = vec![0; length];
            file.read_exact_at(&mut bytes, range.start)?;
            Ok(bytes)
        })
    }

    fn length(&self, name: &ObjectName) -> ObjectResult<'_, Option<u64>> {
        self.run(name, |_, path| match fs::metadata(path) {
            Ok(found) => Ok(Some(found.len())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        })
    }

    fn list(&self, folder: &ObjectName) -> ObjectResult<'_, Vec<ObjectName>> {
        self.run(folder, |root, path| {
            let mut names = Vec::new();
            let mut folders = vec![path.to_owned()];
            while let Some(folder) = folders.pop() {
                let entries = match fs::read_dir(&folder) {
                    Ok(entries) => entries,
                    Err(error) if error.kind() == ErrorKind::NotFound => continue,
                    Err(error) => return Err(error),
                };
                for entry in entries {
                    let entry = entry?;
                    if entry.file_type()?.is_dir() {
                        folders.push(entry.path());
                    } else {
                        // Files whose names are not valid do not belong to the archive.
                        let path = entry.path();
                        let name = path.strip_prefix(root).ok().and_then(Path::to_str);
                        names.extend(name.and_then(|name| name.parse().ok()));
                    }
                }
            }
            names.sort_unstable();
            Ok(names)
        })
    }

    fn delete(&self, name: &ObjectName) -> ObjectResult<'_, ()> {
        self.run(name, |_, path| match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => match path.parent() {
                Some(folder) if folder.is_dir() => File::open(folder)?.sync_all(),
                Some(_) | None => Ok(()),
            },
        })
    }
}

fn create_folders(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}
