//! The errors of backups and restores.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::embedded::disk::is_no_room;
use crate::embedded::error::EmbeddedOpenError;

/// Why a backup or a restore failed, with the folder or file in question.
#[derive(Debug, Error)]
pub enum BackupError {
    #[error("there is no store in {0}, or no server of this version has opened it yet")]
    NoStore(PathBuf),
    #[error(
        "the log in {0} is shorter than what was acknowledged. The backup of before stays as it \
         is. `flagfall-server store check` says more"
    )]
    Short(PathBuf),
    /// In every attempt, segments were compacted before they could be copied.
    #[error("parts of the log in {0} were gone before they were copied: repeat the command")]
    Moving(PathBuf),
    #[error("{inner} is the folder {outer} itself or lies in it: name another place")]
    Inside { inner: PathBuf, outer: PathBuf },
    #[error("{0} belongs to no backup: name an empty or new folder")]
    Foreign(PathBuf),
    #[error("{0} holds the backup of another store: name an empty or new folder")]
    OtherStore(PathBuf),
    #[error(
        "the backup in {0} has more than the store, which seems to be an older copy: restore the \
         backup, or name another folder"
    )]
    Older(PathBuf),
    #[error(
        "segment {segment} of the log is lost, and the backup in {target} has it: restore the backup, or name \
         another folder"
    )]
    LostSegment { segment: u32, target: PathBuf },
    #[error("{0} is in use by another process: wait until that one has ended")]
    Locked(PathBuf),
    #[error("there is no complete backup in {0}")]
    NoBackup(PathBuf),
    #[error("the backup in {folder} was made by a newer version of this program (form {form})")]
    Newer { folder: PathBuf, form: u32 },
    #[error("the backup in {folder} is damaged: {what}")]
    Damaged { folder: PathBuf, what: String },
    #[error("{0} is not empty: name an empty or new folder with --data")]
    NotEmpty(PathBuf),
    #[error("{path}: {source}. Make room, then repeat the command: what was there before is untouched")]
    NoRoom { path: PathBuf, source: io::Error },
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
}

impl BackupError {
    /// Returns a function for `map_err` that adds this path to an I/O error.
    pub(super) fn at(path: &Path) -> impl Fn(io::Error) -> BackupError {
        let path = path.to_owned();
        move |source| match is_no_room(&source) {
            true => BackupError::NoRoom { path: path.clone(), source },
            false => BackupError::Io { path: path.clone(), source },
        }
    }

    /// Converts an error from locking a folder. For use with `map_err`.
    pub(super) fn of_lock(error: EmbeddedOpenError) -> BackupError {
        match error {
            EmbeddedOpenError::Locked { folder, .. } => BackupError::Locked(folder),
            EmbeddedOpenError::Io { folder, source } => BackupError::at(&folder)(source),
            other => BackupError::Io { path: PathBuf::new(), source: io::Error::other(other) },
        }
    }
}
