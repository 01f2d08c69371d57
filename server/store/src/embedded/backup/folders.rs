//! Creates folders and files that only their owner can read.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::error::BackupError;
use crate::embedded::disk;

/// Returns an error if `inner` is the folder `outer` or is inside it. `inner` need not exist, but
/// its parent must.
pub(super) fn check_apart(inner: &Path, outer: &Path) -> Result<(), BackupError> {
    let resolved = |path: &Path| resolve(path).map_err(BackupError::at(path));
    if resolved(inner)?.starts_with(resolved(outer)?) {
        return Err(BackupError::Inside { inner: inner.to_owned(), outer: outer.to_owned() });
    }
    Ok(())
}

fn resolve(path: &Path) -> io::Result<PathBuf> {
    match (fs::canonicalize(path), path.file_name()) {
        (Err(error), Some(name)) if error.kind() == io::ErrorKind::NotFound => {
            Ok(fs::canonicalize(parent(path))?.join(name))
        }
        (resolved, _) => resolved,
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Durably creates a folder if it does not exist. Gives access only to its owner.
pub(super) fn make_private(folder: &Path) -> Result<(), BackupError> {
    let make = || match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::set_permissions(folder, Permissions::from_mode(0o700))
        }
        Err(error) => Err(error),
        Ok(()) => sync(parent(folder)),
    };
    make().map_err(BackupError::at(folder))
}

/// Writes a file that only its owner can read. The file's content is durable, but its name is not
/// durable until the folder is synced.
pub(super) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), BackupError> {
    let write = || {
        let file = disk::open(path, OpenOptions::new().write(true).create(true).truncate(true).mode(0o600))?;
        disk::write_all_at(&file, bytes, 0)?;
        file.sync_all()
    };
    write().map_err(BackupError::at(path))
}

/// Syncs a folder, which makes the names of its files durable.
pub(super) fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
