//! The manifest of a backup. It lists the backup's files, and identifies the store that was
//! copied.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use flagfall_board::Stamp;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::error::BackupError;
use super::folders::{sync, write_private};
use crate::embedded::disk::if_there;
use crate::embedded::files::Point;
use crate::embedded::folder_lock::LOCK;
use crate::embedded::open::LOG;

const MANIFEST: &str = "manifest";
const UNFINISHED: &str = "manifest.new";
/// The folder in a backup that the caller may use for the archive of finished games.
pub const ARCHIVE: &str = "archive";
/// The version of the backup format that this program writes and reads.
pub(super) const FORM: u32 = 1;

/// A callback that gets the number of bytes processed so far, and the total number.
pub type CopyProgress<'a> = dyn FnMut(u64, u64) + 'a;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Item {
    /// The path of the original file in the data folder.
    pub(super) name: String,
    pub(super) length: u64,
    pub(super) checksum: u64,
    /// The time at which the original file last changed, in seconds and nanoseconds. `None` if
    /// the file may still change.
    pub(super) modified: Option<(i64, i64)>,
    /// Descriptions of the damage in a segment. `None` for other files, and in a manifest that was
    /// written before this field existed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) damage: Option<Vec<String>>,
}

impl Item {
    /// Returns the file's path in the backup. The path contains the checksum, so two versions of
    /// a file have different paths.
    pub(super) fn path(&self) -> String {
        format!("{}.{:016x}", self.name, self.checksum)
    }

    fn is(&self, bytes: &[u8]) -> bool {
        bytes.len() as u64 == self.length && xxh3_64(bytes) == self.checksum
    }

    /// Returns the file's bytes after checking them, or a description of the damage.
    pub(super) fn read(&self, backup: &Path) -> Result<Vec<u8>, String> {
        let path = self.path();
        match fs::read(backup.join(&path)) {
            Ok(bytes) if self.is(&bytes) => Ok(bytes),
            Ok(_) => Err(format!("{path} is not as it was written")),
            Err(error) => Err(format!("{path} cannot be read ({error})")),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) form: u32,
    pub(super) store: u64,
    pub(super) epoch: u64,
    /// The point at which the copied log ends. The copy is complete up to this point.
    pub(super) end: Point,
    pub(super) heartbeat: Stamp,
    /// The time at which the backup began.
    pub(super) moment: Stamp,
    pub(super) files: Vec<Item>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The time at which the backup began.
    pub moment: Stamp,
    pub files: usize,
    pub bytes: u64,
}

/// True if this folder contains a complete backup.
#[must_use]
pub fn is_backup(folder: &Path) -> bool {
    folder.join(MANIFEST).exists()
}

impl Manifest {
    /// Reads the manifest in a folder. Returns `None` if the folder has no manifest.
    pub(super) fn read(folder: &Path) -> Result<Option<Manifest>, BackupError> {
        let path = folder.join(MANIFEST);
        let Some(text) = if_there(fs::read(&path)).map_err(BackupError::at(&path))? else { return Ok(None) };
        let damaged = || BackupError::Damaged {
            folder: folder.to_owned(),
            what: "its manifest cannot be read".to_owned(),
        };
        let (checksum, json) = text.split_at_checked(17).ok_or_else(damaged)?;
        if checksum != line_of(json).as_bytes() {
            return Err(damaged());
        }
        // `form` is read first, because every version of the format has this field.
        let Form { form } = serde_json::from_slice(json).map_err(|_| damaged())?;
        if form != FORM {
            return Err(BackupError::Newer { folder: folder.to_owned(), form });
        }
        let manifest: Manifest = serde_json::from_slice(json).map_err(|_| damaged())?;
        let is_inside = |item: &Item| Path::new(&item.name).components().all(is_plain);
        if manifest.files.iter().all(is_inside) { Ok(Some(manifest)) } else { Err(damaged()) }
    }

    /// Replaces the folder's manifest with this one. The files that this manifest names must
    /// already be durable.
    pub(super) fn write(&self, folder: &Path) -> Result<(), BackupError> {
        let (path, unfinished) = (folder.join(MANIFEST), folder.join(UNFINISHED));
        let json =
            serde_json::to_vec_pretty(self).map_err(io::Error::from).map_err(BackupError::at(&path))?;
        write_private(&unfinished, &[line_of(&json).as_bytes(), &json].concat())?;
        fs::rename(&unfinished, &path).and_then(|()| sync(folder)).map_err(BackupError::at(&path))
    }

    pub(super) fn summary(&self) -> Summary {
        let bytes = self.files.iter().map(|item| item.length).sum();
        Summary { moment: self.moment, files: self.files.len(), bytes }
    }

    /// Reads every file, and returns a description of each damaged one.
    pub(super) fn damage(&self, folder: &Path, progress: &mut CopyProgress<'_>) -> Vec<String> {
        let total = self.summary().bytes;
        let mut done = 0;
        let mut damage = Vec::new();
        for item in &self.files {
            damage.extend(item.read(folder).err());
            done += item.length;
            progress(done, total);
        }
        damage
    }
}

#[derive(Deserialize)]
struct Form {
    form: u32,
}

/// Returns the first line of a manifest: the checksum of the rest.
fn line_of(json: &[u8]) -> String {
    format!("{:016x}\n", xxh3_64(json))
}

fn is_plain(component: Component<'_>) -> bool {
    matches!(component, Component::Normal(_))
}

/// Checks a backup without changing anything. Returns its summary and a description of each
/// damaged file.
///
/// # Errors
/// [`BackupError`]: there is no backup, or its manifest cannot be read.
pub fn check(backup: &Path, progress: &mut CopyProgress<'_>) -> Result<(Summary, Vec<String>), BackupError> {
    let no_backup = || BackupError::NoBackup(backup.to_owned());
    let manifest = Manifest::read(backup)?.ok_or_else(no_backup)?;
    Ok((manifest.summary(), manifest.damage(backup, progress)))
}

/// Returns the paths of all copied files in a backup folder, and of an unfinished manifest, if
/// there is one. It is an error if the folder contains any other file, apart from the archive.
pub(super) fn copies(folder: &Path) -> Result<Vec<PathBuf>, BackupError> {
    let mut copies = Vec::new();
    let archive = folder.join(ARCHIVE);
    for inside in [folder.to_owned(), folder.join(LOG)] {
        let listed = if_there(fs::read_dir(&inside)).map_err(BackupError::at(&inside))?;
        for entry in listed.into_iter().flatten() {
            let path = entry.map_err(BackupError::at(&inside))?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            match name {
                MANIFEST | LOCK | LOG => {}
                ARCHIVE if path == archive => {}
                _ if name == UNFINISHED || is_copy(name) => copies.push(path),
                _ => return Err(BackupError::Foreign(path)),
            }
        }
    }
    Ok(copies)
}

fn is_copy(name: &str) -> bool {
    let checksum = name.rsplit_once('.').map(|(_, checksum)| checksum);
    checksum.is_some_and(|digits| digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
}
