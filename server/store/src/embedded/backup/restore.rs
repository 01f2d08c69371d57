//! Restores a data folder from a backup.

use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;

use flagfall_board::Stamp;

use super::error::BackupError;
use super::folders::{check_apart, make_private, sync, write_private};
use super::manifest::{CopyProgress, Manifest, Summary};
use crate::embedded::alive::Alive;
use crate::embedded::change::Change;
use crate::embedded::convert::remove;
use crate::embedded::disk::if_there;
use crate::embedded::files::{Point, Segments};
use crate::embedded::folder_lock::{FolderLock, LOCK};
use crate::embedded::open::{ALIVE, LOG};
use crate::segment::HEADER_BYTES;

/// Restores a backup into a data folder, which must be empty or not exist yet, and begins a new
/// epoch in it.
///
/// Every file is checked before anything is written. After an error, the folder is empty again. A
/// restore that is killed leaves a folder that servers do not accept as a complete store. Blocks.
pub fn restore(
    backup: &Path,
    data: &Path,
    now: Stamp,
    progress: &mut CopyProgress<'_>,
) -> Result<Summary, BackupError> {
    let no_backup = || BackupError::NoBackup(backup.to_owned());
    let manifest = Manifest::read(backup)?.ok_or_else(no_backup)?;
    check_apart(data, backup)?;
    check_empty(data)?;
    // Every byte is read twice: once for the check and once for the copy.
    let total = 2 * manifest.summary().bytes;
    let damage = manifest.damage(backup, &mut |done, _| progress(done, total));
    if !damage.is_empty() {
        return Err(BackupError::Damaged { folder: backup.to_owned(), what: damage.join("; ") });
    }
    make_private(data)?;
    let _lock = FolderLock::take(data).map_err(BackupError::of_lock)?;
    let copied = copy(&manifest, backup, data, now, progress);
    if copied.is_err() {
        // The folder was empty before, and is locked, so all files in it come from this restore. If
        // they cannot be removed, the caller gets the first error.
        let listed = fs::read_dir(data).into_iter().flatten().flatten();
        listed.for_each(|entry| drop(remove(&entry.path())));
    }
    copied.map(|()| manifest.summary())
}

fn copy(
    manifest: &Manifest,
    backup: &Path,
    data: &Path,
    now: Stamp,
    progress: &mut CopyProgress<'_>,
) -> Result<(), BackupError> {
    let bytes = manifest.summary().bytes;
    let (mut done, total) = (bytes, 2 * bytes);
    // This file is written first. It says that the log ends in the last segment. That segment
    // begins the new epoch, and is written last. So after an interrupted restore, the log seems
    // to have lost its end, and the store does not open.
    let last = manifest.end.segment + 1;
    let end = Point { segment: last, at: HEADER_BYTES as u64 + 1 };
    let alive = data.join(ALIVE);
    Alive::create(&alive, manifest.store, 0, end, manifest.heartbeat).map_err(BackupError::at(&alive))?;
    let log = data.join(LOG);
    let segments = Segments::create(&log, manifest.store).map_err(BackupError::at(&log))?;
    sync(data).map_err(BackupError::at(data))?;
    for item in &manifest.files {
        let damaged = |what| BackupError::Damaged { folder: backup.to_owned(), what };
        let bytes = item.read(backup).map_err(damaged)?;
        write_private(&data.join(&item.name), &bytes)?;
        done += item.length;
        progress(done, total);
    }
    sync(data).and_then(|()| sync(&log)).map_err(BackupError::at(data))?;
    let epoch = Change::Epoch(now.0.max(manifest.epoch + 1));
    segments.begin(last, |frames| _ = epoch.push(frames)).map_err(BackupError::at(&log))?;
    Ok(())
}

fn check_empty(folder: &Path) -> Result<(), BackupError> {
    let listed = if_there(fs::read_dir(folder)).map_err(BackupError::at(folder))?;
    let is_lock = |entry: &io::Result<DirEntry>| entry.as_ref().is_ok_and(|entry| entry.file_name() == LOCK);
    match listed.into_iter().flatten().all(|entry| is_lock(&entry)) {
        true => Ok(()),
        false => Err(BackupError::NotEmpty(folder.to_owned())),
    }
}
